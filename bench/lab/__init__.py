"""Tests of codecs other than timing: fidelity, hostile input, conformance, evolution, self-test."""
