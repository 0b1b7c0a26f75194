"""Studies of codecs beside their speed: fidelity, hostile input, conformance, evolution, the self-test."""
