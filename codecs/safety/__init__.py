"""Limits, policies and guards: a codec's checks of records and payloads."""
