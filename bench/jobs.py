"""Typed jobs for workers, and their answers; workers may run on any machine.

The messages of each feature are declared in `bench.messages`. All are encoded as JSON by one pair of
functions, `encode` and `decode`; an unknown kind is an error. Records, schemas and payloads are named by
digest. An `Executor` transfers them to the worker and returns its output, so a worker may be on another
machine. Only `Prepare` and `SurveyJob` name files of the user, and run where these are.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from .heartbeat import IDLE
from .results import BASELINE, Fact, Outcome, built

if TYPE_CHECKING:
    from concurrent.futures import Future

Digest: TypeAlias = str

_KINDS: dict[str, type[Any]] = {}
"""The messages that are imported, by kind."""


@dataclass(frozen=True, slots=True)
class Message:
    """A job or an answer.

    Attributes:
        kind: The name under which it is encoded.
    """

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        # Called twice, since a dataclass with slots is a second class; that one stays.
        if "kind" in cls.__dict__:
            _KINDS[cls.kind] = cls


@dataclass(frozen=True, slots=True)
class Answer(Message):
    """The answer to a job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Message):
    """The fields of every job.

    Attributes:
        module: The module with the function ``run(job, context)``, which the worker imports.
        memory: Bytes of address space of the worker; None for no limit.
        path: Entries of `sys.path` that the worker needs for the user's own modules.
        modules: Modules that it imports first, for their classes and registrations: name to file, which is
            empty for a module that is found by its name.
        imported_codecs: Import paths of the user's own codecs, by their names in this run.
        pickled_codecs: Codecs that are objects of the calling program, as pickles in base64, by name.
        core: Processor to stay on.
        backends: URLs of the operations' backends that are servers, by name; they may hold passwords.
        release: Folder with the release of a library to measure, which comes first in `sys.path`.
    """

    module: ClassVar[str]
    memory: int | None = None
    path: tuple[str, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    imported_codecs: Mapping[str, str] = field(default_factory=dict)
    pickled_codecs: Mapping[str, str] = field(default_factory=dict)
    core: int | None = None
    backends: Mapping[str, str] = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True)
class Done(Answer):
    """A job whose answer is in its notes has finished."""

    kind = "done"


@dataclass(frozen=True, slots=True)
class Failed(Answer):
    """There is no answer, or no figure of a cell.

    Attributes:
        reason: Why, in a sentence.
        outcome: The kind of failure.
        option: The option of `bakeoff run` that sets the limit it went over; empty for none.
    """

    kind = "failed"
    reason: str
    outcome: Outcome = "error"
    option: str = ""


OVER_MEMORY = Failed("went over its memory limit", "out of memory", "--cell-memory")
"""An allocation has failed."""


def failed(error: Exception) -> Failed:
    """Return why a cell has no figure, if its code has raised an error."""
    if isinstance(error, MemoryError):
        return OVER_MEMORY
    return Failed(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


@dataclass(frozen=True, slots=True)
class Refused(Answer):
    """An error message for the user."""

    kind = "refused"
    message: str
    exit_code: int


FEATURES = (
    "bakeoff.bench.messages.prepare",
    "bakeoff.bench.messages.check",
    "bakeoff.bench.messages.timing",
    "bakeoff.bench.messages.alone",
    "bakeoff.bench.messages.reads",
    "bakeoff.bench.messages.describe",
    "bakeoff.bench.messages.survey",
    "bakeoff.bench.messages.fidelity",
    "bakeoff.bench.messages.hostile",
    "bakeoff.bench.messages.evolution",
    "bakeoff.bench.messages.watch",
)
"""The modules that declare the messages of each feature."""


def encode(record: Message) -> bytes:
    """Return a job or an answer as JSON."""
    return json.dumps({"kind": record.kind, **dataclasses.asdict(record)}).encode()


def decode(data: bytes | str) -> Any:
    """Return the job or the answer in `data`.

    Raises:
        ValueError: The kind is unknown, or fields are missing.
    """
    plain = json.loads(data)
    kind = plain.pop("kind", None)
    for module in FEATURES:
        if kind not in _KINDS:
            import_module(module)
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
        option: As in `Failed`.
    """

    answer: Any
    outcome: Outcome = "ok"
    reason: str = ""
    stderr: str = ""
    cell: int = IDLE
    notes: tuple[Any, ...] = ()
    host: str = ""
    option: str = ""

    @property
    def in_run(self) -> str:
        """The reason for users of `bakeoff run`, with the option: other commands lack it."""
        return f"{self.reason} ({self.option})" if self.option else self.reason

    @property
    def sentence(self) -> str:
        """The reason, preceded by the outcome unless that is an error, which describes itself."""
        return self.reason if self.outcome == "error" else f"{self.outcome}: {self.reason}"


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
