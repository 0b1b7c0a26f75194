"""Room for temporary files, and what is said when there is none left: no codec is to blame for it."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import RunError

__all__ = ["NoDiskSpace", "held", "is_full", "needing_room", "release"]

_FULL = (errno.ENOSPC, errno.EDQUOT)

_SOME = 64 * 1024
"""Bytes that fit where there is room: more than the few of a job that its own removal would free."""


class NoDiskSpace(RunError):  # noqa: N818 - says what is wrong
    """The folder for temporary files is full."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"no space left in {folder}; free some there, or set TMPDIR to another folder")


_held: list[Callable[[], object]] = []


def held(let_go: Callable[[], object]) -> None:
    """Hold room for whoever asks next in this process: `let_go` gives it back, by `release` or at its end."""
    _held.append(let_go)


@atexit.register
def release() -> None:
    """Give back what is held."""
    for let_go in _held:
        let_go()


@contextlib.contextmanager
def needing_room(folder: Path) -> Iterator[None]:
    """Turn the system's error of a full disk into ours.

    Args:
        folder: Where all temporary files are.

    Raises:
        NoRoom: The disk, or what the user may have of it, is full.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise NoDiskSpace(folder) from error


def is_full(folder: Path) -> bool:
    """Whether a little file no longer fits into a folder; it is tried, as quotas show in no other way."""
    place = folder / "room"
    try:
        place.write_bytes(os.urandom(_SOME))
    except OSError as error:
        return error.errno in _FULL
    finally:
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
    return False
