"""Payloads of schema registries: a zero byte, the id of the schema that wrote them, then the body.

Source: "Wire format" at docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop.
The id has four bytes, in big-endian order. A schema in Protocol Buffers is a file, so the index of the
message in it follows: how many numbers, then each, as varints in zigzag; a single zero for the first message.
No media type is in use for such payloads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..binding import Bound, SchemaIds, SchemaProtocol
from ..errors import DecodeError, refused
from ..spec import RawCalls, Spec
from ..streams.framing import varint

MAGIC = b"\0"
BEFORE = 5
"""Bytes before the index or the body."""
FIRST: tuple[int, ...] = (0,)
"""Index of the first message."""
MOST_NUMBERS = 100
"""Limit for the numbers of an index, and so for messages around a message."""
NUMBER = 5
"""Most bytes of a number in an index."""
UNSET = "writes the schema id 0; `codec.with_schema_id(...)` sets the id that the registry gave"

Body = Callable[[SchemaProtocol], Bound]
"""Binds the codec of the body."""


def with_ids(spec: Spec) -> Spec:
    """Return the spec of a codec whose payloads begin with an id, which is not set yet."""
    return spec.changed(ids=SchemaIds(), notes=(UNSET, *spec.facts.notes))


def bound(name: str, body: Body, schema: SchemaProtocol, ids: SchemaIds) -> Bound:
    """Return the calls for payloads that begin with an id.

    Args:
        name: Name of the codec, for messages.
        body: Binds the codec of the body.
        schema: Schema of the records.
        ids: Its id, and other schemas with theirs.
    """
    inner = body(schema)
    head = _head(ids.own, inner.index)
    encode_body, decode_body, size = inner.encode, inner.decode, len(head)

    def reader(writer: SchemaProtocol) -> tuple[tuple[int, ...], Callable[..., Any]]:
        # Without `reading`, a payload of any version is decoded alike.
        return body(writer).index, decode_body if inner.reading is None else inner.reading(writer)

    readers = {ids.own: (inner.index, decode_body)}
    readers |= {number: reader(writer) for number, writer in ids.older.items()}

    def encode(record: Any) -> bytes:
        made: bytes = head + encode_body(record)
        return made

    def decode(data: bytes, **options: int) -> Any:
        if data.startswith(head):
            return decode_body(data[size:], **options)
        try:
            number = _schema_id(data)
            if number not in readers:
                known = " or ".join(map(str, readers))
                raise ValueError(
                    f"written with the schema of id {number}, not {known}; to read it, pass that schema: "
                    f"codec.with_schema_id({ids.own}, older={{{number}: schema, ...}})"
                )
            index, read = readers[number]
            rest = _body(data, index)
        except ValueError as error:
            raise DecodeError(name, str(error)) from error
        return read(rest, **options)

    def reading(writer: SchemaProtocol) -> Callable[..., Any]:
        """Return a decoder of payloads that were written with another version of the schema, of any id."""
        index, read = reader(writer)

        def decode_other(data: bytes, **options: int) -> Any:
            try:
                _schema_id(data)
                return read(_body(data, index), **options)
            except Exception as error:  # each library has its own
                raise refused(name, error) from error

        return decode_other

    return replace(inner, encode=encode, decode=decode, reading=reading, head=size)


def raw(body: Body, calls: Callable[[SchemaProtocol], RawCalls], schema: SchemaProtocol) -> RawCalls:
    """Return a library's own calls for payloads that begin with an id, which is not set.

    Args:
        body: As for `bound`.
        calls: The library's calls for the body.
        schema: Schema of the records.
    """
    head, inner = _head(SchemaIds().own, body(schema).index), calls(schema)
    size = len(head)
    return inner._replace(
        encode=lambda record: head + inner.encode(record), decode=lambda data: inner.decode(data[size:])
    )


def _head(number: int, index: tuple[int, ...]) -> bytes:
    numbers = () if not index else FIRST if index == FIRST else (len(index), *index)
    return MAGIC + number.to_bytes(4, "big") + b"".join(varint(each << 1) for each in numbers)


def _schema_id(data: bytes) -> int:
    if not data.startswith(MAGIC) or len(data) < BEFORE:
        raise ValueError("not a payload of a schema registry, which begins with 00 and an id of 4 bytes")
    return int.from_bytes(data[1:BEFORE], "big")


def _body(data: bytes, index: tuple[int, ...]) -> bytes:
    """Return the bytes after the id, and after the index of the message if there is one."""
    if not index:
        return data[BEFORE:]
    count, end = _number(data, BEFORE)
    found = FIRST
    if count:
        if not 0 < count <= MOST_NUMBERS:
            raise ValueError(f"an index of {count:,} numbers for its message")
        numbers = []
        for _ in range(count):
            number, end = _number(data, end)
            numbers.append(number)
        found = tuple(numbers)
    if found != index:
        raise ValueError(f"holds message {_dotted(found)} of its schema, not {_dotted(index)}")
    return data[end:]


def _number(data: bytes, start: int) -> tuple[int, int]:
    """Return the number that starts at a byte of a payload, and its end."""
    value = 0
    for at in range(start, min(start + NUMBER, len(data))):
        value |= (data[at] & 0x7F) << 7 * (at - start)
        if data[at] < 0x80:
            return value >> 1 if not value & 1 else -(value >> 1) - 1, at + 1
    raise ValueError("ends within the index of its message, or has a number of more than 32 bits in it")


def _dotted(index: tuple[int, ...]) -> str:
    return ".".join(map(str, index))
