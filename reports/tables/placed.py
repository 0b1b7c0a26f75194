"""Build tables of cells in places: stores, pipelines, and places of other packages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ..model import numbers
from ..model.candidates import WELL, MeanInterval
from ..model.placed import Group, Spot
from ..model.table import EMPTY, Absent, Column, ColumnDirection, Entry, Footnotes, Section
from .builder import Maker, Style, TableBuilder, grouped, scale_of, word
from .captions import measured_on

_Row = tuple[Spot, str]
"""A spot and a codec."""


def table_of(group: Group) -> TableBuilder[_Row]:
    """Return the builder of a table whose rows are codecs in places."""
    return TableBuilder(lambda row: group.cells[row[0]][row[1]].values(), lambda row: row[1])


def share(part: MeanInterval | None, total: MeanInterval | None, notes: Footnotes) -> Entry:
    """Write the share of a part in a total, with a footnote if it came out as more than that."""
    if part is None or total is None or not total.value:
        return EMPTY
    found = part.value / total.value
    marks = (notes.mark(_exceeding(found)),) if numbers.exceeds(found) else ()
    return Entry(numbers.share(found), found, marks=marks)


def _exceeding(found: float) -> str:
    return (
        f"the codec's part came out as {numbers.percent(found)} of the whole: each is measured by itself, "
        "under conditions that differ by more than the rest takes"
    )


def about(group: Group, *, beside: str = "") -> Iterator[str]:
    """Describe the data, and the meaning of ±.

    Args:
        group: The measured cells.
        beside: An operation that was measured in one process only.
    """
    if group.corpus.description:
        yield group.corpus.description
    if group.corpus.records:
        yield measured_on(group.corpus)
    counts = [
        len(cell.samples)
        for codecs in group.cells.values()
        for cells in codecs.values()
        for (operation, _), cell in cells.items()
        if operation != beside
    ]
    if counts and max(counts) > 1:
        yield f"± half the 95 % interval of the mean over {max(counts)} processes"


def settings_line(place: str, settings: Mapping[str, str]) -> str:
    """Return the remark with the settings of a store or a transport."""
    return f"{place}: {', '.join(f'{name}={text}' for name, text in settings.items())}"


def absent(group: Group) -> dict[_Row, Absent]:
    """Return the rows without measurements, and the reasons."""
    found = {}
    for spot, codecs in group.cells.items():
        for codec, cells in codecs.items():
            failed = [cell for cell in cells.values() if cell.outcome not in WELL]
            if failed and not any(cell.samples for cell in cells.values()):
                worst = failed[0]
                found[spot, codec] = Absent(
                    f"{codec} in {spot[0]}", worst.outcome, worst.reason, worst.stderr
                )
    return found


def by_operation(
    builder: TableBuilder[_Row],
    group: Group,
    rows: Sequence[_Row],
    operation: str,
    heading: str,
    *,
    times: float = 1.0,
    per: str = "/record",
) -> Iterator[Maker[_Row]]:
    """Yield an operation's columns: itself, the codec's part with its share, the baseline, other variants.

    Args:
        builder: Builder of the table.
        group: The measured cells.
        rows: Rows of the table.
        operation: Name without variant.
        heading: Heading of its column.
        times: Factor for figures.
        per: Unit of work of the figures, written after their unit.
    """
    facts = group.facts
    raw = "second" if facts is None else facts.unit
    phase = "time" if facts is None else facts.phase
    direction: ColumnDirection = "lower" if facts is None else facts.direction
    rate = direction == "higher" and phase in ("time", "alone")
    exact = raw == "byte" and phase == "check"
    plain = [group.cell(*row, operation) for row in rows]
    scale = (1.0, "B") if exact else scale_of(plain, "rate" if rate else raw, times)
    unit = scale[1] if raw == "integer" else f"{scale[1]}{per}"
    variants = dict.fromkeys(
        variant for spot, codec in rows for name, variant in group.cells[spot][codec] if name == operation
    )

    def column(variant: str, header: str, dispensable: int = 0) -> Maker[_Row]:
        write = grouped if exact else numbers.quantity
        style = Style(scale, times, interval=not variant, rough=not variant, write=write, unit=raw)
        key = f"{operation}-{variant}" if variant else operation
        made = Column(key, header, unit, direction, raw, dispensable=dispensable)
        return made, lambda row: builder.entry(group.cell(*row, operation, variant), style)

    def part(row: _Row) -> Entry:
        own, whole = group.figure(*row, operation, "codec"), group.figure(*row, operation)
        # More calls per second mean fewer seconds.
        return share(whole, own, builder) if rate else share(own, whole, builder)

    yield column("", heading)
    if "codec" in variants:
        # The share contains the same information.
        yield column("codec", "codec", dispensable=1)
        yield Column(f"{operation}-share", "share", "", "", "ratio"), part
    if "baseline" in variants:
        yield column("baseline", "baseline", dispensable=2)
    for variant in variants:
        if variant not in ("", "codec", "baseline"):
            yield column(variant, f"{heading}, {'gc off' if variant == 'nogc' else variant}")


def sections(group: Group, title: str) -> Iterator[Section]:
    """Yield the table of another package's operation: a row for each place, parameter and codec.

    The best codec of a place is first.
    """
    gone = absent(group)
    spots = list(group.cells)
    rows = [(s, codec) for s, codecs in group.cells.items() for codec in codecs if (s, codec) not in gone]
    higher = group.facts is not None and group.facts.direction == "higher"

    def order(row: _Row) -> tuple[int, float]:
        found = group.figure(*row, group.kind)
        return spots.index(row[0]), math.inf if found is None else -found.value if higher else found.value

    rows.sort(key=order)
    builder = table_of(group)
    kind = (group.facts.place if group.facts is not None else "").lower() or "place"
    leading: list[Maker[_Row]] = [word("place", kind, lambda row: row[0][0])]
    if any(spot[1] for spot in group.cells):
        parameter = (group.facts.parameter if group.facts is not None else "").lower() or "parameter"
        leading.append(word("parameter", parameter, lambda row: str(row[0][1])))
    leading.append(word("codec", "codec", lambda row: row[1]))
    per = "" if group.facts is not None and group.facts.phase == "alone" else "/record"
    yield builder.table(
        f"{title}: {group.kind}",
        rows,
        [*leading, *by_operation(builder, group, rows, group.kind, group.kind, per=per)],
        lines=about(group),
        absent=gone.values(),
    )
