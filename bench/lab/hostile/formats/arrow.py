"""Hostile Arrow (arrow.apache.org/docs/format/Columnar.html), as streams of the ordinary record's schema."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .....codecs.formats.ipc import END, messages
from .....codecs.limits import OWN_DATA, Limits
from ..build import counts, either, limit, refuse, table
from ..cases import RECORD

if TYPE_CHECKING:
    from .....codecs import Codec

_NUMBERS = (-1, 2**31 - 1, 2**60, 2**63 - 1, -(2**63))
_CLAIM = 2**40
"""Decompressed bytes that compressed buffers claim."""


def _written(codec: Codec, **changes: Any) -> bytes:
    assert codec.bound is not None
    record = RECORD | changes
    # Without limits, which the payload is to exceed.
    writer = codec.with_limits(**OWN_DATA)
    return writer.encode(record if codec.bound.take is None else codec.bound.take(record))


def _parts(codec: Codec) -> tuple[bytes, bytes]:
    """Return the schema and the batch of a payload."""
    payload = _written(codec)
    (head, batch), _ = messages(payload, Limits())
    return payload[: head.end], payload[batch.start : batch.end]


def _filled(field: str, item: Any, values: int, size: int) -> Callable[[Codec], Iterator[bytes]]:
    def make(codec: Codec) -> Iterator[bytes]:
        # The rest of the record counts as well.
        for count in counts(codec.with_limits(size=codec.limits.size - 4096), size, values, 200 * values):
            yield _written(codec, **{field: [item] * count})

    return make


def _flags(codec: Codec) -> Iterator[bytes]:
    # Eight of them take a byte, so that the limit of items is reached first.
    for count in (codec.limits.items - 200, codec.limits.items + 1):
        yield _written(codec, by=RECORD["by"] | {"flags": [True] * count})


def _batches(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    head, batch = _parts(codec)
    schema = pa.ipc.read_schema(pa.py_buffer(head))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_table(schema.empty_table())
        writer.write_batch(pa.record_batch([pa.array([], field.type) for field in schema], schema=schema))
    (_, empty), _ = messages(bytes(sink.getvalue()), Limits())
    for part in (bytes(sink.getvalue())[empty.start : empty.end], batch):
        yield head + part * ((codec.limits.size - len(head) - len(END)) // len(part)) + END


def _words(data: bytes, start: int, width: str, numbers: tuple[int, ...]) -> Iterator[bytes]:
    """Yield data with each word in turn replaced by each of some numbers."""
    size = struct.calcsize(width)
    for at in range(start, len(data) - size + 1, size):
        for number in numbers:
            yield data[:at] + struct.pack(width, number) + data[at + size :]


def _headers(codec: Codec) -> Iterator[bytes]:
    head, batch = _parts(codec)
    behind = 8 + struct.unpack_from("<I", batch, 4)[0]
    for header in _words(batch[:behind], 8, "<q", _NUMBERS):
        yield head + header + batch[behind:] + END
    for schema in _words(head, 0, "<i", (-1, 2**31 - 1, 0)):
        yield schema + batch + END


def _bodies(codec: Codec) -> Iterator[bytes]:
    head, batch = _parts(codec)
    behind = 8 + struct.unpack_from("<I", batch, 4)[0]
    for body in _words(batch[behind:], 0, "<i", (-1, 2**31 - 1, 255)):
        yield head + batch[:behind] + body + END


def _stream(table: Any, **options: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write(table)
    return bytes(sink.getvalue())


def _compressed(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    many = pa.table({"name": pa.array(["x" * (codec.limits.size * 2)])})
    for kind in ("lz4", "zstd"):
        payload = _stream(many, compression=kind)
        yield payload
        claimed = struct.pack("<q", codec.limits.size * 2)
        yield payload.replace(claimed, struct.pack("<q", _CLAIM))
        yield payload.replace(claimed, struct.pack("<q", 2**63 - 1))


def _nothing(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    payload = _stream(pa.table({"id": pa.nulls(12345)}))
    for number in (1_000_001, 2**31, 2**60, 2**63 - 1):
        yield payload.replace(struct.pack("<q", 12345), struct.pack("<q", number))


def _deep(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    kind = pa.int64()
    for _ in range(60):  # pyarrow does not write deeper ones
        kind = pa.list_(kind)
    yield _stream(pa.table({"id": pa.array([None], kind)}))


def _unknown(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    head, _ = _parts(codec)
    schema = pa.ipc.read_schema(pa.py_buffer(head))
    for count in (1_000, 8_000):
        fields = [*schema, *(pa.field(f"c{i}", pa.int64()) for i in range(count))]
        yield _stream(pa.schema(fields).empty_table())


def _columns(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    for count in (5_000, 50_000):
        names = [f"c{i}" for i in range(count)]
        yield _stream(pa.table([pa.array([1])] * count, names=names))
        yield _stream(pa.table([pa.array([1])] * count, names=["same"] * count))


def _dictionaries(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    words = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array(["x" * 10_000]))
    payload = _stream(pa.table({"name": words}))
    found, _ = messages(payload, Limits())
    head, dictionary, batch = (payload[start:end] for _, start, end in found)
    yield payload
    yield head + batch + END
    yield head + dictionary + dictionary + batch + END
    yield payload.replace(bytes(4000), struct.pack("<i", 7) * 1000)
    yield payload.replace(bytes(4000), struct.pack("<i", -1) * 1000)


def _extensions(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    for name in ("arrow.py_extension_type", "arrow.uuid", "arrow.json"):
        facts = {"ARROW:extension:name": name, "ARROW:extension:metadata": "cos\nsystem\n(S'false'\ntR."}
        field = pa.field("raw", pa.binary(16), metadata=facts)
        yield _stream(pa.table([pa.array([bytes(16)], pa.binary(16))], schema=pa.schema([field])))


def _others(codec: Codec) -> Iterator[bytes]:
    import pyarrow as pa

    head, batch = _parts(codec)
    yield batch + END
    yield head + batch
    yield head + head + batch + END
    yield head + batch + END + END
    yield END
    yield END + head + batch + END
    # Before Arrow 0.15, there was no marker before the length.
    yield head[4:] + batch[4:] + END[4:]
    table = pa.table({"id": pa.array([1])})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write(table)
    yield bytes(sink.getvalue())
    yield head + struct.pack("<II", 0xFFFFFFFF, 2**31) + batch[8:] + END


CASES = table(
    "arrow",
    either("fill-structs", "small structs to the limits of items and of size",
           _filled("many", {"n": 1, "square": 1}, 3, 16)),
    either("fill-bools", "bools to the limit of items, and one more", _flags),
    either("fill-text", "one long text with one emoji to the limit of size",
           lambda codec: [_written(codec, name="a" * (codec.limits.size - 8192) + "😀")]),
    either("many-batches", "batches of no record and of one, to the limit of size", _batches),
    either("headers", "each number of a header in turn made -1, 2**31, 2**60, 2**63, -2**63", _headers),
    either("bodies", "each number of a body in turn made -1, 2**31, 255: offsets, lengths", _bodies),
    limit("compressed", f"buffers that become more than the limit, or claim {_CLAIM:,} bytes", _compressed),
    limit("nulls", "up to 2**63 rows of nulls, which take no byte", _nothing),
    refuse("deep-types", "lists nested 60 deep", _deep),
    refuse("columns", "5,000 and 50,000 columns, of many names and of one", _columns),
    either("unknown-columns", "8,000 columns that the schema does not know", _unknown),
    refuse("dictionaries", "one that is referred to again and again, that is missing, indices beyond it", _dictionaries),
    refuse("extensions", "types whose code might run", _extensions),
    refuse("other-streams", "no schema, two of them, no end, two of them, files, streams of old, headers of 2 GiB",
           _others),
)  # fmt: skip
