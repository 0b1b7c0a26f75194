"""Properties that all codecs of a wire format share, and the media types of their payloads.

JSON in which dates are texts and bytes are base64 is JSON, but a codec that is registered for
``application/json`` would read all other JSON, too. So payloads that use our conventions have a separate
type in RFC 6838's tree of unregistered types (section 3.4), with the suffix of its syntax if one is
registered: RFC 6839 (json), RFC 8949 (cbor), RFC 9512 (yaml), RFC 8460 (gzip), RFC 8878 (zstd). Section
4.2.8 advises against other suffixes.
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

TREE = "application/x.bakeoff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Properties that all codecs of a wire format share.

    Attributes:
        name: For instance ``"json"``.
        media_type: The format's own media type, without conventions.
        media_type_aliases: Older names that peers still send.
        syntax: Its name in our media types: `name`, unless two codecs cannot read each other's payloads.
        content_encoding: Whether payloads are text.
        file_extension: With its dot.
        trusted_only: Decoding can run code from the payload.
        interoperable: Other languages read it.
        empty: An empty payload is a record, such as a record without fields in TOML; else it is refused.
        framing: How records follow one another in a file; None: each after its length.
        files: Extensions of files with records in this framing; empty if there are no such files in use.
        suffix: Its name is a registered suffix of media types, as in ``+json`` (RFC 6839).
        family: The conventions for missing types; None if a schema determines how all types are written.

    Raises:
        ValueError: An unknown content encoding.
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
    """The media types of a codec's payloads.

    Attributes:
        type: The exact type, including conventions and compression.
        aliases: Other types that the codec reads, its format's own type first; for a compressed codec, those
            with older dictionaries.
        headers: Content-Type and Content-Encoding for peers that only know the standards.
    """

    type: str
    aliases: tuple[str, ...]
    headers: dict[str, str]


def media_types(kind: Format, compression: Compression | None, *, conventions: bool) -> MediaTypes:
    """Return the media types of a codec's payloads.

    Args:
        kind: The codec's format.
        compression: The compressor of its payloads.
        conventions: Whether they contain types that are written by our conventions.
    """
    headers = {"content-type": kind.media_type}
    if compression is None:
        if not conventions:
            return MediaTypes(kind.media_type, tuple(kind.media_type_aliases), headers)
        own = f"{TREE}{'+' if kind.suffix else '.'}{_syntax(kind)}"
        return MediaTypes(own, (kind.media_type, *kind.media_type_aliases), headers)
    sign = "+" if compression.suffix else "."
    made = f"{TREE}.{_syntax(kind)}{sign}{compression.format}"
    name, *older = _dictionaries(made, compression.dictionaries)
    if compression.dictionary is None and compression.coding:
        return MediaTypes(name, tuple(older), headers | {"content-encoding": compression.coding})
    return MediaTypes(name, tuple(older), {"content-type": name})


def joined(several: Sequence[MediaTypes]) -> MediaTypes:
    """Return the media types of a codec that writes the first of several, and reads all."""
    first = several[0]
    known = dict.fromkeys(name for each in several for name in (each.type, *each.aliases))
    return MediaTypes(first.type, tuple(name for name in known if name != first.type), first.headers)


def _syntax(format: Format) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", format.syntax or format.name)


def _dictionaries(name: str, dictionaries: Sequence[bytes]) -> tuple[str, ...]:
    from .streams.compression import dictionary_id

    return tuple(f"{name}; dictionary={dictionary_id(each)}" for each in dictionaries) or (name,)
