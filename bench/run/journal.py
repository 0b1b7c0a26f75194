"""The journal, which keeps the entries of a run on disk, and the lock that excludes a second run.

The journal ``FILE.journal`` exists next to the result file during a run. It has one JSON object per line, and
is synced after each timing process. An incomplete last line, left by a kill, is ignored. The journal is
removed when the result file is written.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import BakeoffError, RunError, UsageError
from ...files import journal_path as journal_path
from ...files import write_new
from ...opening import foreign, open_own
from ..capabilities import here
from ..ledger import AloneEntry, CellEntry, Entry, HeadEntry, ProcessEntry, decode, encode
from ..results import read
from .state import State, entries

_MOST_OLD = 1000
"""Numbers of journals of unfinished runs, in case others have put something under their names."""


def stored(output: Path) -> tuple[list[Entry], int]:
    """Return the entries of the run to resume; nothing is written or locked.

    Returns:
        The entries of the journal and their length in bytes; without a journal, the entries of the result
        file, and 0.

    Raises:
        UsageError: There is neither, or the journal has an operation that is not installed.
        ResultFileError: The result file cannot be read.
    """
    path = journal_path(output)
    found, whole = _lines(path) if os.path.lexists(path) else ([], 0)
    if found:
        return found, whole
    if not output.exists():
        raise UsageError(f"{output}: no such file, and no journal for it; nothing to resume")
    return list(entries(read(output))), 0


class Journal:
    """The open journal of a run; holds the lock on its result file.

    Args:
        output: The result file of the run.
        resume: Continue from the journal, or else from the result file.
        durable: Sync the file after each write, so that a loss of power costs nothing.

    Attributes:
        entries: The entries to continue from.
        unfinished: They are from an unfinished run's journal, not from a result file.
        gained: Something was measured that takes time to measure again, unlike sizes.
        aside: Where the journal of an earlier, unfinished run is kept if this run gains something, or None.
        older: What was kept there before, of a run earlier still; it is replaced.

    Raises:
        RunError: Another run writes to this file.
        UsageError: The folder cannot be written to, or there is nothing to resume.
    """

    def __init__(self, output: Path, *, resume: bool = False, durable: bool = True) -> None:
        self.path = journal_path(output)
        self._durable = durable
        self.entries: list[Entry] = []
        self.unfinished = False
        self._whole = 0
        # What follows the entries that this version can read: another one may be able to read it.
        self._rest = b""
        self.gained = False
        self.aside: Path | None = None
        self.older: tuple[Path, ...] = ()
        self._moved: Path | None = None
        fresh, locked = not self.path.exists(), False
        with _opening(self.path):
            self._file = os.fdopen(open_own(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT), "a+b")
        try:
            self._lock(output)
            locked = True
            if resume:
                self._go_on(output)
            elif self.path.stat().st_size:
                self._set_aside()
        except BakeoffError:
            if fresh and locked:
                self.path.unlink(missing_ok=True)
            self.close()
            raise

    def _lock(self, output: Path) -> None:
        if not here().file_locks:
            return
        import fcntl

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = os.fstat(self._file.fileno()).st_nlink > 0
        except OSError:
            alone = False
        if not alone:
            raise RunError(
                f"{output}: another run is writing to this file; wait for it, or choose another with -o"
            )

    def _go_on(self, output: Path) -> None:
        self.entries, whole = stored(output)
        self.unfinished, self._whole = whole > 0, whole
        if not self.unfinished and self.path.stat().st_size:
            self._set_aside()
        with self._writing():
            self._file.seek(whole)
            self._rest = self._file.read()
            self._file.truncate(whole)
            if not self.unfinished:
                self._put(self.entries)

    def _set_aside(self) -> None:
        old = self.path.with_name(f"{self.path.name}.old")
        names = [old, *(old.with_name(f"{old.name}-{number}") for number in range(2, _MOST_OLD))]
        # What others have put there is theirs.
        self.aside = next((path for path in names if not foreign(path)), old)
        with self._writing():
            self.older = tuple(path for path in names if path.exists() and not foreign(path))
            self._file.seek(0)
            mode = os.fstat(self._file.fileno()).st_mode & 0o777
            self._moved = write_new(names, self._file.read(), mode)
            self._file.truncate(0)

    def _keep_one(self) -> None:
        """Keep only the last of the unfinished runs, now that this one has something of its own."""
        if self._moved is not None and self.aside is not None:
            with self._writing():
                self._moved.replace(self.aside)
                for path in set(self.older) - {self.aside}:
                    path.unlink(missing_ok=True)
            self._moved = None

    def write(self, *new: Entry) -> None:
        """Write entries; they are on disk when this returns.

        Raises:
            RunError: The disk is full or gone.
        """
        # Set before writing: a run that is interrupted while the disk is slow must keep the entries.
        self.gained = self.gained or any(map(_costly, new))
        with self._writing():
            self._put(new)
        if self.gained:
            self._keep_one()

    def _put(self, new: Sequence[Entry]) -> None:
        for entry in new:
            self._file.write(encode(entry) + b"\n")
        self._file.flush()
        if self._durable:
            os.fsync(self._file.fileno())

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunError(f"{self.path}: not written: {error.strerror}") from error

    def remove(self) -> None:
        """Remove the journal: the result file has all its entries."""
        self._keep_one()
        self._let_go()
        self.path.unlink(missing_ok=True)
        self.close()

    def undo(self) -> None:
        """Restore the files as they were: nothing was gained."""
        if self._moved is not None:
            self._let_go()
            self._moved.replace(self.path)
        elif self.unfinished:
            with self._writing():
                self._file.truncate(self._whole)
                self._file.write(self._rest)
        else:
            self._let_go()
            self.path.unlink(missing_ok=True)
        self.close()

    def _let_go(self) -> None:
        """Close the file first where it holds no lock: Windows removes and replaces no open file."""
        if not here().file_locks:
            self.close()

    def close(self) -> None:
        """Release the lock."""
        with contextlib.suppress(OSError):
            self._file.close()


def _costly(entry: Entry) -> bool:
    if isinstance(entry, CellEntry):
        return entry.value is not None and entry.found.cell.operation != "size"
    return isinstance(entry, ProcessEntry | AloneEntry)


@contextlib.contextmanager
def _opening(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot be used: {error.strerror}; choose another with -o") from error


def _lines(path: Path) -> tuple[list[Entry], int]:
    """Return the whole lines of a journal and their length; none if it is not a journal."""
    found: list[Entry] = []
    whole = 0
    state = State()
    with _opening(path), os.fdopen(open_own(path), "rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                entry = decode(line)
                state.apply(entry)
            except (ValueError, LookupError, TypeError, RecursionError):
                break
            except UsageError as error:
                raise UsageError(f"{path}: {error}") from error
            found.append(entry)
            whole += len(line)
    return (found, whole) if found and isinstance(found[0], HeadEntry) else ([], 0)
