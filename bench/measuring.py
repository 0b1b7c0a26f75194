"""One measuring agent per machine: a lock on a file that all users of the machine share.

An agent holds it alone. Plain local runs share it: they may run at the same time, as one user starts them,
and an agent waits for them.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import RunError

_NAME = "bakeoff-measuring.lock"
_TICK = 0.1
"""Seconds between two attempts."""


@contextlib.contextmanager
def measuring(waiting: Callable[[], object], *, alone: bool) -> Iterator[None]:
    """Hold the lock of this machine.

    Args:
        waiting: Called regularly while another run holds it; may raise to give up.
        alone: No other run measures at the same time.

    Raises:
        RunError: The file cannot be opened.
    """
    import fcntl  # missing on Windows, where nothing is measured

    path = Path(tempfile.gettempdir(), _NAME)
    try:
        descriptor = _opened(path)
    except OSError as error:
        raise RunError(
            f"{path}: cannot be opened: {error.strerror}; remove it, or set TMPDIR to another folder"
        ) from error
    try:
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                time.sleep(_TICK)
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """Open the file, which another user may own, and create it only if it is missing."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            # Others need to read it, whatever our umask is.
            created = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
            os.fchmod(created, 0o644)
            return created
        return os.open(path, flags)
