"""What was measured in place, on the page: the answer in words, and bars with the codec's part in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...bench.results import BASELINE
from ..decide.pick_placed import codec_part, level, placed
from ..model import numbers
from ..model.candidates import Candidate, Figure
from ..model.lists import FEW_NAMES, few, listed
from ..model.placed import PIPELINE
from ..model.view import CorpusView, MachineView, View
from ..tables.stores import OPERATIONS
from .chart_rows import drawn, worded

__all__ = ["Answer", "Panel", "answers", "headline", "panels"]


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars of one kind of calls in one place.

    Attributes:
        place: Whose calls they are, the same for all panels of one place.
        heading: What the calls do.
        rows: One for each codec, the quickest first, as `charts.bars_spec` draws them.
    """

    place: str
    heading: str
    rows: tuple[Mapping[str, Any], ...]

    @property
    def words(self) -> str:
        """Say what the bars show, for those who do not see them."""
        said = "; ".join(f"{row['codec']} {row['label']}" for row in self.rows)
        return f"{self.heading}, {self.place}: {said}."


def panels(view: View) -> list[Panel]:
    """Return the bars of all that was measured in stores and in pipelines, of each machine."""
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
                readers = "1 reader" if spot[1] == 1 else f"{spot[1]} readers"
                rate = f", {group.rate:,} records a second" if group.rate else ""
                headings = {"cpu": f"processor time of a record with {readers}{rate}"}
                part = ("cpu-codec", "")
            else:
                place = f"{corpus} in {spot[0]}, {group.records:,} records ({group.state}){where}"
                headings = {operation: f"{text}, per record" for operation, text in OPERATIONS.items()}
                part = ("", "codec")
            for operation, heading in headings.items():
                found = [
                    _Bar(
                        known[name],
                        group.figure(spot, name, operation),
                        group.figure(spot, name, part[0] or operation, part[1]),
                    )
                    for name in codecs
                    if name != BASELINE
                ]
                yield from _panel(place, heading, found)


@dataclass(frozen=True, slots=True)
class _Bar:
    """A codec's calls, and its part of them where it has one."""

    candidate: Candidate
    total: Figure | None
    part: Figure | None

    @property
    def share(self) -> float:
        """The codec's share; by chance a part may be measured as more than the whole."""
        if self.part is None or self.total is None:
            return 0.0
        return min(1.0, self.part.value / self.total.value)

    def drawn(self) -> Iterator[tuple[Candidate, Figure, str]]:
        """Yield what is drawn, if it was measured."""
        if self.total is not None and self.total.value:
            text = worded(self.total, "second")
            text += f", codec {numbers.percent(self.share)}" if self.part is not None else ""
            yield self.candidate, self.total, text


def _panel(place: str, heading: str, found: Sequence[_Bar]) -> Iterator[Panel]:
    """Yield the bars of calls, if any of them were measured."""
    rows = drawn([one for bar in found for one in bar.drawn()], "lower")
    shares = {bar.candidate.name: bar.share for bar in found}
    fitted = [row | {"part": round(row["length"] * shares[row["codec"]], 4)} for row in rows]
    if fitted:
        yield Panel(place, heading, tuple(fitted))


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found out in one place.

    Attributes:
        place: A store with its state, or a transport with its readers.
        shares: The codec's share of the whole, of the codec with the least and of the one with the most.
        whole: What it is a share of.
        best: Codecs that none is surely faster than.
        codecs: How many were measured there.
    """

    place: str
    shares: tuple[float, float]
    whole: str
    best: list[str]
    codecs: int

    @property
    def words(self) -> str:
        """Say how much the codec is, and which is best."""
        text = _part([self])
        if self.codecs == 1:
            return f"{text}."
        if len(self.best) == self.codecs:
            return f"{text}; codecs are not distinguishable."
        if len(self.best) > 1:
            return f"{text}; {few(self.best)} are not distinguishable, the others take longer."
        return f"{text}; {self.best[0]} takes least."


def answers(view: View) -> list[Answer]:
    """Find out for each place how much of a call the codec is, and which codec is best there."""
    found = []
    for machine in view.machines:
        for there in View.of([placed(machine.result)], view.cost).corpora:
            name = f"{there.corpus.name} on {machine.label}" if machine.label else there.corpus.name
            if (answer := _answer(name, there)) is not None:
                found.append(answer)
    return found


def headline(found: Sequence[Answer]) -> str:
    """Say which codec is best in how many places, and how much of the whole the codec is."""
    compared = [one for one in found if one.codecs > 1]
    won = Counter(one.best[0] for one in compared if len(one.best) == 1).most_common(FEW_NAMES)
    if won:
        text = listed([f"{codec} takes least in {count} of {len(compared)} setups" for codec, count in won])
    elif any(len(one.best) < one.codecs for one in compared):
        text = f"No codec alone takes least in any of {len(compared)} setups"
    elif compared:
        text = f"Codecs are not distinguishable in any of {len(compared)} setups"
    else:
        return f"{_part(found)}."
    part = _part(found)
    return f"{text}; {part[0].lower()}{part[1:]}."


def _part(found: Sequence[Answer]) -> str:
    ends = min(one.shares[0] for one in found), max(one.shares[1] for one in found)
    wholes = dict.fromkeys(one.whole for one in found)
    whole = next(iter(wholes)) if len(wholes) == 1 else "the time"
    return f"The codec is {' to '.join(dict.fromkeys(map(numbers.percent, ends)))} of {whole}"


def _answer(place: str, view: CorpusView) -> Answer | None:
    cost, standing = view.cost, view.standing
    known = [candidate for candidate in view.candidates if candidate.name in standing.costs]
    if not known:
        return None
    # The producer's work and that of all its readers were measured as one.
    whole = all(figure.value == 0 for one in known if (figure := one.figure("load")) is not None)
    of = "the processor time of a record" if whole and cost.reads else f"the time of {cost.sentence()}"
    shares = [codec_part(one, cost) / standing.costs[one.name].value for one in known]
    return Answer(place, (min(shares), max(shares)), of, level(standing), len(known))
