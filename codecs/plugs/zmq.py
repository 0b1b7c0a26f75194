"""Codecs for sockets of pyzmq."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zmq import Frame

from ..errors import DecodeError

if TYPE_CHECKING:
    from .._codec import Codec

__all__ = ["Framed", "plug"]


class Framed:
    """What ``send_serialized`` and ``recv_serialized`` take: a record as a message of one frame.

    Both want lists of frames. Given bytes alone, ``send_serialized`` takes each byte for a frame.

    Args:
        codec: What encodes and decodes.
    """

    def __init__(self, codec: Codec) -> None:
        self.codec = codec

    def encode(self, record: Any) -> list[bytes]:
        """Return the frames of a record.

        Raises:
            EncodeError: As `Codec.encode` says.
        """
        return [self.codec.encode(record)]

    def decode(self, frames: list[bytes] | list[Frame]) -> Any:
        """Return the record of a message, received with or without ``copy``.

        Raises:
            DecodeError: As `Codec.decode` says, or the message has another number of frames.
        """
        if len(frames) != 1:
            raise DecodeError(self.codec.name, f"expected a message of 1 frame, got {len(frames)}")
        (frame,) = frames
        return self.codec.decode(frame if isinstance(frame, bytes) else frame.buffer)


plug = Framed
