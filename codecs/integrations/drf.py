"""Codecs as renderers and parsers of Django REST framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from ..core.base import CodecBase
from ..errors import DecodeError, UnknownMediaType
from ._http import Body


def integration(codec: CodecBase) -> tuple[type[Any], type[Any]]:
    """Return the two classes: a ``BaseRenderer`` and a ``BaseParser``.

    A body that cannot be decoded gets status 400, another content coding than the codec's 415.
    """
    body = Body(codec)

    class Renderer(BaseRenderer):  # type: ignore[misc] # no types
        media_type = body.media_type
        format = codec.format
        charset = None
        render_style = "binary"

        def render(
            self,
            data: Any,
            accepted_media_type: str | None = None,
            renderer_context: Mapping[str, Any] | None = None,
        ) -> bytes:
            if data is None:
                return b""
            if renderer_context is not None:
                for name, value in body.coding.items():
                    renderer_context["response"][name] = value
            return body.encode(data)

    class Parser(BaseParser):  # type: ignore[misc] # no types
        media_type = body.media_type

        def parse(
            self,
            stream: IO[bytes],
            media_type: str | None = None,
            parser_context: Mapping[str, Any] | None = None,
        ) -> Any:
            headers = {} if parser_context is None else parser_context["request"].headers
            try:
                return body.read(stream.read(), self.media_type, headers.get("content-encoding"))
            except UnknownMediaType as error:
                raise UnsupportedMediaType(media_type, str(error)) from error
            except DecodeError as error:
                raise ParseError(str(error)) from error

    return Renderer, Parser
