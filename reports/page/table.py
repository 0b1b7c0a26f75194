"""The page's table: every corpus and machine in one list of rows, with footnotes numbered throughout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..model.candidates import BASELINE
from ..model.options import TableOptions
from ..model.table import Absent, Column, ColumnDirection, Entry, Section
from ..model.view import CorpusView, View
from ..tables.section import SectionBuilder


@dataclass(frozen=True, slots=True)
class Heading:
    """A column of the page: its key, name, explanation, whether it has numbers, pixels on a screen."""

    key: str
    name: str
    help: str
    numeric: bool
    width: int
    direction: ColumnDirection


@dataclass(frozen=True, slots=True)
class PageCell:
    """One cell: the figure without its unit, the unit, the small text next to it, footnotes."""

    text: str
    unit: str = ""
    beside: str = ""
    value: float | str | None = None
    notes: tuple[int, ...] = ()
    tone: str = ""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One codec on one corpus.

    Attributes:
        view: Number of the corpus (and machine) among the views.
        rank: As shown: "1", "1 to 2", or "" if there is none.
        family: The codec without variant, schema and compression; empty if the corpus has no other variants
            of it.
    """

    view: int
    corpus: str
    codec: str
    format: str
    library: str
    rank: str
    is_baseline: bool
    lossy: bool
    trusted: bool
    family: str
    notes: tuple[int, ...]
    cells: Mapping[str, PageCell]


@dataclass(slots=True)
class Footnote:
    """A footnote and the views that refer to it."""

    number: int
    text: str
    views: list[int] = field(default_factory=list)


_LEFT_OUT: Final = ("cost", "fix")
"""Columns that a phone shows in another place, or not at first."""

_WIDEST: Final = 876
"""Pixels left for columns other than rank and codec."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """The whole table.

    Attributes:
        absent: Codecs without a row, with the view that they are missing from.
    """

    columns: tuple[Heading, ...]
    lines: tuple[PageRow, ...]
    footnotes: tuple[Footnote, ...]
    absent: tuple[tuple[int, Absent], ...]

    @property
    def wide(self) -> bool:
        """Whether it is wider than the page, and scrolls separately."""
        return sum(column.width for column in self.columns) > _WIDEST

    @property
    def brief(self) -> list[str]:
        """The columns that a phone shows in addition to the cost."""
        return [column.key for column in self.columns if column.numeric and column.key not in _LEFT_OUT][:3]

    @property
    def families(self) -> bool:
        """Whether a codec has several variants that can be folded."""
        return any(line.family for line in self.lines)

    def unit(self, view: int) -> str:
        """Return the unit of a view's costs; empty if it has none."""
        units = (line.cells["cost"].unit for line in self.lines if line.view == view)
        return next(filter(None, units), "")


def page_table(view: View, baseline: str | None) -> PageTable:
    """Build the table of the page.

    Args:
        view: The content of the page.
        baseline: Codec of the relative figures; the best of each column if not given.
    """
    shown = {key: (spec, spec.page) for key, spec in view.columns.items() if spec.page}
    keys = [k for key, (_, page) in shown.items() for k in (key, f"{key}:x")[: 1 + page.ratio]]
    wanted = TableOptions(columns=("codec", *keys, "rank"), relative_to=baseline, cost=view.cost)
    views = view.corpora
    sections = [SectionBuilder(each, wanted).section() for each in views]
    notes: dict[str, Footnote] = {}
    lines = [
        line
        for number, (each, section) in enumerate(zip(views, sections, strict=True))
        for line in _lines(number, each, section, list(shown), notes)
    ]
    used = {key for line in lines for key, cell in line.cells.items() if cell.text}
    return PageTable(
        columns=tuple(
            Heading(
                key,
                page.heading or spec.title,
                page.help or spec.help,
                numeric=spec.words is None,
                width=page.width,
                direction=spec.direction,
            )
            for key, (spec, page) in shown.items()
            if key in used
        ),
        lines=tuple(lines),
        footnotes=tuple(notes.values()),
        absent=tuple(
            (number, absent) for number, section in enumerate(sections) for absent in section.absent
        ),
    )


def _lines(
    number: int, view: CorpusView, section: Section, keys: Sequence[str], notes: dict[str, Footnote]
) -> list[PageRow]:
    texts = dict(section.footnotes)
    heads = {column.key: column for column in section.columns}
    candidates = {candidate.name: candidate for candidate in view.candidates}

    def cited(entry: Entry) -> tuple[int, ...]:
        found = []
        for mark in entry.marks:
            note = notes.setdefault(texts[mark], Footnote(len(notes) + 1, texts[mark]))
            if number not in note.views:
                note.views.append(number)
            found.append(note.number)
        return tuple(found)

    families = Counter(_family(row.codec) for row in section.rows)
    lines = []
    for row in section.rows:
        candidate = candidates[row.codec]
        name = row.entry(heads["codec"])
        notes_of_codec = cited(name)
        cells = {
            key: _cell(row.entry(heads[key]), heads[key], row.entries.get(f"{key}:x"), cited) for key in keys
        }
        rank = row.entry(heads["rank"])
        lines.append(
            PageRow(
                view=number,
                corpus=view.label,
                codec=row.codec,
                format=candidate.facts.format,
                library=f"{candidate.facts.library} {candidate.facts.version}".strip(),
                rank=rank.text if rank.value is not None else "",
                is_baseline=row.codec == BASELINE,
                lossy=candidate.lossy,
                trusted=candidate.facts.trusted_only,
                family=family if families[family := _family(row.codec)] > 1 else "",
                notes=notes_of_codec,
                cells=cells,
            )
        )
    return lines


def _family(codec: str) -> str:
    return re.split(r"[/+|]", codec, maxsplit=1)[0]


def _cell(entry: Entry, column: Column, relative: Entry | None, cited: Any) -> PageCell:
    is_figure = isinstance(entry.value, int | float) or entry.verdict == "rough"
    # There is space for one interval, the figure's. It comes first; the ratio next to it has none.
    beside = [entry.spread] if entry.spread else []
    if relative and relative.text:
        beside.append(relative.plain)
    return PageCell(
        text=entry.plain,
        unit=column.unit.removesuffix("/record") if is_figure else "",
        beside=" · ".join(beside),
        value=entry.value if entry.limit is None else entry.limit,
        notes=cited(entry),
        tone=entry.tone,
    )
