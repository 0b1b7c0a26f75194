"""Connections to agents: the standard input and output of a process."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from ....errors import RunError
from ....escape import visible

_START = 120.0
"""Seconds for a connection and the start of Python."""
_END = 3.0
"""Seconds in which a process ends after its input has ended."""
_PART = 1 << 20
"""Most bytes of a read."""
_SAID = 20
"""Lines of standard error to keep."""


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

    def write(self, content: bytes) -> None:
        """Write all bytes.

        Raises:
            RunError: The connection has ended; says why.
        """
        ...

    def close(self) -> None:
        """End the connection and with it the agent; callers in `read` and `write` get an error."""
        ...


class CommandLink:
    """The standard input and output of a process.

    Args:
        name: Name of the machine.
        patience: See `Link`.

    Raises:
        RunError: The program is not installed.
    """

    def __init__(self, command: Sequence[str], name: str, patience: float = _START) -> None:
        self.patience = patience
        self._name = name
        self._reading = threading.Lock()
        self._said: deque[bytes] = deque(maxlen=_SAID)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            raise RunError(f"{name}: cannot start {command[0]}: {error.strerror}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stderr:
            while line := stderr.readline(1000):
                self._said.append(line)

    def read(self, size: int) -> bytes:
        """Read exactly that many bytes; see `Link`."""
        found = bytearray()
        while len(found) < size:
            with self._reading:
                closed = self._output.closed
                part = b"" if closed else os.read(self._output.fileno(), min(size - len(found), _PART))
            if not part:
                raise RunError(self._why())
            found += part
        return bytes(found)

    def write(self, content: bytes) -> None:
        """Write all bytes; see `Link`."""
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[os.write(self._input.fileno(), rest) :]
        except (OSError, ValueError) as error:
            raise RunError(self._why()) from error

    def _why(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)
        self._listening.join(_END)
        code = self._process.poll()
        said = " ".join(visible(line.decode(errors="replace")) for line in self._said).strip()
        ended = "the connection ended" if code is None else f"the connection ended with exit code {code}"
        return f"{self._name}: {ended}{said and f': {said}'}"

    def close(self) -> None:
        """End the process; see `Link`."""
        with contextlib.suppress(OSError):
            self._input.close()
        for end in (self._process.terminate, self._process.kill):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END)
            end()
        self._process.wait()
        # Another process may keep its output open, as a connection that ssh shares does.
        if self._reading.acquire(timeout=_END):
            self._output.close()
            self._reading.release()
