"""Records out of files: one, a folder of them, or what comes in through a pipe."""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from typing import IO, Any

from .base import Progress
from .errors import UnknownFormat, UnreadableCorpus, UntrustedCorpus
from .formats import FORMATS, FileFormat, format_of, sniff
from .passes import Digest, Passed, Reading
from .problems import Problems
from .streams import opened, split_compression

__all__ = ["Files", "one_file", "pipe", "whole_folder"]


class Files(Passed):
    """Records out of one file, or out of several that follow one another.

    Args:
        folder: The folder that the files are in, when it is the folder that was asked for.
        spool: The temporary file that a pipe was copied to; it goes when the corpus goes.
    """

    def __init__(
        self,
        name: str,
        source: str,
        files: Sequence[tuple[Path, FileFormat]],
        reading: Reading,
        *,
        folder: Path | None = None,
        spool: Any = None,
    ) -> None:
        for path, kind in files:
            _check_trust(kind, source if spool else str(path), reading.trusted)
        kinds = " and ".join(dict.fromkeys(kind.name for _, kind in files))
        super().__init__(
            name, source, f"{len(files):,} files of {kinds}" if folder else f"{kinds} file", reading
        )
        self._files = files
        self._folder = folder
        self._piped = spool is not None
        if spool is not None:
            weakref.finalize(self, spool.close)

    def _read(self, problems: Problems, digest: Digest, on_progress: Progress | None) -> Iterator[Any]:
        total = sum(path.stat().st_size for path, _ in self._files) if on_progress else 0
        before = 0
        left = self._limit
        hashes = []
        for path, kind in self._files:
            problems.source = self.source if self._piped else str(path)
            report = None if on_progress is None else _shifted(on_progress, before, total)
            with opened(path, split_compression(path)[1], report) as file:
                records = kind.read(file.file, problems)
                if left is None:
                    yield from records
                else:
                    for record in islice(records, left):
                        yield record
                        left -= 1
                hashes.append((file.sha256(), path))
            before += file.size
        digest.text = hashes[0][0]
        if self._folder is not None:
            listing = "".join(f"{text}  {path.relative_to(self._folder)}\n" for text, path in hashes)
            digest.text = hashlib.sha256(listing.encode()).hexdigest()


def _shifted(on_progress: Progress, before: int, total: int) -> Progress:
    return lambda done, _: on_progress(before + done, total)


def _check_trust(kind: FileFormat, source: str, trusted: bool) -> None:
    if kind.trusted_only and not trusted:
        raise UntrustedCorpus(
            f"{source}: reading a {kind.name} runs what it says; say --trusted if you trust its origin"
        )


def one_file(path: Path, source: str, reading: Reading) -> Files:
    """Return the records of a file that can be read again and again.

    Raises:
        UnknownFormat: The ending tells no format.
        UntrustedCorpus: The format is not to be read without trust.
    """
    stem = split_compression(path)[0].stem
    return Files(stem, source, [(path, format_of(path, reading.format))], reading)


def whole_folder(folder: Path, source: str, reading: Reading) -> Files:
    """Return the records of all files under a folder whose ending tells their format, sorted by path.

    Raises:
        UnreadableCorpus: There is no such file.
        UntrustedCorpus: A format is not to be read without trust.
    """
    files = []
    for parent, folders, found in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(parent, name) for name in found if not name.startswith(".")):
            if not path.is_file():
                continue
            try:
                files.append((path, format_of(path, reading.format)))
            except UnknownFormat:
                if reading.format is not None:
                    raise
    if not files:
        raise UnreadableCorpus(f"{source}: no file of records in this folder (known: {', '.join(FORMATS)})")
    files.sort(key=lambda pair: pair[0].relative_to(folder).parts)
    return Files(folder.resolve().name, source, files, reading, folder=folder)


def pipe(file: IO[bytes], name: str, source: str, reading: Reading) -> Files:
    """Return the records of what can be read only once, copied to a temporary file.

    Raises:
        UnknownFormat: Neither the user nor the first bytes tell the format.
        UntrustedCorpus: The format is not to be read without trust.
        UnreadableCorpus: It cannot be read, or there is no room to keep it.
    """
    given = None if reading.format is None else format_of(Path(source), reading.format)
    if given is not None:
        _check_trust(given, source, reading.trusted)
    spool = tempfile.NamedTemporaryFile(prefix="bakeoff-")  # noqa: SIM115 - closed with the corpus
    try:
        copyfileobj(file, spool, 1 << 20)
        spool.flush()
        path = Path(spool.name)
        if given is None:
            with opened(path) as plain:
                given = sniff(plain.file.peek(1 << 16), source)
        return Files(name, source, [(path, given)], reading, spool=spool)
    except OSError as error:
        spool.close()
        place = tempfile.gettempdir()
        raise UnreadableCorpus(
            f"{source}: cannot be copied to {place} for reading: {error.strerror or error}"
        ) from error
    except BaseException:
        spool.close()
        raise
