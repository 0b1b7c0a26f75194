"""The cost of a schema change: how each codec reads the other version's payloads, and how fast."""
