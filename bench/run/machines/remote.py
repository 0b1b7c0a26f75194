"""The executor of another machine: it sends jobs to an agent there (`agent`) and checks its answers."""

from __future__ import annotations

import base64
import math
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from itertools import count
from typing import Any

from ....codecs.registry import given
from ....errors import RunError
from ....escape import visible
from ...blobs import Blobs
from ...frames import PROTOCOL, FrameConnection, FrameError
from ...heartbeat import IDLE
from ...jobs import Ended, Job, encode
from ...results import Fact
from ..environment import abreast
from .addresses import Machine
from .answers import beat_of, cores_of, ended_of, facts_of, text

_LARGEST = 16 << 20
"""Most bytes of a message from an agent."""
_SILENCE = 60.0
"""Seconds after which a machine has stalled: without a message, as an agent sends one every second; without
taking any of what is sent to it; and for what it has to end."""
_TICK = 0.1
_MISSING = re.compile("No module named|not found|No such file")
"""What shells and Python say if there is no Python, or no bakeoff in it."""


@dataclass(slots=True)
class _Call:
    """A job on its way.

    Attributes:
        patience: Seconds without a heartbeat after which the agent has to end it.
        over: Whether its time is over.
        beat: The running cell, and the number of heartbeats.
        moved: When it was sent, or made progress; infinity before.
        late: When its time was over; infinity before.
        message: The message that ended it.
        done: It has ended, or never will.
    """

    patience: float | None
    over: Callable[[], bool] | None
    beat: tuple[int, int] = IDLE, 0
    moved: float = math.inf
    late: float = math.inf
    message: Mapping[str, Any] | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def look(self, silence: float) -> str:
        """Look whether its time is over; return what the agent should have done, if that is too long ago."""
        now = time.monotonic()
        if self.late == math.inf and self.over is not None and self.over():
            self.late = now
        if now > self.late + silence:
            return "a job did not end"
        if self.patience is not None and now > self.moved + self.patience + silence:
            return f"a job made no progress for {self.patience + silence:g} s, and did not end"
        return ""


class RemoteExecutor(AbstractContextManager["RemoteExecutor"]):
    """The executor of another machine; see `jobs.Executor`.

    Leaving the context ends the agent and its workers. An answer that breaks a rule, an end of the connection
    and a minute without progress end it as well: all futures then raise `RunError`.

    Args:
        blobs: Inputs of jobs, on this machine; dictionaries of the other one are added.
        waiting: Called regularly, until the machine may be used, with the reason; may raise to give up.
        silence: Seconds without progress that are allowed.

    Raises:
        RunError: The agent cannot be started, or is of another version.
    """

    def __init__(
        self,
        machine: Machine,
        blobs: Blobs,
        waiting: Callable[[str], object],
        silence: float = _SILENCE,
    ) -> None:
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
        self._frames = FrameConnection(self._link.read, partial(self._link.write, within=silence))
        self._silence = silence
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
        watch: Callable[[int, int], object] | None = None,
    ) -> Future[Ended]:
        """Run a job on the machine; see `jobs.Executor`.

        Raises (from the future):
            RunError: The machine is lost, or the worker cannot continue.
        """
        self.blobs.take(job.digests(), inputs)
        return self._pool.submit(self._work, job, patience, over, watch)

    def _work(
        self,
        job: Job,
        patience: float | None,
        over: Callable[[], bool] | None,
        watch: Callable[[int, int], object] | None,
    ) -> Ended:
        if over is not None and over():
            return Ended(None, "unfinished", "out of time before it began")
        number, call = next(self._numbers), _Call(patience, over)
        self._calls[number] = call
        try:
            self._send(number, job, patience)
            call.moved, told = time.monotonic(), False
            while self._broken is None and not call.done.wait(_TICK):
                if watch is not None:
                    watch(*call.beat)
                if call.late < math.inf and not told:
                    told = True
                    self._frames.send("end", number=number)
        except RunError as error:
            self._lose(error)
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
        text = encode(replace(job, path=(), imported_codecs=given())).decode()
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
        self._lose(RunError(f"{self._name}: {reason}"))

    def _lose(self, error: RunError) -> None:
        """Give the machine up: all jobs end, in all threads."""
        self._broken = self._broken or error
        for call in list(self._calls.values()):
            call.done.set()
        self._ready.set()

    def _watch(self) -> None:
        """Give the machine up if it is silent, or does not end a job that it has to end."""
        while not self._closed.wait(_TICK):
            reasons = [call.look(self._silence) for call in list(self._calls.values())]
            if time.monotonic() > self._heard + self._patience:
                reasons.append(f"no answer for {self._patience:g} s")
            if reason := next(filter(None, reasons), ""):
                self._break(reason)
                self._link.close()
                return

    def _read(self) -> None:
        """Take messages until the connection ends."""
        try:
            self._frames.begin()
            self._greet(self._frames.receive(_LARGEST, 0)[0])
            while self._broken is None:
                message, _ = self._frames.receive(_LARGEST, 0)
                self._take(message)
                self._heard = time.monotonic()
        except RunError as error:
            hint = f"; {self._install}" if _MISSING.search(str(error)) and not self._greeted else ""
            self._lose(RunError(f"{error}{hint}"))
            self._link.close()
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
        self._patience, self._greeted = self._silence, True
        self._heard = time.monotonic()

    def _take(self, message: Mapping[str, Any]) -> None:
        kind, ready = message["kind"], self._ready.is_set()
        if kind == "waiting" and not ready:
            self._state = f"waiting: another run measures on {self._name}"
        elif kind == "ready" and not ready:
            self.facts = facts_of(message["facts"])
            self.cores = cores_of(message["cores"])
            self._ready.set()
        elif kind == "alive" and ready:
            for number, beat in message["cells"].items():
                cell, beats = beat_of(beat)
                if (call := self._calls.get(int(number))) is not None and beats > call.beat[1]:
                    call.beat, call.moved = (cell, beats), time.monotonic()
        elif kind == "ended" and ready:
            number = message["number"]
            if type(number) is not int or number not in self._calls:
                raise FrameError(f"it ended a job that was not sent: {number!r:.40}")
            call = self._calls.pop(number)
            call.message = message
            call.done.set()
        else:
            raise FrameError(f"it sent an unexpected message: {kind!r:.40}")
