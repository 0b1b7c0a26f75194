"""How records follow one another in a file: the framing that each format's users expect.

Every framing holds one record at a time. Where a record can be cut out of the file it is decoded by the
codec itself, so that a stream obeys the same limits and errors as a single payload. Pickle and marshal
have no such cut: their libraries read from the file, within the codec's limit of size; how deep a record
may be nested, and what it may hold, is then up to the library.
"""

from __future__ import annotations

import codecs
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from ._ends import end_of
from ._stack import call_with_stack
from .errors import DecodeError, LimitError
from .paths import brief

if TYPE_CHECKING:
    from ._codec import Codec

__all__ = [
    "LENGTHS",
    "CborSequence",
    "Cut",
    "Documents",
    "Framing",
    "Lines",
    "Marshal",
    "MessagePack",
    "Pickle",
    "Prefixed",
]

CHUNK = 1 << 16


def _some(data: bytes | None) -> bytes:
    """Return what a file has given, which is None where it does not block and has nothing yet.

    Raises:
        BlockingIOError: None.
    """
    if data is None:
        raise BlockingIOError("the file does not block and has nothing yet; give one that blocks")
    return data


def _read(file: IO[bytes], size: int) -> bytes:
    """Return `size` bytes of a file, fewer only at its end; an unbuffered one may give them in parts."""
    data = _some(file.read(size))
    while 0 < len(data) < size and (more := _some(file.read(size - len(data)))):
        data += more
    return data


class Framing(ABC):
    """How records follow one another; payloads stand as they are unless `frame` says otherwise."""

    def dump(self, codec: Codec, records: Iterable[Any], file: IO[bytes]) -> int:
        """Write all records; return how many."""
        if header := self.header(codec):
            file.write(header)
        count = 0
        for record in records:
            file.write(self.frame(codec.encode(record)))
            count += 1
        return count

    def header(self, codec: Codec) -> bytes:
        """Return what stands in a file before its first record."""
        return b""

    def begin(self, codec: Codec, file: IO[bytes]) -> None:
        """Read the header.

        Raises:
            DecodeError: The file begins otherwise.
        """
        header = self.header(codec)
        if header and (found := _read(file, len(header))) != header:
            raise DecodeError(codec.name, f"the file begins with {brief(found)}, not with {brief(header)}")

    def frame(self, payload: bytes) -> bytes:
        """Return a payload as it stands in the file."""
        return payload

    @abstractmethod
    def load(self, codec: Codec, file: IO[bytes]) -> Iterator[Any]:
        """Iterate over the records."""


class Cut(Framing):
    """Formats whose payloads can be cut out of a file before they are decoded."""

    def load(self, codec: Codec, file: IO[bytes]) -> Iterator[Any]:
        self.begin(codec, file)
        for payload in self.split(codec, file):
            yield codec.decode(payload)

    @abstractmethod
    def split(self, codec: Codec, file: IO[bytes]) -> Iterator[bytes]:
        """Iterate over the payloads that follow the header."""


class Lines(Cut):
    """JSON Lines: one value a line; empty lines are passed over."""

    def frame(self, payload: bytes) -> bytes:
        return payload + b"\n"

    def split(self, codec: Codec, file: IO[bytes]) -> Iterator[bytes]:
        while line := file.readline(codec.limits.size + 2):
            if len(line) > codec.limits.size + 1:
                raise LimitError(codec.name, f"a line of more than {codec.limits.size:,} bytes")
            if line := line.strip():
                yield line


class Documents(Cut):
    """YAML documents, each as it stands with its directives and markers, so that the library judges those."""

    def frame(self, payload: bytes) -> bytes:
        return b"---\n" + payload

    def split(self, codec: Codec, file: IO[bytes]) -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        inside = False
        while line := file.readline(codec.limits.size + 1):
            # A marker at the line's start is one wherever it stands (YAML 1.1, section 4.3.1).
            text = line if inside else line.removeprefix(codecs.BOM_UTF8)
            marked = text.startswith((b"---", b"...")) and text[3:4] in (b"", b" ", b"\t", b"\r", b"\n")
            opens = marked and text.startswith(b"---")
            if opens and inside:
                yield b"".join(lines)
                lines, size = [], 0
            lines.append(line)
            size += len(line)
            if size > codec.limits.size:
                raise LimitError(codec.name, f"a document of more than {codec.limits.size:,} bytes")
            if marked and not opens:
                if inside or self._says(text[3:]) or any(map(self._says, lines[:-1])):
                    yield b"".join(lines)
                lines, size, inside = [], 0, False
            else:
                inside = inside or opens or (self._says(text) and not text.startswith(b"%"))
        # Directives alone are an error, which the library has words for.
        if inside or any(map(self._says, lines)):
            yield b"".join(lines)

    @staticmethod
    def _says(line: bytes) -> bool:
        """Whether there is more than blanks and a comment."""
        return line.removeprefix(codecs.BOM_UTF8).strip()[:1] not in (b"", b"#")


class MessagePack(Cut):
    """Concatenated MessagePack values."""

    def split(self, codec: Codec, file: IO[bytes]) -> Iterator[bytes]:
        import msgpack

        skipper = msgpack.Unpacker(max_buffer_size=codec.limits.size + CHUNK)
        pending = bytearray()
        start = 0
        while chunk := _some(file.read(CHUNK)):
            try:
                skipper.feed(chunk)
            except msgpack.BufferFull as error:
                raise LimitError(codec.name, f"a record of more than {codec.limits.size:,} bytes") from error
            pending += chunk
            while True:
                try:
                    skipper.skip()
                except msgpack.OutOfData:
                    break
                except (ValueError, msgpack.UnpackException) as error:
                    raise DecodeError(codec.name, f"at byte {start}: {error}") from error
                length = skipper.tell() - start
                yield bytes(pending[:length])
                del pending[:length]
                start += length
        if pending:
            raise DecodeError(codec.name, f"the file ends inside the record at byte {start}")


class CborSequence(Cut):
    """A CBOR sequence (RFC 8742)."""

    def split(self, codec: Codec, file: IO[bytes]) -> Iterator[bytes]:
        pending = b""
        at = start = 0
        while True:
            length = end_of("cbor", memoryview(pending)[at:])
            if length > 0:
                yield pending[at : at + length]
                at += length
                start += length
                continue
            pending, at = pending[at:], 0
            if len(pending) > codec.limits.size:
                limit = f"{codec.limits.size:,}"
                reason = f"the record at byte {start} takes more than {limit} bytes, or is malformed"
                raise LimitError(codec.name, reason)
            # Twice as much each time: a long record is looked at anew with each piece.
            more = _some(file.read(max(CHUNK, len(pending))))
            if not more:
                break
            pending += more
        if pending:
            try:
                codec.decode(pending)
            except DecodeError as error:
                reason = f"in the record that starts at byte {start}: {error.reason}"
                raise type(error)(codec.name, reason) from error


class Prefixed(Cut):
    """Each payload after its length.

    Args:
        layout: `struct` format of the length.
        included: The length is part of the payload and counts itself (BSON); otherwise it is
            written before formats that have no framing of their own.
    """

    def __init__(self, layout: str, *, included: bool) -> None:
        self._layout = struct.Struct(layout)
        self._included = included

    def __reduce__(self) -> tuple[Callable[..., Prefixed], tuple[str]]:
        return partial(Prefixed, included=self._included), (self._layout.format,)

    def frame(self, payload: bytes) -> bytes:
        return payload if self._included else self._layout.pack(len(payload)) + payload

    def split(self, codec: Codec, file: IO[bytes]) -> Iterator[bytes]:
        start = 0
        while head := _read(file, self._layout.size):
            if len(head) < self._layout.size:
                raise DecodeError(codec.name, f"the file ends inside the record at byte {start}")
            length = self._layout.unpack(head)[0]
            if self._included:
                length -= self._layout.size
            if not 0 <= length <= codec.limits.size:
                limit = f"{codec.limits.size:,}"
                raise LimitError(codec.name, f"the record at byte {start} claims {length:,} bytes of {limit}")
            body = _read(file, length)
            if len(body) < length:
                raise DecodeError(codec.name, f"the file ends inside the record at byte {start}")
            yield head + body if self._included else body
            start = start + len(head) + length


LENGTHS = Prefixed(">I", included=False)
"""For formats that have no framing of their own."""


class _Sequential(Framing):
    """Formats whose library reads one value from a file and leaves the rest."""

    def load(self, codec: Codec, file: IO[bytes]) -> Iterator[Any]:
        if codec.trusted_only and not codec.trusted:
            codec.decode(b"refused")
        self.begin(codec, file)
        from ._codec import lacks_stack
        from ._walk import check_record

        rules = codec._load_rules
        counted = _Counted(file, codec)
        read_next, fix = self.reader(codec, counted), codec._fix
        while not counted.at_end():
            start = counted.start = counted.position
            try:
                record = call_with_stack(read_next) if lacks_stack() else read_next()
                if rules is not None:
                    check_record(record, rules)
            except (LimitError, BlockingIOError):
                raise
            except Exception as error:
                # cbor2 wraps what the file raises.
                if isinstance(error.__cause__, (LimitError, BlockingIOError)):
                    raise error.__cause__ from None
                raise codec._decode_error(error, f"in the record that starts near byte {start}: ") from error
            yield record if fix is None else fix(record)

    @abstractmethod
    def reader(self, codec: Codec, file: Any) -> Any:
        """Return a callable that reads the next value."""


class _Counted:
    """A file that looks ahead by one byte, counts what was taken, and ends a record that is too large."""

    def __init__(self, file: IO[bytes], codec: Codec) -> None:
        self._file = file
        self._codec = codec
        self._ahead = b""
        self.start = 0
        self.position = 0

    def _left(self) -> int:
        """Return how many bytes the record may still take."""
        return self.start + self._codec.limits.size - self.position

    def _take(self, size: int) -> None:
        if size > self._left():
            limit = self._codec.limits.size
            raise LimitError(
                self._codec.name, f"the record at byte {self.start} takes more than {limit:,} bytes"
            )

    def at_end(self) -> bool:
        if not self._ahead:
            self._ahead = _read(self._file, 1)
        return not self._ahead

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        if size == 0:
            return b""
        if size < 0:
            size = self._left()
        # Asked for before it is read: a few bytes may claim a text of any length.
        self._take(size)
        data, self._ahead = self._ahead, b""
        data += _read(self._file, size - len(data))
        self.position += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readline(self) -> bytes:
        data, self._ahead = self._ahead, b""
        if data != b"\n":
            data += self._file.readline(self._left() + 1)
            self._take(len(data))
        self.position += len(data)
        return data


class Pickle(_Sequential):
    """Concatenated pickles; each ends with its own STOP.

    Args:
        unpickler: `pickle.Unpickler` or its pure-Python twin.
    """

    def __init__(self, unpickler: Any) -> None:
        self._unpickler = unpickler

    def reader(self, codec: Codec, file: Any) -> Any:
        return lambda: self._unpickler(file).load()


class Marshal(_Sequential):
    """Concatenated marshal values."""

    def reader(self, codec: Codec, file: Any) -> Any:
        import marshal

        return lambda: marshal.load(file)
