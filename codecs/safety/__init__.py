"""Limits, policies and guards: what a codec checks in records and payloads."""
