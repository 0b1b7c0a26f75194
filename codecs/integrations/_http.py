"""HTTP bodies for peers that only know the standards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.base import CodecBase
from ..errors import DecodeError, UnknownMediaType
from ..media import MediaReaders


class Body:
    """Bodies of requests and responses.

    Attributes:
        media_type: The media type of responses.
        coding: Further headers of responses: the content coding of a compressed codec.
        encode: Returns the body of a response.
        readers: Finds the codec of a request.
    """

    def __init__(self, codec: CodecBase) -> None:
        headers = codec.http_headers
        self.media_type = headers.pop("content-type")
        self.coding = headers
        self.encode = codec.encode
        self.readers = MediaReaders(codec)

    async def received(self, request: Any, refused: Callable[[int, str], Exception]) -> Any:
        """Return the record in a request of Starlette's kind.

        Args:
            request: An object with ``await body()`` and ``headers``.
            refused: Returns the framework's error for a status and the reason: 415 if the codec does not read
                the type in the headers, 400 if it cannot decode the body.
        """
        headers = request.headers
        try:
            return self.read(
                await request.body(), headers.get("content-type"), headers.get("content-encoding")
            )
        except UnknownMediaType as error:
            raise refused(415, str(error)) from error
        except DecodeError as error:
            raise refused(400, str(error)) from error

    def read(self, body: bytes, media_type: str | None, coding: str | None) -> Any:
        """Return the record in the body of a request, given its headers content-type and content-encoding.

        Raises:
            UnknownMediaType: The codec does not read that type; status 415.
            DecodeError: The codec cannot decode the body; status 400.
        """
        return self.readers.of(media_type or "", coding).decode(body)
