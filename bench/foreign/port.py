"""The port: asks a worker, a process that reads payloads in any language, over its standard input and output.

docs/reference/worker.md describes the messages.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, TypeVar

from ...errors import reason_of
from ..capabilities import here, process_clock
from ..frames import FrameConnection, FrameError
from ..orphans import dying_with
from ..pipes import Piped, is_ready, read_exactly, signal_group
from .canonical import CanonicalError, parse
from .schemas import ReaderSchema

PROTOCOL = 1
"""Version of the messages."""
HEAD = 1 << 20
"""Most bytes of a message's JSON."""
CONTENT = 64 << 20
"""Most bytes of a payload, or of a value's canonical text."""
PATIENCE = 20.0
"""Seconds for an answer, beyond the time that it measures."""
_WARM_UP = 50
_BYE = 2.0
"""Seconds in which a worker ends when it has been asked to."""
_TICK = 1.0
"""Seconds between two looks whether a worker has ended, while another process keeps its output open."""
_NAME = 100
"""Most characters of a name or version."""
_REASON = 1000
"""Most characters of an error."""
_LIBRARIES = 100
"""Most libraries of a worker."""
_SLOWEST = 1e15
"""Most nanoseconds of a slice."""

_T = TypeVar("_T")


class WorkerError(Exception):
    """A worker that died, did not answer in time, or sent something else than an answer."""


class WorkerLibrary(NamedTuple):
    """A library that a worker reads with.

    Attributes:
        format: The format that it reads.
        typed: It reads into types of the language, which are made of a JSON Schema.
        writer: Name under which it writes the format; empty if the worker does not write with it.
    """

    name: str
    version: str
    format: str
    typed: bool = False
    writer: str = ""


class Greeting(NamedTuple):
    """What a worker says of itself.

    Attributes:
        language: Name of its language.
        version: Version of the language.
        libraries: What it reads with.
    """

    language: str
    version: str
    libraries: tuple[WorkerLibrary, ...]

    @classmethod
    def of(cls, head: Mapping[str, Any]) -> Self:
        """Return it from the JSON of a message.

        Raises:
            KeyError, TypeError, AttributeError, ValueError: The message lacks it.
        """
        libraries = [
            WorkerLibrary(
                _name(each["name"]),
                _name(each["version"]),
                _name(each["format"]),
                typed=each.get("typed") is True,
                writer=_name(each.get("writer") or ""),
            )
            for each in head["libraries"]
        ]
        if not 0 < len(libraries) <= _LIBRARIES:
            raise ValueError("libraries")
        return cls(_name(head["language"]), _name(head["version"]), tuple(libraries))


@dataclass(frozen=True, slots=True)
class LibraryRefusal:
    """A payload, or a value, that the library refused.

    Attributes:
        reason: The library's error.
    """

    reason: str

    @classmethod
    def of(cls, head: Mapping[str, Any]) -> Self:
        """Return it from the JSON of a message."""
        return cls(str(head.get("message"))[:_REASON])


@dataclass(frozen=True, slots=True)
class TimedSlices:
    """What a worker measured.

    Attributes:
        slices: Nanoseconds per payload in each slice.
        warmup_ns: Nanoseconds before the first of these slices.
        taken: Share of the time of the answer in which another process had the processor, if this process
            and the worker share one core; 0 where the system does not tell.
    """

    slices: tuple[float, ...]
    warmup_ns: float
    taken: float = 0.0


class ForeignWorker(AbstractContextManager["ForeignWorker"]):
    """A running worker. After a `WorkerError` it is gone, and further questions raise the same error.

    Attributes:
        greeting: Its answer to `hello`.
        language: Its language.
        version: Version of the language.
        libraries: What it reads with.

    Args:
        command: The program and its arguments.
        folder: Its working directory.
        patience: Seconds for an answer.

    Raises:
        WorkerError: It does not start, or speaks another version.
    """

    def __init__(
        self, command: Sequence[str], folder: Path | None = None, patience: float = PATIENCE
    ) -> None:
        if not here().polling:
            raise WorkerError("this system cannot wait for pipes, which readers in other languages need")
        self._patience = patience
        self._failed = ""
        begin = dying_with(os.getpid()) if here().death_signal else None
        try:
            self._process, self._input, self._output, self._said = Piped.start(command, folder, begin)
        except OSError as error:
            raise WorkerError(f"it does not start: {reason_of(error)}") from error
        self._frames = FrameConnection(self._read, self._write)
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *error: object) -> None:
        self.close()

    def check(
        self, library: str, payload: bytes, schema: ReaderSchema | None = None
    ) -> list[Any] | LibraryRefusal:
        """Return the canonical form of what the library reads from the payload.

        Args:
            payload: What it reads.
            schema: The schema, if the format needs one.

        Raises:
            WorkerError: The worker failed.
        """
        head, content = self._ask("check", self._patience, payload, library=library, **_of(schema))
        if head["kind"] == "error":
            return LibraryRefusal.of(head)
        try:
            return parse(content)
        except CanonicalError as error:
            raise self._fail(str(error)) from error

    def dump(
        self, library: str, payload: bytes, schema: ReaderSchema | None = None
    ) -> bytes | LibraryRefusal:
        """Return the payload that the library writes of the value that it reads from another one.

        Args:
            payload: What it reads.
            schema: The schema, if the format needs one.

        Raises:
            WorkerError: The worker failed.
        """
        head, content = self._ask("dump", self._patience, payload, library=library, **_of(schema))
        return LibraryRefusal.of(head) if head["kind"] == "error" else content

    def time(
        self,
        library: str,
        payloads: Sequence[bytes],
        slices: int,
        slice_ns: int,
        seed: int,
        schema: ReaderSchema | None = None,
    ) -> TimedSlices | LibraryRefusal:
        """Return how long the library takes to read a payload, in each of so many slices.

        Args:
            payloads: What it reads, in an order that the seed determines.
            slices: Number of slices.
            slice_ns: Nanoseconds that a slice lasts at least.
            seed: Seed of the order.
            schema: The schema, if the format needs one.

        Raises:
            WorkerError: The worker failed.
        """
        begun, busy = time.monotonic_ns(), self._busy()
        head, _ = self._ask(
            "time",
            self._patience + (slices + _WARM_UP) * slice_ns / 1e9,
            b"".join(payloads),
            library=library,
            sizes=[len(payload) for payload in payloads],
            slices=slices,
            slice_ns=slice_ns,
            seed=seed,
            **_of(schema),
        )
        spent, worked = time.monotonic_ns() - begun, self._busy() - busy
        if head["kind"] == "error":
            return LibraryRefusal.of(head)
        figures, warmup = head.get("slices"), head.get("warmup_ns")
        if (
            not isinstance(figures, list)
            or len(figures) != slices
            or not all(map(_positive, [*figures, warmup]))
        ):
            raise self._fail(f"it did not send {slices} times")
        taken = max(0.0, 1 - worked / spent) if worked else 0.0
        return TimedSlices(tuple(map(float, figures)), float(head["warmup_ns"]), taken)

    def _busy(self) -> int:
        """Return nanoseconds of processor time of the worker and of this process; 0 if they are unknown.

        Threads of one worker switch each other, too. So the kernel's count of switches does not show whether
        another process had the processor; the processor time of all threads does.
        """
        if not here().process_clocks:
            return 0
        with suppress(OSError):  # it has ended
            return time.clock_gettime_ns(process_clock(self._process.pid)) + time.process_time_ns()
        return 0

    def close(self) -> None:
        """End the worker."""
        if self._process.poll() is None and not self._failed:
            self._until = time.monotonic() + _BYE
            with suppress(OSError, subprocess.TimeoutExpired):
                self._frames.send("bye")
                self._process.wait(_BYE)
        self._kill()
        self._input.close()
        self._output.close()

    def _kill(self) -> None:
        """End the process, and those that it has started."""
        signal_group(self._process, signal.SIGKILL)
        self._process.wait()

    def _read(self, size: int) -> bytes:
        def read(most: int) -> bytes:
            self._await(self._output, select.POLLIN)
            return os.read(self._output.fileno(), most)

        return read_exactly(read, size)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            self._await(self._input, select.POLLOUT)
            with suppress(BlockingIOError):
                rest = rest[os.write(self._input.fileno(), rest) :]

    def _await(self, file: IO[bytes], event: int) -> None:
        """Wait until a pipe can be used.

        Raises:
            TimeoutError: The time for an answer is over.
            EOFError: The process has ended.
        """
        while True:
            ended = self._process.poll() is not None
            left = self._until - time.monotonic()
            if is_ready(file, event, max(0.0, min(left, _TICK))):
                return
            if ended:
                raise EOFError
            if left <= 0:
                raise TimeoutError

    def _greet(self) -> None:
        head, _ = self._ask("hello", self._patience, protocol=PROTOCOL)
        self.greeting = head
        if head.get("protocol") != PROTOCOL:
            raise self._fail(f"it speaks version {head.get('protocol')!r} of the protocol, not {PROTOCOL}")
        try:
            self.language, self.version, self.libraries = Greeting.of(head)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise self._fail("it did not say its language and libraries") from error

    def library(self, name: str) -> WorkerLibrary:
        """Return one of its libraries.

        Raises:
            WorkerError: It has none of this name.
        """
        for each in self.libraries:
            if each.name == name:
                return each
        raise self._fail(f"it has no library {name!r:.100}")

    def _ask(
        self, kind: str, patience: float, content: bytes = b"", **fields: Any
    ) -> tuple[Mapping[str, Any], bytes]:
        if self._failed:
            raise WorkerError(self._failed)
        expected = {"hello": "hello", "check": "value", "dump": "payload", "time": "times"}[kind]
        self._until = time.monotonic() + patience
        try:
            self._frames.send(kind, content, **fields)
            head, answer = self._frames.receive(HEAD, CONTENT)
        except FrameError as error:
            raise self._fail(str(error)) from error
        except TimeoutError as error:
            raise self._fail(f"it did not answer within {patience:g} s") from error
        except (OSError, EOFError) as error:
            raise self._fail(self._end()) from error
        if head["kind"] not in (expected, "error") or (kind == "hello" and head["kind"] == "error"):
            raise self._fail(f"it answered {kind!r} with {head['kind']!r}"[:100])
        return head, answer

    def _fail(self, reason: str) -> WorkerError:
        self._failed = reason
        self._kill()
        return WorkerError(reason)

    def _end(self) -> str:
        """Return how the process ended, with the last error that it printed."""
        try:
            code = self._process.wait(_BYE)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        signal_group(self._process, signal.SIGKILL)  # others may keep its standard error open
        lines = self._said.lines()
        # Runtimes print a stack after their errors.
        told = [line.strip() for line in lines if "error: " in line.lower()] or list(map(str.strip, lines))
        last = next(filter(None, reversed(told)), "")
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        return f"it ended with {how}" + f": {last[:200]}" * bool(last)


class Restarted(AbstractContextManager["Restarted"]):
    """A worker of another language, started again for the next question after one has ended it.

    Leaving the context ends it.

    Args:
        begin: Starts it.
        most: Failures after which it is not started again.
    """

    def __init__(self, begin: Callable[[], ForeignWorker], most: float = math.inf) -> None:
        self._begin = begin
        self._left = most
        self._worker: ForeignWorker | None = None
        self._failure = WorkerError()

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(self, question: Callable[[ForeignWorker], _T]) -> _T:
        """Ask the worker; after a failure, the next question gets a fresh one.

        Raises:
            WorkerError: The worker failed, or has failed too often.
        """
        if self._left <= 0:
            raise self._failure
        try:
            if self._worker is None:
                self._worker = self._begin()
            return question(self._worker)
        except WorkerError as error:
            self._left -= 1
            self._failure = error
            self.close()
            raise

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def _of(schema: ReaderSchema | None) -> dict[str, Any]:
    return {} if schema is None else {"schema": schema.fields()}


def _name(value: Any) -> str:
    """Return a text that is a name.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(value, str) or len(value) > _NAME:
        raise ValueError("a name")
    return value


def _positive(figure: Any) -> bool:
    return type(figure) in (int, float) and 0 < figure < _SLOWEST
