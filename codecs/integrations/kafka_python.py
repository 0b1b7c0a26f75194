"""Codecs as serializers of kafka-python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafka.serializer import Deserializer, Serializer

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Serialized(Serializer, Deserializer):  # type: ignore[misc] # kafka-python has no types
    """A serializer for ``KafkaProducer`` and a deserializer for ``KafkaConsumer``, of keys and values.

    None stays None in both directions: a message without a value deletes its key. Deserialize only what no
    other program writes: after a deserializer has raised, kafka-python 3.0's consumer reads an exhausted
    iterator forever, past its own timeout (``PartitionRecords.take`` in ``kafka/consumer/fetcher.py``).

    Args:
        codec: Encodes and decodes.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec

    def serialize(self, topic: str, headers: list[tuple[str, bytes]] | None, data: Any) -> bytes | None:
        """Return the payload of a record.

        Raises:
            EncodeError: As `Codec.encode`.
        """
        return None if data is None else self.codec.encode(data)

    def deserialize(self, topic: str, headers: list[tuple[str, bytes]] | None, data: bytes | None) -> Any:
        """Return the record of a payload.

        Raises:
            DecodeError: As `Codec.decode`.
        """
        return None if data is None else self.codec.decode(data)


integration = Serialized
