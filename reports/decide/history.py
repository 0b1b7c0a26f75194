"""Follow figures over many runs: a line for each cell, with its change points.

A line has the runs of one machine with the same records and options. Its times are relative to the reference
kernel, so that a slower clock is not a change. All lines are tested together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from statistics import fmean, median_low, variance
from typing import Final

from ...bench.cells import Cell
from ...bench.method import Processes, Verdicts
from ...bench.results import CellResult, CorpusFacts, Fact, OperationFacts, ResultData
from ...bench.stats import RUN_TO_RUN, Ratio, RunToRun, contention_of, holm, interval, same_state, split
from ...errors import UsageError
from ..model.candidates import BASELINE, WELL, corpora
from ..model.environment import code, differences, option_differences
from ..model.reference import by_common_reference, reference_errors
from .change_points import NoisyRuns, Once, number_of_cuts
from .compare import corpus_differences, lasting, other_work

Sessions = Callable[[Sequence[ResultData]], Mapping[Cell, RunToRun]]
"""Returns the differences between two runs of the same code, by cell; see `bench.past`."""

_MACHINE: Final = ("hostname", "cpu_model_name", "cpu_count")
"""Facts that name a machine whose kernel and Python may be updated."""

_CAUSES: Final = {"python_version": "Python", "bakeoff_version": "bakeoff", "platform": "platform"}
"""Facts that explain a change first, and their names in a sentence."""


@dataclass(frozen=True, slots=True)
class RunPoint:
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
    points: tuple[RunPoint, ...]
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
        lines: None for a single run.
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
    if not any(lines for _, lines, _ in drafts):
        raise UsageError(_nothing(results, filtered=bool(codecs or operations)))
    tests = sum(number_of_cuts(len(line.points)) for _, lines, _ in drafts for line, _ in lines)
    alpha = split(Verdicts.ALPHA, tests)
    found = []
    for series, lines, known in drafts:
        judged = [_judged(line, cells, series.runs, known, alpha) for line, cells in lines]
        found.append(replace(series, lines=tuple(judged)))
    return [series for series in found if series.lines or len(series.runs) == 1]


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
    why = ["there is one run"] if len(results) == 1 else obstacles(*ordered[-2:])
    why = why or ["no corpus, operation and codec is in both of the newest two"]
    return f"no line to show: no machine has two runs of the same records and options ({'; '.join(why)})"


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
        options = tuple(sorted(run.conditions.items()))
        for corpus in corpora(run):
            key: tuple[object, ...] = (corpus.name, corpus.sha256, corpus.sample, options)
            facts[key] = corpus
            groups.setdefault(corpus.name, {}).setdefault(key, []).append(run)
    for name, versions in groups.items():
        before: ResultData | None = None
        for key, own in versions.items():
            since: list[str] = []
            if before is not None:
                records = corpus_differences(before, own[0]).get(name)
                since = [*([records] if records else []), *option_differences(before, own[0])]
            yield facts[key], tuple(since), own
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


def _points(seen: _Cells, operation: OperationFacts) -> tuple[RunPoint, ...]:
    usual = median_low([contention_of(found.samples) for found in seen.values()])
    timed = operation.phase in ("time", "alone")
    points = []
    for number, found in seen.items():
        samples = found.samples
        if found.outcome not in WELL or not samples:
            continue
        if not all(0 < sample.value < math.inf for sample in samples):
            continue
        alike = same_state(contention_of(samples), usual)
        logs = [math.log(sample.value) for sample in samples]
        enough = len(samples) >= Processes.FEWEST or not timed
        noise = variance(logs) / len(logs) if len(logs) > 1 else 0.0
        points.append(RunPoint(number, *interval(samples), noise, counted=alike and enough))
    return tuple(points)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known about the noise on a machine.

    Attributes:
        sessions: How much two runs of the same code differ, by cell.
        references: Variance of the common reference by version of Python, see `reference_errors`.
    """

    sessions: Mapping[Cell, RunToRun]
    references: Mapping[Fact, float]


def _judged(line: Line, cells: _Cells, runs: Sequence[ResultData], known: _Known, alpha: float) -> Line:
    """Find the change points of a line, and compare its newest run."""
    points = [point for point in line.points if point.counted]
    if len(points) < 2:
        return line
    own: NoisyRuns | Once
    if line.operation.phase in ("time", "alone"):
        pythons = [runs[point.run].environment.get("python_version") for point in points]
        session = known.sessions.get(line.cell, RUN_TO_RUN)
        logs = [math.log(point.value) for point in points]
        noise = fmean(point.noise for point in points)
        references = [(python, known.references.get(python, 0.0)) for python in pythons]
        own = NoisyRuns(logs, noise, session, references, max(1, len(runs) - len(known.references)))
    else:
        own = Once([cells[point.run] for point in points], line.operation)
    found, last = own.cuts(alpha), len(points) - 1
    ends = [0, *found, last + 1]
    changes = [
        ChangePoint(
            points[place].run,
            own.change(start, place, end),
            _causes(runs[points[place - 1].run], runs[points[place].run], line.cell.codec),
        )
        for start, place, end in zip(ends, found, ends[2:], strict=False)
    ]
    newest = own.change(max(end for end in ends if end < last), last, last + 1)
    return replace(
        line,
        changes=tuple(changes),
        whole=own.whole(found),
        newest=newest if points[-1].run == len(runs) - 1 else None,
    )


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
        *((f"code of {name}", value) for name, value in code(run, codec).items()),
        *((name, there.get(key)) for key, name in _CAUSES.items()),
        *others.items(),
    ]
