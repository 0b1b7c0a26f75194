"""Results as plain records: cells with their samples, codecs, corpora, operations, rankings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, Literal

from ...errors import UsageError
from ..cells import Cell
from ..facts import CheckFacts, Facts, GrowthFacts, ReadFacts, Setup, Unit
from ..figure import Figure
from ..quantities import Amount, Change, Count, Positive, Share

BASELINE = "baseline"
"""The pseudo codec that copies a record's bytes: the cost of the harness."""

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
"""The outcome of a cell; `unfinished`: the run had no time even to check the codec."""
Fact = str | int | float | bool | None
Direction = Literal["lower", "higher"]
"""Which figures of an operation are better."""
Phase = Literal["time", "check", "memory", "alone"]
"""When an operation runs."""
Part = Literal["write", "read"]
"""The part of the cost to which an operation belongs."""
Verdict = Literal["faster", "slower", "same", "unresolved"]
"""The first of two codecs compared with the second."""


class ResultFileError(UsageError):
    """A result file that cannot be read, is not ours, or has a newer format."""


@dataclass(frozen=True, slots=True)
class Measurement(Figure):
    """The figure of one process for one cell, in the unit of its operation.

    Attributes:
        raw: As in `Figure`; operations without a clock may have figures of 0 or below.
        paired: As in `Figure`, like `raw`.
        value: Seconds (or bytes) per record; times are normalised by the run's reference kernel.
        pair: Number of the process (or, with ``--isolate``, of the round of processes).
        reference_kernel: Seconds of a call of the reference kernel in this process.
        sums: As in `OperationFacts`: the mean over processes is arithmetic.
    """

    raw: Change
    paired: Change
    value: Change
    pair: Count = 0
    _: KW_ONLY
    reference_kernel: Amount = 0.0
    sums: bool = False


@dataclass(frozen=True, slots=True)
class FigureDetails:
    """Facts about the figure of a cell besides its value.

    Attributes:
        extras: Further facts for other operations, flat. `OperationFacts.columns` names those with a column.
        facts: Further facts about the figure, if its phase or backend has a type for them.
        resolution: Smallest figure that the method can measure, in the operation's unit; None for any.
    """

    extras: Mapping[str, Fact] = field(default_factory=dict)
    facts: Facts | None = None
    resolution: Amount | None = None


@dataclass(frozen=True, slots=True)
class CellFinding:
    """The outcome of a cell.

    Attributes:
        outcome: "ok" and "lossy" have a figure; all others have a reason instead.
        reason: One sentence; empty for "ok".
        loss: The losses of a lossy cell, one text each ("`tuple` came back as `list` at `$.tags`").
        stderr: The last lines that the failing process wrote.
        check: Findings of the codec's check; None if it failed.
        facts: As in `FigureDetails`.
        extras: As in `FigureDetails`.
        resolution: As in `FigureDetails`.
        rough: Rough figure from single calls of the check, if there was no time to measure.
    """

    cell: Cell
    outcome: Outcome
    reason: str = ""
    loss: tuple[str, ...] = ()
    stderr: str = ""
    check: CheckFacts | None = None
    facts: Facts | None = None
    extras: Mapping[str, Fact] = field(default_factory=dict)
    resolution: Amount | None = None
    rough: Amount | None = None

    @property
    def verdict(self) -> str:
        """The verdict on memory growth; empty if growth was not measured."""
        return self.facts.verdict if isinstance(self.facts, GrowthFacts) else ""

    @property
    def failure(self) -> str:
        """The operation, and why there is no figure."""
        name = self.cell.operation_name
        return self.reason if self.reason.startswith(name) else f"{name}: {self.reason or self.outcome}"

    @property
    def by_reader(self) -> bool:
        """Whether a library of another language was measured, which says nothing about the codec here."""
        return isinstance(self.facts, ReadFacts)


@dataclass(frozen=True, slots=True)
class CellResult(CellFinding):
    """The outcome of a cell, and its samples if there is a figure.

    Attributes:
        steady: Whether the cell's processes neither sped up nor slowed down; None for a single process.
        samples: Of "ok" and "lossy", the figure of each process.
    """

    steady: bool | None = None
    samples: tuple[Measurement, ...] = ()


@dataclass(frozen=True, slots=True)
class CodecFacts:
    """Facts about a codec, so that a report need not import it.

    Attributes:
        takes: The objects that it takes and returns instead of dicts; empty for dicts.
        unguarded: It lacks a guard against untrusted input.
        notes: Caveats.
        about: The subject of each note, see `bakeoff.codecs.conventions.notes.about`.
        source: The import path of a user's own codec, as typed; empty for all others.
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

    def differs(self, version: str | None) -> bool:
        """Return whether a version of the library is another one; an unknown one is not."""
        return bool(self.version) and version is not None and version != self.version


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Identity, size and profile of a corpus.

    Attributes:
        records: Records in the whole corpus.
        sample: Records of it that were checked and measured.
        profile: Flat description, see `bakeoff.datasets`.
    """

    name: str
    source: str
    sha256: str
    records: Count
    sample: Count
    description: str = ""
    seed: Count | None = None
    skipped: Count = 0
    profile: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OperationFacts:
    """Facts about an operation, so that a report can show one that it does not know.

    Attributes:
        name: As `Cell.operation_name` writes it.
        unit: Unit of its figures.
        direction: Which figures are better.
        heading: Heading of its column.
        phase: When it ran.
        summary: One line.
        cost: The part of the cost to which it belongs, if any.
        columns: Extras of its cells that have a separate column, in the same unit, with its heading.
        sums: Rare calls may take much longer than most: means over processes are arithmetic.
        place: Name of its place, for instance "STORE"; empty if it has none.
        parameter: Name of its parameter, for instance "ITEMS"; empty if it has none.
        setup: Its effective settings, defaults included; None for operations without settings.
        exact: Its figures have no noise: they are counted by Valgrind.
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
    exact: bool = False

    @property
    def rate(self) -> bool:
        """Whether its figures are records per second, converted from measured seconds."""
        return self.phase == "time" and self.direction == "higher"


@dataclass(frozen=True, slots=True)
class PairFacts:
    """How two codecs of a corpus compare in cost: the ratio a/b, see `bakeoff.bench.stats.Ratio`.

    Attributes:
        low: Lower end of the interval of the verdict; 0 if unknown.
        high: Upper end; None if unknown.
    """

    a: str
    b: str
    verdict: Verdict
    value: Amount
    low: Amount
    high: Amount | None
    spread: Amount
    processes: Count
    p: Share


@dataclass(frozen=True, slots=True)
class Ranking:
    """The verdict of a run on one corpus for the default cost; `bakeoff.bench.verdict` makes it.

    Attributes:
        reads: Reads for each write.
        bandwidth: Bytes per second of the network; None for no network.
        alpha: Error share of the verdicts on all pairs together.
        order: Codecs with a cost, the lowest mean first.
        first: The best possible rank of each.
        last: The worst possible rank of each.
        winner: The recommended codec; empty if none is eligible.
        same: Other eligible codecs that tie with the cheapest one.
        unresolved: Other eligible codecs that are not distinguishable from the cheapest one.
        pairs: All pairs of codecs, in the order of their means.
    """

    corpus: str
    reads: Amount
    bandwidth: Positive | None
    alpha: Share
    order: tuple[str, ...]
    first: Mapping[str, Count]
    last: Mapping[str, Count]
    winner: str = ""
    same: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    pairs: tuple[PairFacts, ...] = ()


WANTED: Final = "wanted ±"
"""How a warning begins, after the corpus, that a run did not reach its precision."""


@dataclass(frozen=True, slots=True)
class ResultData:
    """A whole run.

    Attributes:
        environment: Machine, interpreter and settings, flat.
        options: The options that shaped the run, flat.
        conditions: Those of them that change what a figure means, where they are not the defaults.
        operations: The measured operations, one for each `Cell.operation_name`.
        command: The command line, or the call of `bakeoff.run`.
        warnings: Conditions that may have distorted the figures, one sentence each.
        topics: What each of them is about, in their order, for a run that resumes this one; empty if unknown.
        rankings: The verdict on each corpus with costs; none in results that are merged from several.
    """

    cells: tuple[CellResult, ...]
    codecs: tuple[CodecFacts, ...]
    corpora: tuple[CorpusFacts, ...]
    environment: Mapping[str, Fact] = field(default_factory=dict)
    options: Mapping[str, Fact] = field(default_factory=dict)
    command: str = ""
    started: str = ""
    duration: Amount = 0.0
    complete: bool = True
    warnings: tuple[str, ...] = ()
    operations: tuple[OperationFacts, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    conditions: Mapping[str, Fact] = field(default_factory=dict)
    topics: tuple[str, ...] = ()

    @property
    def in_python(self) -> bool:
        """Whether `bakeoff.run` made it, so that no command can resume it."""
        return self.command.startswith("bakeoff.run(")

    def operation(self, name: str) -> OperationFacts:
        """Return the facts of an operation, by `Cell.operation_name`; an unknown one counts as a time."""
        found = (facts for facts in self.operations if facts.name == name)
        return next(found, OperationFacts(name, "second", "lower", name, "time"))

    def cell(self, corpus: str, operation: str, codec: str) -> CellResult | None:
        """Return one cell's result, or None if it was not part of the run.

        Args:
            corpus: Name of the corpus.
            operation: As `Cell.operation_name` writes it.
            codec: Name of the codec.
        """
        wanted = f"{corpus}/{operation}/{codec}"
        return next((c for c in self.cells if c.cell.name == wanted), None)
