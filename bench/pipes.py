"""Pipes to processes that may be slow, endless, or hand their pipes to others."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from .capabilities import here

END = 3.0
"""Seconds in which a process ends after its input, and its standard error after the process."""
_KEPT = 1 << 16
"""Bytes of standard error that are kept."""
_PART = 1 << 20
"""Most bytes of a read."""


class Said:
    """The end of what a process writes to standard error, however much it writes.

    Args:
        file: Its standard error.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._tail = b""
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        with self._file:
            while part := os.read(self._file.fileno(), _KEPT):
                self._tail = (self._tail + part)[-_KEPT:]

    def lines(self) -> list[str]:
        """Return its lines; waits shortly for the end of the file."""
        self._listening.join(END)
        return self._tail.decode(errors="replace").split("\n")


class Piped(NamedTuple):
    """A process that leads a group, with pipes to it.

    Attributes:
        input: Its standard input, which never blocks.
        output: Its standard output.
        said: The end of its standard error.
    """

    process: subprocess.Popen[bytes]
    input: IO[bytes]
    output: IO[bytes]
    said: Said

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        folder: Path | None = None,
        begin: Callable[[], object] | None = None,
    ) -> Piped:
        """Start a process.

        Args:
            command: The program and its arguments.
            folder: Its working directory.
            begin: Called in the process before the program.

        Raises:
            OSError: It does not start.
        """
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            start_new_session=True,  # a group, with the processes that it starts; Ctrl-C is for us
            preexec_fn=begin,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        os.set_blocking(process.stdin.fileno(), False)
        return cls(process, process.stdin, process.stdout, Said(process.stderr))


def read_exactly(read: Callable[[int], bytes], size: int) -> bytes:
    """Return so many bytes.

    Args:
        read: Returns at least one byte, at most as many as asked; none at the end.
        size: Number of bytes.

    Raises:
        EOFError: There are fewer.
    """
    found = bytearray()
    while len(found) < size:
        if not (part := read(min(size - len(found), _PART))):
            raise EOFError
        found += part
    return bytes(found)


def is_ready(file: IO[bytes], event: int, seconds: float) -> bool:
    """Wait until reading (`select.POLLIN`) or writing (`select.POLLOUT`) does not block; return whether."""
    poll = select.poll()
    poll.register(file.fileno(), event)
    return bool(poll.poll(seconds * 1000))


def signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to a process that leads a group, and to all others in it; without groups, to it alone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if here().process_groups:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
