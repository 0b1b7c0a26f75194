"""Tables of codecs between a producer and its consumers.

They show latency, processor time with the codec's part, and the rate at which the codec no longer matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...bench.results import BASELINE, PipelineFacts
from ...bench.stats import Ratio, Verdict
from ..model import numbers
from ..model.candidates import WELL, Standing
from ..model.lists import listed
from ..model.placed import Group, Spot
from ..model.table import EMPTY, Absent, Column, Entry, Footnotes, Row, Section
from .builder import Maker, Style, TableBuilder, scale_of
from .placed import about, absent, settings_line, share, table_of

_UNTIMED: Final = ("not timed", "not enough time; use a longer --budget")
"""Outcome and reason of a cell with neither a figure nor a fault."""

_Row = tuple[Spot, str]


def sections(group: Group, title: str) -> Iterator[Section]:
    """Yield the tables of one corpus at one rate: one for each transport, and their conclusions."""
    at = f", {group.rate:,} record{'s' * (group.rate != 1)} a second" if group.rate else ""
    for number, transport in enumerate(group.places):
        gone = tuple(_absent(group, transport))
        builder = table_of(group)
        rows = [] if gone and _dead(group, transport) else [*_rows(group, transport)]
        yield builder.table(
            f"{title} through {transport}{at}",
            rows,
            [*_columns(builder, group, transport)],
            lines=about(group) if number == 0 else (),
            absent=gone,
            unranked=BASELINE,
            remarks=tuple(_settings(group, transport)),
        )
    notes = Footnotes()
    if found := [row for transport in group.places for row in _matters(group, transport, notes)]:
        yield Section(
            title=f"{title}: where the codec stops mattering",
            columns=_MATTERS,
            rows=tuple(found),
            footnotes=notes.footnotes,
            remarks=tuple(_remarks(group)),
        )


def _settings(group: Group, transport: str) -> Iterator[str]:
    """Yield the settings of a transport, if it has any."""
    rows = ((spot, codec) for spot in group.spots(transport) for codec in group.cells[spot])
    known = (facts.settings for row in rows for facts in _facts(group, *row) if facts.settings)
    if (settings := next(known, None)) is not None:
        yield settings_line(transport, settings)


def _delivered(group: Group, spot: Spot, codec: str) -> float | None:
    """Return the records per second that arrived, if the rate was not held."""
    cell = group.cell(spot, codec, "latency-p99")
    found = group.figure(spot, codec, "delivered")
    return found.value if found and cell is not None and cell.outcome == "unsupported" else None


def _facts(group: Group, spot: Spot, codec: str) -> list[PipelineFacts]:
    cells = group.cells[spot][codec].values()
    return [cell.facts for cell in cells if isinstance(cell.facts, PipelineFacts)]


def _dead(group: Group, transport: str) -> bool:
    """Return whether nothing was measured through a transport."""
    found = (group.cells[spot] for spot in group.spots(transport))
    return not any(cell.samples for codecs in found for cells in codecs.values() for cell in cells.values())


def _absent(group: Group, transport: str) -> Iterator[Absent]:
    """Yield the codecs without measurements, and the reasons."""
    gone = absent(group)
    spots = group.spots(transport)
    failed = {(spot, codec): why for (spot, codec), why in gone.items() if spot in spots}
    if _dead(group, transport):
        why = next(iter(failed.values()), None)
        yield Absent(transport, why.outcome, why.reason, why.stderr) if why else Absent(transport, *_UNTIMED)
        return
    for spot in spots:
        codecs = {codec: cells.values() for codec, cells in group.cells[spot].items() if codec != BASELINE}
        untimed = [
            codec
            for codec, cells in codecs.items()
            if all(cell.outcome in WELL and not cell.samples for cell in cells)
        ]
        if untimed:
            names = "all codecs" if len(untimed) == len(codecs) else listed(untimed)
            yield Absent(f"{names} with {spot[1]} consumer{'s' * (spot[1] != 1)}", *_UNTIMED)
        for (at, codec), why in failed.items():
            if at == spot:
                yield Absent(f"{codec}, consumers: {spot[1]}", why.outcome, why.reason, why.stderr)


def _rows(group: Group, transport: str) -> Iterator[_Row]:
    """Yield the rows: fewer consumers first, then by processor time, the baseline last."""
    for spot in group.spots(transport):
        costs = group.standing(spot, "cpu").costs
        timed = [c for c, cells in group.cells[spot].items() if any(cell.samples for cell in cells.values())]
        yield from ((spot, codec) for codec in [*costs, *(codec for codec in timed if codec not in costs)])


def _columns(builder: TableBuilder[_Row], group: Group, transport: str) -> Iterator[Maker[_Row]]:
    spots = group.spots(transport)
    known = [(spot, codec) for spot in spots for codec in group.cells[spot]]
    measured = {operation for spot, codec in known for operation, _ in group.cells[spot][codec]}
    standings = {spot: group.standing(spot, "cpu") for spot in spots}
    processor = scale_of((group.cell(*row, o) for row in known for o in ("cpu", "cpu-codec")), "second")

    def figures(column: Column, operation: str, style: Style) -> Maker[_Row]:
        return column, lambda row: builder.entry(group.cell(*row, operation), style)

    def name(row: _Row) -> Entry:
        facts = _facts(group, *row)
        shares = {
            "were lost on the way": max((each.lost for each in facts), default=0.0),
            "arrived again": max((each.repeated for each in facts), default=0.0),
        }
        marks = (
            builder.mark(f"{numbers.percent(share)} of the deliveries {what}")
            for what, share in shares.items()
            if share
        )
        return Entry(row[1], row[1], marks=tuple(marks))

    def size(row: _Row) -> Entry:
        sizes = group.sizes
        found = min(sizes.values(), default=None) if row[1] == BASELINE else sizes.get(row[1])
        return EMPTY if found is None else Entry(numbers.grouped(found), found)

    def latency(row: _Row, operation: str) -> Entry:
        tail = operation == "latency-p99"
        held = _delivered(group, *row)
        if held is None or group.figure(*row, operation) is not None:
            return builder.entry(group.cell(*row, operation), Style((1e3, "ms"), interval=tail))
        return (
            Entry(f"{numbers.grouped(held)}/s", held, tone="bad") if tail else Entry("not held", tone="bad")
        )

    def rank(row: _Row) -> Entry:
        standing = standings[row[0]]
        place = standing.ranks.get(row[1])
        return EMPTY if place is None else Entry(standing.rank_text(row[1]), place)

    yield Column("consumers", "consumers"), lambda row: Entry(str(row[0][1]), row[0][1])
    yield Column("codec", "codec", numeric=False), name
    if group.sizes:
        yield Column("size", "bytes", "B", "lower", "byte", dispensable=1), size
    for operation, heading in (("latency-p50", "p50"), ("latency-p99", "p99")):
        if operation in measured:
            column = Column(operation, heading, "ms", "lower", "second")
            yield column, lambda row, operation=operation: latency(row, operation)  # type: ignore[misc]
    if "cpu" in measured:
        yield Column("rank", "rank", raw_unit="integer"), rank
        column = Column("cpu", "CPU", f"{processor[1]}/record", "lower", "second")
        yield figures(column, "cpu", Style(processor))
    if "cpu-codec" in measured:
        column = Column("codec-cpu", "codec", f"{processor[1]}/record", "lower", "second", dispensable=2)
        yield figures(column, "cpu-codec", Style(processor, interval=False))
        yield Column("share", "share", raw_unit="ratio"), lambda row: _share(group, *row, builder)
    if "rate" in measured:
        column = Column("rate", f"most within {group.bound} ms", "/s", "higher", "integer")
        style = Style((1.0, "/s"), write=lambda value, _: numbers.approximate(value))
        yield figures(column, "rate", style)


_MATTERS: Final = (
    Column("transport", "transport", numeric=False),
    Column("consumers", "consumers"),
    Column("least", "least CPU", numeric=False),
    Column("least-share", "codec's share", raw_unit="ratio"),
    Column("most", "most CPU", numeric=False),
    Column("most-share", "codec's share", raw_unit="ratio"),
    Column("cpu", "CPU", "×", raw_unit="ratio"),
    Column("p99", "p99", "×", raw_unit="ratio"),
    Column("ranks", "ranks", numeric=False),
)
_APART: Final = {"faster", "slower"}
_UNCLEAR: Final = "unclear"
_TIE: Final = 0.1
"""Half-width of the tie band here; smaller differences do not matter for capacity."""


def _matters(group: Group, transport: str, notes: Footnotes) -> Iterator[Row]:
    """Yield the effect of the choice of a codec, for each number of consumers."""
    for spot in group.spots(transport):
        standing = group.standing(spot, "cpu")
        if len(standing.costs) < 2:
            continue
        least, most = next(iter(standing.costs)), list(standing.costs)[-1]
        apart = _apart(standing)
        yield Row(
            codec=transport,
            entries={
                "transport": Entry(transport, transport),
                "consumers": Entry(str(spot[1]), spot[1]),
                "least": Entry(least, least),
                "least-share": _share(group, spot, least, notes),
                "most": Entry(most, most),
                "most-share": _share(group, spot, most, notes),
                "cpu": _ratio(group, spot, "cpu", most, least),
                "p99": _ratio(group, spot, "latency-p99", most, least),
                "ranks": Entry(apart, apart),
            },
        )


def _apart(standing: Standing) -> str:
    """Write how many codecs are distinguishable."""
    steps = len(set(standing.ranks.values()))
    if steps > 1:
        return f"{steps} ranks of {len(standing.costs)}"
    tied = all(_ties(*judged) for judged in standing.judged.values())
    return "none: all tie" if tied else _UNCLEAR


def _ties(verdict: Verdict, ratio: Ratio) -> bool:
    """Return whether two codecs certainly differ by less than the tie band."""
    return verdict == "same" or (verdict == "unresolved" and ratio.inside(_TIE))


def _ratio(group: Group, spot: Spot, operation: str, most: str, least: str) -> Entry:
    """Write the difference of two codecs, if there is one."""
    if (found := group.judged(spot, operation).get((most, least))) is None:
        held = [c for c in (most, least) if _delivered(group, spot, c) is not None]
        return Entry("not held", tone="bad") if held else EMPTY
    verdict, ratio = found
    text = "tie" if _ties(verdict, ratio) else numbers.ratio(ratio.value) if verdict in _APART else _UNCLEAR
    low, high = ratio.ends
    return Entry(text, ratio.value, low, high, verdict=verdict)


def _share(group: Group, spot: Spot, codec: str, notes: Footnotes) -> Entry:
    return share(group.figure(spot, codec, "cpu-codec"), group.figure(spot, codec, "cpu"), notes)


def _remarks(group: Group) -> Iterator[str]:
    """Explain the columns."""
    rows = [(spot, codec) for spot, codecs in group.cells.items() for codec in codecs]
    added = max((facts.clock_added_ns for row in rows for facts in _facts(group, *row)), default=0.0)
    clocked = f" (without the {added:,.0f} ns that its clock takes)" if added else ""
    yield "p50, p99: time from when a record is due until a consumer has decoded it"
    yield (
        "CPU: processor time of the producer and all consumers; "
        f"codec: its part{clocked}; baseline: the shortest payload as opaque bytes"
    )
    yield f"tie: within {100 * _TIE:g} %; unclear: not distinguishable"
    if any(_delivered(group, *row) is not None for row in rows):
        yield "not held: fewer records a second arrived than were due, so that there is no latency"
