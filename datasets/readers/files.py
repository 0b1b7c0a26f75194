"""Records of one file, of a folder of files, or of a pipe."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

from ...errors import UsageError
from ...files import is_result_file
from ..base import Progress
from ..errors import BadRecord, NoRecords, ResultAsRecords, UnknownFormat, UnreadableCorpus, UntrustedCorpus
from ..passes import Cut, Passed, ReadOptions
from .at import Search, way_in
from .cells import LOOK_AHEAD
from .formats import LOOK, FileFormat, file_formats, format_in, format_of, sniff
from .json_window import RECORD_LIMIT
from .problems import Problems
from .streams import opened, split_compression

MOST_PIPED = 8 << 30
"""Most bytes of a pipe that are kept."""

_SEARCHED = 1_000
"""Bad records after which a search for a good one ends."""
_LESS = "limit it with --records N, or save it to a file"

PIECE = 1 << 20
"""Bytes of a pipe that are copied at a time, and in the first step."""


class Files(Passed):
    """Records of one file, or of several files in sequence.

    Args:
        folder: The folder of the files, if the source is a folder.
        spool: The temporary copy of a pipe; it is deleted with the corpus.
        remark: What may surprise the user about the files.
    """

    def __init__(
        self,
        name: str,
        source: str,
        files: Sequence[tuple[Path, FileFormat]],
        reading: ReadOptions,
        *,
        folder: Path | None = None,
        spool: Any = None,
        remark: str = "",
    ) -> None:
        for path, kind in files:
            check_trust(kind, source if spool else str(path), reading)
        _check_use(reading, {kind.name: kind for _, kind in files})
        kinds = " and ".join(dict.fromkeys(kind.name for _, kind in files))
        description = f"{len(files):,} files of {kinds}" if folder else f"{kinds} file"
        if reading.at is not None:
            name += str(reading.at)[1:]
            description += f", the records at {reading.at}"
        super().__init__(name, source, description, reading, remark)
        self._reading = reading
        self._files = files
        self._folder = folder
        self._piped = spool is not None
        if spool is not None:
            weakref.finalize(self, spool.close)

    @property
    def brings_schema(self) -> bool:
        return self._reading.at is None and all(kind.schema for _, kind in self._files)

    @property
    def schema(self) -> Any:
        if self._schema is None and self.brings_schema:
            for path, kind in self._files:
                with opened(path, split_compression(path)[1]) as file:
                    found = kind.schema_of(file.file, self.source if self._piped else str(path))
                if found is None or (self._schema is not None and found.layout != self._schema.layout):
                    self._schema = None
                    break
                self._schema = found
        return self._schema

    def _read(self, problems: Problems, on_progress: Progress | None) -> Generator[Any]:
        count = 0
        try:
            for record in self._read_all(problems, on_progress):
                count += 1
                yield record
        except BadRecord as error:
            if count or self._has_others():
                raise
            raise BadRecord(error.source, error.where, error.cause, only=True) from error

    def _has_others(self) -> bool:
        """Return whether there are records to read if bad ones are skipped, not too far from the start."""
        try:
            return any(True for _ in self._read_all(_Some(skip=True), None))
        except (UnreadableCorpus, UsageError):
            return False

    def _read_all(self, problems: Problems, on_progress: Progress | None) -> Iterator[Any]:
        total = sum(path.stat().st_size for path, _ in self._files)
        over = None if self._cut is None else Cut(*self._cut)
        before = 0
        left = self._limit
        hashes = []
        search = None if self._reading.at is None else Search(self._reading.at)
        for path, kind in self._files:
            problems.source = self.source if self._piped else str(path)
            report = None if on_progress is None else _shifted(on_progress, before, total)
            with opened(path, split_compression(path)[1], report) as file:
                records = kind.read(file.file, problems, self._reading, search)
                if left is None and over is None:
                    yield from records
                else:
                    for record in islice(records, left):
                        yield record
                        left = None if left is None else left - 1
                        if over is not None and over():
                            self.share = (before + file.read) / max(1, total)
                            break
                if self.share < 1:
                    hashes.append((file.so_far(), path))
                    break
                hashes.append((file.sha256(), path))
            before += file.size
        if search is not None and not search.found and left != 0:
            raise search.nothing(self.source)
        self._digest = hashes[0][0]
        if self._folder is not None:
            listing = "".join(f"{text}  {path.relative_to(self._folder)}\n" for text, path in hashes)
            self._digest = hashlib.sha256(listing.encode()).hexdigest()

    def _where_records_are(self) -> str:
        of_cells = any(kind.name in ("csv", "tsv") and path.stat().st_size for path, kind in self._files)
        if of_cells and not self._reading.no_header:
            return "if its first line is a record, add --no-header"
        return super()._where_records_are()

    def _remark_on_only(self, record: Any) -> str:
        if self._reading.at is None and isinstance(record, list) and self._files[0][1].name == "jsonl":
            return f"{self.source}: the whole file is one list; --from json reads its items"
        if self._reading.at is not None or (place := way_in(record)) is None:
            return ""
        return (
            f"{self.source}: the whole file is one record; use --at '{place}' to read the records inside it"
        )


class _Some(Problems):
    """Bad records that are skipped in the search for a good one."""

    def add(self, where: str, cause: str, error: BaseException | None = None) -> None:
        """Record a bad record.

        Raises:
            BadRecord: There were too many.
        """
        super().add(where, cause, error)
        if self.total >= _SEARCHED:
            raise BadRecord(self.source, where, cause)


def _shifted(on_progress: Progress, before: int, total: int) -> Progress:
    return lambda done, _: on_progress(before + done, total)


def check_content(path: Path, reading: ReadOptions) -> None:
    """Refuse a result file, unless the user names a place of records in it.

    Raises:
        ResultAsRecords: It is one.
    """
    if reading.at is None and path.suffix == ".json" and is_result_file(path):
        raise ResultAsRecords(str(path))


def check_trust(kind: FileFormat, source: str, reading: ReadOptions) -> None:
    """Raise `UntrustedCorpus` if reading a format can run code, and that is not allowed."""
    if kind.trusted_only and not reading.trust_files:
        raise UntrustedCorpus(
            f"{source}: reading a {kind.name} can run code; use --trust-files if you trust the file"
        )


def _check_use(reading: ReadOptions, kinds: Mapping[str, FileFormat]) -> None:
    """Refuse options that none of the files uses.

    Raises:
        UsageError: An option is not used; the message lists the formats that use it.
    """
    names = " and ".join(kinds)
    if reading.encoding is not None and not any(kind.text for kind in kinds.values()):
        raise UsageError(f"--encoding {reading.encoding}: {names} is not a text format")
    if not any(kind.cells for kind in kinds.values()) and (given := reading.of_cells()):
        raise UsageError(f"--{given[0]}: applies to CSV and TSV only; this is {names}")


def one_file(path: Path, source: str, reading: ReadOptions) -> Files:
    """Return the records of a file that can be read repeatedly.

    Raises:
        UnknownFormat: Neither its ending nor its content is that of a format.
        UntrustedCorpus: The format may only be read if trusted.
        UsageError: The format does not use an option.
    """
    check_content(path, reading)
    stem = split_compression(path)[0].stem
    return Files(stem, source, [(path, format_in(path, reading.format))], reading)


def whole_folder(folder: Path, source: str, reading: ReadOptions) -> Files:
    """Return the records of all files of known formats under a folder, sorted by path.

    bakeoff's own result files are skipped; the remark has their number.

    Raises:
        NoRecords: There is no such file.
        UntrustedCorpus: A format may only be read if trusted.
    """
    files, results = files_below(folder, source, reading.format)
    remark = f"{source}: {results:,} result file{'s' * (results > 1)} of bakeoff skipped" if results else ""
    return Files(folder.resolve().name, source, files, reading, folder=folder, remark=remark)


def files_below(folder: Path, source: str, form: str | None) -> tuple[list[tuple[Path, FileFormat]], int]:
    """Return the files of known formats under a folder, sorted by path, and the number of result files.

    Raises:
        NoRecords: There is no such file.
    """
    files = []
    results = 0
    for parent, folders, found in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(parent, name) for name in found if not name.startswith(".")):
            # Results of earlier runs are often in the measured folder, but are not records.
            if not path.is_file():
                continue
            if path.suffix == ".json" and is_result_file(path):
                results += 1
                continue
            try:
                files.append((path, format_of(path, form)))
            except UnknownFormat:
                if form is not None:
                    raise
    if not files:
        raise NoRecords(f"{source}: no file of records in this folder (known: {', '.join(file_formats())})")
    files.sort(key=lambda pair: pair[0].relative_to(folder).parts)
    return files, results


def pipe(file: IO[bytes], name: str, source: str, reading: ReadOptions) -> Files:
    """Return the records of a source that can be read only once, after copying it to a temporary file.

    If only a number of records is wanted, reading stops when they are complete. The source may have no end,
    so at most `MOST_PIPED` bytes are kept, and at most half of the free space.

    Raises:
        UnknownFormat: Neither the user nor the first bytes determine the format.
        UntrustedCorpus: The format may only be read if trusted.
        UnreadableCorpus: The source cannot be read, is larger than the limit, or there is no space to keep
            it.
    """
    kind = None if reading.format is None else format_of(Path(source), reading.format)
    spool = tempfile.NamedTemporaryFile(prefix="bakeoff-")  # noqa: SIM115 - closed with the corpus
    path = Path(spool.name)
    try:
        most = min(MOST_PIPED, shutil.disk_usage(path.parent).free // 2)
        bounded = _Bounded(file, most, source, path.parent)
        kept = _copied(bounded, spool, PIECE)
        if kind is None:
            with opened(path) as plain:
                kind = sniff(plain.file.peek(LOOK)[:LOOK], source)
        check_trust(kind, source, reading)
        if reading.limit is None:
            while _copied(bounded, spool, PIECE):
                pass
        else:
            _copy_records(bounded, spool, kept, source, kind, reading, reading.limit + LOOK_AHEAD + 1)
        return Files(name, source, [(path, kind)], reading, spool=spool)
    except OSError as error:
        spool.close()
        place = tempfile.gettempdir()
        raise UnreadableCorpus(
            f"{source}: cannot be copied to {place} for reading: {error.strerror or error}; {_LESS}"
        ) from error
    except BaseException:
        spool.close()
        raise


class _Bounded:
    """A pipe with a limit on the bytes that are read."""

    def __init__(self, file: IO[bytes], most: int, source: str, place: Path) -> None:
        self._file = file
        self._left = self._most = most
        self._source = source
        self._place = place

    def read(self, size: int) -> bytes:
        """Read the given number of bytes, or fewer at the end.

        Raises:
            UnreadableCorpus: The pipe has more bytes than the limit.
        """
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise UnreadableCorpus(
                f"{self._source}: more than the {self._most:,} bytes of a pipe that are kept "
                f"in {self._place} ({MOST_PIPED >> 30} GiB, or half of the room there); {_LESS}"
            )
        return data


def _copied(file: _Bounded, spool: Any, size: int) -> int:
    """Copy up to the given number of bytes, and return how many were copied."""
    left = size
    while left and (data := file.read(min(left, PIECE))):
        spool.write(data)
        left -= len(data)
    spool.flush()
    return size - left


def _copy_records(
    file: _Bounded, spool: Any, kept: int, source: str, kind: FileFormat, reading: ReadOptions, wanted: int
) -> None:
    """Copy the part with the wanted records; it is doubled before each check, so checks cost no more.

    Raises:
        UnreadableCorpus: There are only bad records in twice the size of the longest record.
    """
    before = -1
    while (found := _found(Path(spool.name), kind, reading, wanted)) < wanted:
        if reading.skip_invalid and found == before and kept > 4 * RECORD_LIMIT:
            raise UnreadableCorpus(f"{source}: no further record in {kept // 2:,} bytes; it may have no end")
        if not (more := _copied(file, spool, kept)):
            return
        kept, before = kept + more, found


def _found(path: Path, kind: FileFormat, reading: ReadOptions, wanted: int) -> int:
    """Return how many of the wanted records are in the copied part of a source that may have no end.

    The last one may be incomplete, and some formats look ahead. More records are therefore required than were
    requested.
    """
    found = 0
    try:
        with opened(path) as file:
            search = None if reading.at is None else Search(reading.at)
            problems = Problems(skip=reading.skip_invalid)
            for _ in islice(kind.read(file.file, problems, reading, search), wanted):
                found += 1
    except UnreadableCorpus:
        if not file.at_end:
            return wanted  # An error before the end would also occur with more data.
    return found
