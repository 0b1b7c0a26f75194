"""What a run found, as plain records: cells with their samples, codecs, corpora, operations, rankings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...errors import RunError
from ..cells import Cell
from ..facts import CheckFacts, Facts, GrowthFacts, Setup, Unit

__all__ = [
    "BASELINE", "CellResult", "CodecFacts", "CorpusFacts", "Direction", "Fact", "Measurement",
    "OperationFacts", "Outcome", "PairFacts", "Part", "Phase", "Ranking", "Result", "ResultFileError",
    "Verdict",
]  # fmt: skip

BASELINE = "baseline"
"""The pseudo codec that copies a record's bytes: what the harness itself costs."""

Outcome = Literal[
    "ok",
    "lossy",
    "wrong",
    "unsupported",
    "error",
    "crashed",
    "timed out",
    "out of memory",
    "unfinished",
    "missing",
]
"""What came of a cell; `unfinished`: the run's time did not suffice even to check the codec."""
Fact = str | int | float | bool | None
Direction = Literal["lower", "higher"]
"""Which figures of an operation are better."""
Phase = Literal["time", "check", "memory", "alone"]
"""When an operation runs."""
Part = Literal["write", "read"]
"""What an operation is a part of the cost of."""
Verdict = Literal["faster", "slower", "same", "unresolved"]
"""What the first of two codecs is to the second."""

_IRRELEVANT = frozenset(
    {
        "alpha",
        "budget",
        "cell_memory",
        "cell_timeout",
        "no_time_limit",
        "codecs",
        "corpora",
        "fewest",
        "format",
        "operations",
        "precision",
        "ratios",
        "records",
        "rounds",
        "sample",
        "sizes",
        "skip_bad",
        "tie",
        "trusted",
    }
)
"""Options that decide how long and on what is measured, not what a figure means (corpora have hashes)."""


class ResultFileError(RunError):
    """A result file that cannot be read, is not ours, or is of a newer format."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one process says of one cell.

    Attributes:
        value: Seconds (or bytes) per record; times are normalised by the run's reference kernel.
        raw: The same as the process's clock had it, in the same unit.
        paired: The process's value for ratios: ``a.paired / b.paired`` of two cells with the
            same `pair` is that process's estimate of their ratio, paired by round.
        pair: Number of the process (or, with ``--isolate``, of the round of processes).
        loops: Calls behind the value.
        duration: Seconds spent in measured calls.
        rounds: Rounds behind the value.
        dirty: Rounds in which the kernel took the processor away; these slices were measured again.
        reference_kernel: What a call of the reference kernel took in this process, in seconds.
        drift: Log of the last third of the process over its first third.
        contention: Time of the reference kernel over that of a chain of dependent steps while the cell was
            measured; about 1.6 times as high on a core that a neighbor shares as on a free one. 0 where it
            was not recorded.
        sums: As in `OperationFacts`: the mean over processes is arithmetic.
        dear: Slices that took more than twice as long as their usual, though nobody took the processor away:
            they hold rare calls that take much longer than most.
        rare: Share of the time that those slices took beyond their usual.
    """

    value: float
    raw: float
    paired: float
    pair: int = 0
    loops: int = 1
    duration: float = 0.0
    rounds: int = 1
    dirty: int = 0
    reference_kernel: float = 0.0
    drift: float = 0.0
    contention: float = 0.0
    sums: bool = False
    dear: int = 0
    rare: float = 0.0


@dataclass(frozen=True, slots=True)
class CellResult:
    """The outcome of a cell, and its samples where there is a figure.

    Attributes:
        outcome: "ok" and "lossy" have samples; all others have a reason instead.
        reason: One sentence; empty for "ok".
        loss: What a lossy cell loses, one text each ("`tuple` came back as `list` at `$.tags`").
        stderr: The last lines that the failing process wrote.
        check: What the check of the codec found out; None where it did not get through.
        facts: What is known of the figure besides, where its phase or place has a type for that.
        extras: The same of other operations, flat. `OperationFacts.columns` names those with a column.
        resolution: Least figure that the method of measuring can see, in the operation's unit; None where
            it sees all.
        rough: Figure of the check, of single calls, where there was no time to measure.
        steady: Whether the cell's processes neither sped up nor slowed down; None for a single process.
    """

    cell: Cell
    outcome: Outcome
    reason: str = ""
    loss: tuple[str, ...] = ()
    stderr: str = ""
    check: CheckFacts | None = None
    facts: Facts | None = None
    extras: Mapping[str, Fact] = field(default_factory=dict)
    resolution: float | None = None
    rough: float | None = None
    steady: bool | None = None
    samples: tuple[Measurement, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict on memory growth; empty where growth was not measured."""
        return self.facts.verdict if isinstance(self.facts, GrowthFacts) else ""


@dataclass(frozen=True, slots=True)
class CodecFacts:
    """What a report needs to know of a codec without importing it.

    Attributes:
        takes: What it takes and gives in the place of records of dicts; empty where it is these.
        unguarded: It lacks a guard that protects from payloads of strangers.
        notes: What else should be known of it.
        about: What each note is about, see `bakeoff.codecs.conventions.notes.about`.
        source: Where a codec of the user's own was imported from, as typed; empty for all others.
    """

    name: str
    format: str
    library: str
    version: str
    accelerated: bool | None
    trusted_only: bool = False
    media_type: str = ""
    interoperable: bool = True
    extra: str = ""
    preserves: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    takes: str = ""
    unguarded: bool = False
    notes: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """What was measured on: identity, size and character of a corpus.

    Attributes:
        records: Records in the whole corpus.
        sample: Records of it that were checked and measured.
        profile: Flat description, see `bakeoff.datasets`.
    """

    name: str
    source: str
    sha256: str
    records: int
    sample: int
    description: str = ""
    seed: int | None = None
    skipped: int = 0
    profile: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """What a report needs to know of an operation, so that it can show one that it has never heard of.

    Attributes:
        name: As `Cell.operation_name` writes it.
        unit: Of its figures.
        direction: Which of them are better.
        heading: Of its column.
        phase: When it ran.
        summary: One line.
        cost: What it is a part of the cost of, if of any.
        columns: Extras of its cells that have a column of their own, in the same unit, with its heading.
        sums: Rare calls may take much longer than most: means over processes are arithmetic.
        place: What its places are, for instance "STORE"; empty where it has none.
        parameter: What its parameter is, for instance "ITEMS"; empty where it has none.
        setup: How it takes place, defaults included; None for operations without such a setup.
    """

    name: str
    unit: Unit
    direction: Direction
    heading: str
    phase: Phase
    summary: str = ""
    cost: Part | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    sums: bool = False
    place: str = ""
    parameter: str = ""
    setup: Setup | None = None

    @property
    def rate(self) -> bool:
        """Whether its figures are records a second, of the seconds that were measured."""
        return self.phase == "time" and self.direction == "higher"


@dataclass(frozen=True, slots=True)
class PairFacts:
    """How two codecs of a corpus compare in cost: the ratio a/b, see `bakeoff.bench.stats.Ratio`.

    Attributes:
        low: Lower end of the interval that goes with the verdict; 0 when nothing is known.
        high: Upper end; None when nothing is known.
    """

    a: str
    b: str
    verdict: Verdict
    value: float
    low: float
    high: float | None
    spread: float
    processes: int
    p: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The verdict of a run on one corpus, for the default cost; `bakeoff.bench.verdict` makes it.

    Attributes:
        reads: Reads for each write.
        bandwidth: Bytes per second of the line; None for no line.
        alpha: Error share of the verdicts on all pairs together.
        order: Codecs that have a cost, the lowest mean first.
        first: The best rank that each may have.
        last: The worst.
        winner: The codec to take; empty where none may win.
        same: Codecs that may win too, and surely cost the same.
        unresolved: Codecs that may win too, and are not distinguishable from the cheapest that may.
        pairs: Of any two codecs, in the order of their means.
    """

    corpus: str
    reads: float
    bandwidth: float | None
    alpha: float
    order: tuple[str, ...]
    first: Mapping[str, int]
    last: Mapping[str, int]
    winner: str = ""
    same: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    pairs: tuple[PairFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run.

    Attributes:
        environment: Machine, interpreter and settings, flat.
        options: The options that shaped the run, flat.
        operations: What was measured, one for each `Cell.operation_name`.
        command: The command line that made it, or the call of `bakeoff.run`.
        warnings: What may have spoilt the figures, one sentence each.
        rankings: The verdict on each corpus that has costs; none in results that are put together of several.
    """

    cells: tuple[CellResult, ...]
    codecs: tuple[CodecFacts, ...]
    corpora: tuple[CorpusFacts, ...]
    environment: Mapping[str, Fact] = field(default_factory=dict)
    options: Mapping[str, Fact] = field(default_factory=dict)
    command: str = ""
    started: str = ""
    duration: float = 0.0
    complete: bool = True
    warnings: tuple[str, ...] = ()
    operations: tuple[OperationFacts, ...] = ()
    rankings: tuple[Ranking, ...] = ()

    @property
    def in_python(self) -> bool:
        """Whether `bakeoff.run` made it: no command can resume it."""
        return self.command.startswith("bakeoff.run(")

    def operation(self, name: str) -> OperationFacts:
        """Return what is known of an operation, by `Cell.operation_name`; an unknown one is a time."""
        found = (facts for facts in self.operations if facts.name == name)
        return next(found, OperationFacts(name, "second", "lower", name, "time"))

    def conditions(self) -> dict[str, Fact]:
        """Return the options that bear on the meaning of a figure, and not just on how long a run takes."""
        return {
            key: value
            for key, value in self.options.items()
            if key not in _IRRELEVANT and not key.startswith("reached ")
        }

    def cell(self, corpus: str, operation: str, codec: str) -> CellResult | None:
        """Return one cell's result, or None when it was not part of the run.

        Args:
            corpus: Name of the corpus.
            operation: As `Cell.operation_name` writes it.
            codec: Name of the codec.
        """
        wanted = f"{corpus}/{operation}/{codec}"
        return next((c for c in self.cells if c.cell.name == wanted), None)
