"""Studies of codecs other than timing: fidelity, hostile input, conformance, evolution, the self-test."""
