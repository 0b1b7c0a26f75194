"""Tables of one figure over several columns: parameters of an operation, compressors, sizes.

A row is a codec, a column is a changed condition, and its ratio shows the effect of the change on the codec.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ...bench.results import CellResult, CorpusFacts, OperationFacts, ResultData
from ...bench.stats import ratio
from ..model import numbers
from ..model.candidates import BASELINE, measured
from ..model.crossover import Crossover, Series, crossovers, leaders
from ..model.swept import scaled, series, swept
from ..model.table import EMPTY, Column, Entry, Section
from ..model.view import MachineView
from .builder import Maker, Style, TableBuilder, grouped, scale_of, word

_OPERATIONS: Final = ("dump", "load", "size")
_WHAT: Final = {"size": "bytes"}
_BARE: Final = "bare"


_Cells = Mapping[tuple[str, str], CellResult]
"""Cells by codec and by operation or column."""


def _table(
    title: str,
    line: str,
    facts: OperationFacts,
    headers: Mapping[str, str],
    cells: _Cells,
    ratios: Sequence[str] = (),
) -> Section:
    """Build the table of one figure; codecs without any are left out.

    Args:
        title: Above the table.
        line: Below the title.
        facts: The operation, which has the unit and direction of the figures.
        headers: Headings of the columns by key, in their order; ratios are to the first.
        cells: The cells, by codec and key.
        ratios: Keys of the columns that also show their ratio to the first.
    """
    figures = {place: found for place, cell in cells.items() if (found := measured(cell)) is not None}
    first = next(iter(headers))
    codecs = dict.fromkeys(codec for codec, _ in figures)
    ordered = sorted(
        codecs,
        key=lambda codec: figures[codec, first].seen if (codec, first) in figures else float("inf"),
        reverse=facts.direction == "higher",
    )
    unit = facts.unit
    exact = facts.phase == "check" and unit == "byte"
    rate = unit == "integer" and facts.direction == "higher"
    scale = (1.0, "B") if exact else scale_of(cells.values(), "rate" if rate else unit)
    style = Style(scale, write=grouped if exact else numbers.quantity, unit=unit)
    per = "" if unit == "integer" or facts.phase == "alone" else "/record"
    builder = TableBuilder[str](
        lambda codec: [cells[codec, key] for key in headers if (codec, key) in cells], lambda codec: codec
    )

    def figure(codec: str, key: str) -> Entry:
        return builder.entry(cells.get((codec, key)), style)

    def times(codec: str, key: str) -> Entry:
        return _ratio(cells.get((codec, key)), cells.get((codec, first)), exact=exact)

    columns: list[Maker[str]] = [word("codec", "codec", lambda codec: codec)]
    for place, (key, header) in enumerate(headers.items()):
        # A narrow terminal drops every second one first, the ends never.
        ends = place in (0, len(headers) - 1)
        dispensable = 0 if ends else 1 + place + (0 if place % 2 else len(headers))
        column = Column(key, header, f"{scale[1]}{per}", facts.direction, unit, dispensable=dispensable)
        columns.append((column, partial(figure, key=key)))
        if key in ratios and key != first:
            column = Column(f"{key}:x", "×", headers[first], raw_unit="ratio")
            columns.append((column, partial(times, key=key)))
    return builder.table(title, ordered, columns, lines=(line,))


def _ratio(ours: CellResult | None, theirs: CellResult | None, *, exact: bool) -> Entry:
    """Write the ratio of a figure to the first column's figure."""
    if ours is None or theirs is None or not ours.samples or not theirs.samples:
        return EMPTY
    if min(sample.value for sample in (*ours.samples, *theirs.samples)) <= 0:
        return EMPTY
    found = ratio(ours.samples, theirs.samples, exact=exact)
    low, high = (None, None) if exact else found.ends
    half = None if low is None or high is None else (high - low) / 2
    spread = numbers.spread(found.value, half)
    return Entry(numbers.ratio(found.value, half), found.value, low, high, spread=spread)


def sweeps(machine: MachineView) -> Iterator[Section]:
    """Yield the tables of all sweeps on a machine."""
    result, where = machine.result, f" on {machine.label}" if machine.label else ""
    for name, sizes in scaled(result).items():
        yield from _by_size(result, f"{name}{where}", sizes)
    for view in machine.corpora:
        title = f"{view.corpus.name}{where}"
        cells = {
            (candidate.name, name): cell
            for candidate in view.codecs
            for name, cell in candidate.cells.items()
        }
        yield from _by_parameter(result, title, cells)
        yield from _by_compressor(result, title, cells)


def _by_parameter(result: ResultData, title: str, cells: _Cells) -> Iterator[Section]:
    for stem, members in swept([result]).items():
        headers = {name: str(number) for name, number in members.items()}
        first, *_, last = headers
        facts = result.operation(first)
        said = " ".join("N" if word == headers[first] else word for word in facts.summary.split(" "))
        own = {place: cell for place, cell in cells.items() if place[1] in members}
        section = _table(f"{title}: {stem}", f"{said}; columns by N", facts, headers, own, (last,))
        if section.rows:
            yield section


def _by_compressor(result: ResultData, title: str, cells: _Cells) -> Iterator[Section]:
    codecs = [codec.partition("|") for codec in dict.fromkeys(codec for codec, _ in cells)]
    bases = dict.fromkeys(bare for bare, _, compressor in codecs if compressor)
    compressors = dict.fromkeys(compressor for _, _, compressor in codecs if compressor)
    if len(bases) < _FEWEST:
        return
    headers = {_BARE: _BARE, **{name: name for name in compressors}}
    for operation in _OPERATIONS:
        facts = result.operation(operation)
        section = _table(
            f"{title}: {_WHAT.get(operation, operation)}, compressed",
            "; ".join(filter(None, (facts.summary, "as it is, and by compressor"))),
            facts,
            headers,
            {
                (bare, key): cell
                for bare in bases
                for key in headers
                if (cell := cells.get((bare if key == _BARE else f"{bare}|{key}", operation)))
            },
            list(compressors),
        )
        if section.rows:
            yield section


def _by_size(result: ResultData, title: str, sizes: Mapping[float, CorpusFacts]) -> Iterator[Section]:
    headers = {corpus.name: numbers.bytes_said(size) for size, corpus in sizes.items()}
    for operation in _OPERATIONS:
        facts = result.operation(operation)
        section = _table(
            f"{title}: {_WHAT.get(operation, operation)} by size",
            "; ".join(filter(None, (facts.summary, "columns by bytes of a record as JSON"))),
            facts,
            headers,
            {
                (c.cell.codec, c.cell.corpus): c
                for c in result.cells
                if c.cell.codec != BASELINE
                and c.cell.corpus in headers
                and c.cell.operation_name == operation
            },
        )
        if section.rows:
            remarks = tuple(overtaking(series(result, sizes, operation))) if operation != "size" else ()
            yield replace(section, remarks=remarks)


_MOST_SAID: Final = 12
"""Most crossovers that are written out."""


def overtaking(found: Mapping[str, Series]) -> Iterator[str]:
    """Write which codec is the fastest at which size, and where codecs overtake one another."""
    first = leaders(found)
    if first:
        spans = (f"{name} {_span(low, high)}" for name, low, high in first)
        yield f"least mean: {', '.join(spans)}"
    crossed = crossovers(found)
    yield from map(_crossed, crossed[:_MOST_SAID])
    if len(crossed) > _MOST_SAID:
        yield f"and {len(crossed) - _MOST_SAID} further crossovers; `report -f svg --chart sizes` draws them"
    if not crossed:
        yield "no codec significantly overtakes another between these sizes"


def _crossed(one: Crossover) -> str:
    low, size, high = map(numbers.bytes_said, (one.low, one.size, one.high))
    below = f"from {numbers.bytes_said(one.since)} to" if one.since else "below"
    above = "above" if math.isinf(one.until) else f"up to {numbers.bytes_said(one.until)}"
    return f"{one.below} is faster {below} {size} ({low} to {high}), {one.above} {above}"


def _span(low: float, high: float) -> str:
    first, last = map(numbers.bytes_said, (low, high))
    return f"at {first}" if low == high else f"from {first} to {last}"


_FEWEST: Final = 2
"""Fewest codecs with a compressor for a table of compressors."""
