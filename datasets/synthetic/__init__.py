"""Synthetic records: they cost codecs as much as the records of a corpus, and have none of their values."""

from __future__ import annotations

from .checks import DataProfileError
from .fit import fit
from .make import made
from .names import hidden, names, names_by_risk
from .profile import DataProfile
from .profile_file import LARGEST, read, write

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
