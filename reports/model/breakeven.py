"""Find where `pick` would answer with another codec: the reads per write, and the bandwidths.

The chooser is asked again with other weights, so that its verdicts and tie-breakers decide. Two codecs change
places over a range of a weight: between its ends, neither is known to cost less. The search begins where
their means meet, and goes on by the width of the verdict's interval. The chooser is asked for the very
numbers that are printed. A codec that ties with the present answer, in whatever order, overtakes nobody.
`reports/page/templates/ranking.js` has the same search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal, NamedTuple

from ...bench.method import Verdicts
from ...bench.stats import Ratio, Verdict
from ...bench.verdict import Contest
from .candidates import Candidate
from .cost import PLAUSIBLE, CostModel, bandwidth_parts, meeting


@dataclass(frozen=True, slots=True)
class CostParts:
    """The parts of a codec's cost: seconds per record, and bytes.

    With several corpora, each is weighted by its typical cost, so that large records do not count more.
    """

    dump: float
    load: float
    fix: float
    size: float

    @property
    def read(self) -> float:
        """Seconds of one read."""
        return self.load + self.fix

    def along(self, cost: CostModel) -> tuple[float, float]:
        """Return the cost of a write and of each read, with the crossings of the line that each causes."""
        wire = self.size / cost.bandwidth
        if cost.crossings == "once":
            return self.dump + wire, self.read
        return self.dump, self.read + wire

    def work(self, cost: CostModel) -> float:
        """Return the seconds of a write and all its reads, without the line."""
        return self.dump + cost.reads * self.read


def parts_of(candidate: Candidate) -> CostParts:
    """Return the cost of a codec on one corpus; parts that were not measured are 0."""
    dump, load, fix, size = (
        0.0 if (found := candidate.figure(name)) is None else found.value
        for name in ("dump", "load", "fix", "size")
    )
    return CostParts(dump, load, fix, size)


class Choice(NamedTuple):
    """What a chooser says under some weights.

    Attributes:
        eligible: The codecs that it chooses from.
        contest: Those that may win; None if none has a cost.
        judged: The verdict on every pair of codecs with a cost, in both orders.
    """

    eligible: Collection[str]
    contest: Contest | None
    judged: Mapping[tuple[str, str], tuple[Verdict, Ratio]]

    def overtaking(self, codec: str) -> str:
        """Return the answer if a codec may not win; empty if it may, or costs hardly more than a tie.

        It must be known to cost more than one of those that may win, by more than the tie band.
        """
        if self.contest is None or codec in self.contest.level:
            return ""
        known = (self.judged.get((name, codec), _UNKNOWN) for name in self.contest.level)
        less = any(said == "faster" and found.value < 1 / (1 + Verdicts.TIE) for said, found in known)
        return self.contest.winner if less else ""

    def cheaper(self, one: str, other: str) -> bool:
        """Return whether a codec is known to cost less than another; it is not if one has no cost."""
        return self.judged.get((one, other), _UNKNOWN)[0] == "faster"

    def reach(self, one: str, other: str) -> float:
        """Return half the interval of the log ratio of two codecs; 0 if it is not known."""
        found = self.judged.get((one, other), _UNKNOWN)[1]
        return math.log(found.high / found.value) if found.known else 0.0


_UNKNOWN: Final[tuple[Verdict, Ratio]] = ("unresolved", Ratio(1.0, 0.0, math.inf, 0.0, 0))


@dataclass(frozen=True, slots=True)
class WeightAxis:
    """A weight of the cost that another use may change.

    Attributes:
        weight: What it weighs.
        now: Its value; infinite without a line.
        low: Smallest value for which the chooser is asked.
        high: Largest one.
        cost: Returns the cost model at a value.
        line: Returns a codec's cost over this weight, up to a factor: a fixed part and a slope.
        text: Writes a range of values with their unit, the lower end first.
        usable_from: Returns the smallest value at which a codec can be used at all.
    """

    weight: Literal["reads", "line", "price"]
    now: float
    low: float
    high: float
    cost: Callable[[float], CostModel]
    line: Callable[[CostParts], tuple[float, float]]
    text: Callable[[float, float], str]
    usable_from: Callable[[str], float] = lambda _: 0.0

    @property
    def whole(self) -> str:
        """All values for which the chooser is asked, in words."""
        return self.text(self.low, self.high)


def reads_axis(cost: CostModel) -> WeightAxis:
    """Return the reads per write."""
    low, high = PLAUSIBLE["reads"]
    return WeightAxis(
        "reads",
        cost.reads,
        low,
        high,
        cost=lambda reads: replace(cost, reads=reads),
        line=lambda parts: parts.along(cost),
        text=lambda low, high: f"{span(f'{low:,g}', f'{high:,g}')} reads per write",
    )


def bandwidth_axis(cost: CostModel) -> WeightAxis:
    """Return the bandwidth in bits per second, as it is printed."""
    low, high = PLAUSIBLE["bandwidth"]

    def text(low: float, high: float) -> str:
        first, last = (bandwidth_parts(bits / _BITS) for bits in (low, high))
        alike = first != last and first[1] == last[1]
        return span(first[0] if alike else " ".join(first), " ".join(last))

    return WeightAxis(
        "line",
        cost.bandwidth * _BITS,
        low * _BITS,
        high * _BITS,
        cost=lambda bits: replace(cost, bandwidth=bits / _BITS),
        line=lambda parts: (parts.size * cost.transfers * _BITS, parts.work(cost)),
        text=text,
    )


_BITS: Final = 8
_DIGITS: Final = 3
"""Digits of a printed weight."""


def axes_of(
    own: CostParts, cost: CostModel, line: Callable[[CostModel], WeightAxis] = bandwidth_axis
) -> list[WeightAxis]:
    """Return the weights that may change, given what was measured of the present answer.

    With several languages, it is not one number of reads that changes.

    Args:
        own: Its cost.
        cost: The present weights.
        line: Returns the weight of the bytes that are sent.
    """
    found = [] if cost.readers or not own.load else [reads_axis(cost)]
    return [*found, line(cost)] if own.size and cost.transfers else found


def printed(value: float, *, up: bool) -> float:
    """Round a weight to the digits that are printed."""
    if not value:
        return 0.0
    exponent = math.floor(math.log10(value)) - _DIGITS + 1
    return float(f"{(math.ceil if up else math.floor)(value / float(f'1e{exponent}'))}e{exponent}")


def span(low: str, high: str) -> str:
    """Write a range; a single number if both ends are written alike."""
    return high if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class WinnerChange:
    """Another codec costs less than the present answer beyond a range of a weight.

    Attributes:
        winner: The codec that the chooser then answers.
        loser: The codec that it answers now.
        axis: The weight.
        above: Whether it is so above the range, not below.
        start: Where the loser is still known to cost less; if nowhere, the present value of the weight.
        end: Where the winner is first known to cost less.
        until: Where the winner is still not known to be overtaken; None if it never is.
    """

    winner: str
    loser: str
    axis: WeightAxis
    above: bool
    start: float
    end: float
    until: float | None = None


def breakeven(
    winner: str,
    parts: Callable[[str], CostParts],
    axes: Iterable[WeightAxis],
    ask: Callable[[CostModel], Choice],
) -> Iterator[WinnerChange]:
    """Find the nearest change of a chooser's answer on each side of the present weights.

    Args:
        winner: The present answer.
        parts: Returns the cost of a codec.
        axes: The weights to change, one at a time.
        ask: The chooser.
    """
    chooser, costs = cache(ask), cache(parts)
    for axis in axes:
        for above in (True, False):
            search = _Search(costs, axis, chooser, above)
            if found := search.change(winner, axis.now):
                until = search.held(found.winner, found.end)
                yield WinnerChange(found.winner, winner, axis, above, found.start, found.end, until)


_TIE: Final = math.log1p(Verdicts.TIE)
_FURTHER: Final = 1.15
"""Factor of the log ratio from one question to the next."""
_FURTHEST: Final = 20.0
"""Log ratio beyond which nothing is asked."""


class _Found(NamedTuple):
    """A change: `winner`, `start` and `end` of `WinnerChange`, and where the loser was last seen to hold."""

    winner: str
    start: float
    end: float
    held: float


@dataclass(frozen=True, slots=True)
class _Search:
    """The search on one side of the present value of a weight."""

    parts: Callable[[str], CostParts]
    axis: WeightAxis
    chooser: Callable[[CostModel], Choice]
    above: bool

    def held(self, codec: str, start: float) -> float | None:
        """Return where a codec is still not overtaken; None if it never is, wherever the chooser is asked."""
        if then := self.change(codec, start):
            return then.held
        limit = self._limit(codec)
        return None if limit in (self.axis.low, self.axis.high) else limit

    def change(self, codec: str, start: float) -> _Found | None:
        """Find the first change after a value for which a codec is the answer."""
        limit = self._limit(codec)
        if not self._before(start, limit) or not (last := self._ask(limit)).overtaking(codec):
            return None
        here = self._ask(start)
        ends = {
            name: self._end(name, codec, max(_TIE, here.reach(name, codec)), limit)
            for name in last.eligible
            if last.cheaper(name, codec)
        }
        rival = (min if self.above else max)(ends, key=ends.__getitem__)
        held, end, far = start, limit, _TIE
        while far < _FURTHEST:
            end = self._end(rival, codec, far, limit)
            if self._before(start, end):
                there = self._ask(end)
                if there.overtaking(codec):
                    break
                held, far = end, max(far, there.reach(rival, codec))
            far *= _FURTHER
        else:
            end = limit
        return self._with_start(codec, _Found("", start, end, held))

    def _with_start(self, codec: str, found: _Found) -> _Found:
        """Find where a codec is last known to cost less than the one that has overtaken it."""
        there = self._ask(found.end)
        winner = there.overtaking(codec)
        far = max(_TIE, there.reach(winner, codec))
        while far < _FURTHEST:
            point = self._point(winner, codec, far, up=not self.above)
            if point is None or not self._before(found.start, point) or not self._plausible(point):
                break
            if self._before(point, found.end):
                there = self._ask(point)
                if there.overtaking(codec):
                    held = found.held if self._before(found.held, point) else found.start
                    return self._with_start(codec, _Found("", found.start, point, held))
                if there.cheaper(codec, winner):
                    held = point if self._before(found.held, point) else found.held
                    return _Found(winner, point, found.end, held)
                far = max(far, there.reach(winner, codec))
            far *= _FURTHER
        return found._replace(winner=winner)

    def _end(self, one: str, other: str, far: float, limit: float) -> float:
        """Return the printed value from which a codec costs less than another by some log ratio."""
        found = self._point(one, other, -far, up=self.above)
        if found is None or self._before(limit, found):
            return limit
        return min(max(found, self.axis.low), self.axis.high)

    def _point(self, one: str, other: str, log_ratio: float, *, up: bool) -> float | None:
        """Return the printed value at which the means of two codecs have a ratio; None if nowhere."""
        fixed, slope = self.axis.line(self.parts(other))
        times = math.exp(log_ratio)
        found = meeting(self.axis.line(self.parts(one)), (fixed * times, slope * times))
        return None if found is None else printed(found, up=up)

    def _plausible(self, value: float) -> bool:
        return self.axis.low <= value <= self.axis.high

    def _ask(self, value: float) -> Choice:
        return self.chooser(self.axis.cost(value))

    def _limit(self, codec: str) -> float:
        """The last value for which the chooser is asked about a codec."""
        return self.axis.high if self.above else max(self.axis.low, self.axis.usable_from(codec))

    def _before(self, one: float, other: float) -> bool:
        """Return whether a value is nearer to the present one than another, on this side."""
        return one < other if self.above else one > other
