"""Codecs as renderers and parsers of Django REST framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO, Any

from rest_framework.exceptions import NotAcceptable, ParseError, UnsupportedMediaType
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from ..core.base import CodecBase
from ..core.classes import class_of
from ..errors import DecodeError, UnknownMediaType
from ..ready import of_class
from ._http import Body


class Renderer(BaseRenderer):  # type: ignore[misc] # no types
    """Writes responses with a codec."""

    codec: CodecBase
    charset = None
    render_style = "binary"
    _of: Body

    @staticmethod
    def attributes(codec: CodecBase) -> dict[str, Any]:
        """Return the attributes of the class of a codec."""
        return {"_of": (body := Body(codec)), "media_type": body.media_type, "format": codec.format}

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the body of a response.

        Raises:
            EncodeError: As the codec's.
        """
        if data is None:
            return b""
        if renderer_context is not None:
            for name, value in self._of.coding.items():
                renderer_context["response"][name] = value
        return self._of.encode(data)


class Parser(BaseParser):  # type: ignore[misc] # no types
    """Reads requests with a codec."""

    codec: CodecBase
    _of: Body

    @staticmethod
    def attributes(codec: CodecBase) -> dict[str, Any]:
        """Return the attributes of the class of a codec."""
        return {"_of": (body := Body(codec)), "media_type": body.media_type}

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the record in a request.

        Raises:
            UnsupportedMediaType: The codec does not read that type and content coding; status 415.
            ParseError: The body cannot be decoded; status 400.
        """
        headers = {} if parser_context is None else parser_context["request"].headers
        # The framework has chosen this parser; a subclass may have a type of its own.
        known = media_type if media_type and self._of.readers.get(media_type) else self._of.media_type
        try:
            return self._of.read(stream.read(), known, headers.get("content-encoding"))
        except UnknownMediaType as error:
            raise UnsupportedMediaType(media_type, str(error)) from error
        except DecodeError as error:
            raise ParseError(str(error)) from error


class Negotiation(DefaultContentNegotiation):  # type: ignore[misc] # no types
    """A ``DEFAULT_CONTENT_NEGOTIATION_CLASS`` that knows all media types that a codec reads.

    Django REST framework compares a request's type with the one type of a parser or renderer. This also finds
    the codec's own type, aliases, suffixes such as ``+json``, and both types of a codec of `migrate`.
    """

    def select_parser(self, request: Any, parsers: Sequence[Any]) -> Any:
        """Return the parser for a request; None for none."""
        return super().select_parser(request, parsers) or _first(parsers, Parser, request.content_type)

    def select_renderer(
        self, request: Any, renderers: Sequence[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        """Return the renderer for a request, and the media type of its response.

        Raises:
            NotAcceptable: There is none; status 406.
        """
        try:
            return super().select_renderer(request, renderers, format_suffix)  # type: ignore[no-any-return]
        except NotAcceptable:
            for each in self.get_accept_list(request):
                if (found := _first(renderers, Renderer, each)) is not None:
                    return found, found.media_type
            raise


def _first(among: Sequence[Any], kind: type[Any], media_type: str | None) -> Any:
    for each in among:
        if isinstance(each, kind) and each._of.readers.get(media_type or "") is not None:
            return each
    return None


def integration(codec: CodecBase) -> tuple[type[Renderer], type[Parser]]:
    """Return two classes: one to write responses, and one to read requests."""
    return class_of(Renderer, codec, "Renderer"), class_of(Parser, codec, "Parser")


def __getattr__(name: str) -> type[Renderer] | type[Parser]:
    for number, ending in enumerate(("Renderer", "Parser")):
        if name.endswith(ending):
            return integration(of_class(__name__, name.removesuffix(ending)))[number]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
