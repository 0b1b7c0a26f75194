"""How Python types that a format lacks are written, and the vocabulary of types."""
