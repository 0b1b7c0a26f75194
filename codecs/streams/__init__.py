"""Streams of records: framing, decoding in chunks, compression."""
