"""Codecs between a producer and its readers.

Tables of latency, of processor time with the codec's part in it, and of where the codec stops mattering.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...bench.results import (
    FLOOR,
    CellResult,
    CorpusFacts,
    Measurement,
    PipelineFacts,
    PipelineSetup,
    Result,
)
from ...bench.stats import Ratio, Verdict, verdicts
from ...bench.verdict import error_share
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import Figure, Standing, corpora, figure
from ..model.lists import listed
from ..model.table import EMPTY, Absent, Column, Entry, Row, Section, Table, letter
from ..model.view import View
from .captions import measured_on

__all__ = ["build", "is_of_pipeline", "lines"]

_BESIDE: Final = "size"
"""What may be measured besides, without having it in the pipeline."""
_WELL: Final = ("ok", "lossy")
_UNTIMED: Final = ("not timed", "the time did not suffice; a longer --budget does")
"""Outcome and reason of what has neither a figure nor a fault."""


Spot = tuple[str, int]
"""A transport and a number of readers."""


@dataclass(slots=True)
class _Line:
    """The cells of one corpus at one rate.

    Attributes:
        cells: By transport and readers, codec and operation.
        sizes: Bytes of a payload, by codec.
        rate: Records a second that were due; None where only the highest rate was searched for.
        bound: Milliseconds below which the highest rate was searched for; None where it was not.
    """

    corpus: CorpusFacts
    rate: int | None
    alpha: float
    cells: dict[Spot, dict[str, dict[str, CellResult]]] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    bound: int | None = None

    def samples(self, spot: Spot, codec: str, operation: str) -> tuple[Measurement, ...]:
        cell = self.cells[spot].get(codec, {}).get(operation)
        return () if cell is None else cell.samples

    def figure(self, spot: Spot, codec: str, operation: str) -> Figure | None:
        return figure(self.samples(spot, codec, operation))

    def judged(self, spot: Spot, operation: str) -> dict[tuple[str, str], tuple[Verdict, Ratio]]:
        """Return the verdict on every pair of codecs."""
        return verdicts(self._racing(spot, operation), self.alpha)

    def standing(self, spot: Spot, operation: str) -> Standing:
        """Rank the codecs by an operation; the floor takes no part."""
        return Standing.of(self._racing(spot, operation), self.alpha)

    def _racing(self, spot: Spot, operation: str) -> dict[str, tuple[Measurement, ...]]:
        found = {c: self.samples(spot, c, operation) for c in self.cells[spot] if c != FLOOR}
        return {codec: samples for codec, samples in found.items() if samples}

    def delivered(self, spot: Spot, codec: str) -> float | None:
        """Return the records a second that arrived, where the rate was not held."""
        cell = self.cells[spot].get(codec, {}).get("latency-p99")
        found = self.figure(spot, codec, "delivered")
        return found.value if found and cell is not None and cell.outcome == "unsupported" else None

    @property
    def transports(self) -> list[str]:
        return list(dict.fromkeys(transport for transport, _ in self.cells))

    def spots(self, transport: str) -> list[Spot]:
        return sorted(spot for spot in self.cells if spot[0] == transport)


def is_of_pipeline(results: Sequence[Result]) -> bool:
    """Whether all that was measured was measured in pipelines."""
    found = [(cell.cell, setup) for result in results for cell, setup in _setups(result)]
    setups = [setup for cell, setup in found if cell.operation_name != _BESIDE]
    return bool(setups) and all(setup is not None for setup in setups)


def _setups(result: Result) -> Iterator[tuple[CellResult, PipelineSetup | None]]:
    known = {facts.name: facts.setup for facts in result.operations}
    for cell in result.cells:
        setup = known.get(cell.cell.operation_name)
        yield cell, setup if isinstance(setup, PipelineSetup) else None


def lines(result: Result) -> list[_Line]:
    """Return what was measured in pipelines, by corpus and rate."""
    corpus_of = {corpus.name: corpus for corpus in corpora(result)}
    found: dict[tuple[str, int | None], _Line] = {}
    searched: list[tuple[PipelineSetup, CellResult]] = []

    def at(setup: PipelineSetup, cell: CellResult, line: _Line) -> None:
        codec = FLOOR if cell.cell.variant else cell.cell.codec
        codecs = line.cells.setdefault((cell.cell.place, setup.readers), {})
        codecs.setdefault(codec, {})[cell.cell.operation] = cell

    for cell, setup in _setups(result):
        if setup is None:
            continue
        if setup.rate is None:
            searched.append((setup, cell))
            continue
        key = cell.cell.corpus, setup.rate
        line = found.setdefault(key, _Line(corpus_of[key[0]], key[1], error_share(result)))
        at(setup, cell, line)
    for setup, cell in searched:
        corpus = cell.cell.corpus
        line = next((line for (name, _), line in found.items() if name == corpus), None) or found.setdefault(
            (corpus, None), _Line(corpus_of[corpus], None, error_share(result))
        )
        line.bound = setup.bound
        at(setup, cell, line)
    for line in found.values():
        for cell in result.cells:
            beside = cell.cell.corpus == line.corpus.name and cell.cell.operation_name == _BESIDE
            if beside and cell.samples:
                line.sizes[cell.cell.codec] = cell.samples[0].value
    return list(found.values())


def build(view: View) -> Table:
    """Build the tables of pipelines: for each corpus and rate one of each transport, and what they come to.

    Raises:
        UsageError: Nothing was measured in a pipeline.
    """
    sections = [
        section
        for machine in view.machines
        for line in lines(machine.result)
        for section in _sections(line, machine.label)
    ]
    if not sections:
        raise UsageError("nothing to show: nothing was measured in a pipeline; run `bakeoff pipeline` first")
    return view.table(sections)


def _sections(line: _Line, label: str) -> Iterator[Section]:
    title = f"{label}: {line.corpus.name}" if label else line.corpus.name
    at = f", {line.rate:,} records a second" if line.rate else ""
    for number, transport in enumerate(line.transports):
        yield _Builder(line, transport).section(
            f"{title} through {transport}{at}", list(_about(line)) if number == 0 else []
        )
    if rows := [row for transport in line.transports for row in _matters(line, transport)]:
        yield Section(
            title=f"{title}: where the codec stops mattering",
            columns=_MATTERS,
            rows=tuple(rows),
            remarks=tuple(_remarks(line)),
        )


def _about(line: _Line) -> Iterator[str]:
    if line.corpus.description:
        yield line.corpus.description
    if line.corpus.records:
        yield measured_on(line.corpus)
    counts = [
        len(c.samples) for spot in line.cells.values() for cells in spot.values() for c in cells.values()
    ]
    if counts and max(counts) > 1:
        yield f"± half the 95 % interval of the mean over {max(counts)} processes"


_MATTERS: Final = (
    Column("transport", "transport", numeric=False),
    Column("readers", "readers"),
    Column("least", "least CPU", numeric=False),
    Column("least-share", "codec's share", raw_unit="ratio"),
    Column("most", "most CPU", numeric=False),
    Column("most-share", "codec's share", raw_unit="ratio"),
    Column("cpu", "CPU", "×", raw_unit="ratio"),
    Column("p99", "p99", "×", raw_unit="ratio"),
    Column("ranks", "told apart", numeric=False),
)
_APART: Final = {"faster", "slower"}
_UNCLEAR: Final = "unclear"
_TIE: Final = 0.1
"""Half-width of what is called a tie here: who looks for capacity asks for no less."""


def _matters(line: _Line, transport: str) -> Iterator[Row]:
    """Yield, for each number of readers, what the choice of a codec comes to."""
    for spot in line.spots(transport):
        standing = line.standing(spot, "cpu")
        if len(standing.costs) < 2:
            continue
        least, most = next(iter(standing.costs)), list(standing.costs)[-1]
        apart = _apart(standing)
        yield Row(
            codec=transport,
            entries={
                "transport": Entry(transport, transport),
                "readers": Entry(str(spot[1]), spot[1]),
                "least": Entry(least, least),
                "least-share": _share(line, spot, least),
                "most": Entry(most, most),
                "most-share": _share(line, spot, most),
                "cpu": _ratio(line, spot, "cpu", most, least),
                "p99": _ratio(line, spot, "latency-p99", most, least),
                "ranks": Entry(apart, apart),
            },
        )


def _apart(standing: Standing) -> str:
    """Say how many codecs are told apart."""
    steps = len(set(standing.ranks.values()))
    if steps > 1:
        return f"{steps} ranks of {len(standing.costs)}"
    tied = all(_ties(*judged) for judged in standing.judged.values())
    return "none: all tie" if tied else _UNCLEAR


def _ties(verdict: Verdict, ratio: Ratio) -> bool:
    """Whether two codecs are surely no further apart than makes a difference."""
    return verdict == "same" or (verdict == "unresolved" and ratio.inside(_TIE))


def _ratio(line: _Line, spot: Spot, operation: str, most: str, least: str) -> Entry:
    """Say how far two codecs are apart, where they are."""
    if (found := line.judged(spot, operation).get((most, least))) is None:
        held = [c for c in (most, least) if line.delivered(spot, c) is not None]
        return Entry("not held", tone="bad") if held else EMPTY
    verdict, ratio = found
    text = "tie" if _ties(verdict, ratio) else numbers.ratio(ratio.value) if verdict in _APART else _UNCLEAR
    return Entry(text, ratio.value, ratio.low, ratio.high, verdict=verdict)


def _share(line: _Line, spot: Spot, codec: str) -> Entry:
    total, part = line.figure(spot, codec, "cpu"), line.figure(spot, codec, "cpu-codec")
    if total is None or part is None or not total.value:
        return EMPTY
    share = part.value / total.value
    return Entry(numbers.percent(share), share)


def _remarks(line: _Line) -> Iterator[str]:
    """Say what the columns are."""
    yield (
        "p50, p99: from when a record is due, late or not, until a reader has decoded it; of what all "
        "readers got"
    )
    yield (
        "CPU: processor time of a record, of the producer and all its readers, not of a broker; codec: its "
        "part of that, clocked in place; share: of CPU"
    )
    cells = [found for spot in line.cells.values() for found in spot.values()]
    if added := max((facts.clock_added_ns for found in cells for facts in _facts(found)), default=0.0):
        yield f"that clock takes {added:.0f} ns of each call of a codec, which are taken off"
    yield "floor: the shortest of these payloads as opaque bytes"
    yield "rank: by CPU; a codec with a range of ranks may have any of them"
    yield (
        "tie: surely within 10 %; unclear: too much noise, or fewer than three processes, to tell; a longer "
        "--budget or a quieter machine does"
    )
    if any(
        line.delivered(spot, codec) is not None for spot, codecs in line.cells.items() for codec in codecs
    ):
        yield (
            "not held: so many records a second arrived at each reader; what comes later the longer one "
            "measures has no latency"
        )


def _facts(cells: Mapping[str, CellResult]) -> list[PipelineFacts]:
    return [cell.facts for cell in cells.values() if isinstance(cell.facts, PipelineFacts)]


class _Builder:
    """Builds the table of one transport."""

    def __init__(self, line: _Line, transport: str) -> None:
        self._line = line
        self._transport = transport
        self._letters: dict[str, str] = {}
        spots = line.spots(transport)
        self._measured = {o for spot in spots for cells in line.cells[spot].values() for o in cells}
        found = [
            f.value
            for spot in spots
            for codec in line.cells[spot]
            for operation in ("cpu", "cpu-codec")
            if (f := line.figure(spot, codec, operation)) is not None
        ]
        self._cpu = numbers.scale(found, "second")

    def section(self, title: str, about: Sequence[str]) -> Section:
        columns = tuple(self._columns())
        absent = tuple(self._absent())
        rows = [] if absent and self._dead() else [row for spot in self._spots for row in self._rows(spot)]
        return Section(
            title=title,
            columns=columns,
            rows=tuple(rows),
            lines=tuple(about),
            footnotes=tuple((mark, text) for text, mark in self._letters.items()),
            absent=absent,
        )

    @property
    def _spots(self) -> list[Spot]:
        return self._line.spots(self._transport)

    def _cells(self) -> Iterator[CellResult]:
        for spot in self._spots:
            for cells in self._line.cells[spot].values():
                yield from cells.values()

    def _dead(self) -> bool:
        return not any(cell.samples for cell in self._cells())

    def _absent(self) -> Iterator[Absent]:
        """Yield what nothing could be measured of, and why."""
        if self._dead():
            failed = [cell for cell in self._cells() if cell.outcome not in _WELL]
            if failed:
                yield Absent(self._transport, failed[0].outcome, failed[0].reason, failed[0].stderr)
            else:
                yield Absent(self._transport, *_UNTIMED)
            return
        for spot in self._spots:
            yield from self._untimed(spot)
            for codec, cells in self._line.cells[spot].items():
                failed = [cell for cell in cells.values() if cell.outcome not in _WELL]
                if failed and not any(cell.samples for cell in cells.values()):
                    worst = failed[0]
                    name = f"{codec}, readers: {spot[1]}"
                    yield Absent(name, worst.outcome, worst.reason, worst.stderr)

    def _untimed(self, spot: Spot) -> Iterator[Absent]:
        """Yield the codecs that there was no time for with so many readers."""
        codecs = {codec: cells.values() for codec, cells in self._line.cells[spot].items() if codec != FLOOR}
        untimed = [
            codec
            for codec, cells in codecs.items()
            if all(cell.outcome in _WELL and not cell.samples for cell in cells)
        ]
        if untimed:
            names = "all codecs" if len(untimed) == len(codecs) else listed(untimed)
            yield Absent(f"{names} with {spot[1]} reader{'s' * (spot[1] > 1)}", *_UNTIMED)

    def _columns(self) -> Iterator[Column]:
        yield Column("readers", "readers")
        yield Column("codec", "codec", numeric=False)
        if self._line.sizes:
            yield Column("size", "bytes", "B", "lower", "byte", dispensable=1)
        if "latency-p50" in self._measured:
            yield Column("latency-p50", "p50", "ms", "lower", "second")
        if "latency-p99" in self._measured:
            yield Column("latency-p99", "p99", "ms", "lower", "second")
        if "cpu" in self._measured:
            yield Column("rank", "rank", raw_unit="integer")
            yield Column("cpu", "CPU", f"{self._cpu[1]}/record", "lower", "second")
        if "cpu-codec" in self._measured:
            yield Column("codec-cpu", "codec", f"{self._cpu[1]}/record", "lower", "second", dispensable=2)
            yield Column("share", "share", raw_unit="ratio")
        if "rate" in self._measured:
            yield Column("rate", f"most within {self._line.bound} ms", "/s", "higher", "integer")

    def _rows(self, spot: Spot) -> Iterator[Row]:
        line, standing = self._line, self._line.standing(spot, "cpu")
        cells = {
            codec: found
            for codec, found in line.cells[spot].items()
            if any(cell.samples for cell in found.values())
        }
        order = [*standing.costs, *(codec for codec in cells if codec not in standing.costs)]
        for codec in order:
            failed = [cell for cell in cells[codec].values() if cell.outcome not in _WELL]
            rank = standing.ranks.get(codec)
            yield Row(
                codec=codec,
                entries={
                    "readers": Entry(str(spot[1]), spot[1]),
                    "codec": Entry(codec, codec, marks=tuple(self._marks(cells[codec]))),
                    "size": self._size(codec),
                    "latency-p50": self._latency(spot, codec, "latency-p50"),
                    "latency-p99": self._latency(spot, codec, "latency-p99"),
                    "rank": EMPTY if rank is None else Entry(standing.place(codec), rank),
                    "cpu": self._time(spot, codec, "cpu", share=True),
                    "codec-cpu": self._time(spot, codec, "cpu-codec"),
                    "share": _share(line, spot, codec),
                    "rate": self._rate(spot, codec),
                },
                ranked=codec != FLOOR,
                outcome=failed[0].outcome if failed else "ok",
                reason="; ".join(
                    dict.fromkeys(f"{c.cell.operation_name}: {c.reason or c.outcome}" for c in failed)
                ),
            )

    def _marks(self, cells: Mapping[str, CellResult]) -> Iterator[str]:
        """Yield the footnotes of what was lost on the way."""
        if lost := max((facts.lost for facts in _facts(cells)), default=0.0):
            yield self._mark(f"{numbers.percent(lost)} of the deliveries were lost on the way")

    def _mark(self, text: str) -> str:
        return self._letters.setdefault(text, letter(len(self._letters)))

    def _size(self, codec: str) -> Entry:
        sizes = self._line.sizes
        found = min(sizes.values(), default=None) if codec == FLOOR else sizes.get(codec)
        return EMPTY if found is None else Entry(numbers.grouped(found), found)

    def _latency(self, spot: Spot, codec: str, operation: str) -> Entry:
        found = self._line.figure(spot, codec, operation)
        if found is not None:
            return _shown(found, 1e3, share=operation == "latency-p99")
        held = self._line.delivered(spot, codec)
        if held is None:
            return self._without(spot, codec, operation)
        text = "not held" if operation == "latency-p50" else f"{numbers.grouped(held)}/s"
        return Entry(text, held if operation == "latency-p99" else None, tone="bad")

    def _time(self, spot: Spot, codec: str, operation: str, *, share: bool = False) -> Entry:
        found = self._line.figure(spot, codec, operation)
        if found is None:
            return self._without(spot, codec, operation)
        return _shown(found, self._cpu[0], share=share)

    def _rate(self, spot: Spot, codec: str) -> Entry:
        found = self._line.figure(spot, codec, "rate")
        if found is None:
            return self._without(spot, codec, "rate")
        return Entry(
            " ".join(
                filter(None, (numbers.approximate(found.value), numbers.spread(found.value, found.half)))
            ),
            found.value,
            found.low,
            found.high,
        )

    def _without(self, spot: Spot, codec: str, operation: str) -> Entry:
        """Say why there is no figure."""
        cell = self._line.cells[spot].get(codec, {}).get(operation)
        if cell is None or cell.outcome in _WELL:
            return EMPTY
        marks = (self._mark(f"{cell.cell.operation_name}: {cell.reason}"),) if cell.reason else ()
        return Entry(cell.outcome, cell.outcome, marks=marks, tone="bad")


def _shown(found: Figure, factor: float, *, share: bool) -> Entry:
    half = None if found.half is None else found.half * factor
    value = found.value * factor
    text = numbers.quantity(value, half)
    if share:
        text = " ".join(filter(None, (text, numbers.spread(value, half))))
    return Entry(text, found.value, found.low, found.high)
