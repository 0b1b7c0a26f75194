"""Codecs for APIs that require text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import MissingText

if TYPE_CHECKING:
    from .base import CodecBase


@dataclass(frozen=True, slots=True)
class TextCodec:
    """A codec whose payloads are str, as Flask, SQLAlchemy's JSON and some HTTP clients require.

    Args:
        codec: A codec of a text format, without compression.

    Raises:
        MissingText: Its payloads are not text.
    """

    codec: CodecBase

    def __post_init__(self) -> None:
        if self.codec.encoding is None:
            why = f"{self.codec.format} is not a text format"
            if self.codec.compression is not None:
                why = "compressed payloads are not text"
            raise MissingText(self.codec.name, f"has no text: {why}")

    def encode(self, obj: Any, ctx: Any = None, /) -> str:
        """Return the payload of one record; see `Codec.encode`."""
        if obj is None and ctx is not None:
            return None  # type: ignore[return-value] # for Kafka's clients, as in the stub of `Codec`
        return self.codec.encode_text(obj)

    def decode(self, data: str | bytes | bytearray | memoryview, ctx: Any = None, /) -> Any:
        """Return the record of a payload; see `Codec.decode`."""
        return self.codec.decode(data, ctx)

    dumps = serialize = encode
    loads = deserialize = decode

    @property
    def name(self) -> str:
        """The codec's name."""
        return self.codec.name

    @property
    def media_type(self) -> str:
        """The codec's media type."""
        return self.codec.media_type

    @property
    def encoding(self) -> str | None:
        """The encoding of the text's bytes, UTF-8."""
        return self.codec.encoding
