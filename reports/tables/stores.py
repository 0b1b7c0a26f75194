"""Codecs in stores: the time of a call, the codec's part timed in place, and the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Final

from ...bench.results import StoreFacts
from ..model import numbers
from ..model.candidates import RARE
from ..model.lists import listed
from ..model.placed import Group, Spot
from ..model.table import Column, Section
from .builder import Maker, Style, TableBuilder, grouped, word
from .placed import about, absent, by_operation, settings_line, table_of

OPERATIONS: Final[Mapping[str, str]] = {
    "put": "put",
    "get": "get",
    "update": "update",
    "scan": "scan",
    "put-batch": "put at once",
    "open": "open",
}
"""Timed operations and their headings."""
_STORED: Final = "stored"
WHOLE: Final = "open"
"""The operation that a store does once for all of its records."""

_TOGETHER: Final[tuple[tuple[str, ...], ...]] = (("put", "get"), ("update", "scan"), ("put-batch", "open"))
"""Operations whose columns share one table, which fits a terminal."""
_ENOUGH: Final = 10
"""Number of slices with slow calls below which an interval may be too narrow, by simulation with single slow
calls and bursts (`tests/benchmarks/stores.py`)."""

_Row = tuple[Spot, str]


def sections(group: Group, title: str) -> Iterator[Section]:
    """Yield the tables of one corpus in one state of the stores, with some operations each."""
    title = f"{title} in stores of {group.records:,} record{'s' * (group.records != 1)} ({group.state})"
    gone = absent(group)
    rows = [(s, codec) for s, codecs in group.cells.items() for codec in codecs if (s, codec) not in gone]
    measured = {operation for spot, codec in rows for operation, _ in group.cells[spot][codec]}
    parts = [[o for o in part if o in measured] for part in _TOGETHER]
    parts = [part for part in parts if part] or [[]]
    places = group.places
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        builder = table_of(group)
        columns: list[Maker[_Row]] = [
            word("store", "store", lambda row: row[0][0]),
            word("codec", "codec", lambda row: row[1]),
        ]
        for operation in part:
            whole = operation == WHOLE
            times, per = (float(group.records or 1), "") if whole else (1.0, "/record")
            columns += by_operation(
                builder, group, rows, operation, OPERATIONS[operation], times=times, per=per
            )
        if last and _STORED in measured:
            columns.append(_stored_bytes(builder, group))

        def total(row: _Row, part: list[str] = part) -> float:
            found = [group.figure(*row, operation) for operation in part]
            return sum((one.value for one in found if one is not None), 0.0)

        heading = ", ".join(OPERATIONS[operation] for operation in part)
        yield builder.table(
            f"{title}: {heading}" if heading else title,
            sorted(rows, key=lambda row: (places.index(row[0][0]), total(row))),
            columns,
            lines=about(group, beside=_STORED) if number == 0 else (),
            absent=gone.values() if last else (),
            remarks=_remarks(group) if last else (),
        )


def _stored_bytes(builder: TableBuilder[_Row], group: Group) -> Maker[_Row]:
    style = Style((1.0, "B"), interval=False, write=grouped)
    column = Column(_STORED, "stored", "B/record", "lower", "byte")
    return column, lambda row: builder.entry(group.cell(*row, _STORED), style)


def _remarks(group: Group) -> Iterator[str]:
    """Explain the columns, and the durability settings of each store."""
    yield (
        "codec: the codec's part of a call; share: of the call; baseline: the same call with opaque bytes; "
        "each is measured by itself"
    )
    if group.batch is not None:
        yield f"put at once: {group.batch:,} records in a batch; open: a store with all its records"
    yield from _rare(group)
    known = {spot: list(_stored(group, spot)) for spot in group.cells}
    clocks = [(f.clock_added_ns, f.clock_counted_ns) for facts in known.values() for f in facts]
    if clocks:
        added, counted = min(clocks)
        yield (
            f"the codec's clock adds {added:.0f} ns to a call; the {counted:.0f} ns of them that it counts "
            "are subtracted"
        )
    for (store, _), facts in known.items():
        if settings := next((each.settings for each in facts if each.settings), None):
            yield settings_line(store, settings)


def _rare(group: Group) -> Iterator[str]:
    """Name the calls whose rare slow ones take much of the time, and were too few to measure well."""
    for spot, codecs in group.cells.items():
        found = []
        for operation, heading in OPERATIONS.items():
            samples = [s for codec in codecs if (s := group.samples(spot, codec, operation))]
            seen = [sum(sample.dear for sample in each) for each in samples]
            if not any(seen) or min(seen) >= _ENOUGH:
                continue
            share = fmean(sample.rare for each in samples for sample in each)
            if share >= RARE:
                found.append(f"{heading} ({numbers.percent(share)})")
        if found:
            yield (
                f"in {spot[0]} few slow calls were seen that take much of the time of {listed(found)}: "
                "intervals may be too narrow; a longer run settles it"
            )


def _stored(group: Group, spot: Spot) -> Iterator[StoreFacts]:
    for codec in group.cells[spot]:
        cell = group.cell(spot, codec, _STORED)
        if cell is not None and isinstance(cell.facts, StoreFacts):
            yield cell.facts
