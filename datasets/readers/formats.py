"""The file formats: extensions, readers, and the codec that writes each."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...codecs.registry import first_codecs, formats
from ...errors import hint, near
from ...imports import names_in
from ..errors import NoRecords, UnknownFormat, UnreadableCorpus
from ..passes import ReadOptions
from .at import Search
from .encoding import as_utf8, shown
from .problems import Problems
from .streams import opened, split_compression

if TYPE_CHECKING:
    from ...schemas import Schema


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format of records.

    Attributes:
        name: Name for ``--from`` and ``--format``.
        suffixes: File extensions; empty to use those that `codec`'s format declares.
        reader: ``module:function`` in this package, imported when needed; empty if `codec` reads the records
            that its format's framing finds in a file.
        search: The same for a reader that finds a location in documents of any size; empty if they are read
            whole.
        codec: Codec that writes it, record by record; empty if `writing` has another writer, or none.
        text: Whether readers get it as UTF-8, whatever its encoding.
        cells: Whether the options for cells of CSV apply; its reader gets the options.
        unwrap: Whether a file that consists of one list is read as the items of that list.
        trusted_only: Whether reading it runs code from the file.
        schema: ``module:function`` that returns the `Schema` in an open file, given the file and its name;
            empty if files have none.
        pickles: Whether it may contain pickles. Its reader gets an argument that says if it may unpickle
            them.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    reader: str = ""
    codec: str = ""
    search: str = ""
    text: bool = False
    cells: bool = False
    unwrap: bool = False
    trusted_only: bool = False
    schema: str = ""
    pickles: bool = False

    def schema_of(self, file: io.BufferedReader, source: str) -> Schema | None:
        """Return the schema in a file, or None if records cannot have its types.

        Raises:
            UnreadableCorpus: It cannot be read.
        """
        made: Schema | None = _imported(self.schema)(file, source)
        return made

    def read(
        self, file: io.BufferedReader, problems: Problems, reading: ReadOptions, search: Search | None = None
    ) -> Iterator[Any]:
        """Iterate over the records of a file.

        Args:
            search: The search for records at a location in each document.

        Raises:
            BadRecord: A record cannot be read, and bad records are not skipped.
            UnreadableCorpus: The file cannot be read at all.
            UnknownFormat: Its first bytes are those of a binary format, and this one is text.
        """
        if self.text:
            if (instead := _magic(file.peek(LOOK))) is not None:
                raise UnknownFormat(
                    f"{problems.source}: contains {instead}, and not {self.name}; add --from {instead}"
                )
            file = as_utf8(file, reading.encoding, problems.source)
        if search is not None and self.search:
            found: Iterator[Any] = _imported(self.search)(file, problems, search)
            return found
        told: tuple[Any, ...] = (reading,) if self.cells else ()
        if self.pickles:
            told = (reading.trust_files,)
        records: Iterator[Any]
        if self.reader:
            records = _imported(self.reader)(file, problems, *told)
        else:
            from .binary import read_framed

            records = read_framed(self.codec, file, problems)
        if search is not None:
            return (record for document in records for record in search.records(document))
        return _unwrapped(records) if self.unwrap else records


def _imported(reader: str) -> Callable[..., Any]:
    module, _, function = reader.partition(":")
    found: Callable[..., Any] = getattr(import_module(f".{module}", __package__), function)
    return found


def _unwrapped(records: Iterator[Any]) -> Iterator[Any]:
    first = list(islice(records, 2))
    if len(first) == 1 and isinstance(first[0], list):
        yield from first[0]
    else:
        yield from first
        yield from records


_OWN = (
    FileFormat("jsonl", reader="json:read_json_lines", codec="json", text=True),
    FileFormat(
        "json",
        (".json", ".geojson", ".har", ".ipynb"),
        "json:read_json",
        search="json:read_json_at",
        text=True,
    ),
    FileFormat("csv", (".csv",), "csv:read_csv", text=True, cells=True),
    FileFormat("tsv", (".tsv", ".tab"), "csv:read_tsv", text=True, cells=True),
    FileFormat("msgpack", codec="msgpack", unwrap=True),
    FileFormat("bson", reader="binary:read_bson", codec="bson"),
    FileFormat("cbor", codec="cbor2", unwrap=True),
    FileFormat("avro", (".avro",), "binary:read_avro", schema="binary:schema_of_avro"),
    FileFormat("parquet", (".parquet", ".pq"), "columns:read_parquet", schema="columns:schema_of_parquet"),
    FileFormat(
        "arrow", (".arrow", ".feather", ".arrows"), "columns:read_arrow", schema="columns:schema_of_arrow"
    ),
    FileFormat("npy", (".npy",), "columns:read_npy", pickles=True),
    FileFormat("npz", (".npz",), "columns:read_npz", pickles=True),
    FileFormat("yaml", reader="yaml:read_yaml", codec="yaml", text=True, unwrap=True),
    FileFormat("pickle", reader="binary:read_pickle", codec="pickle", unwrap=True, trusted_only=True),
)
"""Formats with a separate reader or with options."""

_FOREIGN: Final = {
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar"), "unpack it, and name the file or folder in it"),
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".numbers"), "save the sheet as CSV"),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db", ".duckdb"), "export a table as CSV or JSON"),
    **dict.fromkeys((".xml",), "convert it to JSON"),
    **dict.fromkeys((".orc", ".rds", ".h5", ".hdf5"), "convert it to Parquet"),
}
"""Endings of files with records in formats that are not read, and what to do."""

LOOK = 1 << 16
"""Bytes of a file that show its format."""
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"\x93NUMPY": "npy",
    b"Obj\1": "avro",
    b"\xd9\xd9\xf7": "cbor",
    b"\x80\4\x95": "pickle",
    b"\x80\5\x95": "pickle",
}
"""First bytes of files that no other format has."""
_VALUE = r'(?:[\[{"]|(?:true|false|null|-?\d[\d.eE+-]*)\s*[,\]])'
_TEXT = {
    re.compile(rf'\{{\s*["}}]|\[\s*(?:\]|{_VALUE})'): "json",
    # The record separator of RFC 7464.
    re.compile("\x1e"): "jsonl",
    re.compile("---|%YAML"): "yaml",
}
"""Starts of texts: a list or object of JSON, but not ``[section]`` or ``[2024-01-01]``."""
_KEY = rb"[\w$.@-]"
_BINARY = {
    re.compile(rb"(?:[\x80-\x9b]|\x9f)?(?:[\xa1-\xbb]|\xbf)(?:[\x61-\x77]|\x78.)" + _KEY, re.DOTALL): "cbor",
    re.compile(rb"...\0[\1-\x13]" + _KEY + rb"{1,60}\0", re.DOTALL): "bson",
}
"""Starts of binary records: a dict whose first key is a name, also in a list."""
_MSGPACK = re.compile(rb"(?:[\x90-\x9f]|\xdc..|\xdd....)?(?:[\x81-\x8f]|\xde..)[\xa1-\xbf]" + _KEY, re.DOTALL)
"""The same for MessagePack; a list of CBOR may begin so, too."""


@functools.cache
def file_formats() -> Mapping[str, FileFormat]:
    """Return all formats by name, including those of codecs that declare file extensions."""
    declared, firsts = formats(), first_codecs()
    files = {firsts[name]: each for name, each in declared.items() if each.files}
    found = {
        kind.name: kind if kind.suffixes else replace(kind, suffixes=tuple(files[kind.codec].files))
        for kind in _OWN
    }
    read = {kind.codec for kind in _OWN}
    for codec, each in files.items():
        if codec not in read:
            found[each.name] = FileFormat(
                each.name, tuple(each.files), codec=codec, unwrap=True, trusted_only=each.trusted_only
            )
    return found


def codec_of(path: str, name: str | None = None) -> str:
    """Return the codec whose conventions a file's records follow; the JSON codec if the format is unknown."""
    try:
        return format_in(Path(path), name).codec or "json"
    except (UnknownFormat, UnreadableCorpus):
        return "json"


def format_of(path: Path, name: str | None = None, option: str = "--from") -> FileFormat:
    """Return the format of a file.

    Args:
        name: Format named by the user; None uses the extension before that of a compressor.
        option: The option with which the user can name it; empty if there is none.

    Raises:
        UnknownFormat: No such format, or no known extension.
    """
    if name is not None:
        if name not in file_formats():
            there = f"there are {', '.join(file_formats())}"
            raise UnknownFormat(f"no format {name!r}; {hint(near(name, file_formats()), there)}")
        return file_formats()[name]
    suffix = split_compression(path)[0].suffix.lower()
    for kind in file_formats().values():
        if suffix in kind.suffixes:
            return kind
    if suffix == ".py":
        named = " or ".join(f"{path}:{name}" for name in names_in(path)[:3]) or f"{path}:NAME"
        raise UnknownFormat(f"{path}: a program; name its list or function of records: {named}")
    if option == "--from" and suffix in _FOREIGN:
        raise UnknownFormat(f"{path}: bakeoff reads no {suffix}; {_FOREIGN[suffix]}")
    known = "|".join(file_formats())
    endings = ", ".join(kind.suffixes[0] for kind in file_formats().values())
    way = f"choose a format with {option} {known}" if option else f"name a file with one of {endings}"
    raise UnknownFormat(f"{path}: unknown ending; {way}")


def format_in(path: Path, name: str | None = None) -> FileFormat:
    """Return the format of a file that exists: the named one, or that of its ending, or of its content.

    Raises:
        UnknownFormat: No such format, or neither ending nor content show one.
        NoRecords: It is empty.
        UnreadableCorpus: The file cannot be opened.
    """
    try:
        return format_of(path, name)
    except UnknownFormat:
        if name is not None:
            raise
        with opened(path, split_compression(path)[1]) as plain:
            head = plain.file.peek(LOOK)[:LOOK]
        _check_not_empty(head, str(path))
        if (kind := shown_format(head)) is None:
            raise
        return kind


def _check_not_empty(head: bytes, name: str) -> None:
    if not head:
        raise NoRecords(f"{name}: contains no records; name another source")


def sniff(head: bytes, name: str) -> FileFormat:
    """Determine the format of a file without a name from its first bytes.

    Raises:
        NoRecords: There are none.
        UnknownFormat: They fit several formats, or none.
    """
    _check_not_empty(head, name)
    if (kind := shown_format(head)) is None:
        raise UnknownFormat(f"{name}: unknown format; choose one with --from {'|'.join(file_formats())}")
    return kind


def _magic(head: bytes) -> str | None:
    """Return the format whose mark a file begins with, if there is one."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def shown_format(head: bytes) -> FileFormat | None:
    """Return the format that the first bytes of a file show; None if they fit several formats, or none."""
    found = _magic(head)
    if found is None:
        text = head.decode(shown(head) or "utf-8", "ignore").removeprefix("\ufeff").lstrip(" \t\r\n")
        found = next((kind for pattern, kind in _TEXT.items() if pattern.match(text)), None)
    if found is None and _is_msgpack(head):
        found = "msgpack"
    if found is None:
        found = next((kind for pattern, kind in _BINARY.items() if pattern.match(head)), None)
    return None if found is None else file_formats()[found]


def _is_msgpack(head: bytes) -> bool:
    """Return whether the first values are dicts or lists of MessagePack."""
    if not _MSGPACK.match(head):
        return False
    import msgpack

    values = msgpack.Unpacker(strict_map_key=False)
    values.feed(head)
    try:
        return all(isinstance(value, dict | list) for value in islice(values, 3))
    except (ValueError, msgpack.UnpackException):
        return False
