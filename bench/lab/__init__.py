"""Tests of codecs other than timing: fidelity, hostile input, evolution, self-test."""
