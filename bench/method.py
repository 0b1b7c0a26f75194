"""The constants of the timing method, in groups: each with its unit and the reason for its value.

The modules of `bench` import the groups; `bakeoff run --dry-run` and docs/explanation/measuring.md print
them. Constants of a single operation (the windows of growth, the rates of a pipeline) are in its own file.
What one session may have more or less of is its `Pace`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple, get_type_hints


class Slices:
    """Slices and bursts."""

    LENGTH: Annotated[
        float, "s", "long compared with a clock reading; short, so a disturbance hits few slices"
    ] = 0.00025
    BURST: Annotated[
        int, "calls", "timed together after their items were touched: warm, like new messages"
    ] = 32
    BURST_BYTES: Annotated[int, "B", "of records in a burst: they fit into the first-level cache"] = 8 << 10
    APART: Annotated[
        int, "calls", "of a slice with --burst, each after other work; an untimed one comes first"
    ] = 4
    OTHER_WORK: Annotated[
        float, "s", "of other work before each of them, roughly: parsers, compiler, copies"
    ] = 0.0003
    FRESH_BURST: Annotated[
        int, "calls", "of fix in a burst: records are fixed right after they are decoded"
    ] = 4
    LONGEST: Annotated[int, "×", "a slice that must hold many calls is at most this much longer"] = 16
    WARM_UP: Annotated[
        float, "share", "untimed calls before a slice: others have used the caches meanwhile"
    ] = 0.5
    NO_WARM_UP: Annotated[int, "×", "calls this much longer than a slice need no warm-up"] = 4
    KNOWN: Annotated[
        int, "calls", "per slice up to which the check sets their number; more are calibrated"
    ] = 8
    TRIES: Annotated[int, "tries", "of a calibration; the fastest counts, one may be disturbed"] = 3
    REPEATS: Annotated[int, "times", "a slice is measured again after the kernel took the processor away"] = 2
    PREEMPTED: Annotated[int, "×", "a slice this much longer would be disturbed again: CPU time counts"] = 4
    REFERENCE: Annotated[int, "slices", "of the reference kernel in each round"] = 2
    COPY: Annotated[float, "s", "to copy a mean record, for the baseline's calibration"] = 1e-7
    UNKNOWN: Annotated[float, "s", "of a call that no check has measured"] = 1e-9
    CLOCK_READINGS: Annotated[int, "calls", "of nothing, to measure what reading the clock adds"] = 1000


class Strata:
    """Records of different cost (Cochran 1977, chapters 5 and 6)."""

    APART: Annotated[int, "calls", "per slice; records with fewer get separate slices"] = 8
    ALIKE: Annotated[float, "×", "largest over smallest cost of the records of one stratum"] = 4.0
    SHARE: Annotated[int, "×", "time of a slow cell over that of a fast one in a process"] = 2
    LONG: Annotated[int, "×", "calls this much longer than a slice: one slice per stratum suffices"] = 4
    FEWEST: Annotated[int, "slices", "at least, of a cell whose records cost the same"] = 3
    FEWEST_LONG: Annotated[
        int, "slices", "at least, if its calls are long: processes say more than slices"
    ] = 2
    ENDLESS: Annotated[
        int, "×", "calls this much longer than a slice have one: disturbances average out in it"
    ] = 100


class Estimate:
    """From the slices of a process to a figure (Huber 1964)."""

    SWEEPS: Annotated[int, "sweeps", "of the median polish; it converges in two or three"] = 3
    HUBER: Annotated[float, "σ", "within which a slice has full weight: 90 % efficient on normal noise"] = 1.0
    NORMAL: Annotated[float, "×", "standard deviation over median absolute deviation of normal values"] = (
        1.4826
    )
    LEAST_SPREAD: Annotated[float, "share", "of a slice: two slices that agree better do so by chance"] = (
        0.002
    )
    ENOUGH: Annotated[int, "slices", "needed to detect an outlier among them"] = 5
    RARE: Annotated[
        float, "×", "the median of a slice that holds a rare long call; a shared core reaches 1.8"
    ] = 2.0
    DRIFT: Annotated[float, "share", "mean drift within processes above which a cell is not steady"] = 0.01
    DRIFT_ALPHA: Annotated[float, "share", "chance to call a steady cell not steady; a table has dozens"] = (
        0.001
    )


class Cores:
    """Free and shared cores."""

    SHARED: Annotated[
        float, "×", "contention above that of a free core: free varies by 1.2, shared is 1.5 to 1.9"
    ] = 1.35
    QUANTILE: Annotated[float, "share", "of readings that may be too low: an interrupt during the chain"] = (
        0.05
    )
    CHAIN: Annotated[int, "steps", "of the chain, 9 µs: as long as one call of the reference kernel"] = 8_000
    TRIES: Annotated[int, "tries", "of a reading, the fastest counts: an interrupt spoils one"] = 3
    READ_EVERY: Annotated[
        float, "s", "of slices between two readings: neighbors come and go within seconds"
    ] = 0.002
    VALID: Annotated[float, "s", "of a slice at most, for the readings around it to apply"] = 0.05
    PAUSE: Annotated[float, "s", "between readings while the core is shared"] = 0.002
    ENOUGH: Annotated[
        float, "share", "of a cell's slices that need a free core before the others are left out"
    ] = 0.5
    PROCESSES: Annotated[float, "share", "of processes on a free core, for the others to be left out"] = 0.25
    WAIT_FROM: Annotated[
        float, "s", "of budget from which a process waits for a free core as long as it measured"
    ] = 30.0
    WAIT: Annotated[float, "share", "of the slices' time to wait below that: more processes say more"] = 0.25


class Processes:
    """Processes and the stop rule."""

    ROUNDS: Annotated[
        int, "rounds", "of a process: the noise between processes is larger (Kalibera and Jones 2013)"
    ] = 30
    FEWEST_ROUNDS: Annotated[
        int, "rounds", "of a process with long calls, for more processes in the same time"
    ] = 5
    START: Annotated[float, "s", "that a process takes before its first slice; its slices take as long"] = 0.4
    WORTH: Annotated[float, "s", "of slices at least, with few cells, to be worth the start of a process"] = (
        0.05
    )
    FIRST_LOOK: Annotated[int, "processes", "before the stop rule looks"] = 10
    STEP: Annotated[
        float, "×", "more processes before each further look: few looks, little alpha for each"
    ] = 1.4
    MOST: Annotated[int, "processes", "after which no more look is taken"] = 400
    FEWEST: Annotated[int, "processes", "below which codecs are not distinguishable"] = 3
    CHOSEN: Annotated[int, "processes", "that codecs are selected for, if the budget allows"] = 5
    OVERHEAD: Annotated[float, "×", "a slice with its warm-up and preparation over the slice itself"] = 1.5
    SLOW: Annotated[int, "×", "the median codec's time in a process: left out first when time is short"] = 2
    SINGLE: Annotated[int, "×", "calls this much longer than a slice are made once per process"] = 100
    CALLS: Annotated[int, "calls", "of a shorter one"] = 3
    DIRTY: Annotated[float, "share", "of disturbed slices above which a process is replaced"] = 0.3
    NAMELESS: Annotated[int, "crashes", "without a cell to blame before all cells are given up"] = 3


class Readers:
    """Readers in other languages."""

    BUDGET: Annotated[float, "share", "of the default budget that each language adds"] = 0.5
    CHECK: Annotated[float, "share", "of the time left, after which readers are checked no further"] = 0.4
    COMPARED: Annotated[float, "share", "of that for comparing values; the rest for rough times"] = 0.6
    UNKNOWN: Annotated[float, "s", "to read a payload, if the check had no time to measure it"] = 2e-5
    WARMED: Annotated[float, "share", "of the readers' time in a process, after which no other warms up"] = (
        0.6
    )
    SLICE: Annotated[float, "s", "at least: garbage collectors of other languages run every few ms"] = 0.005
    SLICES: Annotated[int, "slices", "of a turn, after its warm-up; the mean counts"] = 2
    TURNS: Annotated[
        int, "turns", "of a library in a process, on other records; enough to detect an outlier"
    ] = 6
    WARM_UP: Annotated[int, "slices", "of warm-up in a turn, roughly"] = 2
    LIBRARY: Annotated[float, "s", "of a library in a process, roughly; else on a part of the records"] = 0.1
    LATE: Annotated[float, "×", "the expected time of a turn, after which a reader is late"] = 10.0
    # The scatter of turns cannot say it: what disturbs most turns of a process widens their scatter, too.
    TAKEN: Annotated[
        float, "share", "of a turn that others may have: as much as two slices of a steady worker differ"
    ] = 0.02
    START: Annotated[float, "s", "that a reader may take in addition, to start and to compile"] = 5.0


class Verdicts:
    """Verdicts (Holm 1979, Smyth 2004)."""

    ALPHA: Annotated[float, "share", "chance of any false verdict in a table"] = 0.05
    TIE: Annotated[float, "share", "a difference up to this is a tie: it decides nothing in practice"] = 0.01
    PRECISION: Annotated[float, "share", "half-width of a ratio at which a run stops"] = 0.02
    COUNTS: Annotated[
        float, "share", "counts of one code differ by this, as other versions leave another heap behind"
    ] = 0.0025
    EXACT: Annotated[float, "log²", "variance of log ratios below which there is only rounding"] = 1e-20
    SESSION: Annotated[float, "share", "two runs of the same code differ by, until past runs are known"] = (
        0.02
    )
    SESSION_DEGREES: Annotated[int, "degrees", "of freedom of that: runs varied from 1 % to 3 %"] = 4


class Pooling:
    """Noise that the cells of a table share."""

    FEWEST: Annotated[int, "cells", "to know what most are like"] = 4
    QUIET: Annotated[float, "×", "the common variance, up to which a cell shares it"] = 1.5
    LENT: Annotated[float, "degrees", "weight of the common variance, compared with a pair's own"] = 8.0
    EFFICIENCY: Annotated[float, "share", "of the degrees of freedom left by a pooled median"] = 0.5


class Checks:
    """Sample and check."""

    SAMPLE: Annotated[
        int, "records", "checked and measured; the table gives the standard error of their mean"
    ] = 1000
    SAMPLE_BYTES: Annotated[int, "B", "of the sample, as pickles"] = 4 << 20
    FEWEST: Annotated[int, "records", "of a sample, however large they are"] = 4
    FEW: Annotated[int, "records", "below which a warning says that others may differ"] = 20
    CHECKED: Annotated[int, "records", "that even the slowest codec is checked on"] = 10
    PASSES: Annotated[int, "passes", "over the records to measure what each costs; the median counts"] = 5
    PASSES_ALONE: Annotated[int, "passes", "over a single record"] = 2
    COSTS: Annotated[float, "share", "of the check's time for these passes"] = 0.15
    VERY_SLOW: Annotated[int, "×", "the check's time, after which not even sizes are measured"] = 2
    LONG: Annotated[float, "s", "of a call that is reported at once, and not repeated without need"] = 0.05
    LARGE: Annotated[int, "B", "of a record that the garbage collector notices"] = 1 << 16


class Budget:
    """How the budget is split."""

    SECONDS: Annotated[float, "s", "per corpus"] = 70.0
    CHECK: Annotated[float, "share", "for the check"] = 0.6
    CHECK_LAST: Annotated[
        float, "share", "for the check once most codecs are through; the others are slow"
    ] = 0.5
    MOST: Annotated[float, "share", "of the codecs that are most"] = 0.9
    ENOUGH: Annotated[int, "checks", "below which there is little to time"] = 4
    READ: Annotated[float, "share", "for reading, where there is a record to stop at"] = 0.3
    LARGE: Annotated[
        float, "share", "for reading a few records, above which rough figures are the result"
    ] = 0.3
    DOCUMENTS: Annotated[int, "records", "up to which they count as few"] = 4
    MEMORY: Annotated[float, "share", "for memory"] = 0.25
    ALONE: Annotated[float, "share", "for operations with separate processes"] = 0.3
    SLACK: Annotated[float, "share", "that a run may take beyond its budget"] = 0.2
    GRACE: Annotated[float, "s", "the same in seconds"] = 1.0
    LEAST: Annotated[float, "s", "below which nothing can be measured"] = 2.5
    CHECKED: Annotated[float, "s", "after which a slow codec is checked on no further record"] = 10.0
    START: Annotated[float, "s", "that a worker needs to start"] = 0.3
    FORK: Annotated[float, "s", "that a forked worker needs"] = 0.05
    MEMORY_START: Annotated[float, "s", "that a memory process needs to read its input"] = 0.2
    MEMORY_MOST: Annotated[int, "processes", "that one memory cell may ask for"] = 4
    QUICK: Annotated[float, "s", "per corpus with --quick"] = 9.0
    QUICK_FIRST_LOOK: Annotated[int, "processes", "before the stop rule looks with --quick"] = 5
    QUICK_ROUNDS: Annotated[int, "rounds", "with --quick"] = 15
    QUICK_SAMPLE: Annotated[int, "records", "with --quick"] = 200
    QUICK_PRECISION: Annotated[float, "share", "with --quick"] = 0.03
    CELL_TIMEOUT: Annotated[float, "s", "without progress, after which a codec is out"] = 60.0
    CELL_MEMORY: Annotated[int, "B", "of address space of a worker"] = 2 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How much a session measures, and how careful it is: users have the defaults, tests less.

    Attributes:
        slices: Seconds of the slices of a timing process.
        fewest: Most processes before the first look, whatever the options say; None for no limit.
        reading: Seconds of a slice of a reader in another language.
        growth: Most seconds of a pass that looks for memory growth; None for those of the operation.
        patience: Seconds without progress after which a codec is out, where no option says so.
        forks: All workers are forked from one process, which is quick, but gives them one memory layout.
        durable: What was measured survives a loss of power.
        usual: The pace of sessions that are given none.
    """

    usual: ClassVar[Pace]
    slices: float = Processes.START
    fewest: int | None = None
    reading: float = Readers.SLICE
    growth: float | None = None
    patience: float = Budget.CELL_TIMEOUT
    forks: bool = False
    durable: bool = True


Pace.usual = Pace()

GROUPS = (Slices, Strata, Estimate, Cores, Processes, Readers, Verdicts, Pooling, Checks, Budget)


class Constant(NamedTuple):
    """One constant.

    Attributes:
        name: ``GROUP.NAME``.
        value: As the method uses it.
        unit: ``"s"``, ``"B"``, ``"share"``, ``"×"`` for a factor, or what is counted.
        reason: What it is for, and why it has this value.
    """

    name: str
    value: float
    unit: str
    reason: str

    @property
    def shown(self) -> str:
        """The value with its unit, for people."""
        if self.unit == "share":
            return f"{100 * self.value:g} %"
        if self.unit == "×":
            return f"{self.value:g}×"
        scales: tuple[tuple[float, str], ...] = ((1, self.unit),)
        if self.unit == "s":
            scales = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
        elif self.unit == "B":
            scales = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
        scale, unit = next((one for one in scales if self.value >= one[0]), scales[-1])
        return f"{self.value / scale:,g} {unit}"


def constants(group: type) -> Iterator[Constant]:
    """Yield the constants of a group, in their order."""
    for name, hint in get_type_hints(group, include_extras=True).items():
        unit, reason = hint.__metadata__
        yield Constant(f"{group.__name__}.{name}", getattr(group, name), unit, reason)


def printed() -> str:
    """Return all groups as text, a line for each constant: value and reason."""
    lines = []
    for group in GROUPS:
        lines.append(f"{(group.__doc__ or '').rstrip('.')}\n")
        lines += [f"  {one.shown:>14}  {one.reason}" for one in constants(group)]
        lines.append("")
    return "\n".join(lines)
