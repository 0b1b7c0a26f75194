"""Slices and processes with rare calls that take much longer than most, whose mean is known.

Nothing is timed: what a process would have seen of such calls is drawn, and goes through the estimator of the
timing process and the statistics of a run. One call in `every` takes 50 to 200 times as long as the others;
such calls come at equal distances, as a store writes back what has come together, or one by one at any time,
or in bursts of some five.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Final, Literal

from bakeoff.bench.results import Measurement
from bakeoff.bench.stats import interval
from bakeoff.bench.worker.estimate import CellEstimate, Track, levels

Pattern = Literal["at equal distances", "one by one", "in bursts"]
PATTERNS: Final[tuple[Pattern, ...]] = ("at equal distances", "one by one", "in bursts")
EVERY: Final = (50, 300, 1000)

_DEAR: Final = (50.0, 200.0)
_BURST: Final = 5
"""Calls of a burst, on average."""
_SLICES: Final = 10
_CALLS: Final = 128
"""Of a slice, as of puts."""
_PROCESS: Final = 0.02
"""Standard deviation, as a share, of what usual calls take from process to process."""
_SLICE: Final = 0.01
"""The same from slice to slice."""


def truth(every: int) -> float:
    """Return what the mean call takes, of which the usual takes 1."""
    return 1 - 1 / every + sum(_DEAR) / 2 / every


@dataclass(frozen=True, slots=True)
class Simulated:
    """The figures of a run.

    Attributes:
        seen: Slices with rare calls that take long, as the estimator counts them.
    """

    value: float
    low: float
    high: float
    seen: int

    def covers(self, value: float) -> bool:
        """Whether a value lies in the interval."""
        return self.low <= value <= self.high


def simulated(rng: random.Random, every: int, pattern: Pattern, processes: int = 12) -> Simulated:
    """Simulate a run."""
    found = [_process(rng, every, pattern) for _ in range(processes)]
    values = [level.polished for level in found]
    samples = [Measurement(value, value, value, pair, sums=True) for pair, value in enumerate(values)]
    return Simulated(*interval(samples), sum(level.dear for level in found))


def _process(rng: random.Random, every: int, pattern: Pattern) -> CellEstimate:
    """Return what a process makes of a cell, with the reference kernels that take part in every round."""
    usual = math.exp(rng.gauss(0, _PROCESS))
    works = dict.fromkeys(range(_SLICES), float(_CALLS))
    times = {r: _CALLS * usual * math.exp(rng.gauss(0, _SLICE)) for r in works}
    for call in _calls(rng, every, pattern):
        times[call // _CALLS] += rng.uniform(*_DEAR) - 1
    rulers = [{r: math.exp(rng.gauss(0, _SLICE)) for r in works} for _ in range(2)]
    rest = [[Track(1.0, True, ruler, dict.fromkeys(works, 1.0))] for ruler in rulers]
    level, *_ = levels([[Track(1.0, True, times, works, sums=True)], *rest])
    assert level is not None
    return level


def _calls(rng: random.Random, every: int, pattern: Pattern) -> list[int]:
    """Return which calls of a process take long."""
    count = _SLICES * _CALLS
    if pattern == "at equal distances":
        return list(range(rng.randrange(every), count, every))
    if pattern == "one by one":
        return [call for call in range(count) if rng.random() < 1 / every]
    found = []
    for call in range(count):
        if rng.random() < 1 / every / _BURST:
            found.append(call)
            while rng.random() > 1 / _BURST:
                found.append(call)
    return found
