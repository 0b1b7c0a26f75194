"""Follow figures over many runs: a line for each cell, and the change points on it.

A line has the runs of one machine with the same records and options. Its change points are found by seeded
binary segmentation (Kovács et al. 2023): a stretch of runs of any length is cut where the squares within both
parts are smallest, the most significant cut of all stretches is a change point, and the parts on both sides
of it are searched again. Short stretches find a change that is soon taken back. Each place is then fitted
once more between its neighbors (Bai 1997). The test is the t test of two means with Bonferroni's bound over
all places of all stretches and lines (Worsley 1979): a history without a change has a change point with a
probability of at most 5 %. Differences within the tie band do not count. The variance is that of the runs
around their means, pooled with the assumed difference between two runs of the same code
(`bench.stats.Session`).

Sizes have no noise: each difference outside the tie band is a change point. Memory, measured once a run, has
the tolerance of `compare`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from statistics import median_low, variance
from typing import Final, NamedTuple

from ...bench.cells import Cell
from ...bench.method import Cores, Processes, Verdicts
from ...bench.results import CellResult, CorpusFacts, Fact, OperationFacts, ResultData
from ...bench.stats import SESSION, Ratio, Session, between_runs, contention_of, holm, interval, split
from ...errors import UsageError
from ..model.candidates import BASELINE, WELL, corpora
from ..model.environment import differences
from ..model.reference import by_common_reference, reference_errors
from .compare import lasting, memory_tolerance, other_work

Sessions = Callable[[Sequence[ResultData]], Mapping[Cell, Session]]
"""Returns the differences between two runs of the same code, by cell; see `bench.past`."""

_MACHINE: Final = ("hostname", "cpu_model_name", "cpu_count")
"""Facts that name a machine whose kernel and Python may be updated."""

_CAUSES: Final = {"python_version": "Python", "bakeoff_version": "bakeoff", "platform": "platform"}
"""Facts that explain a change first, and their names in a sentence."""


@dataclass(frozen=True, slots=True)
class Point:
    """A figure of one run.

    Attributes:
        run: Number of the run within its series.
        value: The figure in the operation's unit; times are normalized by the reference kernel.
        low: Lower end of its interval over processes; the value if it was measured once.
        high: Upper end.
        noise: Variance of the value's logarithm that is due to the processes.
        counted: Whether it takes part in comparisons. It does not if it comes from too few processes, or if a
            neighbor used the core in this run, unlike in most.
    """

    run: int
    value: float
    low: float
    high: float
    noise: float = 0.0
    counted: bool = True


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A run from which a figure has another level.

    Attributes:
        run: Number of the first run after the change.
        ratio: The level after the change over that before it.
        causes: What differs between the runs on each side: "orjson 3.11.9 → 3.12.0"; empty if nothing
            recorded does.
    """

    run: int
    ratio: Ratio
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """The figures of a cell over time.

    Attributes:
        changes: Its change points, the oldest first.
        whole: The newest run over the oldest one; None for fewer than two runs.
        newest: The newest run over the level of the runs before it; None if it is not in the newest run of
            the series, or has none before it.
        failed: Outcome of the cell in the newest run if it has no figure any more; else empty.
    """

    cell: Cell
    operation: OperationFacts
    points: tuple[Point, ...]
    changes: tuple[ChangePoint, ...] = ()
    whole: Ratio | None = None
    newest: Ratio | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """The lines of one corpus on one machine.

    Attributes:
        machine: Name of the machine; empty if there is only one.
        since: How records or options differ from those of the series before it; empty for the first.
        runs: Its runs, the oldest first.
        current: Whether the newest run of the machine is in it.
    """

    machine: str
    corpus: CorpusFacts
    since: tuple[str, ...]
    runs: tuple[ResultData, ...]
    lines: tuple[Line, ...]
    current: bool

    @property
    def title(self) -> str:
        """Corpus and machine."""
        return f"{self.corpus.name} on {self.machine}" if self.machine else self.corpus.name


def history(
    results: Sequence[ResultData],
    *,
    codecs: Sequence[str] = (),
    operations: Sequence[str] = (),
    sessions: Sessions = lambda runs: {},
) -> list[Series]:
    """Put runs in order of time, and find change points.

    Args:
        codecs: Names or globs, with ``!`` to exclude; all if empty.
        operations: Names of operations; all if empty.
        sessions: Differences between two runs of the same code on a machine.

    Raises:
        UsageError: No line has two runs, or the filters leave none.
    """
    drafts = []
    for machine, runs in _machines(results).items():
        known = _Known(sessions(runs), reference_errors(runs))
        runs = by_common_reference(runs)
        for corpus, since, own in _series(runs):
            lines = _lines(corpus.name, own, _chosen(codecs), operations)
            series = Series(machine, corpus, since, tuple(own), (), current=own[-1] is runs[-1])
            drafts.append((series, lines, known))
    drafts = [(series, lines, known) for series, lines, known in drafts if lines]
    if not drafts:
        raise UsageError(_nothing(results, filtered=bool(codecs or operations)))
    places = sum(_places(len(line.points)) for _, lines, _ in drafts for line, _ in lines)
    alpha = split(Verdicts.ALPHA, places)
    found = []
    for series, lines, known in drafts:
        judged = [_judged(line, cells, series.runs, known, alpha) for line, cells in lines]
        found.append(replace(series, lines=tuple(judged)))
    return found


def regressions(found: Sequence[Series], limit: float) -> list[tuple[Series, Line]]:
    """Return the lines whose newest run is significantly worse than the runs before it, by more than `limit`.

    Holm's method guards all lines together. A cell that fails in the newest run always counts.
    """
    lines = [(each, line) for each in found if each.current for line in each.lines]
    ratios = [line.newest.p if line.newest else 1.0 for _, line in lines]
    return [
        (each, line)
        for (each, line), p in zip(lines, holm(ratios), strict=True)
        if line.failed or (p < Verdicts.ALPHA and line.newest and _worse(line) > 1 + max(limit, Verdicts.TIE))
    ]


def _worse(line: Line) -> float:
    """Return the factor by which the newest run is worse than those before it."""
    assert line.newest is not None
    return line.newest.value if line.operation.direction == "lower" else 1 / line.newest.value


def _chosen(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a codec's name is selected, as by ``-c``."""
    parts = [part.strip() for pattern in patterns for part in pattern.split(",") if part.strip()]
    wanted = [part for part in parts if not part.startswith("!")] or ["*"]
    unwanted = [part[1:] for part in parts if part.startswith("!")]
    return lambda name: (
        any(fnmatchcase(name, one) for one in wanted) and not any(fnmatchcase(name, one) for one in unwanted)
    )


def _nothing(results: Sequence[ResultData], *, filtered: bool) -> str:
    if filtered:
        return "no line to show: no selected codec and operation has figures in two comparable runs"
    ordered = sorted(results, key=lambda run: run.started)
    why = ["there is one run"] if len(results) == 1 else _apart(*ordered[-2:])
    return f"no line to show: no machine has two runs of the same records and options ({'; '.join(why)})"


def _apart(before: ResultData, after: ResultData) -> list[str]:
    """Describe why two runs have no line in common."""
    return obstacles(before, after) or ["no corpus, operation and codec is in both of the newest two"]


def obstacles(before: ResultData, after: ResultData) -> list[str]:
    """Describe why two runs belong to different lines: machine, records or options."""
    old, new = ([(key, run.environment.get(key)) for key in _MACHINE] for run in (before, after))
    return [*differences(old, new), *other_work(before, after)]


# Series


def _machines(results: Sequence[ResultData]) -> dict[str, list[ResultData]]:
    """Group runs by machine, each once and in order of time; the name is empty for a single machine."""
    groups: dict[tuple[object, ...], dict[str, ResultData]] = {}
    for run in sorted(results, key=lambda run: run.started):
        groups.setdefault(tuple(run.environment.get(key) for key in _MACHINE), {})[run.started] = run
    if len(groups) == 1:
        return {"": list(next(iter(groups.values())).values())}
    hosts = [str(key[0] or "unknown") for key in groups]
    names = [
        host if hosts.count(host) == 1 else f"{host} ({key[1]}, {key[2]} processors)"
        for host, key in zip(hosts, groups, strict=True)
    ]
    return {name: list(group.values()) for name, group in zip(names, groups.values(), strict=True)}


def _series(
    runs: Sequence[ResultData],
) -> Iterator[tuple[CorpusFacts, tuple[str, ...], list[ResultData]]]:
    """Yield the runs of a machine by corpus, and start again where records or options differ."""
    groups: dict[str, dict[tuple[object, ...], list[ResultData]]] = {}
    facts: dict[tuple[object, ...], CorpusFacts] = {}
    for run in runs:
        options = tuple(sorted(run.conditions().items()))
        for corpus in corpora(run):
            key: tuple[object, ...] = (corpus.name, corpus.sha256, corpus.sample, options)
            facts[key] = corpus
            groups.setdefault(corpus.name, {}).setdefault(key, []).append(run)
    for name, versions in groups.items():
        before: ResultData | None = None
        for key, own in versions.items():
            changed = other_work(before, own[0]) if before else []
            since = tuple(text for text in changed if text.startswith((f"corpus {name}", "option ")))
            yield facts[key], since, own
            before = own[-1]


# Lines


_Cells = Mapping[int, CellResult]
"""A cell's results by number of the run."""


def _lines(
    corpus: str, runs: Sequence[ResultData], chosen: Callable[[str], bool], operations: Sequence[str]
) -> list[tuple[Line, _Cells]]:
    """Return the lines of at least two points, without verdicts."""
    cells: dict[Cell, dict[int, CellResult]] = {}
    for number, run in enumerate(runs):
        for found in run.cells:
            cell = found.cell
            wanted = not operations or cell.operation_name in operations
            if cell.corpus == corpus and cell.codec != BASELINE and wanted and chosen(cell.codec):
                cells.setdefault(cell, {})[number] = found
    lines: list[tuple[Line, _Cells]] = []
    for cell, seen in cells.items():
        facts = runs[max(seen)].operation(cell.operation_name)
        points = _points(seen, facts)
        if len(points) > 1:
            last = seen.get(len(runs) - 1)
            failed = last is not None and last.outcome not in (*WELL, "unfinished")
            lines.append((Line(cell, facts, points, failed=last.outcome if last and failed else ""), seen))
    return lines


def _points(seen: _Cells, operation: OperationFacts) -> tuple[Point, ...]:
    usual = median_low([contention_of(found.samples) for found in seen.values()])
    timed = operation.phase in ("time", "alone")
    points = []
    for number, found in seen.items():
        samples = found.samples
        if found.outcome not in WELL or not samples:
            continue
        if not all(0 < sample.value < math.inf for sample in samples):
            continue
        contention, logs = contention_of(samples), [math.log(sample.value) for sample in samples]
        alike = not (usual and contention) or abs(math.log(contention / usual)) <= math.log(Cores.SHARED)
        enough = len(samples) >= Processes.FEWEST or not timed
        noise = variance(logs) / len(logs) if len(logs) > 1 else 0.0
        points.append(Point(number, *interval(samples), noise, counted=alike and enough))
    return tuple(points)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known about the noise on a machine.

    Attributes:
        sessions: How much two runs of the same code differ, by cell.
        references: Variance of the common reference by version of Python, see `reference_errors`.
    """

    sessions: Mapping[Cell, Session]
    references: Mapping[Fact, float]


def _judged(line: Line, cells: _Cells, runs: Sequence[ResultData], known: _Known, alpha: float) -> Line:
    """Find the change points of a line, and compare its newest run."""
    points = [point for point in line.points if point.counted]
    if len(points) < 2:
        return line
    own: _Timed | _Once
    if line.operation.phase in ("time", "alone"):
        pythons = [runs[point.run].environment.get("python_version") for point in points]
        session = known.sessions.get(line.cell, SESSION)
        own = _Timed(points, session, [(python, known.references.get(python, 0.0)) for python in pythons])
    else:
        own = _Once([cells[point.run] for point in points], line.operation)
    places, last = own.places(alpha), len(points) - 1
    ends = [0, *places, last + 1]
    changes = [
        ChangePoint(
            points[place].run,
            own.change(start, place, end),
            _causes(runs[points[place - 1].run], runs[points[place].run], line.cell.codec),
        )
        for start, place, end in zip(ends, places, ends[2:], strict=False)
    ]
    newest = own.change(max(end for end in ends if end < last), last, last + 1)
    return replace(
        line,
        changes=tuple(changes),
        whole=own.whole(places),
        newest=newest if points[-1].run == len(runs) - 1 else None,
    )


_SHORTEST: Final = 4
"""Runs of the shortest stretch."""


def _stretches(count: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of runs to search: all of them, then halves that overlap by half, and so on."""
    size = count
    while size >= min(_SHORTEST, count):
        starts = dict.fromkeys((*range(0, count - size + 1, max(1, size // 2)), count - size))
        yield from ((start, start + size) for start in starts)
        size = math.ceil(size / 2) if size > 2 else 0


def _places(count: int) -> int:
    """Return in how many places of all stretches a line of `count` runs is tested."""
    return sum(end - start - 1 for start, end in _stretches(count))


class _Cut(NamedTuple):
    """The best cut of a stretch of runs, with its probability without a change."""

    start: int
    place: int
    end: int
    p: float


class _Timed:
    """The runs of a line with noise.

    Args:
        references: The version of Python of each run, and the variance of what its runs share.
    """

    def __init__(
        self, points: Sequence[Point], session: Session, references: Sequence[tuple[Fact, float]]
    ) -> None:
        self._logs = [math.log(point.value) for point in points]
        self._sums = [0.0, *itertools.accumulate(self._logs)]
        self._noise = math.fsum(point.noise for point in points) / len(points)
        self._session = session
        self._references = references

    def change(self, start: int, place: int, end: int) -> Ratio:
        """Compare the runs from `place` to `end` with those from `start`."""
        return self._ratio(slice(start, place), slice(place, end))

    def whole(self, places: Sequence[int]) -> Ratio:
        """Compare the newest run with the oldest one."""
        ends = [0, *places, len(self._logs)]
        levels = [self._logs[start:end] for start, end in itertools.pairwise(ends)]
        return self._ratio(slice(1), slice(-1, None), levels)

    def _ratio(self, before: slice, after: slice, levels: Sequence[Sequence[float]] = ()) -> Ratio:
        shared = 0.0
        for one in set(self._references):
            sides = (self._references[before], self._references[after])
            old, new = (side.count(one) / len(side) for side in sides)
            shared += (new - old) ** 2 * one[1]
        return between_runs(self._logs[before], self._logs[after], self._noise, self._session, levels, shared)

    def places(self, alpha: float) -> list[int]:
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
        place = min(within, key=lambda cut: cut.p).place
        return [*self._found(start, place, within, alpha), place, *self._found(place, end, within, alpha)]

    def _cut(self, start: int, end: int, alpha: float) -> _Cut | None:
        """Return the cut of a stretch if it is significant, and more than a tie."""
        if (place := self._best(start, end)) is None:
            return None
        found = self.change(start, place, end)
        tie = abs(math.log(found.value)) <= math.log1p(Verdicts.TIE)
        return None if tie or found.p >= alpha else _Cut(start, place, end, found.p)

    def _best(self, start: int, end: int) -> int | None:
        """Return the place that leaves the least squares around the means of both parts.

        A level of a single run is an outlier, except the newest run, which may be the first of many.
        """
        count, total = end - start, self._sums[end] - self._sums[start]
        first = start + (1 if start == 0 else 2)
        last = end - (1 if end == len(self._logs) else 2)

        def between(place: int) -> float:
            left = place - start
            own = self._sums[place] - self._sums[start]
            return (own - left * total / count) ** 2 / (left * (count - left))

        return max(range(first, last + 1), key=between, default=None)


class _Once:
    """The runs of a line of sizes or memory, which are measured once a run."""

    def __init__(self, cells: Sequence[CellResult], operation: OperationFacts) -> None:
        self._cells = cells
        self._operation = operation

    def change(self, _start: int, place: int, _end: int) -> Ratio:
        """Compare the run at `place` with the one before it."""
        return self._ratio(self._cells[place - 1], self._cells[place])

    def whole(self, _places: Sequence[int]) -> Ratio:
        """Compare the newest run with the oldest one."""
        return self._ratio(self._cells[0], self._cells[-1])

    def places(self, alpha: float) -> list[int]:
        """Return the first run of each new level."""
        return [place for place in range(1, len(self._cells)) if self.change(0, place, 0).p < alpha]

    def _ratio(self, old: CellResult, new: CellResult) -> Ratio:
        value = interval(new.samples)[0] / interval(old.samples)[0]
        least = memory_tolerance(old, new) if self._operation.phase == "memory" else math.log1p(Verdicts.TIE)
        return Ratio(value, value, value, 0.0, 1, p=0.0 if abs(math.log(value)) > least else 1.0)


def _causes(before: ResultData, after: ResultData, codec: str) -> tuple[str, ...]:
    """Describe what differs between two runs and may affect a codec, its library first."""
    old, new = (_facts(run, codec) for run in (before, after))
    return tuple(text.replace(": ", " ", 1) for text in differences(old, new))


def _facts(run: ResultData, codec: str) -> list[tuple[str, Fact]]:
    own = next(facts for facts in run.codecs if facts.name == codec)
    there = lasting(run)
    others = {
        key: value
        for key, value in there.items()
        # A compressor's version matters only for codecs that compress.
        if key not in _CAUSES and ("|" in codec or not key.endswith("_version"))
    }
    return [
        (own.library, own.version),
        ("C accelerator", own.accelerated),
        *((name, there.get(key)) for key, name in _CAUSES.items()),
        *others.items(),
    ]
