"""Start worker processes, watch them, end them, and say how they ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from ...codecs.registry import given
from ...errors import RunError, UsageError
from .. import valgrind
from ..blobs import Blobs
from ..capabilities import cores, here
from ..disk_space import NoDiskSpace, is_full, needing_room
from ..heartbeat import Heartbeat
from ..jobs import OVER_MEMORY, Ended, Failed, Job, Refused, decode, encode
from ..messages.alone import Alone
from ..messages.check import Check
from ..messages.evolution import TryVersions
from ..messages.hostile import Attack
from ..messages.reads import CheckReads, TimeReads
from ..messages.survey import SurveyJob
from ..messages.timing import Time
from ..method import Pace
from ..orphans import PREFIX, held_folder
from ..results import Fact
from .environment import abreast, environment
from .releases import Releases
from .warm import Fork, Warm

SCRUBBED = (
    "COVERAGE_PROCESS_CONFIG",
    "COVERAGE_PROCESS_START",
    "PYTHONDEVMODE",
    "PYTHONDUMPREFS",
    "PYTHONHASHSEED",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONTRACEMALLOC",
)
"""Variables that would affect measurements in every process. Allocator settings are the user's choice and are
recorded instead."""

FORKED: tuple[type, ...] = (Attack, Check, CheckReads, SurveyJob, TimeReads, TryVersions)
"""Jobs whose workers are forked from a process with all imports done, as starting takes most of their time.
"""

_KILLED = -getattr(signal, "SIGKILL", 9)  # Windows does not know it
_TICK = 0.1
_TAIL = 2000
_HEARTBEAT, _NOTES, _REPLY, _ERRORS = "heartbeat", "notes", "reply", "stderr"
"""Files in the folder of a job."""


class LocalExecutor(contextlib.AbstractContextManager["LocalExecutor"]):
    """A temporary folder and the worker processes that run in it: the executor of this machine.

    Leaving the context ends all workers and removes the folder.

    Args:
        python: Interpreter of the workers, with the same bakeoff as ours.
        codecs: Codecs that workers load from pickles, see `jobs.Job.pickled_codecs`.
        pace: Whether all workers are forked from one process.

    Attributes:
        releases: The releases of libraries that workers can measure.

    Raises:
        RunError: There is no folder for temporary files.
    """

    def __init__(
        self,
        python: str = sys.executable,
        codecs: Mapping[str, str] | None = None,
        *,
        pace: Pace | None = None,
    ) -> None:
        self.pace = pace or Pace.usual
        self.python = python
        self.codecs = codecs or {}
        self.releases = Releases()
        self._held = contextlib.ExitStack()
        self.folder = self._held.enter_context(held_folder(PREFIX))
        self.blobs = Blobs(self.folder / "blobs")
        self._pool = ThreadPoolExecutor(abreast(self.cores), thread_name_prefix="bakeoff")
        self._numbers = count()
        self._running: set[subprocess.Popen[bytes] | Fork] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._warm: Warm | None = None
        self._layout = 0
        self._siblings: Warm | None = None

    @property
    def facts(self) -> dict[str, Fact]:
        """The environment of this machine, as it is now."""
        return environment()

    @property
    def cores(self) -> list[int]:
        """The cores that workers may use."""
        return cores()

    def missing(self, codec: str) -> str | None:
        """Return why a codec cannot be used here."""
        return self.releases.missing(codec)

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers and remove the folder."""
        with self._lock:
            self._closed = True
            for process in self._running:
                _end(process)
        self._pool.shutdown(cancel_futures=True)
        for warm in filter(None, (self._warm, self._siblings)):
            warm.close()
        self._held.close()

    def warm_up(self) -> Warm:
        """Start importing what checks need, unless that has begun. Call it as soon as checks are certain."""
        with self._lock:
            if self._warm is None:
                self._warm = Warm(_environment(), self.python)
            return self._warm

    def _of_layout(self, layout: int) -> Warm:
        """Return the process that forks the workers of a memory layout, and end that of the one before."""
        with self._lock:
            if self._siblings is None or self._layout != layout:
                if self._siblings is not None:
                    self._siblings.close()
                self._layout, self._siblings = layout, Warm(_environment(), self.python)
            return self._siblings

    def submit(
        self,
        job: Job,
        inputs: Mapping[str, bytes] | None = None,
        *,
        patience: float | None = None,
        over: Callable[[], bool] | None = None,
        watch: Callable[[int, int], object] | None = None,
        handles: Collection[int] = (),
    ) -> Future[Ended]:
        """Run a job in a separate process as soon as a processor is free; see `jobs.Executor`.

        Args:
            job: As there; the same applies to `inputs`, `patience`, `over` and `watch`.
            handles: Numbers of our open files that the worker may read.

        Raises (from the future):
            NoDiskSpace: The folder is full.
        """
        self.blobs.take(job.digests(), inputs)
        return self._pool.submit(self._work, job, _Limits(patience, over), handles, watch)

    def work(self, job: Job, inputs: Mapping[str, bytes] | None = None, **more: Any) -> Ended:
        """Run a job and wait for it; see `submit`."""
        return self.submit(job, inputs, **more).result()

    def _work(self, job: Job, *more: Any) -> Ended:
        with needing_room(self.folder.parent):
            return self._run(job, *more)

    def _run(
        self,
        job: Job,
        limits: _Limits,
        handles: Collection[int],
        watch: Callable[[int, int], object] | None,
    ) -> Ended:
        if limits.over is not None and limits.over():
            return Ended(None, "unfinished", "out of time before it began")
        exact = isinstance(job, Alone) and job.exact
        if exact and (reason := valgrind.missing()):
            return Ended(None, "missing", reason)
        # Of one length, as that of its path moves what a worker has in memory.
        folder = self.folder / f"job-{next(self._numbers):06}"
        folder.mkdir()
        with contextlib.closing(Heartbeat.create(folder / _HEARTBEAT)) as heartbeat:
            process = self._start(job, folder, handles, exact=exact)
            try:
                with _ending(process) as ended:
                    late = _wait(ended, heartbeat, limits, watch)
            finally:
                _end(process)
                code = process.wait()
                with self._lock:
                    self._running.discard(process)
            cell, beats = heartbeat.read()
        said, answer, notes = self._left(folder)
        if isinstance(answer, Refused):
            raise (UsageError if answer.exit_code == 2 else RunError)(answer.message)
        host = socket.gethostname()
        if answer is not None and not isinstance(answer, Failed):
            return Ended(answer, "ok", "", said, cell, notes, host)
        failed = answer or late or why(code, said)
        reason = failed.reason
        if answer is None and exact:
            reason += ", under Valgrind"
        if answer is None and isinstance(job, Check) and beats > 1:
            reason += f", at record {beats - 1} of the sample"
        return Ended(None, failed.outcome, reason, said, cell, notes, host, failed.option)

    def _start(
        self, job: Job, folder: Path, handles: Collection[int], *, exact: bool
    ) -> subprocess.Popen[bytes] | Fork:
        """Start the worker of a job in its folder."""
        job = replace(
            job,
            imported_codecs=given(),
            pickled_codecs=self.codecs,
            release=self.releases.folder(job.measured()),
        )
        warm = None if handles or exact else self._parent(job)
        envelope = {
            "job": encode(job).decode(),
            "blobs": str(self.blobs.folder),
            "heartbeat": str(folder / _HEARTBEAT),
            "notes": str(folder / _NOTES),
            "reply": str(folder / _REPLY),
            "parent": os.getpid() if warm is None else warm.pid,
            "capabilities": asdict(here()),
        }
        with open(folder / "job", "x", opener=_only_ours) as file:
            json.dump(envelope, file)
        (folder / _ERRORS).touch()
        if warm is None:
            process: subprocess.Popen[bytes] | Fork = _started(self.python, folder, handles, exact=exact)
        else:
            libraries = job.libraries if isinstance(job, Check) else ()
            process = warm.fork(folder / "job", (job.module, *libraries))
        with self._lock:
            if self._closed:
                _end(process)
            self._running.add(process)
        return process

    def _parent(self, job: Job) -> Warm | None:
        """Return the process that forks the worker of a job; None if it is started by itself."""
        if not here().fork_server:
            return None
        if self.pace.forks or isinstance(job, FORKED) or (isinstance(job, Alone) and job.forked):
            return self.warm_up()
        return self._of_layout(job.layout) if isinstance(job, Time) and job.layout else None

    def _left(self, folder: Path) -> tuple[str, Any, tuple[Any, ...]]:
        """Return what a worker has left in its folder: last errors, answer and notes; remove the folder.

        Raises:
            NoDiskSpace: There is no answer, and the disk is full.
        """
        errors, reply = folder / _ERRORS, folder / _REPLY
        said = errors.read_bytes()[-_TAIL:].decode(errors="replace").strip()
        answer = decode(reply.read_bytes()) if reply.exists() else None
        notes = tuple(_notes(folder / _NOTES))
        # Output of the codec may fill the disk: that is the codec's fault, not a lack of space.
        errors.unlink()
        if answer is None and is_full(folder):
            raise NoDiskSpace(self.folder.parent)
        shutil.rmtree(folder)
        return said, answer, notes


def _only_ours(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in SCRUBBED}


def _started(python: str, folder: Path, handles: Collection[int], *, exact: bool) -> subprocess.Popen[bytes]:
    """Start the worker of the job in a folder, under Valgrind if its figures have to be exact."""
    command = valgrind.command(folder) if exact else []
    environment = valgrind.environment() if exact else _environment()
    with (folder / _ERRORS).open("wb") as stderr:
        return subprocess.Popen(
            [*command, python, "-P", "-m", "bakeoff.bench.worker", str(folder / "job")],
            stdin=None if 0 in handles else subprocess.DEVNULL,
            pass_fds=[handle for handle in handles if handle > 2],
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            # Files that it leaves there, even if killed, are removed with its folder.
            env=environment | {"TMPDIR": str(folder)},
            start_new_session=True,
        )


def _notes(path: Path) -> Iterator[Any]:
    """Yield the notes of a worker, without an incomplete last line."""
    if not path.exists():
        return
    for line in path.read_text(errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            yield json.loads(line)


@dataclass(frozen=True, slots=True)
class _Limits:
    """The time limits of a worker; see `LocalExecutor.submit`."""

    patience: float | None
    over: Callable[[], bool] | None


@contextlib.contextmanager
def _ending(process: subprocess.Popen[bytes] | Fork) -> Iterator[Callable[[], bool]]:
    """Give a function that waits a moment for the end of a process, and returns whether it has ended."""
    if isinstance(process, subprocess.Popen) and not here().fork_server:

        def ended() -> bool:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_TICK)
            return process.returncode is not None

        yield ended
        return
    handle = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        yield lambda: bool(poll.poll(_TICK * 1000))
    finally:
        os.close(handle)


def _wait(
    ended: Callable[[], bool],
    heartbeat: Heartbeat,
    limits: _Limits,
    watch: Callable[[int, int], object] | None,
) -> Failed | None:
    """Wait for the end of a process; return why it must be ended, or None if it ended normally."""
    beats, since = heartbeat.read()[1], time.monotonic()
    while not ended():
        cell, now = heartbeat.read()
        if watch is not None:
            watch(cell, now)
        if now != beats:
            beats, since = now, time.monotonic()
        elif limits.patience is not None and time.monotonic() - since > limits.patience:
            return Failed(f"made no progress within {limits.patience:g} s", "timed out", "--cell-timeout")
        if limits.over is not None and limits.over():
            return Failed("not enough time", "unfinished")
    return None


def _end(process: subprocess.Popen[bytes] | Fork) -> None:
    """End a worker and all processes that it has started; without process groups, only the worker."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if here().process_groups:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def why(code: int, said: str) -> Failed:
    """Return how a process ended that gave no answer.

    Args:
        code: Its exit code, below 0 for a signal.
        said: The last lines of its standard error.
    """
    if "MemoryError" in said or "bad_alloc" in said or "memory allocation of" in said:
        return OVER_MEMORY
    if code == _KILLED:
        return Failed("was killed by the kernel, probably for its memory use", "out of memory")
    if code < 0:
        named = {int(number): number.name for number in signal.Signals}
        return Failed(f"died of {named.get(-code, f'signal {-code}')}", "crashed")
    last = said.splitlines()[-1] if said else ""
    if code == 1 and last:
        return Failed(last)
    return Failed(f"ended the process with exit code {code}", "crashed")
