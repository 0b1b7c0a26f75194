"""Codecs as serializers of channels_redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from channels_redis.serializers import BaseMessageSerializer

if TYPE_CHECKING:
    from ..core.base import CodecBase


def integration(codec: CodecBase) -> type[Any]:
    """Return a class for its registry, ``channels_redis.serializers.registry``.

    Its base encrypts with the layer's ``symmetric_encryption_keys``, and makes equal messages differ by a
    random prefix; without it, Redis' sorted set would keep only one of them.
    """

    class Serialized(BaseMessageSerializer):  # type: ignore[misc] # channels_redis has no types
        def as_bytes(self, message: Any, *arguments: Any, **options: Any) -> bytes:
            return codec.encode(message)

        def from_bytes(self, message: bytes, *arguments: Any, **options: Any) -> Any:
            return codec.decode(message)

    return Serialized
