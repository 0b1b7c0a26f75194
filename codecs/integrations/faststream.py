"""Codecs as codecs of FastStream's brokers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from faststream.message import decode_message

from ..production.media import reads

if TYPE_CHECKING:
    from faststream.message import StreamMessage

    from ..core.base import CodecBase


class Encoded:
    """A broker's ``codec``: it has the methods of FastStream's ``CodecProto`` and ``BatchCodecProto``.

    Every record is encoded, also None, text and bytes, with its media type in the header ``content-type``.
    A message of another type is decoded as FastStream does without a codec: JSON and text.

    Args:
        codec: Encodes and decodes. A `DecodeError` is raised before the handler is called.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec

    async def encode(self, msg: Any, serializer: object = None) -> tuple[bytes, str]:
        """Return the payload and its media type."""
        return self.codec.encode(msg), self.codec.media_type

    async def decode(self, msg: StreamMessage[Any]) -> Any:
        """Return the record of a message."""
        if msg.content_type and not reads(self.codec, msg.content_type):
            return decode_message(msg)
        return self.codec.decode(msg.body)

    async def encode_batch(self, msgs: Sequence[Any], serializer: object = None) -> list[tuple[bytes, str]]:
        """Return payloads and their media type."""
        return [await self.encode(msg) for msg in msgs]

    async def decode_batch(self, msg: StreamMessage[Any]) -> list[Any]:
        """Return the records of a batch, all of the codec's type."""
        bodies: Any = msg.body
        return [self.codec.decode(body) for body in bodies]


integration = Encoded
