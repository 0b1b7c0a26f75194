"""Avro, by fastavro: the body alone, or after the fingerprint of the schema that wrote it.

Source: Apache Avro 1.12 specification, "Single-object encoding" and "Object Container Files".

fastavro's decoder crashes the process on deeply nested recursive records, makes a hundred million nulls of
six bytes, and accepts a negative branch number, counted from the end. So a payload is first checked against
its schema.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable, Generator, Iterable
from copy import deepcopy
from functools import lru_cache, partial
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ..binding import DEEPEST, Bound, SchemaProtocol
from ..errors import LimitError, refused
from ..limits import DEFAULT, DEFAULT_DEPTH
from ..registry import declare
from ..safety._scan import AvroBody, AvroEnds, StreamBuffer
from ..safety.embedded import within_budget
from ..safety.keys import refuse_one_hash_within
from ..spec import Format, RawCalls, Spec
from ..streams.compression import FREE, compressor
from ..streams.framing import Cuts, Framing, damage, varint
from . import schema_ids
from .structs import STRICT, WIRE_LOSSES, WIRE_POLICIES, WIRE_PRESERVES

if TYPE_CHECKING:
    from ..binding import CodecProtocol

SINGLE, BARE, REGISTRY = "avro", "avro/bare", "avro/registry"
MARKER = b"\xc3\x01"
"""Start of a single object; the fingerprint follows."""
MAGIC = b"Obj\x01"
SYNC = 16
HEAD = 1 << 12
"""Bytes to read from a file at a time, until its schema is known."""
BLOCK = 1 << 16
"""Bytes of records in a block, as in Avro's library for Java."""
MOST_PAIRS = 1_000
"""Limit for the pairs of metadata in the header of a file."""
LARGEST_HEADER = 1 << 20
"""Limit for the bytes of that metadata, which contains the schema."""
CHECKSUM = 4
"""Bytes of the CRC-32 after a snappy block, and limit for those after a deflated one, where fastavro leaves a
part of zlib's checksum."""
XZ_MEMORY = 1 << 27
"""Bytes of memory for the dictionary of an xz block; ``xz -9`` needs 65 MiB to read."""
BRACKETS = 500
"""Limit for nested brackets in the schema of a file."""
PER_LEVEL = 2
"""Levels on the wire for each level of a record: a map with keys other than text is an array of records."""


class AvroSchema(NamedTuple):
    """A schema as fastavro's compiled calls read it.

    Attributes:
        node: The schema with full names, without logical types.
        names: Named types by their full names.
        tells: Whether the names of branches are needed to know the type of a decoded value.
    """

    node: Any
    names: dict[str, Any]
    tells: bool


class _Known(NamedTuple):
    """A schema with everything derived from it.

    Attributes:
        schema: The schema.
        ends: Finds the end of its payloads, and checks them.
        fingerprint: CRC-64-AVRO of its canonical form, little-endian.
        definition: The schema as JSON.
        take: Converts a record to the objects that fastavro writes.
        give: Converts the objects that fastavro reads to a record.
        checks: Whether a payload could contain many keys or items of sets with the same hash.
        nests: Whether records may contain others of their own kind.
    """

    schema: AvroSchema
    ends: AvroEnds
    fingerprint: bytes
    definition: str
    take: Callable[[Any], Any]
    give: Callable[[Any], Any]
    checks: bool
    nests: bool

    def end(self, data: bytes, start: int, items: int, depth: int) -> int:
        """Return the end of the value that starts at a byte of data; raises as `AvroEnds.end`.

        Args:
            data: Bytes.
            start: Where the value starts.
            items: Limit for the values that it contains.
            depth: Limit for its nesting. The decoded record is checked for this limit; this check only
                protects the stack.
        """
        levels = PER_LEVEL * min(depth, DEEPEST) if self.nests else len(self.definition)
        return self.ends.end(data, start, items, levels)

    def body(self, data: bytes, head: bytes, items: int, depth: int) -> AvroBody:
        """Return a payload's body after checking it.

        Raises:
            ValueError: It does not match the schema.
            TooMuchError: It contains more values than the limit allows.
            RecursionError: It nests too deeply.
        """
        if not data.startswith(head):
            raise ValueError(_other(data, self.fingerprint))
        if self.end(data, len(head), items, depth) != len(data):
            raise ValueError("data after the end of the value")
        return AvroBody(data, len(head))


def _other(data: bytes, fingerprint: bytes) -> str:
    if not data.startswith(MARKER) or len(data) < 10:
        return "not an Avro single object, which begins with C3 01 and a fingerprint"
    return (
        f"written with another schema, of fingerprint {data[2:10].hex()}, not {fingerprint.hex()};"
        " read it with codec.bound.reading(its schema)"
    )


@lru_cache(maxsize=16)
def _known(schema: SchemaProtocol) -> _Known:
    binding = schema.binding("avro")
    made: AvroSchema = binding.type
    return _Known(
        made,
        AvroEnds(made.node, made.names),
        _fingerprint(json.loads(binding.definition)),
        binding.definition,
        binding.take,
        binding.give,
        not schema.hashes_text_only,
        schema.nests,
    )


def _fingerprint(schema: Any) -> bytes:
    from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form

    return bytes.fromhex(fingerprint(to_parsing_canonical_form(parse_schema(schema)), "CRC-64-AVRO"))


def _head(known: _Known, name: str) -> bytes:
    """Return the bytes before each payload of a codec."""
    return MARKER + known.fingerprint if name == SINGLE else b""


def _bound(schema: SchemaProtocol, *, name: str) -> Bound:
    from fastavro._read import _read_data  # type: ignore[attr-defined]
    from fastavro._write import write_data  # type: ignore[attr-defined]

    known = _known(schema)
    head = _head(known, name)
    (node, names, tells), take, give = known.schema, known.take, known.give
    both = {"writer": names, "reader": {}}
    options = {"return_named_type": True} if tells else {}
    nothing: dict[str, Any] = {}
    within = within_budget(give) if schema.embeds else None

    def encode(record: Any) -> bytes:
        payload = bytearray(head)
        write_data(payload, take(record), node, names, "", nothing)
        made = bytes(payload)
        if known.nests:
            # Refuse to write records that could not be read: a branch may be wrapped in another record.
            known.end(made, len(head), sys.maxsize, DEFAULT_DEPTH)
        return made

    def decode(data: bytes, *, items: int = DEFAULT.items, depth: int = DEFAULT_DEPTH) -> Any:
        value = _read_data(known.body(data, head, items, depth), node, both, None, options)
        if known.checks:
            refuse_one_hash_within(value, len(data))
        return give(value) if within is None else within(value, items=items)

    def reading(writer: SchemaProtocol) -> Callable[..., Any]:
        """Return a decoder of payloads that were written with another version of the schema."""
        writer.binding("avro", read_as=schema)
        other = _known(writer)
        other_head = _head(other, name)
        names_of_both = {"writer": other.schema.names, "reader": names}
        # fastavro gives the same default to every record.
        own = deepcopy if _shared_defaults(names) else _itself

        def decode_other(data: bytes, *, items: int = DEFAULT.items, depth: int = DEFAULT_DEPTH) -> Any:
            try:
                body = other.body(data, other_head, items, depth)
                value = _read_data(body, other.schema.node, names_of_both, node, options)
                if known.checks:
                    refuse_one_hash_within(value, len(data))
                return give(own(value)) if within is None else within(own(value), items=items)
            except Exception as error:
                raise refused(name, error) from error

        return decode_other

    return Bound(
        encode=encode,
        decode=decode,
        definition=known.definition,
        head=len(head),
        reading=reading,
        deepest=DEEPEST if known.nests else 0,
    )


def _raw(schema: SchemaProtocol, *, name: str) -> RawCalls:
    """Return the calls of a user of fastavro, for records with resolved branches and logical types."""
    from fastavro import parse_schema, schemaless_reader, schemaless_writer

    known = _known(schema)
    head = _head(known, name)
    parsed = parse_schema(_without_logical_types(json.loads(known.definition)))

    def encode(record: Any) -> bytes:
        file = BytesIO()
        file.write(head)
        schemaless_writer(file, parsed, record)
        return file.getvalue()

    def decode(data: bytes) -> Any:
        file = BytesIO(data)
        file.seek(len(head))
        return schemaless_reader(file, parsed, None, return_named_type=known.schema.tells)

    return RawCalls(encode, decode, known.take, known.give)


def _without_logical_types(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_logical_types(each) for each in node]
    if isinstance(node, dict):
        return {key: _without_logical_types(each) for key, each in node.items() if key != "logicalType"}
    return node


def _shared_defaults(names: dict[str, Any]) -> bool:
    """Whether a default is a mutable value."""
    fields = (field for kind in names.values() for field in kind.get("fields", ()))
    return any(isinstance(field.get("default"), (list, dict, tuple)) for field in fields)


def _itself(value: Any) -> Any:
    return value


# Files ----------------------------------------------------------------------------------------------


class Container(Framing):
    """Avro object container files: the schema, then blocks of bodies with a sync marker after each.

    Files are written uncompressed. Files with the codecs of `BLOCKS` can be read, with any sync marker. The
    canonical form of a file's schema must equal that of the codec's schema.
    """

    def dump(self, codec: CodecProtocol, records: Iterable[Any], file: IO[bytes]) -> int:
        """Write all records; return how many."""
        known, head = _of(codec)
        sync = os.urandom(SYNC)
        meta = {"avro.codec": b"null", "avro.schema": known.definition.encode()}
        entries = b"".join(_text(key.encode()) + _text(value) for key, value in meta.items())
        file.write(MAGIC + _number(len(meta)) + entries + b"\0" + sync)
        count, held, block = 0, 0, bytearray()
        for record in records:
            block += memoryview(codec.encode(record))[len(head) :]
            count, held = count + 1, held + 1
            if len(block) >= BLOCK:
                file.write(_number(held) + _text(block) + sync)
                held, block = 0, bytearray()
        if held:
            file.write(_number(held) + _text(block) + sync)
        return count

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        known, head = _of(codec)
        sync, expand = yield from _header(codec, known, pending)
        limit, items = codec.limits.size, codec.limits.items
        expansion = None if expand is None else _Expansion(codec, expand)
        while True:
            start = pending.position
            if (yield from _ended(pending)):
                return
            count = yield from _read_number(codec, pending, start)
            size = yield from _read_number(codec, pending, start)
            if size < 0:
                raise damage(codec, start, "a block of negative size")
            if size > limit:
                reason = f"a block of {size:,} bytes, more than {limit:,}, the limit of size"
                raise damage(codec, start, reason, LimitError)
            block = yield from _take(codec, pending, size, start)
            if expansion is not None:
                block = expansion.expanded(block, start)
            if count < 0 or (count > len(block) and count > items):
                raise damage(codec, start, f"a block that claims {count:,} records", LimitError)
            if (yield from _take(codec, pending, SYNC, start)) != sync:
                raise damage(codec, start, "no sync marker after a block")
            at = 0
            for _ in range(count):
                try:
                    end = known.end(block, at, items, codec.limits.deepest)
                except RecursionError as error:
                    raise damage(codec, start, str(error), LimitError) from error
                except ValueError as error:
                    raise damage(codec, start, str(error)) from error
                pending.start = start
                yield head + block[at:end]
                at = end
            if at != len(block):
                raise damage(codec, start, "data after the last record of a block")


def _of(codec: CodecProtocol) -> tuple[_Known, bytes]:
    """Return a codec's schema, and the bytes before each of its payloads."""
    if codec.schema is None:
        codec.decode(b"unbound")
    assert codec.schema is not None
    known = _known(codec.schema)
    return known, _head(known, codec.name)


def _ended(pending: StreamBuffer) -> Generator[None, None, bool]:
    while not len(pending):
        if pending.ended:
            return True
        yield None
    return False


def _take(codec: CodecProtocol, pending: StreamBuffer, size: int, start: int) -> Generator[None, None, bytes]:
    while len(pending) < size:
        if pending.ended:
            raise damage(codec, start, "the file ends within it")
        yield None
    return pending.take(size)


def _read_number(codec: CodecProtocol, pending: StreamBuffer, start: int) -> Generator[None, None, int]:
    value = shift = 0
    while True:
        (byte,) = yield from _take(codec, pending, 1, start)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value >> 1 if not value & 1 else -(value >> 1) - 1
        shift += 7
        if shift > 63:
            raise damage(codec, start, "a number of more than 64 bits")


def _header(
    codec: CodecProtocol, known: _Known, pending: StreamBuffer
) -> Generator[None, None, tuple[bytes, Expand | None]]:
    """Read the header; return the sync marker, and what decompresses a block, if anything does."""
    if (yield from _ended(pending)):
        return b"", None
    meta = yield from _metadata(codec, pending)
    sync = yield from _take(codec, pending, SYNC, 0)
    compression = meta.get(b"avro.codec", b"null")
    if compression not in BLOCKS:
        every = ", ".join(name.decode() for name in BLOCKS)
        raise damage(codec, 0, f"blocks compressed by {compression!r:.40}; expected one of {every}")
    _check_schema(codec, known, meta.get(b"avro.schema", b""))
    make = BLOCKS[compression]
    return sync, None if make is None else make()


def _metadata(codec: CodecProtocol, pending: StreamBuffer) -> Generator[None, None, dict[bytes, bytes]]:
    if (yield from _take(codec, pending, len(MAGIC), 0)) != MAGIC:
        raise damage(codec, 0, "not an Avro container file, which begins with 'Obj' and 01")
    meta: dict[bytes, bytes] = {}
    left, pairs = LARGEST_HEADER, MOST_PAIRS
    while count := (yield from _read_number(codec, pending, 0)):
        if count < 0:
            yield from _read_number(codec, pending, 0)
        pairs -= abs(count)
        if pairs < 0:
            raise damage(codec, 0, f"a header of more than {MOST_PAIRS:,} pairs", LimitError)
        for _ in range(abs(count)):
            pair = []
            for _ in range(2):
                size = yield from _read_number(codec, pending, 0)
                left -= size + 1
                if size < 0 or left < 0:
                    raise damage(codec, 0, f"a header of more than {LARGEST_HEADER:,} bytes", LimitError)
                pair.append((yield from _take(codec, pending, size, 0)))
            meta[pair[0]] = pair[1]
    return meta


def schema_of_file(codec: CodecProtocol, file: IO[bytes]) -> tuple[bytes, bytes]:
    """Return the schema at the start of a container file, as JSON, and the bytes read from the file.

    Args:
        codec: The codec, for its limit of size and for messages.
        file: The file, at its start.

    Raises:
        DecodeError: It is not a container file.
    """
    pending = StreamBuffer()
    meta, read = _driven(_metadata(codec, pending), pending, file)
    return meta.get(b"avro.schema", b""), read


def header_of_file(codec: CodecProtocol, file: IO[bytes]) -> bytes:
    """Return the header of a container file, which ends in the marker that follows each of its blocks.

    Args:
        codec: As for `schema_of_file`; the same applies to `file`.

    Raises:
        DecodeError: It is not a container file.
    """

    def header() -> Generator[None, None, None]:
        yield from _metadata(codec, pending)
        yield from _take(codec, pending, SYNC, 0)

    pending = StreamBuffer()
    _, read = _driven(header(), pending, file)
    return read[: len(read) - len(pending)]


def _driven(steps: Generator[None, None, Any], pending: StreamBuffer, file: IO[bytes]) -> tuple[Any, bytes]:
    """Feed the start of a file to steps of reading; return what they return, and the bytes that were read."""
    read = bytearray()
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return ended.value, bytes(read)
        if chunk := file.read(HEAD):
            pending.feed(chunk)
            read += chunk
        else:
            pending.end()


def _check_schema(codec: CodecProtocol, known: _Known, text: bytes) -> None:
    if text == known.definition.encode():
        return
    depth = deepest = 0
    for byte in text:
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    if deepest > BRACKETS:
        raise damage(codec, 0, f"a schema nested more than {BRACKETS} deep", LimitError)
    try:
        found = _fingerprint(json.loads(text))
    except Exception as error:
        raise damage(codec, 0, f"not an Avro schema: {error}") from error
    if found != known.fingerprint:
        raise damage(codec, 0, _other(MARKER + found, known.fingerprint))


Expand = Callable[[bytes, int], bytes | None]
"""``(block, limit) -> bytes``: a decompressed block, or None if it has more bytes than the limit."""


def _inflate() -> Expand:
    def inflate(block: bytes, limit: int) -> bytes | None:
        return _ended_within(zlib.decompressobj(-15), block, limit, CHECKSUM)

    return inflate


def _bunzip2() -> Expand:
    from bz2 import BZ2Decompressor

    return lambda block, limit: _ended_within(BZ2Decompressor(), block, limit, 0)


def _unxz() -> Expand:
    from lzma import FORMAT_XZ, LZMADecompressor

    # A header can ask for a dictionary of 4 GiB.
    return lambda block, limit: _ended_within(LZMADecompressor(FORMAT_XZ, XZ_MEMORY), block, limit, 0)


def _ended_within(unpacker: Any, block: bytes, limit: int, behind: int) -> bytes | None:
    made: bytes = unpacker.decompress(block, limit + 1)
    if len(made) > limit:
        return None
    if not unpacker.eof or len(unpacker.unused_data) > behind:
        raise ValueError("a block that is not a complete compressed stream")
    return made


def _zstandard() -> Expand:
    return compressor("zstd").bounded


def _snappy() -> Expand:
    raw = compressor("snappy")

    def expand(block: bytes, limit: int) -> bytes | None:
        made = raw.bounded(block[:-CHECKSUM], limit)
        if made is not None and zlib.crc32(made) != int.from_bytes(block[-CHECKSUM:], "big"):
            raise ValueError("a block with a wrong checksum")
        return made

    return expand


BLOCKS: dict[bytes, Callable[[], Expand] | None] = {
    b"null": None,
    b"deflate": _inflate,
    b"snappy": _snappy,
    b"zstandard": _zstandard,
    b"bzip2": _bunzip2,
    b"xz": _unxz,
}
"""The codecs of blocks in files (Avro 1.12, "Required Codecs" and "Optional Codecs")."""


class _Expansion:
    """Decompresses the blocks of a file, and limits their total size.

    Args:
        codec: The codec, for its limits and for messages.
        expand: What decompresses a block.
    """

    def __init__(self, codec: CodecProtocol, expand: Expand) -> None:
        self._codec = codec
        self._expand = expand
        self._largest = codec.limits.decompressed or codec.limits.size
        self._read = self._made = 0

    def expanded(self, block: bytes, start: int) -> bytes:
        """Return the content of a block that starts at a byte of the file.

        Raises:
            DecodeError: It is not a complete compressed block.
            LimitError: The block exceeds the limit of size, or all blocks so far exceed the limit of ratio.
        """
        self._read += len(block)
        ratio = self._codec.limits.ratio
        left = max(FREE, ratio * self._read) - self._made
        limit = min(self._largest, left)
        try:
            made = self._expand(block, limit)
        except Exception as error:  # each library has its own
            raise damage(self._codec, start, str(error)) from error
        if made is None:
            reason = f"a block of more than {limit:,} bytes"
            if limit < self._largest:
                reason = f"blocks decompress to more than {ratio:,} times their size (see with_limits, ratio)"
            raise damage(self._codec, start, reason, LimitError)
        self._made += len(made)
        return made


def _number(value: int) -> bytes:
    """Return a count or length as Avro writes it."""
    return varint(value << 1)


def _text(data: bytes | bytearray) -> bytes:
    return _number(len(data)) + data


# Codecs ---------------------------------------------------------------------------------------------

AVRO = Format(
    name="avro", media_type="application/vnd.apache.avro", file_extension=".avro", framing=Container()
)
BODY = Format(
    name="avro",
    media_type="avro/binary",
    syntax="avro-bare",
    file_extension=".avro",
    framing=Container(),
    empty=True,
)
WITH_ID = Format(name="avro", media_type="application/x.schema-registry.avro", syntax="avro-registry")


def _avro(bind: Callable[..., Bound], raw: Callable[[SchemaProtocol], RawCalls]) -> Spec:
    # Imported here, so that a missing library is reported now and not at the first call.
    import fastavro._read
    import fastavro._write  # noqa: F401

    return Spec.of(
        bind=bind,
        raw=raw,
        bounded=lambda limits: {"items": limits.items, "depth": limits.deepest},
        accelerated=True,
        preserves=WIRE_PRESERVES,
        losses=WIRE_LOSSES,
        notes=(STRICT,),
        policies=WIRE_POLICIES,
    )


def _body(name: str) -> Spec:
    return _avro(partial(_bound, name=name), partial(_raw, name=name))


_declare = partial(declare, library="fastavro", extra="fastavro", needs_schema=True)


@_declare(SINGLE, AVRO)
def _single_object() -> Spec:
    return _body(SINGLE)


@_declare(BARE, BODY)
def _bare() -> Spec:
    return _body(BARE)


@_declare(REGISTRY, WITH_ID)
def _registry() -> Spec:
    body = partial(_bound, name=REGISTRY)
    bind = partial(schema_ids.bound, REGISTRY, body)
    return schema_ids.with_ids(_avro(bind, partial(schema_ids.raw, body, partial(_raw, name=REGISTRY))))
