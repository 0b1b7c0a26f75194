"""Corpora: named, reproducible sequences of records, generated or the user's own."""

from __future__ import annotations

from .base import DEFAULT_SEED, Corpus
from .corpora import DEFAULT_RECORDS, corpus, names
from .errors import (
    BadRecord,
    NoRecords,
    ResultAsRecords,
    UnknownCorpus,
    UnknownFormat,
    UnreadableCorpus,
    UntrustedCorpus,
)
from .sizes import SIZES, size

__all__ = [
    "DEFAULT_RECORDS",
    "DEFAULT_SEED",
    "SIZES",
    "BadRecord",
    "Corpus",
    "NoRecords",
    "ResultAsRecords",
    "UnknownCorpus",
    "UnknownFormat",
    "UnreadableCorpus",
    "UntrustedCorpus",
    "corpus",
    "names",
    "size",
]
