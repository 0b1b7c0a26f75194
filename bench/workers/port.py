"""The port: asks a worker, a process that reads payloads in any language, over its standard input and output.

docs/reference/worker.md describes the messages.
"""

from __future__ import annotations

import math
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..frames import FrameError, frames_of
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


class WorkerError(Exception):
    """A worker that died, did not answer in time, or sent something else than an answer."""


class Library(NamedTuple):
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
    libraries: tuple[Library, ...]

    @classmethod
    def of(cls, head: Mapping[str, Any]) -> Self:
        """Return it from the JSON of a message.

        Raises:
            KeyError: The message lacks it.
            TypeError: The same.
        """
        libraries = [
            Library(
                str(each["name"]),
                str(each["version"]),
                str(each["format"]),
                typed=each.get("typed") is True,
                writer=str(each.get("writer") or ""),
            )
            for each in head["libraries"]
        ]
        return cls(str(head["language"]), str(head["version"]), tuple(libraries))


@dataclass(frozen=True, slots=True)
class Refused:
    """A payload, or a value, that the library refused.

    Attributes:
        reason: The library's error.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Timed:
    """What a worker measured.

    Attributes:
        slices: Nanoseconds per payload in each slice.
        warmup_ns: Nanoseconds before the first of these slices.
    """

    slices: tuple[float, ...]
    warmup_ns: float


class Worker(AbstractContextManager["Worker"]):
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
        self._patience = patience
        self._failed = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=folder
            )
        except OSError as error:
            self._errors.close()
            raise WorkerError(f"it does not start: {error}") from error
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        self._frames = frames_of(self._process.stdout, self._process.stdin)
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *error: object) -> None:
        self.close()

    def check(self, library: str, payload: bytes, schema: ReaderSchema | None = None) -> list[Any] | Refused:
        """Return the canonical form of what the library reads from the payload.

        Args:
            payload: What it reads.
            schema: The schema, if the format needs one.

        Raises:
            WorkerError: The worker failed.
        """
        head, content = self._ask("check", self._patience, payload, library=library, **_of(schema))
        if head["kind"] == "error":
            return Refused(str(head.get("message"))[:1000])
        try:
            return parse(content)
        except CanonicalError as error:
            raise self._fail(str(error)) from error

    def dump(self, library: str, payload: bytes, schema: ReaderSchema | None = None) -> bytes | Refused:
        """Return the payload that the library writes of the value that it reads from another one.

        Args:
            payload: What it reads.
            schema: The schema, if the format needs one.

        Raises:
            WorkerError: The worker failed.
        """
        head, content = self._ask("dump", self._patience, payload, library=library, **_of(schema))
        return Refused(str(head.get("message"))[:1000]) if head["kind"] == "error" else content

    def time(
        self,
        library: str,
        payloads: Sequence[bytes],
        slices: int,
        slice_ns: int,
        seed: int,
        schema: ReaderSchema | None = None,
    ) -> Timed | Refused:
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
        if head["kind"] == "error":
            return Refused(str(head.get("message"))[:1000])
        figures, warmup = head.get("slices"), head.get("warmup_ns")
        if (
            not isinstance(figures, list)
            or len(figures) != slices
            or not all(map(_positive, [*figures, warmup]))
        ):
            raise self._fail(f"it did not send {slices} times")
        return Timed(tuple(map(float, figures)), float(head["warmup_ns"]))

    def close(self) -> None:
        """End the worker."""
        if self._process.poll() is None and not self._failed:
            try:
                self._frames.send("bye")
                self._process.wait(2)
            except (OSError, subprocess.TimeoutExpired):
                pass
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                assert pipe is not None
                pipe.close()
            except OSError:
                pass  # bytes that a dead process did not take
        self._errors.close()

    def _greet(self) -> None:
        head, _ = self._ask("hello", self._patience, protocol=PROTOCOL)
        self.greeting = head
        if head.get("protocol") != PROTOCOL:
            raise self._fail(f"it speaks version {head.get('protocol')!r} of the protocol, not {PROTOCOL}")
        try:
            self.language, self.version, self.libraries = Greeting.of(head)
        except (KeyError, TypeError) as error:
            raise self._fail("it did not say its language and libraries") from error

    def _ask(
        self, kind: str, patience: float, content: bytes = b"", **fields: Any
    ) -> tuple[Mapping[str, Any], bytes]:
        if self._failed:
            raise WorkerError(self._failed)
        expected = {"hello": "hello", "check": "value", "dump": "payload", "time": "times"}[kind]
        late = threading.Event()
        timer = threading.Timer(patience, self._late, [late])
        timer.start()
        try:
            self._frames.send(kind, content, **fields)
            head, answer = self._frames.receive(HEAD, CONTENT)
        except FrameError as error:
            raise self._fail(str(error)) from error
        except (OSError, EOFError) as error:
            raise self._fail(
                f"it did not answer within {patience:g} s" if late.is_set() else self._end()
            ) from error
        finally:
            timer.cancel()
        if head["kind"] not in (expected, "error") or (kind == "hello" and head["kind"] == "error"):
            raise self._fail(f"it answered {kind!r} with {head['kind']!r}"[:100])
        return head, answer

    def _late(self, late: threading.Event) -> None:
        late.set()
        self._process.kill()

    def _fail(self, reason: str) -> WorkerError:
        self._failed = reason
        self._process.kill()
        return WorkerError(reason)

    def _end(self) -> str:
        """Return how the process ended, with the last error that it printed."""
        try:
            code = self._process.wait(2)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._errors.seek(0)
        lines = self._errors.read(1 << 16).decode(errors="replace").split("\n")
        # Runtimes print a stack after their errors.
        told = [line.strip() for line in lines if "error: " in line.lower()] or list(map(str.strip, lines))
        last = next(filter(None, reversed(told)), "")
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        return f"it ended with {how}" + f": {last[:200]}" * bool(last)


def _of(schema: ReaderSchema | None) -> dict[str, Any]:
    return {} if schema is None else {"schema": schema.fields()}


def _positive(figure: Any) -> bool:
    return isinstance(figure, int | float) and math.isfinite(figure) and figure > 0
