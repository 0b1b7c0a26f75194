"""What the parent asks of a worker, and what it is answered: typed, and for workers on any machine.

Both go through one pair of functions, `encode` and `decode`, as JSON; an unknown kind is an error.
Records, schemas and payloads are named by digest: an `Executor` brings them to where the worker is, and
back what it made, so that a worker may be on another machine. Only `Prepare` and `Conform` name files, the
user's, and run where those are.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from .heartbeat import IDLE
from .results import Outcome, typed

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = [
    "Alone",
    "Answer",
    "Attack",
    "Check",
    "Checked",
    "Compare",
    "Conform",
    "CorpusInputs",
    "Describe",
    "Described",
    "Done",
    "Ended",
    "Executor",
    "Failed",
    "Found",
    "Job",
    "Prepare",
    "Prepared",
    "Refused",
    "Reread",
    "Time",
    "Timed",
    "TimedCell",
    "Tried",
    "Try",
    "decode",
    "encode",
]

Digest: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What all jobs say.

    Attributes:
        kind: The name under which it is encoded.
        memory: Bytes of address space of the worker; None for as much as there is.
        path: What the worker needs in `sys.path`, for records and codecs of the user's own modules.
        modules: What it imports before it works, for their classes and for what they register: name to file,
            which is empty for a module that is found by its name.
        given: Where the user's own codecs are, by the names that they have in this run.
        pickled: Codecs that are objects of the program that runs this, as pickles in base64, by name.
        core: Processor to stay on.
        places: Where operations' places are, by name, as far as these are servers: URLs, which may hold
            passwords.
    """

    kind: ClassVar[str]
    memory: int | None = None
    path: tuple[str, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    pickled: Mapping[str, str] = field(default_factory=dict)
    core: int | None = None
    places: Mapping[str, str] = field(default_factory=dict)

    def digests(self) -> set[Digest]:
        """Return what an executor has to bring to the worker."""
        return set()


@dataclass(frozen=True, slots=True)
class CorpusInputs:
    """What is known of a corpus by the jobs that measure on it.

    Attributes:
        sample: Digest of its sample.
        schema: Digest of a pickle of its `Schema`, empty where it has none.
        training: Digest of a pickle of records to train dictionaries on, empty where none are wanted.
        depth: Limit of depth that its records need; 0 where the default suffices.
    """

    sample: Digest
    schema: Digest = ""
    training: Digest = ""
    depth: int = 0

    def digests(self) -> set[Digest]:
        """Return those that there are."""
        return {self.sample, self.schema, self.training} - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Job):
    """Draw a sample.

    Attributes:
        source: Corpus, file or function, as typed.
        source_object: Pickle of the corpus in base64, where it is an object of the program that runs this.
        records: Size of a generated corpus, or the most of the user's own.
        format: Of the file, None to find out.
        at: Where in each document the records are; None for the document itself.
        encoding: Of text files; None for UTF-8.
        null: Cells of CSV that stand for nothing.
        sample: Records of the sample.
        bytes: Cap of the sample, as pickles.
        infer: Find out a schema.
        schema: What the records are said to be, as typed; empty for nothing.
        include: Folders that its imports are looked for in first.
        batch: Records that make one.
        seconds: After which reading ends before the end of a long source; None for never.
        after: Records after which it ends, as it did in the run that is resumed.
        size: Bytes that each record is brought to, see `datasets.scale`; None for records as they are.
        codecs: That are to be entered.
        twins: Those with a schema that has nothing to fix for them are left out.
        joining: Codecs for certain values, which join where the records hold these, see `codecs.specialists`.
    """

    kind = "prepare"
    source: str
    records: str | None
    seed: int
    skip_bad: bool
    trusted: bool
    format: str | None
    at: str | None
    encoding: str | None
    null: tuple[str, ...]
    sample: int
    bytes: int
    infer: bool
    batch: int
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
        seconds: After which a slow codec's records are encoded only, and a very slow one is done.
        operations: That fall out of the check or are timed afterwards.
        libraries: Modules that the records need, which all checks import.
    """

    kind = "check"
    corpus: CorpusInputs
    codec: str
    seconds: float
    operations: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def digests(self) -> set[Digest]:
        """Return the corpus's."""
        return self.corpus.digests()


@dataclass(frozen=True, slots=True)
class TimedCell:
    """A cell of a timing process.

    Attributes:
        payloads: Digest of what the check left; empty for the baseline.
        dictionary: Digest of the codec's dictionary, empty where it has none.
        extra: Share of further calls that are made but not counted: a planted difference.
    """

    codec: str
    operation: str
    payloads: Digest = ""
    dictionary: Digest = ""
    extra: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Time(Job):
    """Time cells.

    Attributes:
        slice: Seconds of a slice.
        collect: The garbage collector is on.
        least: Contention of a free core as earlier processes saw it; 0 where there were none.
        repeats: What repeating slices that ran on a shared core, and waiting for a free one, may take, as a
            share of the slices' own time.
    """

    kind = "time"
    corpus: CorpusInputs
    cells: tuple[TimedCell, ...]
    rounds: int
    slice: float
    collect: bool = True
    least: float = 0.0
    repeats: float = 1.0

    def digests(self) -> set[Digest]:
        """Return the corpus's and the cells'."""
        cells = {digest for cell in self.cells for digest in (cell.payloads, cell.dictionary)}
        return (self.corpus.digests() | cells) - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone(Job):
    """Carry out an operation that has a process for itself.

    Attributes:
        payloads: Digest of what the check left.
        dictionary: As in `TimedCell`.
        options: Of the operation; what an earlier answer asked for.
    """

    kind = "alone"
    corpus: CorpusInputs
    codec: str
    operation: str
    payloads: Digest
    dictionary: Digest = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def digests(self) -> set[Digest]:
        """Return the corpus's and the codec's."""
        return (self.corpus.digests() | {self.payloads, self.dictionary}) - {""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe(Job):
    """Tell the facts of a codec."""

    kind = "describe"
    codec: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare(Job):
    """Find out which values a codec preserves; a note for each value."""

    kind = "compare"
    codec: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Job):
    """Try hostile cases on a codec; a note with the places of the cases, then one for each.

    Attributes:
        patterns: Of cases.
        start: How many to leave out.
    """

    kind = "attack"
    codec: str
    patterns: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conform(Job):
    """Try the cases of a conformance suite on a codec; a note for each.

    Attributes:
        folder: The user's copy of the suite; to be read where it is.
        start: How many to leave out.
    """

    kind = "conform"
    codec: str
    suite: str
    folder: str
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
        """Return that of the versions."""
        return {self.versions}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread(Job):
    """Time how codecs read payloads of another version of a schema, and of their own; answered by `Timed`.

    Attributes:
        versions: As of `Try`.
        cells: Codecs and directions, with the payloads of both versions.
        rounds: As in `Time`; so is `least`.
    """

    kind = "reread"
    versions: Digest
    cells: tuple[TimedCell, ...]
    rounds: int
    least: float = 0.0

    def digests(self) -> set[Digest]:
        """Return those of the versions and the payloads."""
        return {self.versions} | {cell.payloads for cell in self.cells}


@dataclass(frozen=True, slots=True)
class Prepared:
    """What came of `Prepare`.

    Attributes:
        facts: Of the corpus, for the result file.
        corpus: The sample, and what goes with it.
        bad: Where and why the first records were skipped.
        remark: What the user may not expect, a line each, or nothing.
        path: What later workers need in `sys.path`.
        modules: What they import, as in `Job`.
        codecs: That are entered: those that the schema has something to fix for, and those that join.
        idle: Names without the schema of codecs that are left out, as it has nothing to fix for them.
        kinds: Types of arrays and frames that the records hold.
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
    """What came of `Check`; without the later half where the codec did not get through.

    Attributes:
        codec: Facts; empty where it could not be built.
        loss: What it loses, in words.
        lossy: Records that lost something.
        records: Records that were compared.
        encoded: Records that were encoded.
        fixes: Its schema has something to do.
        as_is: The records are the objects that it takes in the place of dicts.
        figures: Of operations that fall out of the check.
        known: What is known of these besides, by operation, as `operations.base.Measured.known` has it.
        failed: Outcome and reason of operations that cannot be timed.
        limits: To ask for, so that the codec takes these records.
        rough: Seconds for the mean record, by timed operation; of single calls.
        calls: How many records a call is for, if not for one, by timed operation.
        definition: The schema in the format's own language, empty where that has none.
        payloads: Digest of what those need who measure.
        dictionary: Digest of the dictionary that was trained, empty where there is none.
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
    known: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failed: Mapping[str, tuple[Outcome, str]] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    rough: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[str, int] = field(default_factory=dict)
    definition: str = ""
    payloads: Digest = ""
    dictionary: Digest = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """What came of `Time`.

    Attributes:
        cells: Figures by the cell's place in the job.
        errors: Why a cell has none.
        reference_kernel: Seconds of a call of the reference kernel.
        harness: Nanoseconds per call of measuring itself.
        dirty: Share of slices that were disturbed.
        contention: Of the core during the slices behind the figures, see `bench.contention`.
        least: The baseline of the contention so far, see `bench.contention.free_level`.
    """

    kind: ClassVar[str] = "timed"
    cells: Mapping[str, Mapping[str, float]]
    errors: Mapping[str, str]
    reference_kernel: float
    harness: float
    dirty: float
    contention: float = 0.0
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """What came of `Alone`; see `operations.base.Measured`.

    Attributes:
        known: As `operations.base.Measured.known` has it.
    """

    kind: ClassVar[str] = "found"
    value: float
    known: Mapping[str, Any]
    again: Mapping[str, Any] | None = None
    together: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Described:
    """What came of `Describe`."""

    kind: ClassVar[str] = "described"
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of `Try`; see `evolution.trial.Trial`.

    Attributes:
        backward: What the newer version reads of the older one.
        forward: The reverse.
        changes: The same two of each change on its own.
        payloads: Digest of what `Reread` needs, by direction that is read whole.
    """

    kind: ClassVar[str] = "tried"
    backward: Mapping[str, Any]
    forward: Mapping[str, Any]
    changes: tuple[tuple[Mapping[str, Any], ...] | None, ...]
    payloads: Mapping[str, Digest]


@dataclass(frozen=True, slots=True)
class Done:
    """A job whose answer is in its notes came to its end."""

    kind: ClassVar[str] = "done"


@dataclass(frozen=True, slots=True)
class Failed:
    """The codec, or what it was asked for, is not to be had here; or memory ran out."""

    kind: ClassVar[str] = "failed"
    reason: str
    outcome: Outcome = "error"


@dataclass(frozen=True, slots=True)
class Refused:
    """What the user must know, as the error says it."""

    kind: ClassVar[str] = "refused"
    message: str
    exit_code: int


Answer = Prepared | Checked | Timed | Found | Described | Tried | Done | Failed | Refused

_JOBS = (Prepare, Check, Time, Alone, Describe, Compare, Attack, Conform, Try, Reread)
_KINDS: dict[str, type[Any]] = {made.kind: made for made in (*_JOBS, *Answer.__args__)}
_PARTS: dict[str, Callable[[Any], Any]] = {
    "corpus": lambda value: typed(CorpusInputs, value),
    "cells": lambda value: (
        tuple(typed(TimedCell, cell) for cell in value) if isinstance(value, list) else value
    ),
    "bad": lambda value: tuple((where, why) for where, why in value),
    "failed": lambda value: {name: (outcome, reason) for name, (outcome, reason) in value.items()},
}
"""What is made of the parts of a record that JSON has no word for; lists become tuples."""


def encode(record: Job | Answer) -> bytes:
    """Return a job or an answer as JSON."""
    return json.dumps({"kind": record.kind, **dataclasses.asdict(record)}).encode()


def decode(data: bytes) -> Any:
    """Return the job or the answer that stands in `data`.

    Raises:
        ValueError: Of no kind that is known, or not whole.
    """
    plain = json.loads(data)
    kind = plain.pop("kind", None)
    if kind not in _KINDS:
        raise ValueError(f"no kind of job or answer: {kind!r}")
    for key, value in plain.items():
        if key in _PARTS:
            plain[key] = _PARTS[key](value)
        elif isinstance(value, list):
            plain[key] = tuple(value)
    return _KINDS[kind](**plain)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a worker ended.

    Attributes:
        answer: Its answer, or None when it died before giving one.
        outcome: Why there is no answer.
        reason: The same in a sentence.
        stderr: The last lines that it wrote.
        cell: Index of the cell that was running, `IDLE` for none.
        notes: What it said on the way; there even where it died.
        host: Where it ran.
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
        """The reason without the option of `bakeoff run` that it names: other commands have none such."""
        return self.reason.partition(" (--")[0]

    @property
    def sentence(self) -> str:
        """The cause, with the outcome where it is no error: an error says what it is by itself."""
        return self.cause if self.outcome == "error" else f"{self.outcome}: {self.cause}"


class Executor(Protocol):
    """Where workers run: on this machine (`run.processes.LocalExecutor`), or on another.

    Attributes:
        blobs: What workers were given and what they made, by digest.
    """

    @property
    def blobs(self) -> Mapping[Digest, bytes]: ...
    def submit(
        self,
        job: Job,
        inputs: Mapping[Digest, bytes] | None = None,
        *,
        patience: float | None = None,
        over: Callable[[], bool] | None = None,
        watch: Callable[[int], object] | None = None,
    ) -> Future[Ended]:
        """Run a job in a fresh process.

        Args:
            job: What to do.
            inputs: What it names by digest, where that is not in `blobs` already.
            patience: Seconds without a heartbeat after which the worker is ended; None for ever.
            over: Whether the worker is to be ended, or not to be begun any more, as its time is over; its
                outcome then is "unfinished". Called now and then, in any thread.
            watch: Called now and then with the cell that is running.

        Raises (from the future):
            UsageError: The worker found the user's request impossible.
            RunError: The worker cannot go on for a reason the user must know.
        """
        ...
