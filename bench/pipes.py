"""Pipes to processes that may be slow, endless, or hand their pipes to others."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
from typing import IO

from .capabilities import here

END = 3.0
"""Seconds in which a process ends after its input, and its standard error after the process."""
_KEPT = 1 << 16
"""Bytes of standard error that are kept."""


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
