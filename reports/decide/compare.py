"""Compare two runs of the same work: the changes of their cells, a gate on them, and what else differs.

A gate checks for regressions beyond a limit, which are significant changes whose estimate exceeds the limit,
and for changes that it could have missed: cells without a figure after, cells measured under another
contention, and cells that could have become worse by twice the limit: by the one-sided 95 % of each, as it
passes only if all of them pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Literal

from ...bench.method import Verdicts
from ...bench.results import Cell, Fact, Measurement, OperationFacts, ResultData
from ...bench.stats import RUN_TO_RUN, RunToRun, ratio
from ...errors import UsageError
from ..model.candidates import WELL, corpora
from ..model.environment import code, differences, machine, option_differences, versions, warnings
from ..model.reference import measured_by, units
from ..model.table import labelled
from .cell_changes import (
    CellChange,
    comparable,
    estimate,
    has_figure,
    judgeable,
    mean_changes,
    together,
    with_verdict,
    worst_of,
)

__all__ = [
    "CellChange", "Comparison", "Gate", "again", "compare", "confirmed", "corpus_differences", "lasting",
    "other_work", "settled",
]  # fmt: skip

Gate = Literal["passed", "failed", "undecided"]

_SHIFT: Final = 0.02
"""Log ratio of two runs' reference kernels from which it is reported."""
_COUNTED: Final = frozenset({"hash_seed", "libc", "processor", "python", "records", "valgrind"})
"""Facts about a count that have to agree in two runs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two runs.

    Attributes:
        changes: Every cell of both runs, or only of the first one if it was measured there; in the first
            run's order.
        means: Geometric mean over all codecs and corpora, one for each operation.
        new: Cells that only the second run has measured.
        unmeasured: Cells without a figure in either run.
        notes: Other changes: machine, environment, versions; one line each.
        remarks: How the verdicts were reached; one line each.
        warnings: Conditions that may have distorted either run.
    """

    changes: tuple[CellChange, ...]
    means: tuple[CellChange, ...]
    new: tuple[Cell, ...] = ()
    unmeasured: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def regressions(self, limit: float) -> list[CellChange]:
        """Return the cells that became significantly worse, by more than `limit`."""
        return [change for change in self.changes if change.beyond(limit)]

    def missing(self) -> list[CellChange]:
        """Return the cells that were measured before but not after; they fail every gate."""
        return [change for change in self.changes if change.verdict == "not measured"]

    def undecided(self, limit: float) -> list[CellChange]:
        """Return the cells that could hide a regression of twice the limit."""
        return [change for change in self.changes if change.undecided(limit)]

    def gate(self, limit: float) -> Gate:
        """Return whether the second run passes: no regression of more than `limit`, and none hidden."""
        if self.regressions(limit) or self.missing():
            return "failed"
        return "undecided" if self.undecided(limit) else "passed"


def compare(
    before: ResultData,
    after: ResultData,
    *,
    force: bool = False,
    sessions: Mapping[Cell, RunToRun] | None = None,
    counts: bool = False,
) -> Comparison:
    """Compare two runs of the same corpora under the same options.

    Args:
        before: The run to compare with.
        after: The run to judge.
        force: Compare although corpora or options differ; the differences become notes.
        sessions: Differences between two runs of the same code, if past runs are known; see `bench.past`.
        counts: Compare what Valgrind counted, and nothing else; otherwise everything else.

    Raises:
        UsageError: Corpora or options differ (without `force`), or no cell is common to both.
    """
    obstacles = other_work(before, after)
    if counts:
        obstacles += _count_differences(before, after)
    if obstacles and not force:
        listed = "; ".join(obstacles)
        raise UsageError(f"these runs did not do the same work: {listed}; --force compares them all the same")
    slower = [] if counts else _slower(before, after)
    after = measured_by(before, after)
    facts = {name: after.operation(name) for name in {cell.cell.operation_name for cell in after.cells}}
    old, new = (
        {
            cell.cell: cell
            for cell in run.cells
            if comparable(cell, run.operation(cell.cell.operation_name), counts=counts)
        }
        for run in (before, after)
    )
    if counts and not (old and new):
        raise UsageError("a run has no counts: measure both with `bakeoff run --count`")
    if not old.keys() & new.keys():
        raise UsageError("these runs have no cell in common: no corpus, operation and codec is in both")
    facts |= {name: before.operation(name) for cell in old if (name := cell.operation_name) not in facts}
    fresh = [
        cell
        for cell in new
        if has_figure(new[cell]) and not (cell in old if counts else judgeable(old.get(cell)))
    ]

    def estimated(alpha: float) -> list[CellChange]:
        known, found = sessions or {}, []
        for cell, own in old.items():
            if cell not in fresh:
                operation, session = facts[cell.operation_name], known.get(cell, RUN_TO_RUN)
                found.append(estimate(own, new.get(cell), operation, session, alpha))
        return [change for change in found if change is not None]

    changes = together(estimated)
    judged = {change.cell for change in changes}
    return Comparison(
        changes=tuple(changes),
        means=tuple(together(lambda alpha: list(mean_changes(changes, alpha)))),
        new=tuple(fresh),
        unmeasured=tuple(cell for cell in {**old, **new} if cell not in judged and cell not in fresh),
        notes=(*obstacles, *slower, *(_libraries(before, after) if counts else _surroundings(before, after))),
        # No other work on the machine changes a count.
        warnings=() if counts else labelled([("before", warnings(before)), ("after", warnings(after))]),
    )


def again(comparison: Comparison, limit: float) -> list[CellChange]:
    """Return the changes that alternating measurements can decide: all that would fail the gate.

    Findings of checks stay unchanged. So do cells that the second run has not even checked, because their
    losses are unknown.
    """
    open_ones = [*comparison.regressions(limit), *comparison.undecided(limit), *comparison.missing()]
    return [
        change
        for change in open_ones
        if change.operation.phase == "time" and not change.broken and change.after is not None
        if change.after.outcome in WELL
    ]


def settled(
    before: Sequence[Measurement],
    after: Sequence[Measurement],
    operation: OperationFacts,
    limit: float,
    alpha: float,
) -> bool:
    """Return whether pairs of processes decide about a limit: the whole interval is on one side of it."""
    found = ratio(after, before, alpha)
    worse = found if operation.direction == "lower" else found.inverse()
    bound = 1 + max(limit, Verdicts.TIE)
    return worse.low > bound or worse.high < bound


def confirmed(
    comparison: Comparison,
    samples: Mapping[Cell, tuple[Sequence[Measurement], Sequence[Measurement]]],
    alpha: float,
    remarks: Sequence[str],
) -> Comparison:
    """Replace the measurements of the two runs by alternating measurements of both sides.

    Args:
        samples: Before and after by cell, paired by their numbers.
        alpha: Error probability for the verdict on one cell.
        remarks: Remarks about the comparison.
    """
    changes = []
    for change in comparison.changes:
        if change.cell in samples and change.before is not None and change.after is not None:
            old, new = samples[change.cell]
            change = replace(
                with_verdict(replace(change, ratio=ratio(new, old, alpha), alpha=alpha)),
                before=replace(change.before, samples=tuple(old)),
                after=replace(change.after, samples=tuple(new)),
                reason="",
                session=None,
                worst=worst_of(new, old, change.operation),
            )
        changes.append(change)
    # A mean over both ways of measuring would represent neither.
    means = () if samples else comparison.means
    return replace(comparison, changes=tuple(changes), means=means, remarks=tuple(remarks))


# Other differences


def other_work(before: ResultData, after: ResultData) -> list[str]:
    """Describe differing records and options, one line each; figures of such runs are not compared."""
    return [*corpus_differences(before, after).values(), *option_differences(before, after)]


def corpus_differences(before: ResultData, after: ResultData) -> dict[str, str]:
    """Describe how the records of corpora differ, by name; those without a difference are left out."""
    old = {c.name: c for c in corpora(before)}
    found = {}
    for corpus in corpora(after):
        twin = old.get(corpus.name)
        if twin is None:
            continue
        if twin.sha256 != corpus.sha256:
            found[corpus.name] = (
                f"corpus {corpus.name} has other records ({_hash(twin.sha256)} → {_hash(corpus.sha256)})"
            )
        elif twin.sample != corpus.sample:
            found[corpus.name] = (
                f"corpus {corpus.name}: sample of {twin.sample:,} → {corpus.sample:,} records (`bakeoff run "
                f"--sample {min(twin.sample, corpus.sample)}` measures as many)"
            )
    return found


def _count_differences(before: ResultData, after: ResultData) -> list[str]:
    """Describe the conditions of counts that differ, one line each.

    Another version of a library is what a comparison is for. Another build of the same version is not.
    """
    key = "allocator"
    found = differences(*([(key, run.environment.get(key))] for run in (before, after)))
    then, now = versions(before), versions(after)
    libraries = {codec.name: codec.library for codec in after.codecs}
    twins = {cell.cell: cell for cell in after.cells}
    for old in before.cells:
        new = twins.get(old.cell)
        if new is None or not before.operation(old.cell.operation_name).exact:
            continue
        if not (old.samples and new.samples):
            continue
        library = libraries.get(old.cell.codec, "")
        build = {"build"} if then.get(library) == now.get(library) else set()
        pairs = (
            [
                (f"{k} of {library}" if k in build else k, v)
                for k, v in cell.extras.items()
                if k in build | _COUNTED
            ]
            for cell in (old, new)
        )
        found += differences(*pairs)
    return [f"counts: {line}" for line in dict.fromkeys(found)]


def _hash(sha256: str) -> str:
    return sha256[:12] or "unknown"


_NOISE: Final = frozenset(
    {
        "boot_time",
        "cores",
        "cpu_config",
        "cpu_freq",
        "date",
        "duration",
        "harness_ns",
        "load_avg_1min",
        "python_executable",
        "runnable_threads",
        "uptime",
    }
)
"""Environment that differs in every run, and explains nothing alone."""


def _slower(before: ResultData, after: ResultData) -> list[str]:
    """Report that the machine itself was slower or faster, if that is removed from the figures."""
    if measured_by(before, after) is after:
        return []
    then, now = (median(units(run).values()) for run in (before, after))
    if abs(math.log(now / then)) <= _SHIFT:
        return []
    word, times = ("slower", now / then) if now > then else ("faster", then / now)
    return [
        f"the machine as a whole was {times:.2f} times {word} after, by its reference kernel; "
        "that is taken out of the figures after"
    ]


def lasting(result: ResultData) -> dict[str, Fact]:
    """Return the environment without facts that differ in every run."""
    return {key: value for key, value in result.environment.items() if key not in _NOISE}


def _surroundings(before: ResultData, after: ResultData) -> list[str]:
    found = []
    if machine(before) != machine(after):
        found.append("different machines: figures of two machines are not a comparison of two versions")
    found += differences(*(list(lasting(run).items()) for run in (before, after)))
    found += _libraries(before, after)
    if not (before.complete and after.complete):
        found.append("an interrupted run is compared: fewer processes, wider intervals")
    return found


def _libraries(before: ResultData, after: ResultData) -> list[str]:
    found = []
    for what, then, now in (
        ("library", versions(before), versions(after)),
        ("code", code(before), code(after)),
    ):
        common = [name for name in then if name in now]
        pairs = ([(name, run[name]) for name in common] for run in (then, now))
        found += [f"{what} {line}" for line in differences(*pairs)]
    return found
