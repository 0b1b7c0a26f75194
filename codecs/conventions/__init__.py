"""Conventions for Python types that a format lacks, and the names of types."""
