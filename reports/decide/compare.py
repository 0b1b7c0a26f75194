"""Compare two runs of the same work, cell by cell: faster, slower or undecided.

The two runs have different processes, so nothing is paired by process. A cell's ratio (after/before) has the
interval of independent values, each normalized by its run's reference kernel. It is widened by the difference
between two runs of the same code (`bench.stats.Session`). Holm's method guards all timed cells of a
comparison together. Intervals have the level at which it ends, so they exclude 1 exactly if a change is
significant. A change counts only if it is significant *and* outside the tie band. A regression beyond a limit
is a significant one whose estimate exceeds the limit. A gate also checks for changes that it could have
missed: cells without a figure after, cells measured under another contention, and cells that could have
become worse by twice the limit: by the one-sided 95 % of each, as it passes only if all of them pass. Memory
has one figure per run and thus no interval; a tolerance is used instead (`ONCE`, `HELD`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Literal

from ...bench.method import Verdicts
from ...bench.results import Cell, CellResult, Fact, Measurement, OperationFacts, ResultData
from ...bench.stats import SESSION, Ratio, Session, contention_of, holm_level, ratio, same_core
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import BASELINE, GROWING, WELL, corpora, measured, records_seen, weighed
from ..model.environment import code, differences, machine, option_differences, versions, warnings
from ..model.reference import measured_by, units
from ..model.table import labelled

ChangeVerdict = Literal["better", "worse", "same", "not significant", "not measured", "cannot decide"]

Gate = Literal["passed", "failed", "undecided"]

ONCE: Final = 0.1
"""Share by which a memory figure, measured once a run, may differ between two runs of the same code."""

_NEIGHBOR: Final = 1.0
"""Share by which no neighbor on the core changes a time relative to the reference kernel. Codecs took 1.38 to
1.75 times as long on a shared core, and the kernel 1.64 times."""

_SHIFT: Final = 0.02
"""Log ratio of two runs' reference kernels from which it is reported."""

HELD: Final = 512 * 1024
"""Additional bytes by which a peak may differ, because allocators hold varying amounts of memory."""

_WORDS: Final = {"second": ("faster", "slower"), "byte": ("smaller", "larger"), "integer": ("less", "more")}
_BAD: Final = ("lossy", "unsupported", "wrong", "error", "crashed", "timed out", "out of memory")
"""Outcomes found by a check, from bad to worse."""
_UNCHECKED: Final = ("unfinished", "missing")
"""Outcomes that do not depend on the codec."""
_COUNTED: Final = frozenset({"hash_seed", "libc", "processor", "python", "records", "valgrind"})
"""Facts about a count that have to agree in two runs."""
_QUIET: Final = ("same", "not significant", "not measured", "cannot decide")


@dataclass(frozen=True, slots=True)
class CellChange:
    """The change of one cell or, without a codec, of an operation's geometric mean.

    Attributes:
        operation: The operation that was measured.
        ratio: After/before with its interval; None if a side has no figure.
        verdict: Direction-aware: "better" is faster, smaller or less, or more if more is better.
        outcomes: Outcome before and after if they differ, or a loss or leak that appeared or disappeared.
        broken: Whether the outcome became worse, whatever the figures are.
        reason: Why there is no verdict on the change, in a sentence; empty if there is a verdict.
        session: Assumed difference between two runs of the same code; None if the interval needs none.
        worst: Factor by which it may have become worse, at a confidence of 95 %; 1 if it has no noise.
        alpha: The level of its verdict: one minus the confidence of the interval of `ratio`.
    """

    cell: Cell
    operation: OperationFacts
    before: CellResult | None
    after: CellResult | None
    ratio: Ratio | None
    verdict: ChangeVerdict
    outcomes: tuple[str, str] | None = None
    broken: bool = False
    reason: str = ""
    session: Session | None = None
    worst: float = 1.0
    alpha: float = Verdicts.ALPHA

    @property
    def timed(self) -> bool:
        """Whether its figures come from several processes, so that its interval counts."""
        return self.operation.phase in ("time", "alone") and not self.operation.exact

    @property
    def words(self) -> str:
        """The verdict in common terms: "1.25× faster"."""
        outcomes = f"{self.outcomes[0]} → {self.outcomes[1]}" if self.outcomes else ""
        if outcomes and (self.broken or self.verdict == "better"):
            return outcomes
        if self.ratio is None or self.verdict in _QUIET:
            return f"{outcomes}, {self.verdict}" if outcomes else self.verdict
        change = in_words(self.ratio, self.operation)
        return f"{outcomes}, {change}" if outcomes else change

    def beyond(self, limit: float) -> bool:
        """Return whether this is a regression of more than `limit`; a worse outcome always is one."""
        if self.verdict != "worse":
            return False
        if self.ratio is None or self.broken:
            return True
        value = self.ratio.value
        return (value if self.operation.direction == "lower" else 1 / value) > 1 + limit

    def undecided(self, limit: float) -> bool:
        """Return whether this cell could hide a regression of twice the limit."""
        if self.verdict == "cannot decide":
            return True
        if self.broken or self.beyond(limit):
            return False
        return self.worst > 1 + 2 * max(limit, Verdicts.TIE)


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


def in_words(found: Ratio, operation: OperationFacts) -> str:
    """Write a ratio after/before in common terms: "1.25× faster"."""
    less, more = _WORDS[operation.unit]
    value = found.value
    if operation.exact:
        return f"{abs(value - 1) * 100:.2f}% {more if value > 1 else less}"
    return f"{numbers.ratio(value)} {more}" if value > 1 else f"{numbers.ratio(1 / value)} {less}"


def compare(
    before: ResultData,
    after: ResultData,
    *,
    force: bool = False,
    sessions: Mapping[Cell, Session] | None = None,
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
            if _comparable(cell, run.operation(cell.cell.operation_name), counts=counts)
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
        if _measured(new[cell]) and not (cell in old if counts else _judgeable(old.get(cell)))
    ]

    def estimated(alpha: float) -> list[CellChange]:
        found = (
            _raw(own, new.get(cell), facts[cell.operation_name], (sessions or {}).get(cell, SESSION), alpha)
            for cell, own in old.items()
            if cell not in fresh
        )
        return [change for change in found if change is not None]

    changes = _judged(estimated)
    judged = {change.cell for change in changes}
    return Comparison(
        changes=tuple(changes),
        means=tuple(_judged(lambda alpha: list(_means(changes, alpha)))),
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
                _with_verdict(replace(change, ratio=ratio(new, old, alpha), alpha=alpha)),
                before=replace(change.before, samples=tuple(old)),
                after=replace(change.after, samples=tuple(new)),
                reason="",
                session=None,
                worst=_worst(new, old, change.operation),
            )
        changes.append(change)
    # A mean over both ways of measuring would represent neither.
    means = () if samples else comparison.means
    return replace(comparison, changes=tuple(changes), means=means, remarks=tuple(remarks))


def _comparable(cell: CellResult, operation: OperationFacts, *, counts: bool) -> bool:
    if cell.cell.codec == BASELINE or operation.exact != counts:
        return False
    return counts or weighed(cell) or operation.phase not in ("memory", "alone")


def _checked(cell: CellResult | None) -> bool:
    """Return whether a run has any finding about a cell."""
    return cell is not None and cell.outcome not in _UNCHECKED


def _measured(cell: CellResult) -> bool:
    """Return whether there is a figure, or a verdict on growth, which may be 0."""
    return bool(cell.samples) or bool(cell.verdict)


def _judgeable(cell: CellResult | None) -> bool:
    """Return whether a cell can be compared later: it has a figure, or a fault found by a check."""
    return cell is not None and _checked(cell) and (_measured(cell) or cell.outcome not in WELL)


def _raw(
    old: CellResult, new: CellResult | None, operation: OperationFacts, session: Session, alpha: float
) -> CellChange | None:
    """Estimate one cell's ratio, or return None if there is nothing to compare. Verdicts follow later."""
    change = CellChange(old.cell, operation, old, new, None, "not significant", alpha=alpha)
    if operation.exact and not (new is not None and old.samples and new.samples):
        return _uncounted(change, old, new)
    if new is None or not _checked(new) or not _checked(old):
        return _absent(change)
    change = _outcome(change, old, new)
    if not _measured(new) and not change.broken and (_measured(old) or change.outcomes is None):
        return _absent(change)
    if change.cell.operation_name == "size" and _sized(old) != _sized(new):
        if change.outcomes:
            return change
        return replace(change, verdict="cannot decide", reason="bytes on different records")
    if old.verdict:
        return change if change.outcomes else replace(change, verdict="same")
    if not (_usable(old.samples) and _usable(new.samples)):
        return change if change.outcomes else _without_ratio(change, old.samples, new.samples)
    found = _ratio(_seen(new), _seen(old), operation, memory_tolerance(old, new), session, alpha)
    change = replace(change, ratio=found)
    if change.timed:
        change = replace(change, session=session, worst=_worst(new.samples, old.samples, operation, session))
    if operation.phase == "time" and not (
        same_core(old.samples, new.samples) or found.outside(_NEIGHBOR) or change.broken
    ):
        then, now = (contention_of(side.samples) for side in (old, new))
        reason = f"a neighbor used the core in one of the runs only: contention {then:.2f} and {now:.2f}"
        return replace(change, verdict="cannot decide", reason=reason)
    return change


def _outcome(change: CellChange, old: CellResult, new: CellResult) -> CellChange:
    """Judge findings other than figures: outcome, losses and growth."""
    if old.outcome != new.outcome:
        worse = _badness(new.outcome) > _badness(old.outcome)
        words = (str(old.outcome), str(new.outcome))
    elif set(old.loss) != set(new.loss):
        worse = bool(set(new.loss) - set(old.loss))
        words = (str(old.outcome), f"{new.outcome}, loses {'more' if worse else 'less'}")
    elif _growing(old) != _growing(new):
        worse = _growing(new)
        words = (old.verdict, new.verdict)
    else:
        return change
    return replace(change, verdict="worse" if worse else "better", outcomes=words, broken=worse)


def _without_ratio(change: CellChange, old: Sequence[Measurement], new: Sequence[Measurement]) -> CellChange:
    """Judge figures if one of them is 0, which is possible for memory."""
    if [sample.value for sample in old] == [sample.value for sample in new]:
        return replace(change, verdict="same")
    return replace(change, verdict="cannot decide", reason="a figure of 0 has no ratio")


def _absent(change: CellChange) -> CellChange | None:
    """Return the change of a cell without a figure after; None if it had none before."""
    old, new = change.before, change.after
    if old is None or not _measured(old):
        return None
    if new is None:
        reason = "not part of the second run"
    elif new.reason:
        reason = new.reason
    else:
        reason = "checked, but not enough time to measure it"
    return replace(change, verdict="not measured", outcomes=None, reason=reason)


def _uncounted(change: CellChange, old: CellResult, new: CellResult | None) -> CellChange | None:
    """Return the change of a cell without a count on either side; None if its codec failed both checks."""
    if new is None:
        return replace(change, verdict="not measured", reason="not part of the second run")
    if old.check is None and new.check is None and old.outcome not in (*WELL, *_UNCHECKED):
        return None
    when, side = ("before", old) if not old.samples else ("after", new)
    reason = f"{when}: {side.reason or 'the run was stopped'}"
    return replace(change, verdict="not measured", reason=reason)


def _sized(cell: CellResult) -> float:
    """Return the records whose payloads were measured; sizes of other records cannot be compared."""
    return records_seen([cell], "encoded")


def _ratio(
    new: Sequence[Measurement],
    old: Sequence[Measurement],
    operation: OperationFacts,
    tolerance: float,
    session: Session,
    alpha: float,
) -> Ratio:
    """Estimate after/before; `tolerance` is that of the log ratio for figures measured once per run."""
    # A run compared with itself is only one run.
    exact = operation.phase == "check" or operation.exact or new == old
    found = ratio(new, old, alpha, paired=False, exact=exact, session=session)
    if not exact and operation.phase == "memory" and found.processes == 1:
        return replace(found, p=0.0 if abs(math.log(found.value)) > tolerance else 1.0)
    return found


def _worst(
    new: Sequence[Measurement],
    old: Sequence[Measurement],
    operation: OperationFacts,
    session: Session | None = None,
) -> float:
    """Return the factor by which a cell may have become worse: one end of an interval, of runs or pairs."""
    if new == old:
        return 1.0
    found = ratio(new, old, 2 * Verdicts.ALPHA, paired=session is None, session=session or SESSION)
    return (found if operation.direction == "lower" else found.inverse()).high


def memory_tolerance(old: CellResult, new: CellResult) -> float:
    """Return the largest insignificant log ratio of two memory figures."""
    if old.resolution is None or new.resolution is None:
        return math.log1p(ONCE)
    coarsest = max(HELD, old.resolution, new.resolution)
    smaller = min(_seen(cell)[0].value for cell in (old, new))
    return math.log1p(ONCE + coarsest / smaller)


def _seen(cell: CellResult) -> Sequence[Measurement]:
    """Return a cell's samples; figures below the measurable limit are replaced by the limit."""
    found = measured(cell)
    if found is None or found.limit is None:
        return cell.samples
    return [replace(sample, value=found.limit) for sample in cell.samples]


def _badness(outcome: str) -> int:
    return _BAD.index(outcome) + 1 if outcome in _BAD else 0


def _growing(cell: CellResult) -> bool:
    return cell.verdict == GROWING


def _usable(samples: Sequence[Measurement]) -> bool:
    return bool(samples) and all(sample.value > 0 for sample in samples)


def _judged(estimated: Callable[[float], Sequence[CellChange]]) -> list[CellChange]:
    """Decide all cells together, except those decided by a worse outcome or by a reason against a verdict.

    Figures without noise, or measured once, are no part of Holm's procedure: chance cannot change their
    verdicts.

    Args:
        estimated: Returns the changes, with intervals of this alpha.
    """

    def is_open(change: CellChange) -> bool:
        return change.ratio is not None and not (change.broken or change.reason)

    first = estimated(Verdicts.ALPHA)
    level = holm_level([c.ratio.p for c in first if c.ratio is not None and c.timed and is_open(c)])
    return [_with_verdict(change) if is_open(change) else change for change in estimated(level)]


def _with_verdict(change: CellChange) -> CellChange:
    """Judge by a ratio. A worse outcome decides; a better one, unless the figure is worse."""
    if change.broken:
        return replace(change, verdict="worse")
    verdict = _verdict(change)
    better = change.outcomes is not None and verdict != "worse"
    return replace(change, verdict="better" if better else verdict)


def _verdict(change: CellChange) -> ChangeVerdict:
    found = change.ratio
    assert found is not None
    tie = Verdicts.COUNTS if change.operation.exact else Verdicts.TIE
    if found.inside(tie):
        return "same"
    if found.p >= change.alpha:
        return "not significant"
    if 1 / (1 + tie) <= found.value <= 1 + tie:
        return "same"
    return "better" if (found.value < 1) == (change.operation.direction == "lower") else "worse"


def _means(changes: Sequence[CellChange], alpha: float) -> Iterable[CellChange]:
    """Average each operation geometrically over its cells, process by process.

    Cells of one process share its conditions, so the process is the unit here, too.
    """
    operations = {c.operation.name: c.operation for c in changes if c.ratio is not None}
    for name, operation in operations.items():
        cells = [c for c in changes if c.operation.name == name and c.ratio is not None and not c.reason]
        if len(cells) < 2:
            continue
        old = _geometric([c.before.samples for c in cells if c.before])
        new = _geometric([c.after.samples for c in cells if c.after])
        if old and new:
            tolerances = [memory_tolerance(c.before, c.after) for c in cells if c.before and c.after]
            session = _averaged([c.session for c in cells if c.session])
            found = _ratio(new, old, operation, math.fsum(tolerances) / len(tolerances), session, alpha)
            yield CellChange(Cell("", name, ""), operation, None, None, found, "not significant", alpha=alpha)


def _averaged(sessions: Sequence[Session]) -> Session:
    """Return the session of a mean over cells as if they moved together: a neighbor slows all down."""
    if not sessions:
        return SESSION
    variances = [session.deviation**2 for session in sessions]
    return Session(math.sqrt(math.fsum(variances) / len(variances)), min(s.degrees for s in sessions))


def _geometric(cells: Sequence[Sequence[Measurement]]) -> list[Measurement]:
    """Return one sample for each process that has all cells: the geometric mean of its values."""
    tables = [{sample.pair: sample.value for sample in samples} for samples in cells]
    common = set.intersection(*(set(found) for found in tables))
    if not common:
        # Runs in plain pyperf files share no process, so only their means are used.
        values = [math.fsum(map(math.log, found.values())) / len(found) for found in tables]
        mean = math.exp(math.fsum(values) / len(values))
        return [Measurement(mean, mean, mean)]
    means = (
        (pair, math.exp(math.fsum(math.log(found[pair]) for found in tables) / len(tables)))
        for pair in sorted(common)
    )
    return [Measurement(mean, mean, mean, pair=pair) for pair, mean in means]


# Other differences


def other_work(before: ResultData, after: ResultData) -> list[str]:
    """Describe differing records and options, one line each; figures of such runs are not compared."""
    return [*_corpus_differences(before, after), *option_differences(before, after)]


def _corpus_differences(before: ResultData, after: ResultData) -> list[str]:
    old = {c.name: c for c in corpora(before)}
    found = []
    for corpus in corpora(after):
        twin = old.get(corpus.name)
        if twin is None:
            continue
        if twin.sha256 != corpus.sha256:
            found.append(
                f"corpus {corpus.name} has other records ({_hash(twin.sha256)} → {_hash(corpus.sha256)})"
            )
        elif twin.sample != corpus.sample:
            found.append(
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
