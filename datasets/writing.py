"""Write records to a file, one by one, in any of the formats that can be read."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any

from ..codecs import CodecError, codec
from ..errors import RunError
from .readers.formats import FileFormat
from .readers.problems import Problems


def write(records: Iterable[Any], file: IO[bytes], kind: FileFormat, problems: Problems | None = None) -> int:
    """Write records; types that the format lacks follow `bakeoff.codecs.conventions.families`.

    Args:
        file: A binary file; the caller compresses it.
        problems: Collects records that the format cannot hold; None raises.

    Returns:
        The number of records written.

    Raises:
        RunError: The format cannot hold a record.
        MissingLibrary: The library of the format is not installed.
    """
    if kind.name not in _ENCODERS and not kind.codec:
        how = "it needs a schema; use `codec.dump`" if kind.name == "avro" else "read-only"
        raise RunError(f"{kind.name} cannot be written: {how}")
    encode = _ENCODERS.get(kind.name, _by_codec)(kind, file)
    written = 0
    for number, record in enumerate(_in_list(records) if kind.unwrap else records, 1):
        try:
            encode(record)
        except (CodecError, _NoRowError) as error:
            reason = error.reason if isinstance(error, CodecError) else str(error)
            if problems is None or not problems.skip:
                raise RunError(f"record {number:,} cannot be written as {kind.name}: {reason}") from error
            problems.add(f"record {number:,}", f"cannot be written as {kind.name}: {reason}", error)
        else:
            written += 1
    if kind.name == "json":
        file.write(b"\n]\n" if written else b"[]\n")
    return written


def _in_list(records: Iterable[Any]) -> Iterator[Any]:
    """Iterate over records. If there is only one and it is a list, it is in another list.

    A file that consists of one list is read as the items of that list.
    """
    rest = iter(records)
    first = list(islice(rest, 2))
    if len(first) == 1 and isinstance(first[0], Iterable) and not isinstance(first[0], str | bytes | Mapping):
        yield first
    else:
        yield from first
        yield from rest


class _NoRowError(ValueError):
    """A record is not a row."""


def _by_codec(kind: FileFormat, file: IO[bytes]) -> Callable[[Any], None]:
    header, made = framed(kind)
    file.write(header)

    def write_one(record: Any) -> None:
        file.write(made(record))

    return write_one


def framed(kind: FileFormat) -> tuple[bytes, Callable[[Any], bytes]]:
    """Return the start of a file of a format, and a function that returns what it holds for a record.

    Raises:
        RunError: The format is not written record by record.
        MissingLibrary: The library of the format is not installed.
    """
    if not kind.codec or kind.name in _ENCODERS:
        raise RunError(f"{kind.name} is not written record by record; use jsonl or msgpack, for example")
    made = codec(kind.codec)
    encode, frame = made.encode, made.framing.frame
    return made.framing.header(made), lambda record: frame(encode(record))


def _json_array(kind: FileFormat, file: IO[bytes]) -> Callable[[Any], None]:
    """Open an array; `write` closes it."""
    encode = codec("json").encode
    before = b"[\n"

    def write_one(record: Any) -> None:
        nonlocal before
        payload = encode(record)
        file.write(before + payload)
        before = b",\n"

    return write_one


def _table(kind: FileFormat, file: IO[bytes]) -> Callable[[Any], None]:
    """Write rows; the fields of the first record are the header."""
    leaf = codec("json").encode_text
    text = io.StringIO(newline="")
    rows = csv.writer(text, delimiter="\t" if kind.name == "tsv" else ",", lineterminator="\r\n")
    header: list[str] = []

    def cell(name: str, value: Any) -> str:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        plain = leaf(value)
        if plain[:1] in ("{", "["):
            raise _NoRowError(f"field {name!r} is a {type(value).__name__}; a cell can only hold one value")
        return plain[1:-1] if plain[:1] == '"' else plain

    def write_one(record: Any) -> None:
        if not isinstance(record, dict) or not record:
            raise _NoRowError(f"expected a dict with fields, got {type(record).__name__}")
        if header and list(record) != header:
            odd = sorted(set(header) ^ {str(name) for name in record})
            what = f"field {odd[0]!r} is not in both" if odd else "other order"
            raise _NoRowError(f"its fields differ from the first record's ({what})")
        cells = [cell(name, value) for name, value in record.items()]
        if not header:
            header.extend(map(str, record))
            rows.writerow(header)
        rows.writerow(cells)
        file.write(text.getvalue().encode())
        text.seek(0)
        text.truncate()

    return write_one


_ENCODERS: dict[str, Callable[[FileFormat, IO[bytes]], Callable[[Any], None]]] = {
    "json": _json_array,
    "csv": _table,
    "tsv": _table,
}
