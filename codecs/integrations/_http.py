"""HTTP bodies for peers that only know the standards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.base import CodecBase
from ..errors import DecodeError, UnknownMediaType
from ..production.media import first_reader


class Body:
    """Bodies of requests and responses.

    Attributes:
        media_type: The media type of responses.
        coding: Further headers of responses: the content coding of a compressed codec.
        encode: Returns the body of a response.
    """

    def __init__(self, codec: CodecBase) -> None:
        headers = codec.http_headers
        self.media_type = headers.pop("content-type")
        self.coding = headers
        self.encode = codec.encode
        self._coding = headers.get("content-encoding", "identity")
        self._codec = codec
        self._plain = codec.with_compression(None) if headers else codec
        # The usual spellings, because parsing a header takes 20 times as long as decoding a small body.
        self._known = dict.fromkeys((self.media_type, self._plain.media_type), self._plain)

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
        found = self._known.get(media_type or "") or first_reader(
            media_type or "", (self._codec, self._plain)
        )
        coding = (coding or "identity").lower()
        if found is self._plain and coding == self._coding:
            found = self._codec
        elif coding != "identity":
            raise UnknownMediaType(f"{media_type} as {coding}", f"expected {self._coding}")
        return found.decode(body)
