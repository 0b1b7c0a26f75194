"""Opening files whose place others may have prepared: regular files only, without waiting for a pipe.

A cloned or unpacked folder may contain links, and a shared folder may contain files of other users. Everyone
knows the names of journals and kept results, so others can make files with these names.
"""

from __future__ import annotations

import errno
import os
import stat


def open_regular(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """Open a regular file, or a link to one, and return its descriptor.

    Raises:
        OSError: It is anything else, or cannot be opened; `strerror` has the reason.
    """
    # A pipe without a reader or writer would block.
    for guard in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, guard, 0)
    try:
        opened = os.open(path, flags, mode)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise _refused(path, _KIND) from error
        raise
    return _checked(opened, path, own=False)


def open_own(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """Open a regular file of this user, and no link, and return its descriptor.

    Raises:
        OSError: As `open_regular`; also for a link, and for a file of another user.
    """
    try:
        opened = open_regular(path, flags | getattr(os, "O_NOFOLLOW", 0), mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _refused(path, _LINK) from error
        raise
    return _checked(opened, path, own=True)


def foreign(path: str | os.PathLike[str]) -> str:
    """Return why a path is neither free nor a regular file of this user; empty if it is one of these."""
    try:
        return _fault(os.lstat(path), own=True)
    except OSError:
        return ""  # whatever writes there says so


_KIND = "it is not a regular file"
_LINK = "it is a link, which is not followed"


def _fault(state: os.stat_result, *, own: bool) -> str:
    if stat.S_ISLNK(state.st_mode):
        return _LINK
    if not stat.S_ISREG(state.st_mode):
        return _KIND
    if own and hasattr(os, "geteuid") and state.st_uid != os.geteuid():
        return "it belongs to another user"
    return ""


def _checked(opened: int, path: str | os.PathLike[str], *, own: bool) -> int:
    if fault := _fault(os.fstat(opened), own=own):
        os.close(opened)
        raise _refused(path, fault)
    return opened


def _refused(path: str | os.PathLike[str], reason: str) -> OSError:
    return OSError(errno.EINVAL, reason, os.fspath(path))
