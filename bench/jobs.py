"""Typed jobs for workers, and their answers; workers may run on any machine.

Both are encoded as JSON by one pair of functions, `encode` and `decode`; an unknown kind is an error.
Records, schemas and payloads are named by digest. An `Executor` transfers them to the worker and returns its
output, so a worker may be on another machine. Only `Prepare` and `Survey` name files of the user,
and run where these are.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from .figure import Figure
from .heartbeat import IDLE
from .results import BASELINE, Fact, FigureDetails, Outcome, built

if TYPE_CHECKING:
    from concurrent.futures import Future

Digest: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The fields of every job.

    Attributes:
        kind: The name under which it is encoded.
        memory: Bytes of address space of the worker; None for no limit.
        path: Entries of `sys.path` that the worker needs for the user's own modules.
        modules: Modules that it imports first, for their classes and registrations: name to file, which is
            empty for a module that is found by its name.
        given: Import paths of the user's own codecs, by their names in this run.
        pickled: Codecs that are objects of the calling program, as pickles in base64, by name.
        core: Processor to stay on.
        places: URLs of the operations' places that are servers, by name; they may hold passwords.
        release: Folder with the release of a library to measure, which comes first in `sys.path`.
    """

    kind: ClassVar[str]
    memory: int | None = None
    path: tuple[str, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    pickled: Mapping[str, str] = field(default_factory=dict)
    core: int | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    release: str = ""

    def digests(self) -> set[Digest]:
        """Return the digests of the blobs that an executor must transfer to the worker."""
        return set()

    def measured(self) -> list[str]:
        """Return the codecs that the worker uses; none if it only reads records."""
        own = [self.codec] if hasattr(self, "codec") else []
        return own + [cell.codec for cell in getattr(self, "cells", ()) if cell.codec != BASELINE]


@dataclass(frozen=True, slots=True)
class CorpusInputs:
    """The inputs shared by the jobs that measure on a corpus.

    Attributes:
        sample: Digest of its sample.
        schema: Digest of a pickle of its `Schema`, empty if it has none.
        training: Digest of a pickle of records to train dictionaries on, empty if none are needed.
        depth: Limit of depth that its records need; 0 if the default suffices.
    """

    sample: Digest
    schema: Digest = ""
    training: Digest = ""
    depth: int = 0

    def digests(self) -> set[Digest]:
        """Return the digests that are not empty."""
        return {self.sample, self.schema, self.training} - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Job):
    """Draw a sample.

    Attributes:
        source: Corpus, file or function, as typed.
        source_object: Pickle of the corpus in base64, if it is an object of the calling program.
        records: Size of a generated corpus, or the most records of the user's own.
        how: How to read it, as arguments of `bakeoff.corpus`.
        sample: Records of the sample.
        bytes: Most bytes of the sample, as pickles.
        infer: Infer a schema.
        schema: Schema of the records, as typed; empty for none.
        include: Folders to search first for its imports.
        batch: Number of records to combine into one.
        seconds: Seconds after which reading of a long source ends; None for never.
        after: Records after which it ends, as in the run that is resumed.
        size: Bytes to which each record is scaled, see `datasets.scale`; None for records as they are.
        codecs: Codecs that are entered.
        twins: Leave out codecs with a schema that has nothing to fix for them.
        joining: Codecs for certain values, which join if the records hold these, see `codecs.specialists`.
    """

    kind = "prepare"
    source: str
    records: str | None
    seed: int
    sample: int
    bytes: int
    infer: bool
    batch: int
    how: Mapping[str, Any] = field(default_factory=dict)
    schema: str = ""
    include: tuple[str, ...] = ()
    seconds: float | None = None
    after: int | None = None
    size: int | None = None
    codecs: tuple[str, ...] = ()
    twins: bool = False
    joining: tuple[str, ...] = ()
    source_object: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Job):
    """Check a codec.

    Attributes:
        seconds: Seconds after which the remaining records are encoded only; a very slow codec then ends.
        operations: Operations that the check measures, or that are timed afterwards.
        libraries: Modules that the records need, which all checks import.
    """

    kind = "check"
    corpus: CorpusInputs
    codec: str
    seconds: float
    operations: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus."""
        return self.corpus.digests()


@dataclass(frozen=True, slots=True)
class TimedCell:
    """A cell of a timing process.

    Attributes:
        payloads: Digest of the payloads of the check; empty for the baseline.
        dictionary: Digest of the codec's dictionary, empty if it has none.
        limits: Limits of the codec that records exceed, by name, with the values they need.
        extra: Share of extra calls that are not counted: a planted difference.
    """

    codec: str
    operation: str
    payloads: Digest = ""
    dictionary: Digest = ""
    limits: Mapping[str, int] = field(default_factory=dict)
    extra: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Time(Job):
    """Time cells.

    Attributes:
        slice: Seconds of a slice.
        collect: The garbage collector is on.
        apart: Each call follows other work, and is timed by itself.
        layout: Number of the memory layout. Workers with the same number are forked from one process, and
            so have the same addresses and the same seed of hashes; with 0, a worker has a layout of its own.
        least: Contention of a free core as measured by earlier processes; 0 if there were none.
        repeats: Time for repeating slices that ran on a shared core, including waiting for a free one, as a
            share of the slices' own time.
    """

    kind = "time"
    corpus: CorpusInputs
    cells: tuple[TimedCell, ...]
    rounds: int
    slice: float
    collect: bool = True
    apart: bool = False
    layout: int = 0
    least: float = 0.0
    repeats: float = 1.0

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus and the cells."""
        cells = {digest for cell in self.cells for digest in (cell.payloads, cell.dictionary)}
        return (self.corpus.digests() | cells) - {""}


@dataclass(frozen=True, slots=True)
class ReaderCommand:
    """How to start the worker of another language.

    Attributes:
        command: The program and its arguments.
        folder: Its working directory.
    """

    command: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class ReadCell:
    """A library of another language, and what it reads.

    Attributes:
        worker: Index of its worker in the job.
        codec: The codec that wrote the payloads.
        payloads: Digest of the payloads of its check.
        typed: The library reads into types of its language.
    """

    worker: int
    library: str
    codec: str
    payloads: Digest
    typed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Job):
    """The fields of jobs for readers in other languages.

    Attributes:
        corpus: The inputs that the codecs need.
        workers: A worker for each language, see `bench.foreign`.
        reads: What to read.
    """

    corpus: CorpusInputs
    workers: tuple[ReaderCommand, ...]
    reads: tuple[ReadCell, ...]

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus and the payloads."""
        return self.corpus.digests() | {cell.payloads for cell in self.reads}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReads(Read):
    """Check what the readers of one language make of payloads; one note per cell.

    Attributes:
        seconds: Seconds for all libraries; one that takes half of the rest is checked on no further record.
            Rough times come last.
    """

    kind = "check reads"
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeReads(Read):
    """Time readers.

    Attributes:
        records: Number of records that each reads.
        slice: Seconds of a slice.
        seconds: Seconds for all libraries, the most important ones first; infinite without a limit.
        patience: Seconds that a turn may take.
        least: As in `Time`.
        repeats: As in `Time`.
    """

    kind = "time reads"
    records: int
    slice: float
    seconds: float
    patience: float
    least: float
    repeats: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone(Job):
    """Run an operation that has separate processes.

    Attributes:
        payloads: Digest of the payloads of the check.
        dictionary: As in `TimedCell`, like `limits`.
        options: Options of the operation, as requested by an earlier answer.
        client: Settings of the client of a transport, by the client's names for them.
        exact: Run the worker under Valgrind; see `operations.base.Operation.exact`.
        forked: Fork the worker from a process with all imports done, as starting takes most of its time.
    """

    kind = "alone"
    corpus: CorpusInputs
    codec: str
    operation: str
    payloads: Digest
    dictionary: Digest = ""
    limits: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False
    forked: bool = False

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus and the codec."""
        return (self.corpus.digests() | {self.payloads, self.dictionary}) - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe(Job):
    """Return the facts of a codec."""

    kind = "describe"
    codec: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare(Job):
    """Test which values a codec preserves; one note per value.

    Attributes:
        schemas: Test each value with a schema, too. Codecs whose readers get one have it in any case.
    """

    kind = "compare"
    codec: str
    schemas: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack(Job):
    """Decode payloads that libraries of other languages wrote; one note per payload.

    Attributes:
        values: Name of the value in each payload.
        written: The payloads in base64.
    """

    kind = "read back"
    codec: str
    values: tuple[str, ...]
    written: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Job):
    """Run hostile cases on a codec.

    The first note holds the positions of the cases. One note for each case follows.

    Attributes:
        patterns: Patterns of cases.
        start: Number of cases to skip.
    """

    kind = "attack"
    codec: str
    patterns: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Try(Job):
    """Try a codec on two versions of a schema.

    Attributes:
        versions: Digest of a pickle of their difference, and of records of the older and the newer one.
    """

    kind = "try"
    codec: str
    versions: Digest

    def digests(self) -> set[Digest]:
        """Return the digest of the versions."""
        return {self.versions}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread(Job):
    """Time how codecs read payloads of another version of a schema, and of their own; answered by `Timed`.

    Attributes:
        versions: As in `Try`.
        cells: Codecs and directions, with the payloads of both versions.
        rounds: As in `Time`; the same applies to `least`.
    """

    kind = "reread"
    versions: Digest
    cells: tuple[TimedCell, ...]
    rounds: int
    least: float = 0.0

    def digests(self) -> set[Digest]:
        """Return the digests of the versions and the payloads."""
        return {self.versions} | {cell.payloads for cell in self.cells}


@dataclass(frozen=True, slots=True)
class SurveyPiece:
    """A piece of a corpus, see `datasets.shards.Piece`.

    Attributes:
        shard: Path or URL, which the worker's machine must be able to read.
        start: First byte.
        end: Byte after the last one.
        number: Number of the shard.
    """

    shard: str
    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey(Job):
    """Survey all records of pieces of a corpus.

    Attributes:
        pieces: One, or several small ones.
        seed: Seed of the sample.
        codecs: Codecs to send each record through.
        schema: Digest of a pickle of a `Schema`, empty if there is none.
        sample: Most records of the sample; 0 for no sample.
        sample_format: File format of the sample's records.
        cut: Only records with smaller keys can still be in the sample; see `datasets.sampling.MergedSample`.
        how: As in `Prepare`.
    """

    kind = "survey"
    pieces: tuple[SurveyPiece, ...]
    seed: int
    codecs: tuple[str, ...]
    schema: Digest
    sample: int
    sample_format: str
    cut: int
    how: Mapping[str, Any] = field(default_factory=dict)

    def digests(self) -> set[Digest]:
        """Return the digest of the schema, if there is one."""
        return {self.schema} - {""}


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The answer to `Survey`.

    Attributes:
        tally: The findings as JSON types, of limited size; see `bench.survey.SurveyTally.of`.
    """

    kind: ClassVar[str] = "surveyed"
    tally: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The answer to `Prepare`.

    Attributes:
        facts: Facts about the corpus, for the result file.
        corpus: The sample and related inputs.
        bad: Where and why the first records were skipped.
        remark: Remarks that may surprise the user, a line each, or nothing.
        path: Entries of `sys.path` that later workers need.
        modules: Modules that they import, as in `Job`.
        codecs: Codecs that are entered: those for which the schema has something to fix, and those that join.
        idle: Names, without the schema, of codecs left out because it has nothing to fix for them.
        kinds: Types of arrays and frames in the records.
    """

    kind: ClassVar[str] = "prepared"
    facts: Mapping[str, Any]
    corpus: CorpusInputs
    bad: tuple[tuple[str, str], ...]
    remark: str
    path: tuple[str, ...]
    modules: Mapping[str, str]
    codecs: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer to `Check`; the later half is empty if the codec failed.

    Attributes:
        codec: Facts; empty if it could not be built.
        loss: What it loses, in words.
        lossy: Records that lost something.
        records: Records that were compared.
        encoded: Records that were encoded.
        fixes: Its schema has something to do.
        as_is: The records are the objects that it takes instead of dicts.
        figures: Figures of operations that the check measures.
        details: Further facts about these, by operation.
        failed: Outcome and reason of operations that cannot be timed.
        limits: Limits to raise so that the codec takes these records.
        rough: Seconds for the mean record from single calls, by timed operation.
        calls: Number of records per call, if not one, by timed operation.
        definition: The schema in the format's own language, empty if that has none.
        payloads: Digest of the `Payloads` for later measurements.
        length: Bytes of all payloads.
        dictionary: Digest of the trained dictionary, empty if there is none.
        code: As in `CheckFacts`.
    """

    kind: ClassVar[str] = "checked"
    outcome: Outcome
    reason: str = ""
    codec: Mapping[str, Any] = field(default_factory=dict)
    loss: tuple[str, ...] = ()
    lossy: int = 0
    records: int = 0
    encoded: int = 0
    fixes: bool = False
    as_is: bool = False
    figures: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, FigureDetails] = field(default_factory=dict)
    failed: Mapping[str, tuple[Outcome, str]] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    rough: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[str, int] = field(default_factory=dict)
    definition: str = ""
    payloads: Digest = ""
    length: int = 0
    dictionary: Digest = ""
    code: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Timed:
    """The answer to `Time`.

    Attributes:
        cells: Figures by the cell's index in the job.
        errors: Why a cell has no figure.
        reference_kernel: Seconds of a call of the reference kernel.
        harness: Nanoseconds per call of the measurement itself.
        dirty: Share of slices that were disturbed.
        contention: Contention of the core during the slices that were used, see `bench.contention`.
        least: The baseline of the contention so far, see `bench.contention.free_level`.
    """

    kind: ClassVar[str] = "timed"
    cells: Mapping[str, Figure]
    errors: Mapping[str, str]
    reference_kernel: float
    harness: float
    dirty: float
    contention: float = 0.0
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class TimedReads:
    """The answer to `TimeReads`.

    Attributes:
        cells: Figures by the index of the read in the job.
        warmups: Seconds from a library's first call until its times were steady, by the same index.
        errors: Why a read has no figure.
        contention: As in `Timed`.
        least: As in `Timed`.
    """

    kind: ClassVar[str] = "timed reads"
    cells: Mapping[str, Figure]
    warmups: Mapping[str, float]
    errors: Mapping[str, str]
    contention: float
    least: float


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to `Alone`; see `operations.base.Measured`."""

    kind: ClassVar[str] = "found"
    value: float
    details: FigureDetails = field(default_factory=FigureDetails)
    again: Mapping[str, Any] | None = None
    together: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Described:
    """The answer to `Describe`."""

    kind: ClassVar[str] = "described"
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """The answer to `Try`; see `evolution.trial.Trial`.

    Attributes:
        backward: How the newer version reads payloads of the older one.
        forward: The reverse.
        changes: The same two for each change separately.
        payloads: Digest of the input of `Reread`, by direction in which everything is read.
    """

    kind: ClassVar[str] = "tried"
    backward: Mapping[str, Any]
    forward: Mapping[str, Any]
    changes: tuple[tuple[Mapping[str, Any], ...] | None, ...]
    payloads: Mapping[str, Digest]


@dataclass(frozen=True, slots=True)
class Done:
    """A job whose answer is in its notes has finished."""

    kind: ClassVar[str] = "done"


@dataclass(frozen=True, slots=True)
class Failed:
    """The codec, or something it needs, is not available here; or memory ran out."""

    kind: ClassVar[str] = "failed"
    reason: str
    outcome: Outcome = "error"


@dataclass(frozen=True, slots=True)
class Refused:
    """An error message for the user."""

    kind: ClassVar[str] = "refused"
    message: str
    exit_code: int


Answer = (
    Prepared | Surveyed | Checked | Timed | TimedReads | Found | Described | Tried | Done | Failed | Refused
)

MODULES: Mapping[type[Job], str] = {
    Prepare: "bakeoff.bench.worker.prepare",
    Check: "bakeoff.bench.worker.check",
    Time: "bakeoff.bench.worker.time",
    CheckReads: "bakeoff.bench.worker.check_reads",
    TimeReads: "bakeoff.bench.worker.time_reads",
    Alone: "bakeoff.bench.worker.alone",
    Describe: "bakeoff.bench.worker.describe",
    Compare: "bakeoff.bench.lab.fidelity.matrix",
    ReadBack: "bakeoff.bench.lab.fidelity.writers",
    Attack: "bakeoff.bench.lab.hostile.attack",
    Try: "bakeoff.bench.lab.evolution.attempt",
    Survey: "bakeoff.bench.worker.survey",
    Reread: "bakeoff.bench.lab.evolution.cost",
}
"""The modules with the function ``run(job, context)`` of each kind of job."""

_KINDS: dict[str, type[Any]] = {made.kind: made for made in (*MODULES, *Answer.__args__)}


def encode(record: Job | Answer) -> bytes:
    """Return a job or an answer as JSON."""
    return json.dumps({"kind": record.kind, **dataclasses.asdict(record)}).encode()


def decode(data: bytes | str) -> Any:
    """Return the job or the answer in `data`.

    Raises:
        ValueError: The kind is unknown, or fields are missing.
    """
    plain = json.loads(data)
    kind = plain.pop("kind", None)
    if kind not in _KINDS:
        raise ValueError(f"no kind of job or answer: {kind!r}")
    return built(_KINDS[kind], plain)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a worker ended.

    Attributes:
        answer: Its answer, or None if it died before giving one.
        outcome: Why there is no answer.
        reason: The same in a sentence.
        stderr: The last lines that it wrote.
        cell: Index of the cell that was running, `IDLE` for none.
        notes: Its notes, available even if it died.
        host: The machine on which it ran.
    """

    answer: Any
    outcome: Outcome = "ok"
    reason: str = ""
    stderr: str = ""
    cell: int = IDLE
    notes: tuple[Any, ...] = ()
    host: str = ""

    @property
    def cause(self) -> str:
        """The reason without the option of `bakeoff run` that it names: other commands lack it."""
        return self.reason.partition(" (--")[0]

    @property
    def sentence(self) -> str:
        """The cause, preceded by the outcome unless that is an error, which describes itself."""
        return self.cause if self.outcome == "error" else f"{self.outcome}: {self.cause}"


class Executor(Protocol):
    """Runs workers: on this machine (`run.processes.LocalExecutor`), or another (`run.machines.remote`).

    Attributes:
        blobs: Inputs of workers and dictionaries that they trained, by digest. Other outputs may stay on the
            machine of the workers.
        facts: Environment of their machine, see `run.environment.environment`.
        cores: Cores that they may be pinned to.
    """

    @property
    def blobs(self) -> Mapping[Digest, bytes]: ...
    @property
    def facts(self) -> Mapping[str, Fact]: ...
    @property
    def cores(self) -> Sequence[int]: ...
    def missing(self, codec: str) -> str | None:
        """Return why a codec cannot be used there, if that is known without a worker."""
        ...

    def submit(
        self,
        job: Job,
        inputs: Mapping[Digest, bytes] | None = None,
        *,
        patience: float | None = None,
        over: Callable[[], bool] | None = None,
        watch: Callable[[int, int], object] | None = None,
    ) -> Future[Ended]:
        """Run a job in a process of its own.

        Args:
            job: The job to run.
            inputs: Blobs that it names by digest and that are not in `blobs` yet.
            patience: Seconds without a heartbeat after which the worker is ended; None for no limit.
            over: Returns whether its time is over: the worker is then ended, or not started, with the outcome
                "unfinished". Called regularly, in any thread.
            watch: Called regularly with the running cell, and the number of heartbeats.

        Raises (from the future):
            UsageError: The worker found the user's request impossible.
            RunError: The worker cannot continue for a reason the user must know.
        """
        ...

    def close(self) -> None:
        """End all workers."""
        ...
