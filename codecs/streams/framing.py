"""Framings: how the records of a format usually follow one another in a stream.

A framing extracts payloads from the data received so far. `bakeoff.codecs.core.decoder` feeds it and
decodes each payload with the codec, so that a stream has the same limits and errors as a single payload.

Some framings find the next record after a damaged one, see `resynchronises`:

=================================  ======================================================
JSON Lines                         the next line
YAML documents                     the next ``---``
`Marked` (``|crc32``)              the next frame's mark
MessagePack, CBOR, BSON, pickle,   none: only heads and lengths mark the ends of records,
marshal, lengths before payloads   and a wrong one may lead anywhere
=================================  ======================================================
"""

from __future__ import annotations

import codecs
import struct
from abc import ABC, abstractmethod
from binascii import crc_hqx
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from ..errors import DecodeError, LimitError, TooMuchError
from ..paths import brief
from ..safety._scan import StreamBuffer

if TYPE_CHECKING:
    from ..binding import CodecProtocol

__all__ = [
    "LENGTHS",
    "MARKED",
    "Cuts",
    "Documents",
    "Framing",
    "Lines",
    "Marked",
    "Prefixed",
    "StreamBuffer",
    "Values",
    "cut_short",
    "damage",
    "too_large",
    "varint",
]

Cuts = Generator[bytes | DecodeError | None, None, None]
"""The results of `Framing.cut`."""


def damage(
    codec: CodecProtocol, start: int, reason: str, kind: type[DecodeError] = DecodeError
) -> DecodeError:
    """Return the error for a record that starts at a byte of a stream, which becomes its `offset`."""
    error = kind(codec.name, f"in the record that starts at byte {start:,}: {reason}")
    error.offset = start
    return error


def too_large(codec: CodecProtocol, start: int) -> DecodeError:
    """Return the error for a record that exceeds the limit of size."""
    reason = f"it takes more than {codec.limits.size:,} bytes, the limit of size"
    return damage(codec, start, reason, LimitError)


def cut_short(codec: CodecProtocol, start: int) -> DecodeError:
    """Return the error for a stream that ends within a record."""
    return damage(codec, start, "the stream ends within it")


def varint(number: int) -> bytes:
    """Return a number from 0 on with seven bits in each byte, the lowest first, as Avro and protobuf do."""
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*made, number))


class Framing(ABC):
    """How records follow one another; payloads are unchanged unless `frame` changes them.

    Attributes:
        resynchronises: The mark at which a reader continues after a damaged record; empty if there is none.
    """

    resynchronises = ""

    def dump(self, codec: CodecProtocol, records: Iterable[Any], file: IO[bytes]) -> int:
        """Write all records; return how many."""
        if header := self.header(codec):
            file.write(header)
        count = 0
        for record in records:
            file.write(self.frame(codec.encode(record)))
            count += 1
        return count

    def header(self, codec: CodecProtocol) -> bytes:
        """Return the bytes of a stream before its first record."""
        return b""

    def frame(self, payload: bytes) -> bytes:
        """Return the form of a payload in the stream."""
        return payload

    def payloads(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        """Iterate over the payloads of a stream from its beginning, as `cut` does.

        Raises:
            DecodeError: As `cut`, or the stream begins with another header.
        """
        header = self.header(codec)
        return self._behind(header, codec, pending) if header else self.cut(codec, pending)

    def _behind(self, header: bytes, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        while len(pending) < len(header) and not pending.ended:
            yield None
        if (found := pending.take(len(header))) != header:
            raise damage(codec, 0, f"the stream begins with {brief(found)}, not with {brief(header)}")
        yield from self.cut(codec, pending)

    @abstractmethod
    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        """Iterate over the payloads after the header that have been received.

        The iterator yields None if it needs more data, and stops after the last payload of a stream that has
        ended. If a payload cannot be decoded, the error is thrown in at its ``yield``: a framing that can
        resynchronise catches the error and yields it. It also yields errors for data that it skips.

        Raises:
            DecodeError: A record is damaged, and the start of the next one is not marked.
        """


class Lines(Framing):
    """JSON Lines: one value in each line; empty lines are skipped."""

    resynchronises = "the next line"

    def frame(self, payload: bytes) -> bytes:
        return payload + b"\n"

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        limit = codec.limits.size
        while True:
            line = pending.line()
            if line is None:
                if len(pending) <= limit + 1:
                    if pending.ended:
                        return
                    yield None
                    continue
                yield too_large(codec, pending.position)
                yield from _to_next_line(pending)
            elif len(line) > limit + 2:
                yield too_large(codec, pending.start)
            elif line := line.strip():
                try:
                    yield line
                except DecodeError as error:
                    yield error


def _to_next_line(pending: StreamBuffer) -> Generator[None, None, None]:
    """Drop the rest of a line as it arrives."""
    while not pending.skip_to(b"\n"):
        if pending.ended:
            pending.drop(len(pending))
            return
        yield None
    pending.drop(1)


class Documents(Framing):
    """YAML documents, each with its directives and markers, which the library checks."""

    resynchronises = "the next `---`"

    def frame(self, payload: bytes) -> bytes:
        return b"---\n" + payload

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        lines: list[bytes] = []
        size = start = 0
        inside = skipping = False
        while True:
            line = pending.line()
            if line is None:
                if pending.ended and not len(pending):
                    break
                if len(pending) + size <= codec.limits.size:
                    yield None
                    continue
                if not skipping:
                    yield too_large(codec, start if lines else pending.position)
                lines, size, inside, skipping = [], 0, False, True
                yield from _to_next_line(pending)
                continue
            # A marker at the start of a line is valid in any context (YAML 1.1, section 4.3.1).
            text = line if inside else line.removeprefix(codecs.BOM_UTF8)
            marked = text.startswith((b"---", b"...")) and text[3:4] in (b"", b" ", b"\t", b"\r", b"\n")
            opens = marked and text.startswith(b"---")
            if skipping and not opens:
                continue
            skipping = False
            following = pending.start
            if opens and inside:
                pending.start = start
                try:
                    yield b"".join(lines)
                except DecodeError as error:
                    yield error
                lines, size = [], 0
            if not lines:
                start = following
            lines.append(line)
            size += len(line)
            if size > codec.limits.size:
                yield too_large(codec, start)
                lines, size, inside, skipping = [], 0, False, True
            elif marked and not opens:
                if inside or self._says(text[3:]) or any(map(self._says, lines[:-1])):
                    pending.start = start
                    try:
                        yield b"".join(lines)
                    except DecodeError as error:
                        yield error
                lines, size, inside = [], 0, False
            else:
                inside = inside or opens or (self._says(text) and not text.startswith(b"%"))
        # Directives alone are an error, which the library reports.
        if inside or any(map(self._says, lines)):
            pending.start = start
            yield b"".join(lines)

    @staticmethod
    def _says(line: bytes) -> bool:
        """Whether a line contains more than blanks and a comment."""
        return line.removeprefix(codecs.BOM_UTF8).strip()[:1] not in (b"", b"#")


class Values(Framing):
    """Values one after another, each of which marks its end.

    Args:
        kind: A kind of payload that `_scan` finds the end of in a stream: concatenated MessagePack, a CBOR
            sequence (RFC 8742), pickles, each with its own STOP, marshal.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        kind, limit = self._kind, codec.limits.size
        while True:
            try:
                payload = pending.value(kind, limit)
            except TooMuchError:
                raise too_large(codec, pending.position) from None
            except ValueError as error:
                raise damage(codec, pending.position, str(error)) from None
            if payload is None and pending.ended:
                if not len(pending):
                    return
                raise cut_short(codec, pending.position)
            yield payload


class Prefixed(Framing):
    """Each payload after its length.

    Args:
        layout: `struct` format of the length.
        included: The length is part of the payload and counts itself (BSON); otherwise the framing writes it
            before the payload.
    """

    def __init__(self, layout: str, *, included: bool) -> None:
        self._layout = struct.Struct(layout)
        self._included = included

    def __reduce__(self) -> tuple[Callable[..., Prefixed], tuple[str]]:
        return partial(Prefixed, included=self._included), (self._layout.format,)

    def frame(self, payload: bytes) -> bytes:
        return payload if self._included else self._layout.pack(len(payload)) + payload

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        head, (unpack, limit) = self._layout.size, (self._layout.unpack, codec.limits.size)
        dropped = 0 if self._included else head
        while True:
            while len(pending) < head:
                if pending.ended and not len(pending):
                    return
                if pending.ended:
                    raise cut_short(codec, pending.position)
                yield None
            (length,) = unpack(pending.peek(head))
            if not (head if self._included else 0) <= length <= limit:
                reason = f"it claims {length:,} bytes of {limit:,}"
                raise damage(codec, pending.position, reason, LimitError)
            while len(pending) < dropped + length:
                if pending.ended:
                    raise cut_short(codec, pending.position)
                yield None
            start = pending.position
            pending.drop(dropped)
            payload = pending.take(length)
            pending.start = start
            yield payload


class Marked(Framing):
    """Each payload after a mark, its length, and a check of these two: eight bytes.

    The mark is the two bytes C1 F5. Neither occurs in UTF-8, and C1 does not start a value of MessagePack.
    The length has four bytes, big-endian. The check is the CRC-16 of CCITT over both, which detects a change
    of any of their bytes. The codec checks the payload, as in a single message.

    After damage, the reader searches for the next mark with a valid check, also within the damaged frame,
    as a frame that was cut short may contain the next ones. So a frame in the payload of a damaged record may
    be read as a record: a checksum is not a signature.
    """

    resynchronises = "the next frame's mark"

    MARK = b"\xc1\xf5"
    HEAD = 8

    def frame(self, payload: bytes) -> bytes:
        head = self.MARK + len(payload).to_bytes(4, "big")
        return head + crc_hqx(head, 0).to_bytes(2, "big") + payload

    def _length(self, head: bytes) -> int:
        """Return the length of the payload after a head; -1 if the head is invalid."""
        if head[:2] != self.MARK or crc_hqx(head, 0):
            return -1
        return int.from_bytes(head[2:6], "big")

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        while True:
            while len(pending) < self.HEAD and not pending.ended:
                yield None
            start = pending.position
            head = pending.peek(self.HEAD)
            if not head:
                return
            error: DecodeError | None = None
            if (length := self._length(head)) < 0:
                error = damage(codec, start, f"no frame begins with {brief(head)}")
            elif length > codec.limits.size:
                error = too_large(codec, start)
            else:
                while len(pending) < self.HEAD + length and not pending.ended:
                    yield None
                payload = pending.peek(self.HEAD + length)[self.HEAD :]
                if len(payload) < length:
                    error = damage(codec, start, f"the stream ends within its {length:,} bytes")
                else:
                    pending.start = start
                    try:
                        yield payload
                        pending.drop(self.HEAD + length)
                    except DecodeError as refused:
                        error = refused
            if error is not None:
                yield error
                pending.drop(1)
                yield from self._to_next(pending)

    def _to_next(self, pending: StreamBuffer) -> Generator[None, None, None]:
        """Drop the data before the next head."""
        while True:
            if pending.skip_to(self.MARK):
                while len(pending) < self.HEAD and not pending.ended:
                    yield None
                if self._length(pending.peek(self.HEAD)) >= 0:
                    return
                pending.drop(1)
            elif pending.ended:
                pending.drop(len(pending))
                return
            else:
                yield None


LENGTHS = Prefixed(">I", included=False)
"""Framing for formats without their own."""

MARKED = Marked()
"""Framing for payloads with a checksum."""
