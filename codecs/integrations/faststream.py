"""Codecs as codecs of FastStream's brokers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from faststream.message import StreamMessage, decode_message

from ..errors import DecodeError, LimitError
from ..media import MediaReaders

if TYPE_CHECKING:
    from ..core.base import CodecBase

_JSON = "application/json"


class Encoded:
    """A broker's ``codec``: it has the methods of FastStream's ``CodecProto`` and ``BatchCodecProto``.

    Every record is encoded, also None, text and bytes, with its media type in the header ``content-type``.
    A message of another type is decoded as FastStream does without a codec: JSON and text. A message without
    a type is decoded by the codec, or as JSON if the codec refuses it. An empty body, as of a Kafka message
    without a value, is None.

    Args:
        codec: Encodes and decodes. A `DecodeError` is raised before the handler is called.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec
        self._readers = MediaReaders(codec)
        self._reads_empty = codec.spec.format.empty
        self._reads_json = self._readers.get(_JSON) is not None

    async def encode(self, msg: Any, serializer: object = None) -> tuple[bytes, str]:
        """Return the payload and its media type."""
        return self.codec.encode(msg), self.codec.media_type

    async def decode(self, msg: StreamMessage[Any]) -> Any:
        """Return the record of a message."""
        return self._read(msg.body, msg.content_type)

    async def encode_batch(self, msgs: Sequence[Any], serializer: object = None) -> list[tuple[bytes, str]]:
        """Return payloads and their media type."""
        return [await self.encode(msg) for msg in msgs]

    async def decode_batch(self, msg: StreamMessage[Any]) -> list[Any]:
        """Return the records of a batch, each decoded by its own type."""
        bodies: Any = msg.body
        headers: Sequence[Mapping[str, str]] = msg.batch_headers or [{}] * len(bodies)
        return [
            self._read(body, each.get("content-type")) for body, each in zip(bodies, headers, strict=True)
        ]

    def _read(self, body: Any, content_type: str | None) -> Any:
        if not body and not self._reads_empty:
            return None
        if content_type:
            codec = self._readers.get(content_type)
            return _by_faststream(body, content_type) if codec is None else codec.decode(body)
        try:
            return self.codec.decode(body)
        except LimitError:
            raise
        except DecodeError:
            if self._reads_json:
                raise
            try:
                return _by_faststream(body, _JSON)
            except ValueError:
                pass
            raise


def _by_faststream(body: Any, content_type: str) -> Any:
    return decode_message(StreamMessage(None, body, content_type=content_type))


integration = Encoded
