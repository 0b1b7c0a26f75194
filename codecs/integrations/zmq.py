"""Codecs for sockets of pyzmq."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zmq import Frame

from ..errors import DecodeError, EncodeError, LimitError

if TYPE_CHECKING:
    from ..core.base import CodecBase
    from ..spec import Frames


class Framed:
    """The functions for ``send_serialized`` and ``recv_serialized``: a record as a message.

    It has one frame; with `pickle/buffers`, one more for each array of the record, which is not copied.
    Both need lists of frames. With bytes alone, ``send_serialized`` takes each byte for a frame.

    Args:
        codec: Encodes and decodes.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec
        settings = codec.spec.settings
        changed = (settings.compression, settings.schema, settings.sampler, settings.asked or None)
        plain = all(each is None for each in changed)
        self._frames = codec.spec.calls.frames if plain else None

    def encode(self, record: Any) -> list[Any]:
        """Return the frames of a record.

        Raises:
            EncodeError: As `Codec.encode`.
        """
        if self._frames is None:
            return [self.codec.encode(record)]
        try:
            frames = self._frames.encode(record)
        except Exception as error:
            raise EncodeError(self.codec.name, f"{type(error).__name__}: {error}") from error
        if reason := self._too_large(sum(memoryview(frame).nbytes for frame in frames)):
            raise EncodeError(self.codec.name, reason)
        return frames

    def decode(self, frames: list[bytes] | list[Frame]) -> Any:
        """Return the record of a message, received with or without ``copy``.

        Raises:
            DecodeError: As `Codec.decode`, or the message has another number of frames.
        """
        if self._frames is not None and self.codec.trusted:
            return self._of_frames(self._frames, [_buffer(frame) for frame in frames])
        if len(frames) != 1:
            raise DecodeError(self.codec.name, f"expected a message of 1 frame, got {len(frames)}")
        (frame,) = frames
        return self.codec.decode(_buffer(frame))

    def _of_frames(self, how: Frames, frames: list[Any]) -> Any:
        if reason := self._too_large(sum(map(len, frames))):
            raise LimitError(self.codec.name, reason)
        try:
            return how.decode(frames)
        except Exception as error:
            raise self.codec._decode_error(error) from error

    def _too_large(self, size: int) -> str:
        most = self.codec.limits.size
        return (
            f"frames of {size:,} bytes, more than the limit of {most:,} (see with_limits)"
            if size > most
            else ""
        )


def _buffer(frame: Any) -> Any:
    return getattr(frame, "buffer", frame)


integration = Framed
