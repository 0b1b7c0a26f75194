"""What a change of a schema costs: what each codec makes of the other version's payloads, and how fast."""
