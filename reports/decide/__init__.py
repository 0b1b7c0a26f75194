"""Decisions: pick a codec, compare two results, write a lock."""
