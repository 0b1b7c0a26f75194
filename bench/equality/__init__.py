"""The comparison of records: strict equality, the classification of losses, and arrays."""
