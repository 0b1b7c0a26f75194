"""Which serialization codec should carry my records? Measured, honestly, on your own data."""

from __future__ import annotations

__version__ = "0.1.0"
