"""Schemas in other languages and libraries."""
