"""The change of each cell between two runs of the same work: faster, slower or undecided.

The two runs have different processes, so nothing is paired by process. A cell's ratio (after/before) has the
interval of independent values, each normalized by its run's reference kernel. It is widened by the difference
between two runs of the same code (`bench.stats.RunToRun`). Holm's method guards all timed cells of a
comparison together. Intervals have the level at which it ends, so they exclude 1 exactly if a change is
significant. A change counts only if it is significant *and* outside the tie band. Memory has one figure per
run and thus no interval; a tolerance is used instead (`ONCE`, `HELD`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from ...bench.method import Verdicts
from ...bench.results import Cell, CellResult, Measurement, OperationFacts
from ...bench.stats import RUN_TO_RUN, Ratio, RunToRun, contention_of, holm_level, ratio, same_core
from ..model import numbers
from ..model.candidates import BASELINE, GROWING, WELL, measured, records_seen, weighed

ChangeVerdict = Literal["better", "worse", "same", "not significant", "not measured", "cannot decide"]

ONCE: Final = 0.1
"""Share by which a memory figure, measured once a run, may differ between two runs of the same code."""

_NEIGHBOR: Final = 1.0
"""Share by which no neighbor on the core changes a time relative to the reference kernel. Codecs took 1.38 to
1.75 times as long on a shared core, and the kernel 1.64 times."""

HELD: Final = 512 * 1024
"""Additional bytes by which a peak may differ, because allocators hold varying amounts of memory."""

_WORDS: Final = {"second": ("faster", "slower"), "byte": ("smaller", "larger"), "integer": ("less", "more")}
_BAD: Final = ("lossy", "unsupported", "wrong", "error", "crashed", "timed out", "out of memory")
"""Outcomes found by a check, from bad to worse."""
_UNCHECKED: Final = ("unfinished", "missing")
"""Outcomes that do not depend on the codec."""
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
    session: RunToRun | None = None
    worst: float = 1.0
    alpha: float = Verdicts.ALPHA

    @property
    def timed(self) -> bool:
        """Whether its figures come from several processes, so that its interval counts."""
        return self.operation.phase in ("time", "alone") and not self.operation.exact

    @property
    def of_outcome(self) -> bool:
        """Whether the outcomes are the verdict, whatever the figures are."""
        return self.outcomes is not None and (self.broken or self.verdict == "better")

    @property
    def words(self) -> str:
        """The verdict in common terms: "1.25× faster"."""
        outcomes = f"{self.outcomes[0]} → {self.outcomes[1]}" if self.outcomes else ""
        if self.of_outcome:
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


def in_words(found: Ratio, operation: OperationFacts) -> str:
    """Write a ratio after/before in common terms: "1.25× faster"."""
    less, more = _WORDS[operation.unit]
    value = found.value
    if operation.exact:
        return f"{abs(value - 1) * 100:.2f}% {more if value > 1 else less}"
    return f"{numbers.ratio(value)} {more}" if value > 1 else f"{numbers.ratio(1 / value)} {less}"


def comparable(cell: CellResult, operation: OperationFacts, *, counts: bool) -> bool:
    """Return whether a comparison considers a cell: only what Valgrind counted, or everything else."""
    if cell.cell.codec == BASELINE or operation.exact != counts:
        return False
    return counts or weighed(cell) or operation.phase not in ("memory", "alone")


def _checked(cell: CellResult | None) -> bool:
    """Return whether a run has any finding about a cell."""
    return cell is not None and cell.outcome not in _UNCHECKED


def has_figure(cell: CellResult) -> bool:
    """Return whether there is a figure, or a verdict on growth, which may be 0."""
    return bool(cell.samples) or bool(cell.verdict)


def judgeable(cell: CellResult | None) -> bool:
    """Return whether a cell can be compared later: it has a figure, or a fault found by a check."""
    return cell is not None and _checked(cell) and (has_figure(cell) or cell.outcome not in WELL)


def estimate(
    old: CellResult, new: CellResult | None, operation: OperationFacts, session: RunToRun, alpha: float
) -> CellChange | None:
    """Estimate one cell's ratio, or return None if there is nothing to compare. Verdicts follow later."""
    change = CellChange(old.cell, operation, old, new, None, "not significant", alpha=alpha)
    if operation.exact and not (new is not None and old.samples and new.samples):
        return _uncounted(change, old, new)
    if new is None or not _checked(new) or not _checked(old):
        return _absent(change)
    change = _outcome(change, old, new)
    if not has_figure(new) and not change.broken and (has_figure(old) or change.outcomes is None):
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
        change = replace(
            change, session=session, worst=worst_of(new.samples, old.samples, operation, session)
        )
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
    if old is None or not has_figure(old):
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
    session: RunToRun,
    alpha: float,
) -> Ratio:
    """Estimate after/before; `tolerance` is that of the log ratio for figures measured once per run."""
    # A run compared with itself is only one run.
    exact = operation.phase == "check" or operation.exact or new == old
    found = ratio(new, old, alpha, paired=False, exact=exact, session=session)
    if not exact and operation.phase == "memory" and found.processes == 1:
        return replace(found, p=0.0 if abs(math.log(found.value)) > tolerance else 1.0)
    return found


def worst_of(
    new: Sequence[Measurement],
    old: Sequence[Measurement],
    operation: OperationFacts,
    session: RunToRun | None = None,
) -> float:
    """Return the factor by which a cell may have become worse: one end of an interval, of runs or pairs."""
    if new == old:
        return 1.0
    found = ratio(new, old, 2 * Verdicts.ALPHA, paired=session is None, session=session or RUN_TO_RUN)
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


def together(estimated: Callable[[float], Sequence[CellChange]]) -> list[CellChange]:
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
    return [with_verdict(change) if is_open(change) else change for change in estimated(level)]


def with_verdict(change: CellChange) -> CellChange:
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


def mean_changes(changes: Sequence[CellChange], alpha: float) -> Iterable[CellChange]:
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


def _averaged(sessions: Sequence[RunToRun]) -> RunToRun:
    """Return the session of a mean over cells as if they moved together: a neighbor slows all down."""
    if not sessions:
        return RUN_TO_RUN
    variances = [session.deviation**2 for session in sessions]
    return RunToRun(math.sqrt(math.fsum(variances) / len(variances)), min(s.degrees for s in sessions))


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
