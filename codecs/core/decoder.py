"""Records from a stream that arrives in pieces: files, pipes, sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any

from ..errors import DecodeError
from ..safety._scan import StreamBuffer
from ..streams.framing import Cuts, damage

if TYPE_CHECKING:
    from .base import CodecBase

CHUNK = 1 << 16
LOST = "; the next record cannot be found, so the rest cannot be read"


class Decoder:
    """The records of a stream, as they become complete.

    It holds the received part of the incomplete record: at most the codec's limit of size and
    the last chunk, if the records are taken. It belongs to one stream, and to one thread at a time.

    After a damaged record it continues if the framing shows the next one
    (``codec.framing.resynchronises``): iterate again, or feed more. Otherwise the stream ends there.

    Args:
        codec: Decodes the payloads.
        on_damage: Called with each error instead of raising it, if the stream can continue.
    """

    def __init__(self, codec: CodecBase, on_damage: Callable[[DecodeError], object] | None = None) -> None:
        self._codec = codec
        self._on_damage = on_damage
        self._pending = StreamBuffer()
        self._payloads = codec.framing.payloads(codec, self._pending)
        self._lost: DecodeError | None = None
        self._last: list[Any] = []
        if codec.trusted_only and not codec.trusted:
            codec.decode(b"refused")

    def feed(self, chunk: bytes | bytearray | memoryview, /) -> Iterator[Any]:
        """Add a chunk, and return an iterator over the records that are now complete.

        Raises:
            DecodeError: By the iterator, at a damaged record; `offset` is where the record starts in the
                stream. By `feed`, after an error that ends the stream, or after its end.
        """
        if self._lost is not None:
            raise self._lost
        if self._pending.ended:
            raise DecodeError(self._codec.name, "the stream has ended; use a new decoder for another one")
        try:
            self._pending.feed(chunk)
        except (TypeError, BufferError) as error:
            raise DecodeError(self._codec.name, f"expected bytes, got {type(chunk).__name__}") from error
        return iter(self)

    def end(self) -> list[Any]:
        """End the stream, and return the remaining records.

        These are lines without a line's end, the last document of YAML, and records that were not taken.

        Raises:
            DecodeError: A record is damaged, or the stream ends within it. Call again to continue.
        """
        if self._lost is not None:
            raise self._lost
        self._pending.end()
        self._last.extend(self)
        last, self._last = self._last, []
        return last

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the records that are complete and were not taken."""
        if self._lost is not None:
            raise self._lost
        payloads, decode = self._payloads, self._codec.decode
        while True:
            try:
                payload = next(payloads, None)
            except DecodeError as error:
                raise self._lose(error) from error.__cause__
            if payload is None:
                return
            if isinstance(payload, bytes):
                try:
                    record = decode(payload)
                except DecodeError as error:
                    damaged = self._refuse(error)
                else:
                    yield record
                    continue
            else:
                damaged = payload
            if self._on_damage is None:
                raise damaged
            self._on_damage(damaged)

    def _refuse(self, error: DecodeError) -> DecodeError:
        """Let the framing continue after a payload that cannot be decoded.

        Raises:
            DecodeError: It cannot continue.
        """
        located = damage(self._codec, self._pending.start, error.reason, type(error))
        located.__cause__ = error.__cause__ or error
        try:
            told = self._payloads.throw(located)
        except DecodeError as lost:
            raise self._lose(lost) from lost.__cause__
        assert isinstance(told, DecodeError)
        return told

    def _lose(self, error: DecodeError) -> DecodeError:
        """Return the error that ends the stream."""
        if not self._pending.ended:
            offset, error = error.offset, type(error)(error.codec, error.reason + LOST)
            error.offset = offset
        self._lost = error
        self._pending.drop(len(self._pending))
        return error


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Iterate over the chunks of a file as they become available, also from a pipe.

    Raises:
        BlockingIOError: It is non-blocking and has no data yet.
    """
    read = getattr(file, "read1", file.read)
    while chunk := read(CHUNK):
        yield chunk
    if chunk is None:
        raise BlockingIOError("the file is non-blocking and has no data yet; use a blocking file")


def load(codec: CodecBase, file: IO[bytes]) -> Iterator[Any]:
    """Iterate over the records of a file.

    Raises:
        DecodeError: As `Decoder`.
    """
    decoder = Decoder(codec)
    for chunk in _chunks(file):
        yield from decoder.feed(chunk)
    yield from decoder.end()


def payloads(codec: CodecBase, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Iterate over the payloads of a file, each with its start, without decoding them.

    Raises:
        DecodeError: A payload cannot be extracted.
    """
    pending = StreamBuffer()
    cuts = codec.framing.payloads(codec, pending)
    for chunk in _chunks(file):
        pending.feed(chunk)
        yield from _whole(cuts, pending)
    pending.end()
    yield from _whole(cuts, pending)


def _whole(cuts: Cuts, pending: StreamBuffer) -> Iterator[tuple[int, bytes]]:
    while (payload := next(cuts, None)) is not None:
        if isinstance(payload, DecodeError):
            raise payload
        yield pending.start, payload
