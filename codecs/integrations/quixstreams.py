"""Codecs as serializers and deserializers of Quix Streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from quixstreams.models import Deserializer, MessageField, Serializer

from ..media import MediaReaders

if TYPE_CHECKING:
    from ..core.base import CodecBase


class Serialized(Serializer):
    """A ``value_serializer`` for ``app.topic``, or a ``key_serializer``.

    Of the value's serializer, ``to_topic`` adds the header ``content-type``.
    """

    def __init__(self, codec: CodecBase) -> None:
        super().__init__()
        self.codec = codec

    @property
    def extra_headers(self) -> dict[str, str | bytes]:
        """The media type, in the header that CloudEvents and FastStream use, too."""
        return {"content-type": self.codec.media_type}

    def __call__(self, value: Any, ctx: Any) -> bytes | None:  # type: ignore[override] # its own may, too
        """Return the payload of a record; None, which deletes a key, stays None."""
        return None if value is None else self.codec.encode(value)


class Deserialized(Deserializer):
    """A ``value_deserializer`` for ``app.topic``, or a ``key_deserializer``.

    Its errors go to ``on_consumer_error``: a `DecodeError`, or an `UnknownMediaType` if the header
    ``content-type`` of a value names a type that the codec does not read.
    """

    def __init__(self, codec: CodecBase) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.codec = codec
        self._readers = MediaReaders(codec)

    def __call__(self, value: bytes | None, ctx: Any) -> Any:
        """Return the record of a payload; None, which deletes a key, stays None."""
        if value is None:
            return None
        named = dict(ctx.headers or ()).get("content-type") if ctx.field == MessageField.VALUE else None
        if not named:
            return self.codec.decode(value)
        return self._readers.of(named if isinstance(named, str) else str(named, "latin-1")).decode(value)


class Both(TypedDict):
    """Both directions, by the names of ``app.topic``."""

    value_serializer: Serialized
    value_deserializer: Deserialized


def integration(codec: CodecBase) -> Both:
    """Return keyword arguments for a topic: ``app.topic("orders", **integration(codec))``."""
    return {"value_serializer": Serialized(codec), "value_deserializer": Deserialized(codec)}
