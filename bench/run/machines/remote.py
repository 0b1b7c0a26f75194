"""The executor of another machine: it sends jobs to an agent there (`agent`) and checks its answers."""

from __future__ import annotations

import base64
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.metadata import version
from itertools import count
from typing import Any

from ....codecs.registry import given
from ....errors import RunError
from ....escape import visible
from ...blobs import Blobs
from ...frames import PROTOCOL, FrameError, Frames
from ...heartbeat import IDLE
from ...jobs import Ended, Job, encode
from ...results import Fact
from ..environment import abreast
from .addresses import Machine
from .answers import cores_of, ended_of, facts_of, text

_LARGEST = 16 << 20
"""Most bytes of a message from an agent."""
_SILENCE = 60.0
"""Seconds without a message after which a machine has stalled; an agent sends one every second."""
_TICK = 0.1
_MISSING = re.compile("No module named|not found|No such file")
"""What shells and Python say if there is no Python, or no bakeoff in it."""


class _Call:
    """A job on its way.

    Attributes:
        cell: The running cell.
        message: The message that ended it.
        done: It has ended, or never will.
    """

    def __init__(self) -> None:
        self.cell = IDLE
        self.message: Mapping[str, Any] | None = None
        self.done = threading.Event()


class RemoteExecutor(AbstractContextManager["RemoteExecutor"]):
    """The executor of another machine; see `jobs.Executor`.

    Leaving the context ends the agent and its workers. An answer that breaks a rule, an end of the connection
    and a silence of a minute end it as well: all futures then raise `RunError`.

    Args:
        blobs: Inputs of jobs, on this machine; dictionaries of the other one are added.
        waiting: Called regularly, until the machine may be used, with the reason; may raise to give up.

    Raises:
        RunError: The agent cannot be started, or is of another version.
    """

    def __init__(self, machine: Machine, blobs: Blobs, waiting: Callable[[str], object]) -> None:
        assert machine.connect is not None
        self.blobs = blobs
        self.facts: Mapping[str, Fact] = {}
        self.cores: Sequence[int] = ()
        self._name = machine.name
        self._broken: RunError | None = None
        self._calls: dict[int, _Call] = {}
        self._numbers = count()
        self._sent: set[str] = set()
        self._sending = threading.Lock()
        self._ready = threading.Event()
        self._closed = threading.Event()
        self._install = f"install bakeoff there: {machine.install}"
        self._state = f"connecting to {machine.name}"
        self._link = machine.connect()
        self._frames = Frames(self._link.read, self._link.write)
        self._patience, self._greeted = self._link.patience, False
        self._heard = time.monotonic()
        for target in (self._read, self._watch):
            threading.Thread(target=target, daemon=True).start()
        try:
            while not self._ready.wait(_TICK):
                waiting(self._state)
            if self._broken is not None:
                raise self._broken
        except BaseException:
            self._end()
            raise
        self._pool = ThreadPoolExecutor(abreast(self.cores), thread_name_prefix="bakeoff")

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the agent and its workers."""
        self._break("the run has ended")
        self._end()
        self._pool.shutdown(cancel_futures=True)

    def _end(self) -> None:
        self._closed.set()
        self._link.close()

    def missing(self, codec: str) -> None:
        """Return nothing: workers there report it."""

    def submit(
        self,
        job: Job,
        inputs: Mapping[str, bytes] | None = None,
        *,
        patience: float | None = None,
        over: Callable[[], bool] | None = None,
        watch: Callable[[int], object] | None = None,
    ) -> Future[Ended]:
        """Run a job on the machine; see `jobs.Executor`.

        Raises (from the future):
            RunError: The machine is lost, or the worker cannot continue.
        """
        if inputs is not None and inputs is not self.blobs:
            for digest in job.digests():
                self.blobs.put(inputs[digest])
        return self._pool.submit(self._work, job, patience, over, watch)

    def _work(
        self,
        job: Job,
        patience: float | None,
        over: Callable[[], bool] | None,
        watch: Callable[[int], object] | None,
    ) -> Ended:
        if over is not None and over():
            return Ended(None, "unfinished", "out of time before it began")
        number, call = next(self._numbers), _Call()
        self._calls[number] = call
        self._send(number, job, patience)
        ended = 0.0
        while self._broken is None and not call.done.wait(_TICK):
            if watch is not None:
                watch(call.cell)
            if over is not None and not ended and over():
                ended = time.monotonic()
                self._frames.send("end", number=number)
            if ended and time.monotonic() > ended + _SILENCE:
                self._break("a job did not end")
        if call.message is None:
            raise self._broken or RunError(f"{self._name}: no answer")
        return self._answer(job, call.message)

    def _send(self, number: int, job: Job, patience: float | None) -> None:
        """Send a job and the inputs that its machine does not have; entries of `sys.path` are ours."""
        with self._sending:
            for digest in sorted(job.digests() - self._sent):
                if (content := self.blobs.get(digest)) is not None:
                    self._frames.send("blob", content)
                self._sent.add(digest)
        text = encode(replace(job, path=(), given=given())).decode()
        self._frames.send("job", number=number, job=text, patience=patience)

    def _answer(self, job: Job, message: Mapping[str, Any]) -> Ended:
        try:
            if "refused" in message:
                raise RunError(f"{self._name}: {visible(text(message['refused']))}")
            ended = ended_of(message, job)
            if ended.answer is not None and (digest := getattr(ended.answer, "dictionary", "")):
                content = base64.b64decode(str(message.get("dictionary")), validate=True)
                if self.blobs.put(content) != digest:
                    raise ValueError("a dictionary is not the one that its digest names")
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            self._break(f"it gave an answer that cannot be trusted: {visible(text(str(error)))}")
            assert self._broken is not None
            raise self._broken from error
        return ended

    def _break(self, reason: str) -> None:
        """Give the machine up: all jobs end, in all threads."""
        if self._broken is None:
            self._broken = RunError(f"{self._name}: {reason}")
        for call in list(self._calls.values()):
            call.done.set()
        self._ready.set()

    def _watch(self) -> None:
        """Give the machine up if it is silent."""
        while not self._closed.wait(1.0):
            if time.monotonic() > self._heard + self._patience:
                self._break(f"no answer for {self._patience:g} s")
                self._link.close()
                return

    def _read(self) -> None:
        """Take messages until the connection ends."""
        try:
            self._frames.begin()
            self._greet(self._frames.receive(_LARGEST, 0)[0])
            while self._broken is None:
                message, _ = self._frames.receive(_LARGEST, 0)
                self._heard = time.monotonic()
                self._take(message)
        except RunError as error:
            hint = f"; {self._install}" if _MISSING.search(str(error)) and not self._greeted else ""
            self._broken = self._broken or RunError(f"{error}{hint}")
            self._break("")
        except (FrameError, ValueError, TypeError, LookupError, AttributeError) as error:
            self._break(visible(text(str(error))))
            self._link.close()

    def _greet(self, message: Mapping[str, Any]) -> None:
        """Take the first message.

        Raises:
            FrameError: The agent is of another version.
        """
        ours = {"kind": "hello", "protocol": PROTOCOL, "version": version("bakeoff")}
        if message != ours:
            theirs = text(str(message.get("version")))
            raise FrameError(f"bakeoff is {theirs} there and {ours['version']} here; {self._install}")
        self._patience, self._greeted = _SILENCE, True

    def _take(self, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        if kind == "waiting":
            self._state = f"waiting: another run measures on {self._name}"
        elif kind == "ready" and not self._ready.is_set():
            self.facts = facts_of(message["facts"])
            self.cores = cores_of(message["cores"])
            self._ready.set()
        elif kind == "alive":
            for number, cell in message["cells"].items():
                if (call := self._calls.get(int(number))) is not None:
                    call.cell = int(cell)
        elif kind == "ended":
            call = self._calls.pop(message["number"])
            call.message = message
            call.done.set()
        else:
            raise FrameError(f"it sent an unexpected message: {kind!r:.40}")
