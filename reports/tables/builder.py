"""Build a table: rows and columns are declared, figures, failures and footnotes are written in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...bench.results import CellResult
from ..model import numbers
from ..model.candidates import WELL, MeanInterval, failures, measured
from ..model.table import EMPTY, Absent, Column, Entry, Footnotes, Row, Section

K = TypeVar("K")
Maker = tuple[Column, Callable[[K], Entry]]
"""A column, and the function that makes its entry of a row."""


@dataclass(frozen=True, slots=True)
class Style:
    """How the figures of a column are written.

    Attributes:
        scale: The factor for raw figures, and the resulting unit.
        times: The factor for raw figures in CSV and JSON.
        interval: Whether ± follows the figure.
        rough: Whether rough figures from the check are used if there was no time to measure.
        write: Writes a figure with half its interval.
        unit: Raw unit, for figures below the measurable limit.
    """

    scale: numbers.Scale
    times: float = 1.0
    interval: bool = True
    rough: bool = False
    write: Callable[[float, float | None], str] = numbers.quantity
    unit: str = "second"


class TableBuilder(Footnotes, Generic[K]):
    """Builds one table.

    Args:
        cells: Returns all cells of a row.
        codec: Returns the codec of a row.
    """

    def __init__(self, cells: Callable[[K], Iterable[CellResult]], codec: Callable[[K], str]) -> None:
        self._cells = cells
        self._codec = codec

    def ranked(self, row: K) -> bool:
        """Return whether a row is ranked, by default every one."""
        return True

    def group(self, row: K) -> str:
        """Return the heading above a row and those of the same group, by default none."""
        return ""

    def outcome(self, row: K) -> tuple[str, str]:
        """Return the outcome of a row, whatever its columns, and the reason for it."""
        cells = list(self._cells(row))
        found = next((cell.outcome for cell in cells if cell.outcome not in WELL), "ok")
        return found, "; ".join(dict.fromkeys(failures(cells)))

    def table(
        self,
        title: str,
        rows: Iterable[K],
        columns: Sequence[Maker[K]],
        *,
        lines: Iterable[str] = (),
        absent: Iterable[Absent] = (),
        remarks: Iterable[str] = (),
        origin: Iterable[str] = (),
        unranked: str = "",
    ) -> Section:
        """Return the table.

        Args:
            title: Title above it.
            rows: Rows in their order.
            columns: Columns with the functions of their entries.
            lines: Lines below the title.
            absent: Codecs without a row.
            remarks: Lines below the rows.
            origin: Lines about the data, below all others.
            unranked: A codec that is not ranked.
        """
        # Go row by row, so that footnote letters appear in reading order.
        made = tuple(
            Row(
                self._codec(row),
                {column.id: make(row) for column, make in columns},
                self.ranked(row) and self._codec(row) != unranked,
                self.group(row),
                *self.outcome(row),
            )
            for row in rows
        )
        return Section(
            title=title,
            columns=tuple(column for column, _ in columns),
            rows=made,
            lines=tuple(lines),
            footnotes=self.footnotes,
            absent=tuple(absent),
            remarks=tuple(remarks),
            origin=tuple(origin),
        )

    def entry(self, cell: CellResult | None, style: Style) -> Entry:
        """Write the figure, or why there is none."""
        found = None if cell is None else measured(cell)
        if found is None:
            return self.without(cell, style.scale[0] if style.rough else 0.0)
        return written(found, style)

    def without(self, cell: CellResult | None, rough: float = 0.0) -> Entry:
        """Write why there is no figure.

        Args:
            cell: The cell without a figure.
            rough: Factor for a rough figure; 0 shows none.
        """
        if cell is None:
            return EMPTY
        if cell.outcome in WELL:
            if not rough or cell.rough is None:
                return EMPTY
            return Entry(f"≈{numbers.approximate(cell.rough * rough)}", tone="dim")
        return self.failed(cell)


def written(found: MeanInterval, style: Style) -> Entry:
    """Write a figure, with its interval if the style has it."""
    if found.limit is not None:
        return Entry(numbers.below(found.limit, style.unit, style.scale), *found)
    factor = style.scale[0]
    half = None if found.half is None else found.half * factor
    spread = numbers.spread(found.value, found.half) if style.interval else ""
    text = f"{style.write(found.value * factor, half)} {spread}".strip()
    low, high = (None if end is None else end * style.times for end in (found.low, found.high))
    return Entry(text, found.value * style.times, low, high, spread=spread)


def word(key: str, header: str, said: Callable[[K], str]) -> Maker[K]:
    """Return a column of words.

    Args:
        key: Its key.
        header: Its heading.
        said: Returns the word of a row.
    """
    return Column(key, header, numeric=False), lambda row: Entry(said(row), said(row))


def grouped(value: float, _: float | None) -> str:
    """Write an exact figure, as `Style.write` does."""
    return numbers.grouped(value)


def scale_of(cells: Iterable[CellResult | None], unit: str, times: float = 1.0) -> numbers.Scale:
    """Return the scale of a column: that of its figures, or of rough figures if it has no others."""
    known = [cell for cell in cells if cell is not None]
    seen = [found.seen for cell in known if (found := measured(cell)) is not None]
    seen = seen or [cell.rough for cell in known if cell.rough is not None]
    factor, name = numbers.scale([value * times for value in seen], unit)
    return factor * times, name
