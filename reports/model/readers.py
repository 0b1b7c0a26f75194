"""Readers in other languages: the cells of a codec by language, and the best library of each."""

from __future__ import annotations

from collections.abc import Iterable

from ...bench.results import CellResult, ReadFacts
from .candidates import Candidate, measured


def language_of(cell: CellResult) -> str:
    """Return the short name of the language that read a payload, as in ``--readers``."""
    return cell.cell.place.partition("-")[0]


def facts_of(cell: CellResult) -> ReadFacts:
    """Return what a library read."""
    assert isinstance(cell.facts, ReadFacts)
    return cell.facts


def languages(candidates: Iterable[Candidate]) -> dict[str, str]:
    """Return the names of the languages that read payloads, by their short names."""
    cells = (cell for candidate in candidates for cell in candidate.reads.values())
    return {language_of(cell): facts_of(cell).language for cell in cells}


def in_language(candidate: Candidate, language: str) -> list[CellResult]:
    """Return the cells of a codec in a language."""
    return [cell for cell in candidate.reads.values() if language_of(cell) == language]


def best(cells: Iterable[CellResult], *, allow_loss: bool = False) -> CellResult | None:
    """Return the fastest of some libraries that read all payloads exactly; None if there is none.

    Args:
        cells: What each library read of one codec.
        allow_loss: A library that changes values is acceptable.
    """
    good = ("ok", "lossy") if allow_loss else ("ok",)
    figures = [(found.value, cell) for cell in cells if cell.outcome in good and (found := measured(cell))]
    return min(figures, key=lambda pair: pair[0], default=(0.0, None))[1]


def remark(cell: CellResult, sample: int) -> str:
    """Say which values a library changes, or why it has no figure; empty if it reads everything exactly.

    Args:
        cell: What it read.
        sample: Records that it should have read.
    """
    facts = facts_of(cell)
    seen = facts.exact + facts.changed
    if cell.outcome == "ok":
        return f"checked on {seen:,} of {sample:,} records" if seen < sample else ""
    if cell.outcome == "lossy":
        more = len(cell.loss) - 2
        return f"changes {'; '.join(cell.loss[:2])}{f'; and {more} more' if more > 0 else ''}"
    return cell.reason or cell.outcome


def sentence(cell: CellResult) -> str:
    """Return what a library changes or refuses, with its name."""
    facts = facts_of(cell)
    fault = remark(cell, 0) if cell.outcome in ("lossy", "unsupported") else f"{cell.outcome}: {cell.reason}"
    return f"{facts.library} ({facts.language}) {fault}"
