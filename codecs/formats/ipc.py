"""Messages of Arrow's IPC streams: their ends, and the sizes that they claim before pyarrow allocates memory.

Nothing else is read from their headers; pyarrow verifies them. Source: arrow.apache.org/docs/format/
Columnar.html, "Encapsulated message format", and `format/Message.fbs`, which has the field numbers used here.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct, error, unpack_from
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ..errors import LimitError, TooMuchError
from ..limits import Limits
from ..safety._scan import StreamBuffer
from ..streams.framing import Cuts, Framing, cut_short, damage, too_large

if TYPE_CHECKING:
    from ..binding import CodecProtocol

SCHEMA, DICTIONARY, BATCH = 1, 2, 3
END = b"\xff\xff\xff\xff\0\0\0\0"
PREFIX = 8
METADATA = 1 << 20
"""Limit for the bytes of a header: a schema of some 10,000 columns."""

_CONTINUES = 0xFFFFFFFF
_PREFIX = Struct("<II")
_U16, _I32, _U32, _I64 = Struct("<H"), Struct("<i"), Struct("<I"), Struct("<q")
_FREE = 1 << 20
"""Bytes that a body may decompress to in any case."""


class StreamMessage(NamedTuple):
    """One message of a stream.

    Attributes:
        kind: `SCHEMA`, `DICTIONARY` or `BATCH`.
        start: Where it starts.
        end: Where its body ends.
    """

    kind: int
    start: int
    end: int


def _field(data: bytes, table: int, number: int) -> int:
    """Return the position of a field of a FlatBuffers table; 0 if it has its default."""
    vtable = table - _I32.unpack_from(data, table)[0]
    if vtable < 0:
        raise ValueError("a header points outside its message")
    if 4 + 2 * number >= _U16.unpack_from(data, vtable)[0]:
        return 0
    offset: int = _U16.unpack_from(data, vtable + 4 + 2 * number)[0]
    return table + offset if offset else 0


def _number(data: bytes, table: int, number: int, of: Struct) -> int:
    at = _field(data, table, number)
    return of.unpack_from(data, at)[0] if at else 0


def _follow(data: bytes, at: int) -> int:
    to: int = at + _U32.unpack_from(data, at)[0]
    return to


def _head(data: bytes, start: int) -> tuple[int, int, int]:
    """Return the kind of a message, the position of its header table, and the length of its body."""
    table = _follow(data, start + PREFIX)
    at = _field(data, table, 1)
    header = _field(data, table, 2)
    body = _number(data, table, 3, _I64)
    if not at or not header or body < 0:
        raise ValueError("a message without a header")
    return data[at], _follow(data, header), body


def head(data: bytes) -> tuple[int, int]:
    """Return the kind of the message with this header, and the length of its body.

    Raises:
        ValueError: It is not a header.
    """
    try:
        kind, _, body = _head(data, 0)
    except (error, IndexError) as cause:
        raise ValueError("a header points outside its message") from cause
    return kind, body


class _Claims:
    """The total size that the batches of a payload claim.

    Args:
        limits: Limits for the total.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._items = self._made = self._size = 0
        self.compressed = False

    def add(self, data: bytes, batch: int, body: int, size: int) -> None:
        """Add a batch, by the positions of its header and its body.

        Raises:
            TooMuchError: The batches exceed the limits.
            ValueError: Its buffers overlap.
        """
        nodes, buffers = _field(data, batch, 1), _field(data, batch, 2)
        lengths = _pairs(data, nodes)[::2] if nodes else ()
        self._items += _number(data, batch, 0, _I64) + sum(lengths)
        if self._items > self._limits.items or min(lengths, default=0) < 0:
            raise TooMuchError(f"{self._items:,} values, more than the limit of {self._limits.items:,}")
        places = _pairs(data, buffers) if buffers else ()
        if sum(places[1::2]) > size or min(places, default=0) < 0:
            raise ValueError("buffers of a batch overlap, or extend beyond its end")
        if _field(data, batch, 3):
            self.compressed = True
            self._decompressed(data, body, places)

    def _decompressed(self, data: bytes, body: int, places: tuple[int, ...]) -> None:
        for start, length in zip(places[::2], places[1::2], strict=True):
            if length:
                made = _I64.unpack_from(data, body + start)[0]
                self._made += made if made >= 0 else length
                self._size += length
        limit = self._limits.decompressed or self._limits.size
        if self._made > limit:
            raise TooMuchError(f"{self._made:,} bytes compressed, more than the limit of {limit:,}")
        if self._made > max(_FREE, self._limits.ratio * self._size):
            raise TooMuchError(f"compressed data of more than {self._limits.ratio} times its size")


def _pairs(data: bytes, at: int) -> tuple[int, ...]:
    vector = _follow(data, at)
    count = _U32.unpack_from(data, vector)[0]
    if count > len(data) // 16:
        raise ValueError("a header points outside its message")
    return unpack_from(f"<{2 * count}q", data, vector + 4)


def messages(data: bytes, limits: Limits) -> tuple[list[StreamMessage], bool]:
    """Return the messages of a stream, and whether any is compressed.

    Raises:
        ValueError: It is not a complete stream, or was written before Arrow 0.15.
        TooMuchError: It claims more than the limits allow.
    """
    try:
        return _messages(data, limits)
    except (error, IndexError) as cause:
        raise ValueError("the stream ends within a message, or a header points outside it") from cause


def _messages(data: bytes, limits: Limits) -> tuple[list[StreamMessage], bool]:
    found: list[StreamMessage] = []
    claims, at = _Claims(limits), 0
    while True:
        continues, size = _PREFIX.unpack_from(data, at)
        if continues != _CONTINUES:
            raise ValueError(f"no message of an Arrow stream at byte {at:,}")
        if size == 0:
            break
        if size > METADATA:
            raise TooMuchError(f"a header of {size:,} bytes, more than {METADATA:,}")
        kind, header, length = _head(data, at)
        body = at + PREFIX + size
        if (kind == SCHEMA) != (not found):
            raise ValueError(
                "a stream that does not begin with its schema" if not found else "a second schema"
            )
        if kind == DICTIONARY:
            claims.add(data, _follow(data, _field(data, header, 1)), body, length)
        elif kind == BATCH:
            claims.add(data, header, body, length)
        elif kind != SCHEMA:
            raise ValueError(f"a message of kind {kind}, which is neither schema, dictionary nor batch")
        if body + length > len(data):
            raise ValueError("the stream ends within a batch")
        found.append(StreamMessage(kind, at, body + length))
        at = body + length
    if at + PREFIX != len(data):
        raise ValueError(f"data after the end of the stream, at byte {at + PREFIX:,}")
    if not found:
        raise ValueError("a stream without a schema")
    return found, claims.compressed


class Messages(Framing):
    """One Arrow stream: the schema, then the batches of all records, then the end marker.

    A file may contain several streams, as appended data starts with its own schema. Each batch is extracted
    with the preceding schema and dictionaries, so that it is a payload.
    """

    def dump(self, codec: CodecProtocol, records: Iterable[Any], file: IO[bytes]) -> int:
        """Write all records; return how many."""
        count = super().dump(codec, records, file)
        file.write(END)
        return count

    def header(self, codec: CodecProtocol) -> bytes:
        """Return the schema; empty for a codec without one."""
        if codec.schema is None:
            return b""
        written: bytes = codec.schema.binding("arrow").type.serialize().to_pybytes()
        return written

    def frame(self, payload: bytes) -> bytes:
        """Return the batch of a payload, without the schema before it and the end marker after it."""
        return payload[PREFIX + _U32.unpack_from(payload, 4)[0] : -len(END)]

    def payloads(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        """Iterate over the payloads of a stream, each with the stream's schema."""
        if codec.schema is None:
            codec.decode(b"unbound")
        return self.cut(codec, pending)

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        before = b""
        while True:
            start = pending.position
            while len(pending) < PREFIX and not pending.ended:
                yield None
            if not len(pending):
                return
            if len(pending) < PREFIX:
                raise cut_short(codec, start)
            continues, size = _PREFIX.unpack(pending.peek(PREFIX))
            if continues != _CONTINUES:
                raise damage(codec, start, "no message of an Arrow stream begins there")
            if size == 0:
                pending.drop(PREFIX)
                before = b""
                continue
            if size > METADATA:
                raise damage(codec, start, f"a header of {size:,} bytes, more than {METADATA:,}", LimitError)
            yield from _await(codec, pending, PREFIX + size)
            try:
                kind, body = head(pending.peek(PREFIX + size))
            except ValueError as cause:
                raise damage(codec, start, str(cause)) from cause
            whole = PREFIX + size + body
            if len(before) + whole + len(END) > codec.limits.size:
                raise too_large(codec, start)
            yield from _await(codec, pending, whole)
            message = pending.take(whole)
            if kind == SCHEMA:
                before = message
            elif not before:
                raise damage(codec, start, "the stream does not begin with its schema")
            elif kind == BATCH:
                pending.start = start
                yield before + message + END
            else:
                before += message


def _await(codec: CodecProtocol, pending: StreamBuffer, size: int) -> Cuts:
    while len(pending) < size:
        if pending.ended:
            raise cut_short(codec, pending.position)
        yield None
