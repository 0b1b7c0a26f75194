"""Workers forked from a process that has imported the required modules; see `worker.warm`."""

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

_LINE = 64


@dataclass(frozen=True, slots=True)
class Fork:
    """A forked worker, with `pid` and `wait` as in `subprocess.Popen`."""

    pid: int
    connection: socket.socket

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return its exit status, below 0 for a signal. Call it only if the worker ends or has ended."""
        status = b""
        with self.connection, contextlib.suppress(ConnectionError):
            self.connection.sendall(b"\n")
            status = self.connection.recv(_LINE)
        # If the forking process is gone, the kernel has ended its forks as well.
        return os.waitstatus_to_exitcode(int(status)) if status else -signal.SIGKILL


class Warm:
    """The process that forks workers. It starts importing at once; jobs wait for it.

    Args:
        environment: Environment variables of the workers.
        python: The interpreter of the workers.
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
        """Start the worker of a job in our folder, with its standard error in a file next to the job's.

        Args:
            job: The file of the job.
            libraries: Modules to import first; all later forks have them.

        Raises:
            RunError: The forking process is gone.
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
        """End the process and all its forks."""
        self._asking.close()
        self._process.kill()
        self._process.wait()
