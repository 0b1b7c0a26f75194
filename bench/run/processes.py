"""Start worker processes, watch them, end them, and say how they ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...errors import RunError, UsageError
from ..heartbeat import IDLE, Heartbeat
from ..results import Outcome
from ..room import NoRoom, is_full, needing_room

__all__ = ["SCRUBBED", "Ended", "Workshop"]

SCRUBBED = (
    "PYTHONDEVMODE",
    "PYTHONDUMPREFS",
    "PYTHONHASHSEED",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONTRACEMALLOC",
)
"""Variables that would change what is measured in every process alike; allocator settings are the
user's and are recorded instead."""

_TICK = 0.1
_TAIL = 2000


@dataclass(frozen=True, slots=True)
class Ended:
    """How a worker ended.

    Attributes:
        answer: Its answer, or None when it died before giving one.
        outcome: Why there is no answer.
        reason: The same in a sentence.
        stderr: The last lines that it wrote.
        cell: Index of the cell that was running, `IDLE` for none.
    """

    answer: dict[str, Any] | None
    outcome: Outcome = "ok"
    reason: str = ""
    stderr: str = ""
    cell: int = IDLE


class Workshop:
    """A temporary folder and the worker processes that run in it.

    Leaving the context ends all workers and removes the folder.

    Raises:
        RunError: There is no place for temporary files.
    """

    def __init__(self) -> None:
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="bakeoff-", ignore_cleanup_errors=True)
        except OSError as error:
            raise RunError(
                f"no folder for temporary files: {error.strerror}; set TMPDIR to one that can be written to"
            ) from error
        self.folder = Path(self._folder.name)
        self._numbers = count()
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers and remove the folder."""
        with self._lock:
            self._closed = True
            for group in self._running:
                _end(group)
        self._folder.cleanup()

    def work(
        self,
        job: Mapping[str, Any],
        *,
        patience: float | None,
        environment: Mapping[str, str] | None = None,
        handles: Collection[int] = (),
        watch: Callable[[int], object] | None = None,
    ) -> Ended:
        """Run one job in a fresh process and wait for it.

        Args:
            job: What to do; must be JSON-able.
            patience: Seconds without a heartbeat after which the worker is ended; None for ever.
            environment: Further environment variables.
            handles: Files of ours that are open and that the worker may read, by number.
            watch: Called now and then with the cell that is running.

        Raises:
            UsageError: The worker found the user's request impossible.
            RunError: The worker cannot go on for a reason the user must know.
            NoRoom: The folder is full.
        """
        with needing_room(self.folder.parent):
            return self._work(job, patience, environment, handles, watch)

    def _work(
        self,
        job: Mapping[str, Any],
        patience: float | None,
        environment: Mapping[str, str] | None,
        handles: Collection[int],
        watch: Callable[[int], object] | None,
    ) -> Ended:
        folder = self.folder / f"job-{next(self._numbers)}"
        folder.mkdir()
        heartbeat = Heartbeat.create(folder / "heartbeat")
        reply = folder / "reply"
        (folder / "job").write_text(
            json.dumps({**job, "heartbeat": str(heartbeat.path), "reply": str(reply), "parent": os.getpid()})
        )
        errors = folder / "stderr"
        kept = {key: value for key, value in os.environ.items() if key not in SCRUBBED}
        with errors.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "bakeoff.bench.worker", str(folder / "job")],
                stdin=None if 0 in handles else subprocess.DEVNULL,
                pass_fds=[handle for handle in handles if handle > 2],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env=kept | dict(environment or {}),
                start_new_session=True,
            )
        with self._lock:
            if self._closed:
                _end(process.pid)
            self._running.add(process.pid)
        try:
            late = _wait(process.pid, heartbeat, patience, watch)
        finally:
            _end(process.pid)
            process.wait()
            with self._lock:
                self._running.discard(process.pid)
        cell, beats = heartbeat.read()
        heartbeat.close()
        said = errors.read_bytes()[-_TAIL:].decode(errors="replace").strip()
        answer = json.loads(reply.read_bytes()) if reply.exists() else None
        # What a codec has flooded is its own doing, and no want of room.
        errors.unlink()
        if answer is None and is_full(folder):
            raise NoRoom(self.folder.parent)
        _remove(folder)
        if answer is not None:
            _raise_failure(answer)
            return Ended(answer, cell=cell, stderr=said)
        outcome, reason = _why(process.returncode, late, patience, said)
        if job["kind"] == "check" and beats > 1:
            reason += f", at record {beats - 1} of the sample"
        return Ended(None, outcome, reason, said, cell)


def _wait(
    pid: int, heartbeat: Heartbeat, patience: float | None, watch: Callable[[int], object] | None
) -> bool:
    """Wait for the end of a process; return True when its heart stood still for too long."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        beats, since = heartbeat.read()[1], time.monotonic()
        while not poll.poll(_TICK * 1000):
            cell, now = heartbeat.read()
            if watch is not None:
                watch(cell)
            if now != beats:
                beats, since = now, time.monotonic()
            elif patience is not None and time.monotonic() - since > patience:
                return True
    finally:
        os.close(handle)
    return False


def _end(group: int) -> None:
    """End a worker and whatever it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def _raise_failure(answer: Mapping[str, Any]) -> None:
    if "failure" in answer:
        raise (UsageError if answer["exit_code"] == 2 else RunError)(answer["message"])


def _why(code: int, late: bool, patience: float | None, said: str) -> tuple[Outcome, str]:
    if late:
        return "timed out", f"did not come back within {patience:g} s (--cell-timeout)"
    if "MemoryError" in said or "bad_alloc" in said or "memory allocation of" in said:
        return "out of memory", "went over its memory limit (--cell-memory)"
    if code == -signal.SIGKILL:
        return "out of memory", "was killed by the kernel, most likely for its memory"
    if code < 0:
        named = {int(number): number.name for number in signal.Signals}
        return "crashed", f"died of {named.get(-code, f'signal {-code}')}"
    last = said.splitlines()[-1] if said else ""
    if code == 1 and last:
        return "error", last
    return "crashed", f"ended the process with exit code {code}"
