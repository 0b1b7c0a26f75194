"""Cleanup after a killed run: its processes end with it, and the next run removes its folder.

The folder of a run holds a file that the run keeps locked; the kernel unlocks it when the run ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import RunError
from .capabilities import here

PREFIX = "bakeoff-"
"""Prefix of the folders of runs in the folder for temporary files."""
_HELD = "held"
"""The file that a run keeps locked."""
_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Make the kernel end this process when its parent ends, even if the parent is killed.

    Without death signals it does nothing.
    """
    if here().death_signal:
        dying_with(parent)()


def dying_with(parent: int) -> Callable[[], None]:
    """Return `die_with` for a new process to call: between fork and exec, it must not load anything."""
    prctl = ctypes.CDLL(None).prctl

    def die() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return die


def hold(folder: Path) -> int | None:
    """Lock a run's folder until this process ends or the returned descriptor is closed.

    Without file locks it returns None.
    """
    if not here().file_locks:
        return None
    import fcntl

    new = folder / f".{_HELD}"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Renamed when locked, as others look for the final name.
    new.rename(folder / _HELD)
    return descriptor


@contextlib.contextmanager
def held_folder(prefix: str) -> Iterator[Path]:
    """Make a folder for temporary files that the next run removes, should this one be killed.

    Args:
        prefix: Prefix of its name, which begins with `PREFIX`.

    Raises:
        RunError: There is no folder for temporary files.
    """
    with contextlib.ExitStack() as stack:
        try:
            remove_abandoned()
            made = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
            folder = Path(stack.enter_context(made))
            if (held := hold(folder)) is not None:
                stack.callback(os.close, held)
        except OSError as error:
            raise RunError(
                f"no folder for temporary files: {error.strerror}; set TMPDIR to a writable folder"
            ) from error
        yield folder


def remove_abandoned() -> None:
    """Remove the folders of this user's ended runs; without file locks, nobody knows which have ended."""
    if not here().file_locks:
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    import fcntl

    state = folder.lstat()
    # A folder that others own or can write to is not ours, whatever its name.
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o077:
        return
    descriptor = os.open(folder / _HELD, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
