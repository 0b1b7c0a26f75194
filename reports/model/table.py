"""The table model: the content of every output format, already worded, rounded and ranked.

A `Table` has a section per corpus. A section has columns, rows and footnotes. Renderers only lay it out and
escape it; none of them decides what a figure means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import ascii_lowercase
from typing import Any, Final, Literal

from ...bench.results import CellResult

ColumnDirection = Literal["lower", "higher", ""]

ARROWS: Final[Mapping[ColumnDirection, str]] = {"lower": "↓", "higher": "↑", "": ""}


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        key: Stable name, for ``--columns`` and CSV headers; unique within a block.
        header: The name shown.
        unit: Unit of the values shown, including the unit of work ("µs/record").
        direction: Which way is better, if one is.
        raw_unit: Unit of the raw values ("second", "byte", "integer", or "" for text).
        numeric: Whether values are numbers, aligned to the right.
        block: The machine, if there are several.
        dispensable: Position in the order in which a narrow terminal drops columns; 0 for never.
    """

    key: str
    header: str
    unit: str = ""
    direction: ColumnDirection = ""
    raw_unit: str = ""
    numeric: bool = True
    block: str = ""
    dispensable: int = 0

    @property
    def id(self) -> str:
        """The column's name in CSV and JSON: the key, with its block if there is one."""
        return f"{self.key}@{self.block}" if self.block else self.key

    @property
    def arrow(self) -> str:
        """The direction as a sign, which is explained below every table that has one."""
        return ARROWS[self.direction]

    @property
    def title(self) -> str:
        """Header, unit and direction in one line."""
        return " ".join(part for part in (self.header, self.unit, self.arrow) if part)


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure or word of a table.

    Attributes:
        text: The text shown, without marks.
        spread: The end of the text that writes the interval; empty if there is none.
        level: Whether it is a ratio in parentheses, which is not distinguishable from 1.
        value: The raw figure (unscaled) or word; None if there is none.
        low: Lower end of the interval, raw; for a rank, the best possible one.
        high: Upper end of the interval, raw; for a rank, the worst possible one.
        limit: The raw limit that the figure is shown to be below, if less cannot be measured.
        marks: Footnote letters.
        verdict: For a ratio of times, the codec relative to the other one: "faster", "slower", "same", or
            "unresolved" if too little is known. For a rank, why several are possible.
        tone: "good", "bad" or "dim", for outputs with color; never the only sign.
    """

    text: str
    value: float | int | str | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    marks: tuple[str, ...] = ()
    tone: Literal["", "good", "bad", "dim"] = ""
    verdict: str = ""
    spread: str = ""
    level: bool = False

    @property
    def plain(self) -> str:
        """The text without its interval."""
        return self.text.removesuffix(self.spread).rstrip()

    @property
    def shown(self) -> str:
        """The text with its footnote letters."""
        return f"{self.text} [{','.join(self.marks)}]" if self.marks else self.text


EMPTY = Entry("")


@dataclass(frozen=True, slots=True)
class Row:
    """One codec: its entries by column id.

    Attributes:
        ranked: False for the baseline and for codecs without a figure.
        group: Heading above the row, with ``--group-by``.
        outcome: The worst outcome of the codec's cells, whatever the columns.
        reason: All failures and losses; empty if the outcome is "ok".
    """

    codec: str
    entries: Mapping[str, Entry]
    ranked: bool = True
    group: str = ""
    outcome: str = "ok"
    reason: str = ""

    def entry(self, column: Column) -> Entry:
        """Return the entry of a column; an empty one if there is none."""
        return self.entries.get(column.id, EMPTY)


@dataclass(frozen=True, slots=True)
class Absent:
    """A codec without a row of figures, and the reason."""

    codec: str
    outcome: str
    reason: str
    stderr: str = ""
    block: str = ""

    @property
    def sentence(self) -> str:
        """Outcome and reason in one line."""
        where = f" ({self.block})" if self.block else ""
        return f"{self.codec}{where}: {self.outcome}" + (f": {self.reason}" if self.reason else "")


Labelled = tuple[tuple[str, str], ...]
"""The parts of a line, each with its label, without control characters."""

_LABEL: Final = 8
_PART: Final = 28
"""Columns of a part that another part of the same line follows."""


def aligned(line: Labelled, width: int = _LABEL) -> str:
    """Return a line as text: its first label and the other parts in columns.

    Args:
        line: The line.
        width: Columns of the label, with the space after it.
    """
    (label, first), *others = line
    text = f"  {label:<{width}}{first}" if label else first
    for other, words in others:
        text = f"{text:<{2 + width + _PART}}{other}  {words}"
    return text


@dataclass(frozen=True, slots=True)
class Section:
    """The table of one corpus.

    Attributes:
        lines: What the rows are about, below the title.
        footnotes: Letter and text.
        remarks: Remarks on whole columns, below the rows.
        absent: Codecs that failed or were not available.
        opening: The answer, above everything else: pairs of a label and its text, by line. The first line is
            about the data and has no label.
        answer: Conclusions below the rows, a line each.
        origin: The data, below all other text.
        heads: Processor and Python of each block.
        folds: A terminal shows only the first footnotes.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    lines: tuple[str, ...] = ()
    footnotes: tuple[tuple[str, str], ...] = ()
    absent: tuple[Absent, ...] = ()
    remarks: tuple[str, ...] = ()
    opening: tuple[Labelled, ...] = ()
    answer: tuple[str, ...] = ()
    origin: tuple[str, ...] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    folds: bool = True

    @property
    def opening_lines(self) -> list[str]:
        """The opening as text, aligned."""
        width = max([_LABEL, *(len(label) + 1 for ((label, _), *_) in self.opening)])
        return [aligned(line, width) for line in self.opening]

    @property
    def headers(self) -> list[str]:
        """One line for each column, with the machine before the name if there are several."""
        return [
            f"{column.block}: {column.title}" if column.block else column.title for column in self.columns
        ]

    def grid(self) -> list[list[str]]:
        """The rows as plain text, marks included."""
        return [[row.entry(column).shown for column in self.columns] for row in self.rows]

    @property
    def legend(self) -> tuple[str, ...]:
        """Explanations of the signs that occur."""
        used = {column.direction for column in self.columns}
        lines = [f"{arrow} {way} is better" for way, arrow in ARROWS.items() if arrow and way in used]
        level = {column.unit for column in self.columns for row in self.rows if row.entry(column).level}
        bests = ("the best" if unit == "best" else unit for unit in sorted(level))
        lines += [f"a ratio in parentheses is not distinguishable from {best}" for best in bests]
        return tuple(lines)

    @property
    def notes(self) -> list[str]:
        """Legend, remarks and footnotes, one line each."""
        return [*self.legend, *self.remarks, *(f"[{mark}] {text}" for mark, text in self.footnotes)]

    @property
    def below(self) -> list[str]:
        """All text below the rows, one line each: legend, remarks, footnotes, absent codecs, data."""
        return [*self.notes, *(absent.sentence for absent in self.gone), *self.origin]

    @property
    def gone(self) -> tuple[Absent, ...]:
        """The absent codecs, combined if outcome and reason are the same."""
        groups: dict[Absent, list[str]] = {}
        for absent in self.absent:
            groups.setdefault(replace(absent, codec=""), []).append(absent.codec)
        return tuple(replace(absent, codec=", ".join(names)) for absent, names in groups.items())


@dataclass(frozen=True, slots=True)
class Table:
    """A whole report: a section per corpus, and facts common to all of them.

    Attributes:
        warnings: Conditions that may have distorted the figures.
        notes: Environment, command and other facts, one line each.
        recommendation: One sentence on all sections.
        opening: What all sections say together, above them; empty if they open themselves.
        meta: Plain values for JSON.
    """

    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    recommendation: str = ""
    opening: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def closing(self) -> list[str]:
        """The recommendation in lines; none if sections have separate answers."""
        apart = any(section.answer or section.opening for section in self.sections)
        return [] if apart else self.recommendation.splitlines()


def labelled(blocks: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """Join the lines of several machines: common lines once, the others with the machine's name."""
    found = []
    for block, lines in blocks:
        for line in lines:
            common = all(line in others for _, others in blocks)
            found.append(line if common or not block else f"{block}: {line}")
    return tuple(dict.fromkeys(found))


def merge_sections(blocks: Sequence[tuple[str, Section]]) -> Section:
    """Combine the sections of a corpus on several machines, with a block of columns each.

    Figures are never averaged. A codec that one machine lacks has empty entries there. Rows are in the first
    machine's order.
    """
    texts = labelled([(block, [text for _, text in section.footnotes]) for block, section in blocks])
    letters = dict(zip(texts, map(letter, range(len(texts))), strict=True))
    rows: dict[str, Row] = {}
    columns: dict[str, Column] = {}
    for block, section in blocks:
        renamed = {c.id: c if c.key == "codec" else replace(c, block=block) for c in section.columns}
        columns |= {column.id: column for column in renamed.values()}
        marks = {
            mark: letters[text] if text in letters else letters[f"{block}: {text}"]
            for mark, text in section.footnotes
        }
        for row in section.rows:
            moved = {
                column.id: replace(row.entry(own), marks=tuple(marks[mark] for mark in row.entry(own).marks))
                for own, column in ((own, renamed[own.id]) for own in section.columns)
            }
            known = rows.get(row.codec)
            reason = row.reason and f"{block}: {row.reason}"
            rows[row.codec] = _joined(known, replace(row, entries=moved, reason=reason))
    return Section(
        title=blocks[0][1].title,
        columns=tuple(columns.values()),
        rows=tuple(sorted(rows.values(), key=lambda row: not row.ranked)),
        lines=labelled([(block, section.lines) for block, section in blocks]),
        footnotes=tuple((mark, text) for text, mark in letters.items()),
        absent=tuple(replace(absent, block=block) for block, s in blocks for absent in s.absent),
        remarks=labelled([(block, section.remarks) for block, section in blocks]),
        origin=labelled([(block, section.origin) for block, section in blocks]),
    )


def _joined(known: Row | None, row: Row) -> Row:
    """Add a machine's entries to a codec's row; the name keeps the marks of all machines."""
    if known is None:
        return row
    name = known.entries["codec"]
    marks = tuple(dict.fromkeys(name.marks + row.entries["codec"].marks))
    return replace(
        known,
        entries={**known.entries, **row.entries, "codec": replace(name, marks=marks)},
        ranked=known.ranked or row.ranked,
        outcome=row.outcome if known.outcome == "ok" else known.outcome,
        reason="; ".join(filter(None, (known.reason, row.reason))),
    )


class Footnotes:
    """The footnotes of a table, with letters in the order of their requests."""

    @cached_property
    def _letters(self) -> dict[str, str]:
        return {}

    def mark(self, text: str) -> str:
        """Return the letter of a footnote; each text has one."""
        return self._letters.setdefault(text, letter(len(self._letters)))

    @property
    def footnotes(self) -> tuple[tuple[str, str], ...]:
        """Letter and text of each footnote."""
        return tuple((letter, text) for text, letter in self._letters.items())

    def failed(self, cell: CellResult) -> Entry:
        """Show the outcome in place of a figure, and the reason as a footnote."""
        marks = (self.mark(cell.failure),) if cell.reason else ()
        return Entry(cell.outcome, cell.outcome, marks=marks, tone="bad")


def letter(number: int) -> str:
    """Return the name of a footnote: a to z, then aa, bb and so on."""
    return ascii_lowercase[number % 26] * (number // 26 + 1)
