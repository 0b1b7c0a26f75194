"""Fidelity: strict equality, losses, and the matrix of codecs and types."""
