"""The file formats: endings, readers, and the codec that writes each."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from .errors import UnknownFormat, UnreadableCorpus
from .problems import Problems
from .streams import split_compression

__all__ = ["FORMATS", "FileFormat", "format_of", "sniff"]

Reader = Callable[[io.BufferedReader, Problems], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format that files of records come in.

    Attributes:
        name: As given to ``--from`` and ``--format``.
        suffixes: Endings of file names.
        reader: ``module:function`` in this package, imported when needed.
        codec: Codec that writes it, record by record; empty where `writing` has a way of its own.
        text: UTF-8 text.
        unwrap: A file that holds one list and nothing else stands for the items of the list.
        trusted_only: Reading it runs what the file says.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    codec: str = ""
    text: bool = False
    unwrap: bool = False
    trusted_only: bool = False

    def read(self, file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
        """Iterate over the records of a file.

        Raises:
            BadRecord: A record cannot be read, and bad ones are not to be skipped.
            UnreadableCorpus: The file cannot be read at all.
        """
        if self.text and file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise UnreadableCorpus(f"{problems.source}: this is UTF-16; convert it to UTF-8 first")
        module, _, function = self.reader.partition(":")
        reader: Reader = getattr(import_module(f".{module}", __package__), function)
        records = reader(file, problems)
        return _unwrapped(records) if self.unwrap else records


def _unwrapped(records: Iterator[Any]) -> Iterator[Any]:
    first = list(_take(records, 2))
    if len(first) == 1 and isinstance(first[0], list):
        yield from first[0]
    else:
        yield from first
        yield from records


def _take(records: Iterator[Any], count: int) -> Iterator[Any]:
    for _ in range(count):
        try:
            yield next(records)
        except StopIteration:
            return


FORMATS = {
    kind.name: kind
    for kind in (
        FileFormat(
            "jsonl", (".jsonl", ".ndjson", ".jsonlines"), "json_reader:read_json_lines", "json", text=True
        ),
        FileFormat("json", (".json", ".geojson"), "json_reader:read_json", text=True),
        FileFormat("csv", (".csv",), "csv_reader:read_csv", text=True),
        FileFormat("tsv", (".tsv", ".tab"), "csv_reader:read_tsv", text=True),
        FileFormat(
            "msgpack", (".msgpack", ".mpk", ".mp"), "binary_readers:read_msgpack", "msgpack", unwrap=True
        ),
        FileFormat("bson", (".bson",), "binary_readers:read_bson", "bson"),
        FileFormat("cbor", (".cbor", ".cborseq"), "binary_readers:read_cbor", "cbor2", unwrap=True),
        FileFormat("yaml", (".yaml", ".yml"), "yaml_reader:read_yaml", "yaml", text=True, unwrap=True),
        FileFormat(
            "pickle",
            (".pickle", ".pkl", ".pck"),
            "binary_readers:read_pickle",
            "pickle",
            unwrap=True,
            trusted_only=True,
        ),
    )
}
"""All formats by name."""

_NOT_READ = {".parquet": "Parquet", ".avro": "Avro"}

_BY_SUFFIX = {suffix: kind for kind in FORMATS.values() for suffix in kind.suffixes}


def format_of(path: Path, name: str | None = None, option: str = "--from") -> FileFormat:
    """Return the format of a file.

    Args:
        name: What the user said; None goes by the ending, before that of a compressor.
        option: What the user may say it with.

    Raises:
        UnknownFormat: No such format, or no known ending.
    """
    if name is not None:
        if name not in FORMATS:
            raise UnknownFormat(f"no format {name!r}; there are {', '.join(FORMATS)}")
        return FORMATS[name]
    suffix = split_compression(path)[0].suffix.lower()
    if suffix in _NOT_READ:
        raise UnknownFormat(f"{path}: {_NOT_READ[suffix]} files are not read; turn it into JSON Lines first")
    if (kind := _BY_SUFFIX.get(suffix)) is None:
        raise UnknownFormat(f"{path}: no format known by this ending; say {option} {'|'.join(FORMATS)}")
    return kind


def sniff(head: bytes, name: str) -> FileFormat:
    """Return the format of a file without a name from its first bytes.

    Raises:
        UnknownFormat: They could be anything.
    """
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if start[:1] in (b"{", b"["):
        return FORMATS["json"]
    if start.startswith((b"---", b"%YAML")):
        return FORMATS["yaml"]
    raise UnknownFormat(f"{name}: its format cannot be told; say --from {'|'.join(FORMATS)}")
