"""Files that appear whole or not at all, and what is no file."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import RunError, UsageError

__all__ = ["atomic_write", "is_device", "is_result_file", "read_limited"]

_STREAMS = (Path("/dev/stdout"), Path("/dev/stderr"))


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside `path` that takes its place only when all went well.

    Pipes and devices are written to as they are; of a link, what it leads to is replaced, not the link.
    The file keeps its permissions.

    Raises:
        UsageError: The folder is missing or read-only.
        RunError: The disk is full; no part of a file is left.
    """
    if is_device(path):
        try:
            with path.open("wb") as file:
                yield file
        except OSError as error:
            raise RunError(f"{path}: not written: {error.strerror}") from error
        return
    path = path.resolve()
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        reason = f"{path}: cannot write here: {error.strerror}; choose another place with -o"
        raise UsageError(reason) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, name, str(path)):
            raise
        raise RunError(f"{path}: not written: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)


def read_limited(path: str | os.PathLike[str], most: int) -> bytes:
    """Return what a file holds, which may be one that never ends.

    Args:
        path: The file.
        most: Bytes that it may have.

    Raises:
        UsageError: It has more.
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise UsageError(f"{path}: larger than {most >> 20} MiB, the limit for this file")
    return content


def is_device(path: Path) -> bool:
    """Whether a path is no ordinary file, nor the place for one."""
    # /dev/stdout may lead to an ordinary file, and must still not be replaced by one.
    place = path.absolute()
    return place in _STREAMS or place.parent == Path("/dev/fd") or (path.exists() and not path.is_file())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_result_file(path: Path) -> bool:
    """Whether a path leads to a result file, damaged or of any version; told without parsing it."""
    try:
        with path.open("rb") as file:
            if file.read(1) != b"{":
                return False
            # It may be a corpus of any size: mapped, it takes no memory of its own.
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(b'"bakeoff_result"') >= 0
    except OSError:
        return False
