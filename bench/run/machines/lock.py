"""One measuring agent per machine: a lock on the folder for temporary files, which all users share.

An agent has it alone. Plain local runs share it: they may run at the same time, and an agent waits for them.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator

from ....errors import RunError
from ...capabilities import here

_TICK = 0.1
"""Seconds between two attempts."""


@contextlib.contextmanager
def measuring(waiting: Callable[[], object], *, alone: bool) -> Iterator[None]:
    """Hold the lock of this machine.

    Args:
        waiting: Called regularly while another run holds it; may raise to give up.
        alone: No other run measures at the same time. A shared lock is left out where there can be none, as
            on some network file systems.

    Raises:
        RunError: There can be no lock.
    """
    if not here().file_locks:
        yield
        return
    import fcntl

    folder, kind = tempfile.gettempdir(), fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    with contextlib.ExitStack() as stack:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            stack.callback(os.close, descriptor)
            while True:
                try:
                    fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    waiting()
                    time.sleep(_TICK)
        except OSError as error:
            if alone:
                raise RunError(
                    f"{folder}: cannot be locked: {error.strerror}; set TMPDIR to another folder"
                ) from error
        yield
