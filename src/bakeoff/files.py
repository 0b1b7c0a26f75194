"""Atomic writes, limited reads, and checks for devices and result files."""

from __future__ import annotations

import errno
import mmap
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import RunError, UsageError
from .opening import foreign, open_regular

CACHE = "BAKEOFF_CACHE"
"""Environment variable with the folder of the cache."""

WATCH_KEY = "bakeoff_watch"
"""First key of the file that `bakeoff watch` writes."""

JOURNAL = ".journal"
"""What the name of a run's journal ends with, after that of its result file."""

_RESULT_KEY = b'"bakeoff_result"'
_ZIPPED = 64 << 20
"""Most bytes to look at in a zipped file; no result file has more."""

_STREAMS = (Path("/dev/stdin"), Path("/dev/stdout"), Path("/dev/stderr"))


@contextmanager
def atomic_write(path: Path, *, private: bool = False, own: bool = False) -> Iterator[IO[bytes]]:
    """Open a temporary file next to `path` that replaces it only on success.

    Pipes and devices are written directly. For a link that the user has typed, its target is replaced.
    Permissions are kept.

    Args:
        path: The file.
        private: Only its owner may read it, whatever the permissions were.
        own: The user has not typed its name; see `check_own`.

    Raises:
        UsageError: The folder is missing or read-only, it is a folder itself, links lead in a circle, or
            `own` forbids it.
        RunError: The disk is full; no part of a file is left.
    """
    if own:
        check_own(path)
    elif path.is_dir():
        raise UsageError(f"{path}: is a folder, and not a file")
    elif is_device(path):
        try:
            with path.open("wb") as file:
                yield file
        except OSError as error:
            raise RunError(f"{path}: not written: {error.strerror}") from error
        return
    path = path.absolute() if own else end_of_links(path)
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        mode = 0o600 if private else mode
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"{path}: cannot write here: {error.strerror}; choose another place") from error
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


def end_of_links(path: Path) -> Path:
    """Return the file to which a name leads that the user has typed. It need not exist.

    Raises:
        UsageError: Links lead in a circle.
    """
    end = Path(os.path.realpath(path))
    if end.is_symlink():
        raise UsageError(f"{path}: cannot write here: {os.strerror(errno.ELOOP)}")
    return end


def check_own(path: Path) -> None:
    """Refuse to write where others could have prepared something, as the user has not typed this name.

    Raises:
        UsageError: A link, a folder, a pipe, a device or another user's file is there.
    """
    if reason := foreign(path):
        raise UsageError(f"{path}: not written, as {reason}; remove it, or name a file with -o")


def write_new(paths: Iterable[Path], content: bytes, mode: int = 0o666) -> Path:
    """Write a file to the first of some paths at which there is nothing, not even a broken link.

    Raises:
        OSError: It cannot be written; no part of it is left.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for path in paths:
        try:
            opened = os.open(path, flags, mode)
        except FileExistsError:
            continue
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path
    raise FileExistsError(errno.EEXIST, "every name is taken")


def read_limited(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the content of a regular file, or of a pipe that the shell has opened (``/dev/fd/63``).

    Args:
        path: The file.
        most: Limit for its bytes.

    Raises:
        UsageError: The file is larger.
        OSError: It cannot be read.
    """
    with open_readable(Path(path)) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise UsageError(f"{path}: larger than {most >> 20} MiB, the limit for this file")
    return content


def open_readable(path: Path) -> IO[bytes]:
    """Open a regular file, or a pipe that the shell has opened; no other pipe, and no device.

    Raises:
        OSError: It is anything else, or cannot be opened.
    """
    return path.open("rb") if _is_inherited(path) else os.fdopen(open_regular(path), "rb")


def _is_inherited(path: Path) -> bool:
    place = path.absolute()
    return place in _STREAMS or place.parent == Path("/dev/fd")


def cache_folder(name: str) -> Path:
    """Return the folder in the user's cache for one purpose. It need not exist."""
    if chosen := os.environ.get(CACHE, ""):
        return Path(chosen).absolute() / name
    return user_folder("XDG_CACHE_HOME", ".cache", "Caches") / name


def user_folder(variable: str, usual: str, mac: str) -> Path:
    """Return bakeoff's folder for one kind of the user's files. It need not exist.

    Args:
        variable: Variable of the XDG base directory specification.
        usual: Its default, below the home directory.
        mac: The folder on macOS, below ``Library``.
    """
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / mac
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        # The specification ignores paths that are not absolute.
        folder = Path(os.environ.get(variable, ""))
        folder = folder if folder.is_absolute() else Path.home() / usual
    return folder / "bakeoff"


def is_device(path: Path) -> bool:
    """Whether a path exists and is not a regular file."""
    # /dev/stdout may be a link to a regular file, and must still not be replaced.
    return _is_inherited(path) or (path.exists() and not path.is_file())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def journal_path(output: Path) -> Path:
    """Return the path of the journal that a result file has while its run is unfinished."""
    return output.with_name(f"{output.name}{JOURNAL}")


def is_watch_file(path: Path) -> bool:
    """Whether a path leads to a file of `bakeoff watch`, possibly damaged, without parsing it."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return b"".join(file.read(64).split()).startswith(b'{"%s":' % WATCH_KEY.encode())
    except OSError:
        return False


def is_result_file(path: Path) -> bool:
    """Whether a path leads to a file of a run or a watch, possibly damaged, without parsing it."""
    if is_watch_file(path):
        return True
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            if path.suffix == ".gz":
                plain = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(file.read(_ZIPPED), _ZIPPED)
                return plain.startswith(b"{") and _RESULT_KEY in plain
            if file.read(1) != b"{":
                return False
            # The file may be a corpus of any size: mapping it takes no extra memory.
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(_RESULT_KEY) >= 0
    except (OSError, zlib.error):
        return False
