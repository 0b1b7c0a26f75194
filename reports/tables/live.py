"""The table of a run in progress: only its current rows."""

from __future__ import annotations

from dataclasses import replace

from ...bench.results import ResultData
from ..model.options import TableOptions
from ..model.table import Entry, Row, Section, Table
from ..model.view import View
from .section import SectionBuilder
from .text import render

_COLUMNS = ("codec", "dump", "load", "bytes", "fidelity", "cost:x", "rank")
_HEAD = 4
"""Lines above the rows."""


def provisional(result: ResultData, *, width: int, height: int, color: bool) -> str:
    """Lay out the rows of the current corpus, as many as fit.

    Args:
        result: The result so far.
        width: Columns of the terminal.
        height: Most lines.
        color: Whether to write colors.
    """
    wanted = TableOptions.of(columns=_COLUMNS)
    sections = [SectionBuilder(corpus, wanted).section() for corpus in View.of([result]).corpora]
    filled = [section for section in sections if section.rows]
    if not filled:
        return ""
    return render(Table((_bare(filled[-1], max(1, height - _HEAD)),)), width=width, color=color).rstrip()


def _bare(section: Section, rows: int) -> Section:
    """Return a section without the text around its rows."""
    return replace(
        section,
        title=f"{section.title}, so far",
        rows=tuple(map(_unmarked, section.rows[:rows])),
        footnotes=(),
        remarks=(),
        origin=(),
        absent=(),
        columns=tuple(replace(column, direction="") for column in section.columns),
    )


def _unmarked(row: Row) -> Row:
    entries: dict[str, Entry] = {key: replace(entry, marks=()) for key, entry in row.entries.items()}
    return replace(row, entries=entries)
