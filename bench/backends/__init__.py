"""Stores and transports that operations run on."""
