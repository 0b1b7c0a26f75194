"""Synthetic records: they cost codecs as much as the records of a corpus, and have none of their values."""

from __future__ import annotations

from .fit import fit
from .make import made
from .names import hidden, names, names_by_risk
from .profile import LARGEST, DataProfile, DataProfileError, read, write

__all__ = [
    "LARGEST",
    "DataProfile",
    "DataProfileError",
    "fit",
    "hidden",
    "made",
    "names",
    "names_by_risk",
    "read",
    "write",
]
