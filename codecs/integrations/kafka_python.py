"""Codecs as serializers of kafka-python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafka.serializer import Serializer

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Serialized(Serializer):  # type: ignore[misc] # kafka-python has no types
    """A ``value_serializer`` for ``KafkaProducer``; None stays None, Kafka's mark of a deleted key.

    There is no deserializer: after one has raised, kafka-python 3.0's consumer reads an exhausted iterator
    forever, past its own timeout (``PartitionRecords.take`` in ``kafka/consumer/fetcher.py``).

    Args:
        codec: Encodes the values.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.codec = codec

    def serialize(self, topic: str, headers: list[tuple[str, bytes]] | None, data: Any) -> bytes | None:
        """Return the payload of a record.

        Raises:
            EncodeError: As `Codec.encode`.
        """
        return None if data is None else self.codec.encode(data)


integration = Serialized
