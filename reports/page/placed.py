"""Cells measured in places, on the page: bars with the codec's part in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...bench.results import BASELINE
from ..model import numbers
from ..model.candidates import Candidate, MeanInterval
from ..model.placed import PIPELINE
from ..model.view import MachineView, View
from ..tables.stores import OPERATIONS, WHOLE
from .chart_rows import drawn, worded


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars of one kind of calls in one place.

    Attributes:
        place: The place, the same for all of its panels.
        heading: Description of the calls.
        rows: One for each codec, the fastest first, as `draw.bars` draws them.
    """

    place: str
    heading: str
    rows: tuple[Mapping[str, Any], ...]

    @property
    def words(self) -> str:
        """Describe the bars for readers who cannot see them."""
        said = "; ".join(f"{row['codec']} {row['label']}" for row in self.rows)
        return f"{self.heading}, {self.place}: {said}."


def panels(view: View) -> list[Panel]:
    """Return the bars of all stores and pipelines, of each machine."""
    return [panel for machine in view.machines for panel in _panels(machine)]


def _panels(machine: MachineView) -> Iterator[Panel]:
    where = f" on {machine.label}" if machine.label else ""
    candidates = {view.corpus.name: {c.name: c for c in view.candidates} for view in machine.corpora}
    for group in machine.placed:
        if group.setup is None:
            continue
        known, corpus = candidates[group.corpus.name], group.corpus.name
        for spot, codecs in group.cells.items():
            if group.kind == PIPELINE:
                place = f"{corpus} through {spot[0]}{where}"
                consumers = "1 consumer" if spot[1] == 1 else f"{spot[1]} consumers"
                rate = f", {group.rate:,} records a second" if group.rate else ""
                headings = {"cpu": f"processor time of a record with {consumers}{rate}"}
                part = ("cpu-codec", "")
            else:
                place = f"{corpus} in {spot[0]}, {group.records:,} records ({group.state}){where}"
                headings = {
                    operation: text if operation == WHOLE else f"{text}, per record"
                    for operation, text in OPERATIONS.items()
                }
                part = ("", "codec")
            for operation, heading in headings.items():
                times = float(group.records or 1) if operation == WHOLE else 1.0
                found = [
                    _Bar(
                        known[name],
                        group.figure(spot, name, operation),
                        group.figure(spot, name, part[0] or operation, part[1]),
                        times,
                    )
                    for name in codecs
                    if name != BASELINE
                ]
                yield from _panel(place, heading, found)


@dataclass(frozen=True, slots=True)
class _Bar:
    """A codec's calls, and its part of them if it has one."""

    candidate: Candidate
    total: MeanInterval | None
    part: MeanInterval | None
    times: float

    @property
    def share(self) -> float:
        """The codec's share; the part is measured by itself, and may exceed the whole."""
        if self.part is None or self.total is None:
            return 0.0
        return self.part.value / self.total.value

    def drawn(self) -> Iterator[tuple[Candidate, MeanInterval, str]]:
        """Yield the bars if they were measured."""
        if self.total is not None and self.total.value:
            text = worded(self.total.scaled(self.times), "second")
            text += f", codec {numbers.share(self.share)}" if self.part is not None else ""
            yield self.candidate, self.total, text


def _panel(place: str, heading: str, found: Sequence[_Bar]) -> Iterator[Panel]:
    """Yield the bars of calls if any of them were measured."""
    rows = drawn([one for bar in found for one in bar.drawn()], "lower")
    shares = {bar.candidate.name: bar.share for bar in found}
    fitted = [row | {"part": round(row["length"] * min(1.0, shares[row["codec"]]), 4)} for row in rows]
    if fitted:
        yield Panel(place, heading, tuple(fitted))
