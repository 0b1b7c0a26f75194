"""Media types that say what is in a payload, and the codec that reads one.

JSON in which dates are texts and bytes are base64 is JSON, but whoever registers its codec for
``application/json`` reads everybody's JSON with it. So what is written by our conventions has a type of its
own, in RFC 6838's tree for what is not registered (section 3.4), with the suffix of its syntax where there is
a registered one: RFC 6839 (json), RFC 8949 (cbor), RFC 9512 (yaml), RFC 8878 (zstd); section 4.2.8 advises
against others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UnknownMediaType

if TYPE_CHECKING:
    from ..core.codec import Codec
    from ..spec import Format, Spec

__all__ = ["MediaTypes", "by_media_type", "media_types", "reads"]

TREE = "application/x.bakeoff"
SUFFIXES = frozenset({"zstd"})
"""Compressors that are registered suffixes, which follow a plus, as `Format.suffix`; others follow a dot."""
CODINGS = {"zlib": "deflate", "zstd": "zstd"}
"""Compressors that are content codings of HTTP: RFC 9110, section 8.4.1.2, and RFC 8878, section 7.2."""


class MediaTypes(NamedTuple):
    """How a codec's payloads are named.

    Attributes:
        type: What really is in them, conventions and compression included.
        aliases: What else the codec reads: its format's own type first; compressed, older dictionaries'.
        headers: Content-Type and Content-Encoding for peers that know the standards only.
    """

    type: str
    aliases: tuple[str, ...]
    headers: dict[str, str]


def media_types(spec: Spec) -> MediaTypes:
    """Return the names of a codec's payloads."""
    kind, compression = spec.format, spec.settings.compression
    headers = {"content-type": kind.media_type}
    if compression is None:
        if spec.facts.family is None or not spec.encodes_as:
            return MediaTypes(kind.media_type, tuple(kind.media_type_aliases), headers)
        return MediaTypes(own_type(kind), (kind.media_type, *kind.media_type_aliases), headers)
    sign = "+" if compression.kind in SUFFIXES else "."
    made = f"{TREE}.{_syntax(kind)}{sign}{compression.kind}"
    name, *older = _dictionaries(made, compression.dictionaries)
    if compression.dictionary is None and (coding := CODINGS.get(compression.kind)):
        return MediaTypes(name, tuple(older), headers | {"content-encoding": coding})
    return MediaTypes(name, tuple(older), {"content-type": name})


def own_type(format: Format) -> str:
    """Return the type of a format's payloads that are written by our conventions."""
    return f"{TREE}{'+' if format.suffix else '.'}{_syntax(format)}"


def _syntax(format: Format) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", format.syntax or format.name)


def _dictionaries(name: str, dictionaries: Sequence[bytes]) -> tuple[str, ...]:
    from ..streams.compression import dictionary_id

    return tuple(f"{name}; dictionary={dictionary_id(each)}" for each in dictionaries) or (name,)


def by_media_type(media_type: str, among: Iterable[Codec] | None = None) -> Codec:
    """Return the first codec that reads payloads of a media type, as in a message's header.

    Args:
        media_type: For instance ``"application/json; charset=utf-8"``; of its parameters only ``dictionary``
            matters. Any type that ends with ``+json``, ``+cbor`` or ``+yaml`` is read as that (RFC 6839).
        among: Codecs, those that are liked better first. Left out: all that need no trust and no dictionary,
            for each format the one that bakeoff's own dependencies bring, compressed where the type says so.

    Raises:
        UnknownMediaType: None of them reads it.
        MissingLibrary: The compressor's or the codec's library is not installed.
    """
    wanted = _plain(media_type)
    codecs = _usual(wanted) if among is None else list(among)
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
    raise UnknownMediaType(media_type, f"no codec reads it; there is one for {', '.join(sorted(known))}")


def reads(codec: Codec, media_type: str) -> bool:
    """Whether a codec reads payloads of a media type."""
    try:
        by_media_type(media_type, [codec])
    except UnknownMediaType:
        return False
    return True


def _usual(wanted: str) -> list[Codec]:
    from ..registry import FORMAT_MODULES, codec, describe, first_codecs, missing, names
    from ..streams.compression import COMPRESSORS

    others = (name for name in names() if describe(name).format not in FORMAT_MODULES)
    plain = [
        codec(name)
        for name in (*first_codecs().values(), *others)
        if not describe(name).trusted_only and missing(name) is None
    ]
    kinds = [kind for kind in COMPRESSORS if re.search(rf"[+.]{kind}$", wanted)]
    return plain + [each.with_compression(kind) for kind in kinds for each in plain]


def _plain(media_type: str) -> str:
    """Return a type as it is compared: in small letters, with no parameter but the dictionary."""
    name, *parameters = (part.strip().lower() for part in media_type.split(";"))
    return ";".join([name, *(each for each in parameters if each.startswith("dictionary="))])
