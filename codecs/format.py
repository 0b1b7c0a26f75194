"""What all codecs of a wire format share, and the media types of their payloads.

JSON in which dates are texts and bytes are base64 is JSON, but whoever registers its codec for
``application/json`` reads everybody's JSON with it. So what is written by our conventions has a type of its
own, in RFC 6838's tree for what is not registered (section 3.4), with the suffix of its syntax where there is
a registered one: RFC 6839 (json), RFC 8949 (cbor), RFC 9512 (yaml), RFC 8878 (zstd); section 4.2.8 advises
against others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from .conventions.families import FormatFamily
    from .streams.compression import Compression
    from .streams.framing import Framing

__all__ = ["TREE", "Format", "MediaTypes", "media_types"]

TREE = "application/x.bakeoff"
SUFFIXES = frozenset({"zstd"})
"""Compressors that are registered suffixes, which follow a plus, as `Format.suffix`; others follow a dot."""
CODINGS = {"zlib": "deflate", "zstd": "zstd"}
"""Compressors that are content codings of HTTP: RFC 9110, section 8.4.1.2, and RFC 8878, section 7.2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What all codecs of a wire format share.

    Attributes:
        name: For instance ``"json"``.
        media_type: Its own, whatever conventions are written in it.
        media_type_aliases: Older names that peers still send.
        syntax: What a media type of ours calls it: the name, but where two readers do not read each other.
        content_encoding: Whether payloads are text.
        file_extension: With its dot.
        trusted_only: Decoding can run code that the payload brings along.
        interoperable: Other languages read it.
        empty: A payload of no bytes is a record, as a record without fields is in TOML; else it is refused.
        framing: How records follow one another in a file; None: each after its length.
        files: Endings of the names of files that hold records so; empty where nobody has such files.
        suffix: Its name is a registered suffix of media types, as in ``+json`` (RFC 6839).
        family: The conventions for what it lacks; None where a schema says how all types are written.

    Raises:
        ValueError: A content encoding that there is not.
    """

    name: str
    media_type: str = "application/octet-stream"
    media_type_aliases: Sequence[str] = ()
    syntax: str = ""
    content_encoding: Literal["binary", "utf-8"] = "binary"
    file_extension: str = ""
    trusted_only: bool = False
    interoperable: bool = True
    empty: bool = False
    framing: Framing | None = None
    files: Sequence[str] = ()
    suffix: bool = False
    family: FormatFamily | None = None

    def __post_init__(self) -> None:
        if self.content_encoding not in ("binary", "utf-8"):
            raise ValueError(
                f"format {self.name}: content_encoding is 'binary' or 'utf-8', got {self.content_encoding!r}"
            )
        object.__setattr__(self, "media_type_aliases", tuple(self.media_type_aliases))


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


def media_types(kind: Format, compression: Compression | None, *, conventions: bool) -> MediaTypes:
    """Return the names of a codec's payloads.

    Args:
        kind: The codec's format.
        compression: What its payloads are compressed by.
        conventions: They hold types that are written by our conventions.
    """
    headers = {"content-type": kind.media_type}
    if compression is None:
        if not conventions:
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
    from .streams.compression import dictionary_id

    return tuple(f"{name}; dictionary={dictionary_id(each)}" for each in dictionaries) or (name,)
