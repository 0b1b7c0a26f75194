"""Finds the codec that reads payloads of a media type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from ..core.base import CodecBase
from ..errors import UnknownMediaType
from ..format import TREE

_Codec = TypeVar("_Codec", bound=CodecBase)


def first_reader(media_type: str, among: Iterable[_Codec]) -> _Codec:
    """Return the first codec that reads payloads of a media type, as in a message's header.

    Args:
        media_type: As for `bakeoff.codecs.by_media_type`.
        among: Codecs, the preferred ones first.

    Raises:
        UnknownMediaType: None of them reads it.
    """
    wanted = _plain(media_type)
    codecs = list(among)
    for each in codecs:
        if wanted in map(_plain, (each.media_type, *each.media_type_aliases)):
            return each
    base, _, suffix = wanted.rpartition("+")
    if base and not base.startswith(TREE):
        for each in codecs:
            if each.format == suffix and each.spec.format.suffix and each.compression is None:
                return each
    known = {each.media_type for each in codecs} | {
        alias for each in codecs for alias in each.media_type_aliases
    }
    raise UnknownMediaType(media_type, f"no codec reads it; supported are {', '.join(sorted(known))}")


def reads(codec: CodecBase, media_type: str) -> bool:
    """Whether a codec reads payloads of a media type."""
    try:
        first_reader(media_type, [codec])
    except UnknownMediaType:
        return False
    return True


def _plain(media_type: str) -> str:
    """Return a type for comparisons: in lower case, without parameters other than the dictionary."""
    name, *parameters = (part.strip().lower() for part in media_type.split(";"))
    return ";".join([name, *(each for each in parameters if each.startswith("dictionary="))])
