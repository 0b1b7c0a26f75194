"""Codecs as responses of Litestar, and readers of its requests."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response
from litestar.exceptions import ClientException

from ..core.base import CodecBase
from ..core.classes import class_of
from ._http import Body


class Encoded(Response[Any]):
    """A response whose content is a record; made by `bakeoff.integrations.litestar`."""

    codec: CodecBase
    _of: Body

    @staticmethod
    def attributes(codec: CodecBase) -> dict[str, Any]:
        """Return the attributes of the class of a codec."""
        return {"_of": Body(codec)}

    def __init__(self, content: Any, **options: Any) -> None:
        super().__init__(content, **{**options, "media_type": self._of.media_type})
        for name, value in self._of.coding.items():
            self.headers.setdefault(name, value)

    def render(self, content: Any, *_: Any, **__: Any) -> bytes:
        """Return the body.

        Raises:
            EncodeError: As the codec's.
        """
        return self._of.encode(content)

    @classmethod
    async def read(cls, request: Request[Any, Any, Any]) -> Any:
        """Return the record in a request; a dependency.

        Raises:
            litestar.exceptions.ClientException: Status 415 if the codec does not read the type in the
                headers, 400 if it cannot decode the body.
        """
        return await cls._of.received(
            request, lambda status, reason: ClientException(reason, status_code=status)
        )


def integration(codec: CodecBase) -> type[Encoded]:
    """Return a class of responses, with `Encoded.read` for requests."""
    return class_of(Encoded, codec)
