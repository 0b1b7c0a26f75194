"""Corpora in shards: many files, here or on any file system of fsspec, read in pieces of limited size.

A piece is a range of bytes. JSON Lines, Avro and Parquet files are split; the records (blocks, row groups)
that start in the range belong to it. A file of another format, or a compressed one, is one piece.
"""

from __future__ import annotations

import glob
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError
from ..nearby import near_files
from .errors import NoRecords, UnknownCorpus, UnknownFormat, UnreadableCorpus
from .passes import ReadOptions
from .readers.at import Search
from .readers.encoding import shown
from .readers.files import check_content, check_trust, files_below
from .readers.formats import FileFormat, format_in, format_of
from .readers.problems import Problems
from .readers.streams import BUFFER, MAGIC, Hashed, Input, Pieces, explaining, split_compression

PIECE = 64 << 20
"""Bytes of a piece. The same for all, because it decides which records are in a sample."""
_SPLIT = ("jsonl", "avro", "parquet")


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """A range of a shard: the records that start at or after `start`, and before `end`.

    Attributes:
        shard: Path or URL.
        start: First byte.
        end: Byte after the last one.
    """

    shard: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.shard} from byte {self.start:,}" if self.start else self.shard


def pieces(source: str, reading: ReadOptions) -> list[Piece]:
    """Return the pieces of a file, folder, pattern or URL, in the order of the shards' names.

    Raises:
        UnknownCorpus: There is no such file.
        NoRecords: There is no file at a URL.
        UnknownFormat: Neither the ending nor, of a file on this machine, the content is that of a format.
        UntrustedCorpus: A format may only be read if trusted.
        UnreadableCorpus: It cannot be listed, or has no files of records.
        UsageError: A URL needs fsspec, which is not installed, or names an unknown file system.
    """
    found = _remote(source, reading) if "://" in source else _local(source, reading)
    made = []
    for shard, size in sorted(found):
        _, packed = split_compression(Path(shard))
        kind = _format(shard, reading)
        check_trust(kind, shard, reading)
        whole = packed is not None or kind.name not in _SPLIT or reading.encoding is not None
        step = max(1, size) if whole else PIECE
        made += [Piece(shard, start, min(start + step, size)) for start in range(0, max(1, size), step)]
    return made


def _format(shard: str, reading: ReadOptions) -> FileFormat:
    path = Path(shard)
    return format_of(path, reading.format) if "://" in shard else format_in(path, reading.format)


def _local(source: str, reading: ReadOptions) -> list[tuple[str, int]]:
    path = Path(source)
    if path.is_dir():
        files = [each for each, _ in files_below(path, source, reading.format)[0]]
    else:
        names = [source] if path.is_file() else glob.glob(source, recursive=True)  # noqa: PTH207
        files = [Path(name) for name in names if Path(name).is_file()]
    if not files:
        raise UnknownCorpus(source, near_files(path))
    if files == [path]:
        check_content(path, reading)
    return [(str(file), file.stat().st_size) for file in files]


def _remote(source: str, reading: ReadOptions) -> list[tuple[str, int]]:
    system, path = _file_system(source)
    try:
        listed = system.glob if glob.has_magic(path) else system.find
        found = listed(path, detail=True)
    except (OSError, ValueError) as error:
        raise UnreadableCorpus(f"{source}: cannot be listed: {error}") from error
    files = []
    for name, facts in found.items():
        if facts["type"] != "file" or Path(name).name.startswith("."):
            continue
        try:
            format_of(Path(name), reading.format)
        except UnknownFormat:
            if name == path or glob.has_magic(path):
                raise
            continue  # of a folder, as `files_below`
        files.append((system.unstrip_protocol(name), facts["size"] or 0))
    if not files:
        raise NoRecords(f"{source}: no file there; check the address")
    return files


def _file_system(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError(f"{url}: fsspec is not installed; pip install 'bakeoff[fsspec]'") from None
    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from error
    return system, path


def _opener(shard: str) -> tuple[Callable[[], Any], int]:
    """Return a function that opens a shard for random access, and its size in bytes."""
    if "://" not in shard:
        path = Path(shard)
        return partial(path.open, "rb"), path.stat().st_size
    system, path_there = _file_system(shard)
    return partial(system.open, path_there, "rb"), system.size(path_there)


def records(piece: Piece, reading: ReadOptions, problems: Problems) -> Iterator[Any]:
    """Iterate over the records of a piece.

    Raises:
        UnreadableCorpus: It cannot be read, or has no records at the path that was asked for.
        BadRecord: A record cannot be read, and bad records are not skipped.
        UsageError: A library is not installed.
    """
    problems.source = str(piece)
    _, packed = split_compression(Path(piece.shard))
    kind = _format(piece.shard, reading)
    search = None if reading.at is None else Search(reading.at)
    try:
        reopen, size = _opener(piece.shard)
        with reopen() as file:
            raw = Hashed(file, size, None, reopen)
            with explaining(piece.shard, raw):
                if (piece.start, piece.end) == (0, size) or _is_whole(kind, file.read(BUFFER)):
                    file.seek(0)
                    if piece.start == 0:
                        yield from kind.read(Input(raw, packed).file, problems, reading, search)
                else:
                    yield from _part(piece, kind, raw, file, (problems, reading, search))
    except OSError as error:
        raise UnreadableCorpus(f"{piece.shard}: cannot be opened: {error.strerror or error}") from error


def _is_whole(kind: FileFormat, head: bytes) -> bool:
    """Return whether a file cannot be split whatever its name: text of wider characters, compressed data."""
    return head.startswith(tuple(MAGIC)) or (kind.text and shown(head) is not None)


def _part(piece: Piece, kind: FileFormat, raw: Hashed, file: IO[bytes], how: Any) -> Iterator[Any]:
    if kind.name == "parquet":
        from .readers.columns import read_parquet

        problems, _, search = how
        rows = read_parquet(io.BufferedReader(raw), problems, (piece.start, piece.end))
        yield from rows if search is None else (one for row in rows for one in search.records(row))
        return
    head, mark = _avro_head(file, piece.shard) if kind.name == "avro" else (b"", b"\n")
    first = max(len(head), _after(file, mark, piece.start)) if piece.start else len(head)
    last = max(len(head), _after(file, mark, piece.end))
    if first < last:
        inside = Pieces(chain([head], _between(file, first, last)))
        yield from kind.read(io.BufferedReader(inside, BUFFER), *how)


def _avro_head(file: IO[bytes], shard: str) -> tuple[bytes, bytes]:
    """Return the header of an Avro container file, and the marker that ends each of its blocks."""
    from ..codecs import DecodeError, codec
    from ..codecs.formats.avro import SYNC, header_of_file

    file.seek(0)
    try:
        head = header_of_file(codec("avro"), file)
    except DecodeError as error:
        raise UnreadableCorpus(f"{shard}: {error.reason}") from error
    return head, head[-SYNC:]


def _after(file: IO[bytes], mark: bytes, start: int) -> int:
    """Return the first offset, at `start` or later, that follows a mark; the file's size if none does."""
    place = max(0, start - len(mark))
    file.seek(place)
    rest = b""
    while chunk := file.read(BUFFER):
        window = rest + chunk
        if (found := window.find(mark)) >= 0:
            return place - len(rest) + found + len(mark)
        place += len(chunk)
        rest = window[len(window) - len(mark) + 1 :]
    return place


def _between(file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    while start < end and (chunk := file.read(min(BUFFER, end - start))):
        start += len(chunk)
        yield chunk
