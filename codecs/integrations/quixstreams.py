"""Codecs as serializers and deserializers of Quix Streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from quixstreams.models import Deserializer, Serializer

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Serialized(Serializer):
    """A ``value_serializer`` for ``app.topic``; ``to_topic`` adds the header ``content-type``."""

    def __init__(self, codec: CodecBase) -> None:
        super().__init__()
        self.codec = codec

    @property
    def extra_headers(self) -> dict[str, str | bytes]:
        """The media type, in the header that CloudEvents and FastStream use, too."""
        return {"content-type": self.codec.media_type}

    def __call__(self, value: Any, ctx: Any) -> bytes:
        return self.codec.encode(value)


class Deserialized(Deserializer):
    """A ``value_deserializer`` for ``app.topic``; a `DecodeError` goes to ``on_consumer_error``."""

    def __init__(self, codec: CodecBase) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.codec = codec

    def __call__(self, value: bytes, ctx: Any) -> Any:
        return self.codec.decode(value)


class Both(TypedDict):
    """Both directions, by the names of ``app.topic``."""

    value_serializer: Serialized
    value_deserializer: Deserialized


def integration(codec: CodecBase) -> Both:
    """Return keyword arguments for a topic: ``app.topic("orders", **codec.for_quixstreams())``."""
    return {"value_serializer": Serialized(codec), "value_deserializer": Deserialized(codec)}
