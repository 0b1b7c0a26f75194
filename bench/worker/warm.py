"""A process that has imported the modules that checks need, and forks workers.

A check is short, and most of it would be the start of Python; the same is true of what measures memory.
Timing processes must differ in memory layout, which is one of the sources of variation, and forks of one
process all share one. So only those that are compared with each other are forked, each time from a new
process.

``python -m bakeoff.bench.worker.warm SOCKET PARENT`` receives paths of jobs over the socket of that number,
each with a connection, the working folder, and the libraries that its records need. The fork sends its
process id there. The parent of the fork reaps it after a reply, and then sends its exit status over the
connection: until then the id is not reused.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import socket
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from ..code import read_packages
from ..orphans import die_with
from . import check  # noqa: F401 - for the forks
from .__main__ import main

_LONGEST = 1 << 16
"""Bytes of a path."""


def serve(asking: socket.socket) -> tuple[Path, socket.socket]:
    """Fork for each requested job. In the fork, change to its folder, and return its job and connection."""
    forks: dict[socket.socket, int] = {}
    with selectors.DefaultSelector() as ready:
        ready.register(asking, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is asking:
                    text, (number, folder), *_ = socket.recv_fds(asking, _LONGEST, 2)
                    path, *libraries = text.split(b"\0")
                    made = socket.socket(fileno=number)
                    _import(libraries)
                    if not (fork := os.fork()):
                        for other in (asking, *forks):
                            other.close()
                        os.fchdir(folder)
                        os.close(folder)
                        return Path(os.fsdecode(path)), made
                    os.close(folder)
                    forks[made] = fork
                    ready.register(made, selectors.EVENT_READ)
                    continue
                (connection,) = (one for one in forks if one is key.fileobj)
                connection.recv(1)
                _, status = os.waitpid(forks.pop(connection), 0)
                connection.sendall(b"%d" % status)
                ready.unregister(connection)
                connection.close()


def _import(libraries: list[bytes]) -> None:
    """Import the modules that records of all checks need. If that fails, each fork reports its own error."""
    for name in (each.decode() for each in libraries):
        if name not in sys.modules:
            with contextlib.suppress(Exception):
                import_module(name)
            gc.collect()
            gc.freeze()


def _begin(job: Path, connection: socket.socket) -> None:
    """Become the worker of a job, like one that was started for it."""
    os.setsid()
    errors = os.open(job.parent / "stderr", os.O_WRONLY | os.O_APPEND)
    os.dup2(errors, 2)
    os.close(errors)
    os.environ["TMPDIR"] = str(job.parent)
    tempfile.tempdir = None
    connection.sendall(b"%d" % os.getpid())
    connection.close()
    main(job, forked=True)


if __name__ == "__main__":
    die_with(int(sys.argv[2]))
    read_packages()
    # Freeze existing objects: forks that touch them would copy them.
    gc.collect()
    gc.freeze()
    _begin(*serve(socket.socket(fileno=int(sys.argv[1]))))
