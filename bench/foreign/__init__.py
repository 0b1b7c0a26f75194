"""Workers, which read payloads in any language: the port that asks them, and the canonical text of values."""
