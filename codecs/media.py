"""Finds the codec that reads payloads of a media type: every integration asks here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from .core.base import CodecBase
from .errors import UnknownMediaType
from .format import TREE

_Codec = TypeVar("_Codec", bound=CodecBase)

IDENTITY = "identity"
"""The content coding of bodies that are not coded (RFC 9110, section 12.5.3)."""


def first_reader(media_type: str, among: Iterable[_Codec]) -> _Codec:
    """Return the first codec that reads payloads of a media type, as in a message's header.

    Args:
        media_type: As for `bakeoff.codecs.by_media_type`.
        among: Codecs, the preferred ones first.

    Raises:
        UnknownMediaType: None of them reads it.
    """
    wanted = _plain(media_type)
    codecs = [(each, part) for each in among for part in _parts(each)]
    for is_read in (_by_name, _by_suffix):
        for each, part in codecs:
            if is_read(part, wanted):
                return each
    known = sorted({name for _, part in codecs for name in (part.media_type, *part.media_type_aliases)})
    why = "no codec reads it; supported are" if media_type else "expected one of"
    raise UnknownMediaType(media_type or "no media type", f"{why} {', '.join(known)}")


def _by_name(codec: CodecBase, wanted: str) -> bool:
    return wanted in map(_plain, (codec.media_type, *codec.media_type_aliases))


def _by_suffix(codec: CodecBase, wanted: str) -> bool:
    """Whether a type of another's says by its suffix that it is in the codec's format (RFC 6839)."""
    base, _, suffix = wanted.rpartition("+")
    readable = codec.format == suffix and codec.spec.format.suffix and codec.compression is None
    return bool(base) and not base.startswith(TREE) and readable


class MediaReaders:
    """The codecs for the payloads that a codec reads, by media type and content coding.

    A codec of `migrate` reads payloads of two codecs. Where a header names the type, none is guessed.

    Args:
        codec: Its limits, schema and sampler apply to all payloads.
    """

    def __init__(self, codec: CodecBase) -> None:
        self._ways: list[tuple[CodecBase, str, CodecBase]] = []
        for part in _parts(codec):
            whole = _alone(codec, part)
            self._ways.append((part, IDENTITY, whole))
            if coding := part.http_headers.get("content-encoding"):
                plain = part.with_compression(None)
                self._ways += [(plain, coding, whole), (plain, IDENTITY, _alone(codec, plain))]
        # The usual spellings, because parsing a header takes 20 times as long as decoding a small body.
        self._known = {
            (name, coding): reader
            for part, coding, reader in reversed(self._ways)
            for name in (part.media_type, *part.media_type_aliases)
        }

    def of(self, media_type: str, coding: str | None = None) -> CodecBase:
        """Return the codec that reads and writes payloads of a type.

        Args:
            media_type: As for `bakeoff.codecs.by_media_type`.
            coding: The header Content-Encoding, if there is one.

        Raises:
            UnknownMediaType: The codec does not read that type in that coding.
        """
        coding = (coding or IDENTITY).strip().lower().removeprefix("x-")  # RFC 9110: x-gzip is gzip
        if (known := self._known.get((media_type, coding))) is not None:
            return known
        wanted, readers = _plain(media_type), dict[str, CodecBase]()
        for part, each, reader in self._ways:
            if _by_name(part, wanted) or _by_suffix(part, wanted):
                readers.setdefault(each, reader)
        if coding in readers:
            return readers[coding]
        if readers:
            raise UnknownMediaType(f"{media_type} as {coding}", f"expected {' or '.join(readers)}")
        return first_reader(media_type, (part for part, _, _ in self._ways))  # which raises the error

    def get(self, media_type: str) -> CodecBase | None:
        """Return the codec for payloads of a type; None if the codec does not read it."""
        try:
            return self.of(media_type)
        except UnknownMediaType:
            return None


def _parts(codec: _Codec) -> tuple[CodecBase, ...]:
    """Return the codecs whose payloads a codec reads: both of a migration, or only itself."""
    several = codec.spec.calls.readers
    return tuple(several) if several and codec.compression is None else (codec,)


def _alone(codec: CodecBase, part: CodecBase) -> CodecBase:
    """Return the codec of a part's payloads, with the settings of the whole."""
    if part is codec or not codec.spec.calls.readers:
        return part
    return codec._vary(encode=part.encode, decode=part.decode, readers=())


def _plain(media_type: str) -> str:
    """Return a type for comparisons: in lower case, without parameters other than the dictionary."""
    name, *parameters = (part.strip().lower() for part in media_type.split(";"))
    return ";".join([name, *(each for each in parameters if each.startswith("dictionary="))])
