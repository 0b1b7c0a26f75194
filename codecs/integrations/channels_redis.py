"""Codecs as serializers of channels_redis."""

from __future__ import annotations

from typing import Any

from channels_redis.serializers import BaseMessageSerializer

from ..core.base import CodecBase
from ..core.classes import class_of
from ..ready import of_class


class Serialized(BaseMessageSerializer):  # type: ignore[misc] # channels_redis has no types
    """A serializer for its registry, ``channels_redis.serializers.registry``.

    Its base encrypts with the layer's ``symmetric_encryption_keys``, and makes equal messages differ by a
    random prefix; without it, Redis' sorted set would keep only one of them.
    """

    codec: CodecBase

    def as_bytes(self, message: Any, *arguments: Any, **options: Any) -> bytes:
        """Return the payload of a message.

        Raises:
            EncodeError: As the codec's.
        """
        return self.codec.encode(message)

    def from_bytes(self, message: bytes, *arguments: Any, **options: Any) -> Any:
        """Return the message of a payload.

        Raises:
            DecodeError: As the codec's.
        """
        return self.codec.decode(message)


def integration(codec: CodecBase) -> type[Serialized]:
    """Return a class of serializers."""
    return class_of(Serialized, codec)


def __getattr__(name: str) -> type[Serialized]:
    return integration(of_class(__name__, name))
