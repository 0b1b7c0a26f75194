"""Codecs as responses of Starlette and FastAPI, and readers of their requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..core.base import CodecBase
from ..core.classes import class_of
from ._http import Body


class Encoded(Response):
    """A response whose content is a record; made by `bakeoff.integrations.starlette`."""

    codec: CodecBase
    _of: Body

    @staticmethod
    def attributes(codec: CodecBase) -> dict[str, Any]:
        """Return the attributes of the class of a codec."""
        return {"_of": (body := Body(codec)), "media_type": body.media_type}

    def render(self, content: Any) -> bytes:
        """Return the body.

        Raises:
            EncodeError: As the codec's.
        """
        return self._of.encode(content)

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Add the headers of a compressed body."""
        super().init_headers({**self._of.coding, **(headers or {})})

    @classmethod
    async def read(cls, request: Request) -> Any:
        """Return the record in a request; a dependency in FastAPI.

        Raises:
            starlette.exceptions.HTTPException: Status 415 if the codec does not read the type in the
                headers, 400 if it cannot decode the body.
        """
        return await cls._of.received(request, HTTPException)


def integration(codec: CodecBase) -> type[Encoded]:
    """Return a class of responses, with `Encoded.read` for requests."""
    return class_of(Encoded, codec)
