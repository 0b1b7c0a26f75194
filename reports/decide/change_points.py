"""Find the runs from which a figure has another level.

Seeded binary segmentation (Kovács et al. 2023): a stretch of runs of any length is cut where the squares
within both parts are smallest, the most significant cut of all stretches is a change point, and the parts on
both sides of it are searched again. Short stretches find a change that is soon taken back. Each cut is
then fitted once more between its neighbors (Bai 1997). The test is the t test of two means. With
Bonferroni's bound over all cuts of all stretches (Worsley 1979), a history without a change has a change
point with at most the given probability. Differences within the tie band do not count. The variance is that
of the runs around their means, pooled with the assumed difference between two runs of the same code
(`bench.stats.RunToRun`).

Sizes have no noise: each difference outside the tie band is a change point. Memory, measured once a run, has
the tolerance of `compare`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...bench.method import Verdicts
from ...bench.results import CellResult, Fact, OperationFacts
from ...bench.stats import Ratio, RunToRun, between_runs, interval
from .cell_changes import memory_tolerance

_SHORTEST: Final = 4
"""Runs of the shortest stretch."""


def _stretches(count: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of runs to search: all of them, then halves that overlap by half, and so on."""
    size = count
    while size >= min(_SHORTEST, count):
        starts = dict.fromkeys((*range(0, count - size + 1, max(1, size // 2)), count - size))
        yield from ((start, start + size) for start in starts)
        size = math.ceil(size / 2) if size > 2 else 0


def number_of_cuts(count: int) -> int:
    """Return in how many places of all stretches a line of `count` runs is tested."""
    return sum(end - start - 1 for start, end in _stretches(count))


class _Cut(NamedTuple):
    """The best cut of a stretch of runs, with its probability without a change."""

    start: int
    cut: int
    end: int
    p: float


class NoisyRuns:
    """The runs of a line with noise.

    Args:
        logs: Logarithm of the figure of each run.
        noise: Mean variance of these that is due to the processes of a run.
        session: How much two runs of the same code differ.
        references: The version of Python of each run, and the variance of what runs with it share.
        degrees: Degrees of freedom of these variances.
    """

    def __init__(
        self,
        logs: Sequence[float],
        noise: float,
        session: RunToRun,
        references: Sequence[tuple[Fact, float]],
        degrees: int,
    ) -> None:
        self._logs = logs
        self._sums = [0.0, *itertools.accumulate(logs)]
        self._noise = noise
        self._session = session
        self._references = references
        self._degrees = degrees

    def change(self, start: int, cut: int, end: int) -> Ratio:
        """Compare the runs from `cut` to `end` with those from `start`."""
        return self._ratio(slice(start, cut), slice(cut, end))

    def whole(self, cuts: Sequence[int]) -> Ratio:
        """Compare the newest run with the oldest one."""
        ends = [0, *cuts, len(self._logs)]
        levels = [self._logs[start:end] for start, end in itertools.pairwise(ends)]
        return self._ratio(slice(1), slice(-1, None), levels)

    def _ratio(self, before: slice, after: slice, levels: Sequence[Sequence[float]] = ()) -> Ratio:
        shared = 0.0
        for one in set(self._references):
            sides = (self._references[before], self._references[after])
            old, new = (side.count(one) / len(side) for side in sides)
            shared += (new - old) ** 2 * one[1]
        error = (shared, self._degrees)
        return between_runs(self._logs[before], self._logs[after], self._noise, self._session, levels, error)

    def cuts(self, alpha: float) -> list[int]:
        """Return the first run of each new level."""
        count = len(self._logs)
        cuts = [cut for start, end in _stretches(count) if (cut := self._cut(start, end, alpha))]
        ends = [0, *self._found(0, count, cuts, alpha), count]
        for number in range(1, len(ends) - 1):
            ends[number] = self._best(ends[number - 1], ends[number + 1]) or ends[number]
        return ends[1:-1]

    def _found(self, start: int, end: int, cuts: Sequence[_Cut], alpha: float) -> list[int]:
        """Return the change points of a stretch, by its own cut and those of the stretches in it."""
        within = [cut for cut in cuts if start <= cut.start and cut.end <= end]
        if own := self._cut(start, end, alpha):
            within.append(own)
        if not within:
            return []
        cut = min(within, key=lambda cut: cut.p).cut
        return [*self._found(start, cut, within, alpha), cut, *self._found(cut, end, within, alpha)]

    def _cut(self, start: int, end: int, alpha: float) -> _Cut | None:
        """Return the cut of a stretch if it is significant, and more than a tie."""
        if (cut := self._best(start, end)) is None:
            return None
        found = self.change(start, cut, end)
        tie = abs(math.log(found.value)) <= math.log1p(Verdicts.TIE)
        return None if tie or found.p >= alpha else _Cut(start, cut, end, found.p)

    def _best(self, start: int, end: int) -> int | None:
        """Return the place that leaves the least squares around the means of both parts.

        A level of a single run is an outlier, except the newest run, which may be the first of many.
        """
        count, total = end - start, self._sums[end] - self._sums[start]
        first = start + (1 if start == 0 else 2)
        last = end - (1 if end == len(self._logs) else 2)

        def between(cut: int) -> float:
            left = cut - start
            own = self._sums[cut] - self._sums[start]
            return (own - left * total / count) ** 2 / (left * (count - left))

        return max(range(first, last + 1), key=between, default=None)


class Once:
    """The runs of a line of sizes or memory, which are measured once a run."""

    def __init__(self, cells: Sequence[CellResult], operation: OperationFacts) -> None:
        self._cells = cells
        self._operation = operation

    def change(self, _start: int, cut: int, _end: int) -> Ratio:
        """Compare the run at `cut` with the one before it."""
        return self._ratio(self._cells[cut - 1], self._cells[cut])

    def whole(self, _places: Sequence[int]) -> Ratio:
        """Compare the newest run with the oldest one."""
        return self._ratio(self._cells[0], self._cells[-1])

    def cuts(self, alpha: float) -> list[int]:
        """Return the first run of each new level."""
        return [cut for cut in range(1, len(self._cells)) if self.change(0, cut, 0).p < alpha]

    def _ratio(self, old: CellResult, new: CellResult) -> Ratio:
        value = interval(new.samples)[0] / interval(old.samples)[0]
        least = memory_tolerance(old, new) if self._operation.phase == "memory" else math.log1p(Verdicts.TIE)
        return Ratio(value, value, value, 0.0, 1, p=0.0 if abs(math.log(value)) > least else 1.0)
