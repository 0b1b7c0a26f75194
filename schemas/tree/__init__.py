"""Schemas as trees of types: declared, inferred, compared, written as Python."""
