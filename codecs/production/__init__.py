"""Modules for services: locks, installed versions, media types, migration, sampling."""
