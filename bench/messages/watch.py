"""The job that times the calls of a watched program with other libraries, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..jobs import Answer, Digest, Failed, Job


@dataclass(frozen=True, slots=True)
class WatchedCall:
    """A cell: a call site, and what takes the place of its function.

    Attributes:
        site: Index of its task.
        form: Format of the library; empty for the watched function itself.
        library: Name of the library; empty for the watched function itself.
    """

    site: int
    form: str
    library: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCalls(Job):
    """Time the records of call sites with their own function and with other libraries.

    Attributes:
        tasks: Digest of a pickle of the `watch.tasks.Task` of each call site. They hold records and payloads
            as the program has passed them, which JSON cannot.
        calls: What to time.
        free_level: As in `Time`.
    """

    kind = "time calls"
    module = "bakeoff.bench.watch.timing"
    tasks: Digest
    calls: tuple[WatchedCall, ...] = ()
    free_level: float = 0.0

    def digests(self) -> set[Digest]:
        """Return the digest of the tasks."""
        return {self.tasks}


@dataclass(frozen=True, slots=True)
class AfterWork:
    """Calls between other work, relative to calls of the watched function in a row.

    Attributes:
        call: Time of a call of the watched function.
        saved: What the library saves more than in a row, in the call.
        saved_after: What it saves more than in a row, in the work after the call.
    """

    call: float
    saved: float = 0.0
    saved_after: float = 0.0


@dataclass(frozen=True, slots=True)
class CallTimes:
    """What one process found for one library at one call site.

    Attributes:
        calls: Seconds of the calls in a row, by record.
        seconds: The same with dropping the result, and with little work after each call.
        after_work: Calls after work that leaves the larger caches as they are, and after work that leaves
            nothing in the caches.
        collection: What the garbage collector takes for the records that the library has decoded, relative to
            the watched function's; 1 if it hardly matters.
    """

    calls: tuple[float, ...]
    seconds: tuple[float, ...]
    after_work: tuple[AfterWork, AfterWork] = (AfterWork(1.0), AfterWork(1.0))
    collection: float = 1.0


@dataclass(frozen=True, slots=True)
class TimedCalls(Answer):
    """The answer to `TimeCalls`.

    Attributes:
        cells: Times by the index of the call in the job.
        refused: Why a library cannot be used.
        errors: Why a cell has no times.
        dirty: Share of the calls between other work that the kernel interrupted each time they were made.
        contention: As in `Timed`.
        free_level: As in `Timed`.
    """

    kind = "timed calls"
    cells: Mapping[str, CallTimes]
    refused: Mapping[str, str]
    errors: Mapping[str, Failed]
    dirty: float
    contention: float
    free_level: float
