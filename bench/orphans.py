"""What a killed run leaves behind: its processes end with it, and the next run removes its folder.

The folder of a run holds a file that the run keeps locked; the kernel unlocks it when the run is gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import stat
import tempfile
from pathlib import Path

__all__ = ["PREFIX", "die_with", "hold", "remove_abandoned"]

PREFIX = "bakeoff-"
"""How the folders of runs begin in the folder for temporary files."""
_HELD = "held"
"""The file that a run keeps locked."""
_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Let the kernel end this process when its parent ends: killed outright, that cannot do it itself."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def hold(folder: Path) -> int:
    """Lock a run's folder until this process ends, or the descriptor that is returned is closed."""
    import fcntl  # which Windows has none of, where nothing is measured

    new = folder / f".{_HELD}"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Only now it has the name that others look for.
    new.rename(folder / _HELD)
    return descriptor


def remove_abandoned() -> None:
    """Remove the folders of this user's runs that are no more."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    import fcntl

    state = folder.lstat()
    # What others can write to, or own, is none of ours, whatever it is called.
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o077:
        return
    descriptor = os.open(folder / _HELD, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
