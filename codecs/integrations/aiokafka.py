"""Codecs as functions of aiokafka."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Serialized:
    """Functions for the (de)serializers of ``AIOKafkaProducer`` and ``AIOKafkaConsumer``, of keys and values.

    aiokafka also calls them with None, which stays None: a message without a value deletes its key.
    Deserialize only what no other program writes: aiokafka 0.14 stays before a message that its deserializer
    refuses.

    Args:
        codec: Encodes and decodes.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec

    def serialize(self, data: Any) -> bytes | None:
        """Return the payload of a record.

        Raises:
            EncodeError: As `Codec.encode`.
        """
        return None if data is None else self.codec.encode(data)

    def deserialize(self, data: bytes | None) -> Any:
        """Return the record of a payload.

        Raises:
            DecodeError: As `Codec.decode`.
        """
        return None if data is None else self.codec.decode(data)


integration = Serialized
