"""The file formats: extensions, readers, and the codec that writes each."""

from __future__ import annotations

import codecs
import functools
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...codecs.registry import first_codecs, formats
from ..errors import UnknownFormat
from ..passes import ReadOptions
from .at import Search
from .encoding import as_utf8
from .problems import Problems
from .streams import split_compression

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
        cells: Whether texts of cells can mean None.
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
        """
        if self.text:
            file = as_utf8(file, reading.encoding, problems.source)
        if search is not None and self.search:
            found: Iterator[Any] = _imported(self.search)(file, problems, search)
            return found
        told: tuple[Any, ...] = (reading.null,) if self.cells else ()
        if self.pickles:
            told = (reading.trusted,)
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
    FileFormat("json", (".json", ".geojson"), "json:read_json", search="json:read_json_at", text=True),
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

_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\x93NUMPY": "npy"}


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
        return format_of(Path(path), name).codec or "json"
    except UnknownFormat:
        return "json"


def format_of(path: Path, name: str | None = None, option: str = "--from") -> FileFormat:
    """Return the format of a file.

    Args:
        name: Format named by the user; None uses the extension before that of a compressor.
        option: The option with which the user can name it.

    Raises:
        UnknownFormat: No such format, or no known extension.
    """
    if name is not None:
        if name not in file_formats():
            raise UnknownFormat(f"no format {name!r}; there are {', '.join(file_formats())}")
        return file_formats()[name]
    suffix = split_compression(path)[0].suffix.lower()
    for kind in file_formats().values():
        if suffix in kind.suffixes:
            return kind
    raise UnknownFormat(f"{path}: unknown ending; choose a format with {option} {'|'.join(file_formats())}")


def sniff(head: bytes, name: str) -> FileFormat:
    """Determine the format of a file without a name from its first bytes.

    Raises:
        UnknownFormat: They fit several formats, or none.
    """
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if start[:1] in (b"{", b"["):
        return file_formats()["json"]
    if start.startswith((b"---", b"%YAML")):
        return file_formats()["yaml"]
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return file_formats()[kind]
    raise UnknownFormat(f"{name}: unknown format; choose one with --from {'|'.join(file_formats())}")
