"""Have workers forked by a process that has imported what they need; see `worker.warm`."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import RunError

__all__ = ["Fork", "Warm"]

_LINE = 64


@dataclass(frozen=True, slots=True)
class Fork:
    """A worker that was forked; it has `pid` and `wait` as `subprocess.Popen` has them."""

    pid: int
    connection: socket.socket

    def wait(self) -> int:
        """Return how it ended, as a number below 0 for a signal; whoever asks knows that it does or did."""
        status = b""
        with self.connection, contextlib.suppress(ConnectionError):
            self.connection.sendall(b"\n")
            status = self.connection.recv(_LINE)
        # Where the process that forks is gone, the kernel has ended its forks with it.
        return os.waitstatus_to_exitcode(int(status)) if status else -signal.SIGKILL


class Warm:
    """The process that forks; it begins to import at once, and jobs wait for it.

    Args:
        environment: Of the workers.
        python: Their interpreter.
    """

    def __init__(self, environment: Mapping[str, str], python: str = sys.executable) -> None:
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = theirs.fileno()
        with theirs:
            self._process = subprocess.Popen(
                [python, "-P", "-m", "bakeoff.bench.worker.warm", str(number), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[number],
                env=dict(environment),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The parent of all forks."""
        return self._process.pid

    def fork(self, job: Path, libraries: Sequence[str] = ()) -> Fork:
        """Start the worker of a job in our folder; beside the job's file is one for its standard error.

        Args:
            job: Its file.
            libraries: Modules to import before; all forks from now on have them.

        Raises:
            RunError: The process that forks is gone.
        """
        ours, theirs = socket.socketpair()
        said = b""
        with theirs, contextlib.suppress(ConnectionError):
            text = b"\0".join([os.fsencode(job), *(name.encode() for name in libraries)])
            here = os.open(".", os.O_PATH)
            try:
                socket.send_fds(self._asking, [text], [theirs.fileno(), here])
            finally:
                os.close(here)
            theirs.close()
            said = ours.recv(_LINE)
        if not said:
            ours.close()
            raise RunError("no more checks can be started: the system has ended the process that starts them")
        return Fork(int(said), ours)

    def close(self) -> None:
        """End it, and with it whatever it has forked."""
        self._asking.close()
        self._process.kill()
        self._process.wait()
