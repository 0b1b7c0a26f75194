"""Hostile payloads, one file for each wire format; compressors have one of their own."""
