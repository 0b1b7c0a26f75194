"""Readers in other languages: their names, and the best library of each language."""

from __future__ import annotations

from collections.abc import Iterable

from .candidates import Candidate, measured
from .read import Read


def languages(candidates: Iterable[Candidate]) -> dict[str, str]:
    """Return the names of the languages that read payloads, by their short names."""
    reads = (read for candidate in candidates for read in candidate.reads.values())
    return {read.language: read.facts.language for read in reads}


def best(reads: Iterable[Read], *, allow_loss: bool = False) -> Read | None:
    """Return the fastest of some libraries that read all payloads exactly; None if there is none.

    Args:
        reads: What each library read of one codec.
        allow_loss: A library that changes values is acceptable.
    """
    good = ("ok", "lossy") if allow_loss else ("ok",)
    figures = [(f.value, read) for read in reads if read.outcome in good and (f := measured(read.cell))]
    return min(figures, key=lambda pair: pair[0], default=(0.0, None))[1]
