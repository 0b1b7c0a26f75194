"""Codecs as media handlers of falcon."""

from __future__ import annotations

from typing import Any

from falcon import MediaMalformedError, MediaNotFoundError
from falcon.media import BaseHandler
from falcon.typing import ReadableIO

from ..core.base import CodecBase
from ..errors import DecodeError
from ..media import MediaReaders


class Handler(BaseHandler):
    """Reads and writes bodies with a codec, in WSGI and ASGI; a bad body gets status 400."""

    def __init__(self, codec: CodecBase) -> None:
        self._codec = codec

    def serialize(self, media: object, content_type: str | None = None) -> bytes:
        """Return the body of a response.

        Raises:
            EncodeError: As the codec's.
        """
        return self._codec.encode(media)

    def deserialize(
        self, stream: ReadableIO, content_type: str | None = None, content_length: int | None = None
    ) -> Any:
        """Return the record in a request.

        Raises:
            MediaNotFoundError: There is no body; ``get_media`` then returns its ``default_when_empty``.
            MediaMalformedError: The body cannot be decoded; the codec's error is its cause.
        """
        body = stream.read()
        if not body:
            raise MediaNotFoundError(self._codec.name)
        try:
            return self._codec.decode(body)
        except DecodeError as error:
            raise MediaMalformedError(self._codec.name) from error


def integration(codec: CodecBase) -> dict[str, BaseHandler]:
    """Return handlers by media type, for ``media_handlers.update`` of options of requests and responses.

    Each reads and writes its own type: of a codec of `migrate`, payloads of either codec.
    """
    readers = MediaReaders(codec)
    names = (codec.media_type, *codec.media_type_aliases)
    return {name: Handler(readers.of(name)) for name in names}
