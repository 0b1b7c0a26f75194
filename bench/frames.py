"""Messages to the agent of another machine or to a worker: JSON with bytes, each preceded by its length.

A message is a line with two lengths in hexadecimal, a JSON object, bytes, and a line feed. What an agent
writes is ASCII and ends in a line feed, as `srun` may buffer lines.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any

PROTOCOL = 1
"""Version of the messages."""
MAGIC = b"\nbakeoff agent\n"
"""The first bytes of an agent; a login shell may print something before."""
SECONDS = 1.0
"""Seconds between two messages that say that an agent is alive."""

_PREFIX = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8})\n")
_PREFIX_SIZE = 18
_NOISE = 1 << 16
"""Most bytes before the first ones of an agent."""


class FrameError(Exception):
    """Bytes that are no message, or one beyond a limit."""


class FrameConnection:
    """Both directions of a connection.

    Args:
        read: Reads exactly that many bytes.
        write: Writes all bytes.
    """

    def __init__(self, read: Callable[[int], bytes], write: Callable[[bytes], object]) -> None:
        self._read = read
        self._write = write
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Read up to the first bytes of an agent.

        Raises:
            FrameError: They do not come.
        """
        seen = bytearray()
        while not seen.endswith(MAGIC):
            if len(seen) >= _NOISE:
                raise FrameError("it does not answer as an agent of bakeoff does")
            seen += self._read(1)

    def send(self, kind: str, content: bytes = b"", **fields: Any) -> None:
        """Write a message; any thread may."""
        head = json.dumps({"kind": kind, **fields}).encode()
        with self._lock:
            self._write(b"%08x %08x\n%b%b\n" % (len(head), len(content), head, content))

    def receive(self, head: int, content: int) -> tuple[Mapping[str, Any], bytes]:
        """Read a message.

        Args:
            head: Most bytes of its JSON.
            content: Most bytes of its content.

        Raises:
            FrameError: It is not a message, or longer.
        """
        found = _PREFIX.fullmatch(self._read(_PREFIX_SIZE))
        if found is None:
            raise FrameError("it sent something that is not a message")
        sizes = int(found[1], 16), int(found[2], 16)
        if sizes[0] > head or sizes[1] > content:
            raise FrameError(f"it announced a message of {sum(sizes):,} bytes, more than is allowed")
        text, rest = self._read(sizes[0]), self._read(sizes[1] + 1)
        try:
            plain = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            raise FrameError(f"it sent a message that is not JSON: {error}") from error
        if not isinstance(plain, dict) or not isinstance(plain.get("kind"), str) or rest[-1:] != b"\n":
            raise FrameError("it sent a message without a kind")
        return plain, rest[:-1]


def frames_of(source: IO[bytes], target: IO[bytes]) -> FrameConnection:
    """Return the connection that two files make; reading raises `EOFError` at the end of the first."""

    def read(size: int) -> bytes:
        found = source.read(size)
        if len(found) < size:
            raise EOFError
        return found

    def write(content: bytes) -> None:
        target.write(content)
        target.flush()

    return FrameConnection(read, write)


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a figure")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)
