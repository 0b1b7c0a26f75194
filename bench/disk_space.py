"""Space for temporary files, and the error if none is left, which is not a codec's fault."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import RunError

_FULL = (errno.ENOSPC, errno.EDQUOT)

_SOME = 64 * 1024
"""Bytes that fit if the disk is not full: more than removing the few bytes of a job would free."""


class NoDiskSpace(RunError):  # noqa: N818 - says what is wrong
    """The folder for temporary files is full."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"no space left in {folder}; free some there, or set TMPDIR to another folder")


_held: list[Callable[[], object]] = []


def held(let_go: Callable[[], object]) -> None:
    """Register a function that frees disk space; `release` calls it, also when the process ends."""
    _held.append(let_go)


@atexit.register
def release() -> None:
    """Free the space by calling all registered functions."""
    for let_go in _held:
        let_go()


@contextlib.contextmanager
def needing_room(folder: Path) -> Iterator[None]:
    """Convert the system's error for a full disk into ours.

    Args:
        folder: The folder for all temporary files.

    Raises:
        NoDiskSpace: The disk, or the user's quota, is full.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise NoDiskSpace(folder) from error


def is_full(folder: Path) -> bool:
    """Return whether a small file no longer fits into a folder. It is tried, to include quotas."""
    trial = folder / "room"
    try:
        trial.write_bytes(os.urandom(_SOME))
    except OSError as error:
        return error.errno in _FULL
    finally:
        with contextlib.suppress(OSError):
            trial.unlink(missing_ok=True)
    return False
