"""Connections to agents: the standard input and output of a process."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import IO, Protocol

from ....errors import RunError
from ....escape import visible
from ...capabilities import here
from ...pipes import END, Piped, Said, is_ready, read_exactly, signal_group

_START = 120.0
"""Seconds for a connection and the start of Python."""
_STEP = 1 << 16
"""Bytes that are progress of a write, as a machine may take one at a time."""
_TICK = 0.1
"""Seconds between two looks whether a connection has been closed."""
_SAID = 20
"""Most lines of standard error that are shown."""
_LINE = 1000
"""Most characters of one."""


class Link(Protocol):
    """A connection to an agent.

    Attributes:
        patience: Seconds that the agent may take to start; infinity if it may wait in a queue.
    """

    @property
    def patience(self) -> float: ...
    def read(self, size: int) -> bytes:
        """Read exactly that many bytes.

        Raises:
            RunError: The connection has ended; says why.
        """
        ...

    def write(self, content: bytes, within: float) -> None:
        """Write all bytes.

        Args:
            content: The bytes.
            within: Seconds in which the other side must take some of them.

        Raises:
            RunError: The connection has ended, or the other side takes nothing; says why.
        """
        ...

    def close(self) -> None:
        """End the connection and with it the agent; callers in `read` and `write` get an error."""
        ...


class CommandLink:
    """The standard input and output of a process.

    Args:
        command: The program and its arguments.
        name: Name of the machine.
        patience: See `Link`.

    Raises:
        RunError: The program is not installed.
    """

    def __init__(self, command: Sequence[str], name: str, patience: float = _START) -> None:
        if not here().polling:
            raise RunError(f"{name}: this system cannot wait for pipes, which other machines need")
        self.patience = patience
        self._name = name
        self._reading, self._writing, self._closed = threading.Lock(), threading.Lock(), False
        try:
            self._process, self._input, self._output, self._said = Piped.start(command)
        except OSError as error:
            raise RunError(f"{name}: cannot start {command[0]}: {error.strerror}") from error

    def read(self, size: int) -> bytes:
        """Read exactly that many bytes; see `Link`."""
        try:
            return read_exactly(self._read, size)
        except EOFError:
            raise RunError(self._why()) from None

    def _read(self, size: int) -> bytes:
        """Return the next bytes; none at the end."""
        while not self._closed:
            # A process that it has started may keep its output open, as a connection that ssh shares does.
            ended = self._process.poll() is not None
            with self._reading:
                if not self._closed and is_ready(self._output, select.POLLIN, _TICK):
                    return os.read(self._output.fileno(), size)
            if ended:
                break
        return b""

    def write(self, content: bytes, within: float) -> None:
        """Write all bytes; see `Link`."""
        for begin in range(0, len(content), _STEP):
            rest = memoryview(content)[begin : begin + _STEP]
            end = time.monotonic() + within
            while rest:
                ended = self._process.poll() is not None
                taken = self._write(rest)
                if not taken and ended:
                    raise RunError(self._why())
                rest = rest[taken:]
                if rest and time.monotonic() > end:
                    raise RunError(f"{self._name}: took no data for {within:g} s")

    def _write(self, content: memoryview) -> int:
        """Write what the process takes within a tick; return the number of bytes."""
        with self._writing, contextlib.suppress(BrokenPipeError):
            if not self._closed:
                try:
                    ready = is_ready(self._input, select.POLLOUT, _TICK)
                    return os.write(self._input.fileno(), content) if ready else 0
                except BlockingIOError:
                    return 0
        raise RunError(self._why())

    def _why(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END)
        said, code = _shown(self._said), self._process.poll()
        ended = "the connection ended" if code is None else f"the connection ended with exit code {code}"
        return f"{self._name}: {ended}{said and f': {said}'}"

    def close(self) -> None:
        """End the process, and those that it has started; see `Link`."""
        self._closed = True
        with self._writing:
            self._input.close()
        _end_group(self._process)
        with self._reading:
            self._output.close()


def run(command: Sequence[str], source: IO[bytes], within: float) -> tuple[int | None, str]:
    """Run a program to its end, or end it and those that it has started.

    Args:
        command: The program and its arguments.
        source: Its standard input.
        within: Seconds that it may take.

    Returns:
        Its exit code, None if it took longer; and the last lines of its standard error.
    """
    process = subprocess.Popen(
        command,
        stdin=source,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for us
    )
    assert process.stderr is not None
    said = Said(process.stderr)
    code = None
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(within)
    finally:
        signal_group(process, signal.SIGKILL)
        process.wait()
    return code, _shown(said)


def _shown(said: Said) -> str:
    return " ".join(visible(line[:_LINE]) for line in said.lines()[-_SAID:]).strip()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads a group, and all others in the group.

    It has some seconds to end by itself, as after the end of its input, and again after SIGTERM.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END)
        signal_group(process, number)
    process.wait()
