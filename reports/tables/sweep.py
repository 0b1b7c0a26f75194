"""Tables of one figure over several columns: parameters of an operation, compressors behind a codec, sizes.

A row is a codec, a column what was changed, and its ratio says what that changed for this codec.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...bench.results import CellResult, CorpusFacts, OperationFacts, Result
from ...bench.stats import ratio
from ..model import numbers
from ..model.candidates import BASELINE, measured
from ..model.crossover import Series, crossovers, leaders
from ..model.swept import scaled, series, swept
from ..model.table import EMPTY, Column, Entry, Section
from ..model.view import MachineView
from .placed import Maker, Style, TableBuilder, grouped, scale_of

__all__ = ["Sweep", "overtaking", "sweeps"]

_COMPRESSED: Final = ("dump", "load", "size")
_BARE: Final = "bare"


@dataclass(frozen=True, slots=True)
class Sweep:
    """One figure of several codecs over several columns.

    Attributes:
        title: Above the table.
        lines: Below the title.
        facts: The operation; its unit and direction are those of the figures.
        headers: Of the columns by key, in their order; ratios are to the first.
        rows: Names of the codecs.
        cell: What was measured, by row and column key; None where nothing was.
        ratios: Keys of the columns that have their ratio to the first beside them.
    """

    title: str
    lines: tuple[str, ...]
    facts: OperationFacts
    headers: Mapping[str, str]
    rows: Sequence[str]
    cell: Callable[[str, str], CellResult | None]
    ratios: Sequence[str] = ()

    def section(self) -> Section:
        """Build the table; codecs without any figure are left out."""
        cells = {
            (row, key): cell for row in self.rows for key in self.headers if (cell := self.cell(row, key))
        }
        figures = {place: found for place, cell in cells.items() if (found := measured(cell)) is not None}
        first = next(iter(self.headers))
        ordered = sorted(
            (row for row in self.rows if any((row, key) in figures for key in self.headers)),
            key=lambda row: figures[row, first].seen if (row, first) in figures else float("inf"),
            reverse=self.facts.direction == "higher",
        )
        unit = self.facts.unit
        exact = self.facts.phase == "check" and unit == "byte"
        rate = unit == "integer" and self.facts.direction == "higher"
        scale = (1.0, "B") if exact else scale_of(cells.values(), "rate" if rate else unit)
        style = Style(scale, write=grouped if exact else numbers.quantity, unit=unit)
        per = "" if unit == "integer" or self.facts.phase == "alone" else "/record"
        builder = TableBuilder[str](
            lambda row: [cells[row, key] for key in self.headers if (row, key) in cells], lambda row: row
        )

        def figure(key: str) -> Maker[str]:
            column = Column(
                key,
                self.headers[key],
                f"{scale[1]}{per}",
                self.facts.direction,
                raw_unit=unit,
                dispensable=self._dispensable(key),
            )
            return column, lambda row: builder.entry(cells.get((row, key)), style)

        def times(key: str) -> Maker[str]:
            column = Column(f"{key}:x", "×", self.headers[first], raw_unit="ratio")
            return column, lambda row: self._ratio(row, key, first, exact=exact)

        columns: list[Maker[str]] = [(Column("codec", "codec", numeric=False), lambda row: Entry(row, row))]
        for key in self.headers:
            columns += [figure(key), *([times(key)] if key in self.ratios and key != first else [])]
        return builder.section(self.title, ordered, columns, lines=self.lines)

    def _dispensable(self, key: str) -> int:
        """Return when a narrow terminal gives a column up: every second one first, the ends never."""
        place = list(self.headers).index(key)
        if place in (0, len(self.headers) - 1):
            return 0
        return 1 + place + (0 if place % 2 else len(self.headers))

    def _ratio(self, row: str, key: str, first: str, *, exact: bool) -> Entry:
        """Say how many times the first column's figure a figure is."""
        ours, theirs = self.cell(row, key), self.cell(row, first)
        if ours is None or theirs is None or not ours.samples or not theirs.samples:
            return EMPTY
        if min(sample.value for sample in (*ours.samples, *theirs.samples)) <= 0:
            return EMPTY
        found = ratio(ours.samples, theirs.samples, exact=exact)
        known = not exact and found.low > 0 and found.high < float("inf")
        half = (found.high - found.low) / 2 if known else None
        text = " ".join(filter(None, (numbers.ratio(found.value), numbers.spread(found.value, half))))
        return Entry(text, found.value, found.low if known else None, found.high if known else None)


def sweeps(machine: MachineView) -> Iterator[Section]:
    """Yield the tables of what was swept on a machine."""
    result, where = machine.result, f" on {machine.label}" if machine.label else ""
    for name, sizes in scaled(result).items():
        yield from _by_size(result, f"{name}{where}", sizes)
    for view in machine.corpora:
        title = f"{view.corpus.name}{where}"
        cells = {
            (name, candidate.name): cell
            for candidate in view.codecs
            for name, cell in candidate.cells.items()
        }
        codecs = list(dict.fromkeys(codec for _, codec in cells))
        yield from _by_parameter(result, title, cells, codecs)
        yield from _by_compressor(result, title, cells, codecs)


_Cells = Mapping[tuple[str, str], CellResult]


def _by_parameter(result: Result, title: str, cells: _Cells, codecs: Sequence[str]) -> Iterator[Section]:
    for stem, members in swept([result]).items():
        first, *_, last = members
        facts = result.operation(first)
        headers = {name: str(number) for name, number in members.items()}
        said = re.sub(rf"\b{headers[first]}\b", "N", facts.summary)
        sweep = Sweep(
            f"{title}: {stem}",
            (f"{said}; columns by N",),
            facts,
            headers,
            codecs,
            lambda codec, name: cells.get((name, codec)),
            (last,),
        )
        if (section := sweep.section()).rows:
            yield section


def _by_compressor(result: Result, title: str, cells: _Cells, codecs: Sequence[str]) -> Iterator[Section]:
    bases: dict[str, str] = {}
    names: dict[tuple[str, str], str] = {}
    for codec in codecs:
        bare, _, compressor = codec.partition("|")
        names[bare, compressor or _BARE] = codec
        if compressor:
            bases[bare] = compressor
    compressors = list(dict.fromkeys(c for _, c in names if c != _BARE))
    if len(bases) < _FEWEST:
        return
    for operation in _COMPRESSED:
        facts = result.operation(operation)
        sweep = Sweep(
            f"{title}: {'bytes' if operation == 'size' else operation}, compressed",
            (f"{facts.summary}; as it is, and by compressor".lstrip("; "),),
            facts,
            {_BARE: _BARE, **{name: name for name in compressors}},
            list(bases),
            lambda codec, key, operation=operation: cells.get(  # type: ignore[misc]
                (operation, names.get((codec, key), ""))
            ),
            compressors,
        )
        if (section := sweep.section()).rows:
            yield section


def _by_size(result: Result, title: str, sizes: Mapping[float, CorpusFacts]) -> Iterator[Section]:
    headers = {corpus.name: numbers.bytes_said(size) for size, corpus in sizes.items()}
    cells = {(c.cell.corpus, c.cell.operation_name, c.cell.codec): c for c in result.cells}
    codecs = list(dict.fromkeys(c.cell.codec for c in result.cells if c.cell.codec != BASELINE))
    for operation in ("dump", "load", "size"):
        facts = result.operation(operation)
        sweep = Sweep(
            f"{title}: {'bytes' if operation == 'size' else operation} by size",
            (f"{facts.summary}; columns by bytes of a record as JSON".lstrip("; "),),
            facts,
            headers,
            codecs,
            lambda codec, key, operation=operation: cells.get((key, operation, codec)),  # type: ignore[misc]
        )
        if (section := sweep.section()).rows:
            remarks = tuple(overtaking(series(result, sizes, operation))) if operation != "size" else ()
            yield replace(section, remarks=remarks)


_MOST_SAID: Final = 12
"""Crossovers that are written out."""


def overtaking(found: Mapping[str, Series]) -> Iterator[str]:
    """Say who is the quickest at which size, and where codecs overtake one another."""
    first = leaders(found)
    if first:
        spans = (f"{name} {_span(low, high)}" for name, low, high in first)
        yield f"least mean: {', '.join(spans)}"
    crossed = crossovers(found)
    for one in crossed[:_MOST_SAID]:
        sure = f"{numbers.bytes_said(one.low)} to {numbers.bytes_said(one.high)}"
        yield f"{one.below} is quicker below {numbers.bytes_said(one.size)} ({sure}), {one.above} above"
    if len(crossed) > _MOST_SAID:
        yield f"and {len(crossed) - _MOST_SAID} further crossovers; `report -f svg --chart sizes` draws them"
    if not crossed:
        yield "no codec surely overtakes another between these sizes"


def _span(low: float, high: float) -> str:
    first, last = map(numbers.bytes_said, (low, high))
    return f"at {first}" if low == high else f"from {first} to {last}"


_FEWEST: Final = 2
"""Codecs with a compressor behind them that make a table of compressors."""
