"""The figure of a cell in one timing process, the same from the worker to the result file."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from .quantities import Amount, Calls, Change, Count, Logarithm, Measured


@dataclass(frozen=True, slots=True)
class Figure:
    """What one process found out about one cell.

    Workers' answers, the journal and result files hold all its fields, by their names. A field with a default
    may be missing in a file, since an earlier version may have written it.

    Attributes:
        raw: Seconds per record as measured by the process's clock; of other operations, the figure in their
            unit.
        paired: The process's value for ratios: ``a.paired / b.paired`` of two cells of one process is that
            process's estimate of their ratio, paired by round.
        loops: Number of calls that were timed.
        duration: Seconds spent in measured calls.
        rounds: Number of rounds that were timed.
        dirty: Rounds in which the kernel took the processor away; a codec's slices were measured again.
        drift: Logarithm of the ratio of the process's last third to its first third.
        contention: Time of the reference kernel over that of a chain of dependent steps while the cell was
            measured; about 1.6 times as high on a core that a neighbor shares as on a free one. 0 if not
            recorded.
        dear: Slices that took more than twice their usual time without losing the processor: they hold rare
            calls that take much longer than most.
        rare: Share of the total time by which these slices exceeded their usual time.
    """

    raw: Measured
    paired: Measured
    _: KW_ONLY
    loops: Calls = 1
    duration: Amount = 0.0
    rounds: Count = 1
    dirty: Count = 0
    drift: Logarithm = 0.0
    contention: Amount = 0.0
    dear: Count = 0
    rare: Change = 0.0
