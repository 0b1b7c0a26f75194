"""Fidelity: the matrix of codecs and types."""
