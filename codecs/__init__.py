"""Codecs with one interface; users import the same objects that a run measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .binding import Bound
from .errors import (
    CodecError,
    DecodeError,
    EncodeError,
    LimitError,
    MissingField,
    MissingLibrary,
    MissingText,
    UnknownCodec,
    UnknownMediaType,
)
from .limits import Limits
from .naming import is_raw, join_name, split_name
from .registry import available, default_set, describe, missing, names, specialists
from .selection import select

if TYPE_CHECKING:
    from .conventions.families import register_type
    from .core.codec import Codec
    from .factory import by_media_type, codec, facts, register
    from .production.migration import migrate
    from .streams.compression import train

__all__ = [
    "Bound",
    "Codec",
    "CodecError",
    "DecodeError",
    "EncodeError",
    "LimitError",
    "Limits",
    "MissingField",
    "MissingLibrary",
    "MissingText",
    "UnknownCodec",
    "UnknownMediaType",
    "available",
    "by_media_type",
    "codec",
    "default_set",
    "describe",
    "facts",
    "is_raw",
    "join_name",
    "migrate",
    "missing",
    "names",
    "register",
    "register_type",
    "select",
    "specialists",
    "split_name",
    "train",
]

_HOMES = {
    "Codec": "core.codec",
    "by_media_type": "factory",
    "codec": "factory",
    "facts": "factory",
    "register": "factory",
    "train": "streams.compression",
    "register_type": "conventions.families",
    "migrate": "production.migration",
}
"""Names whose modules are loaded when they are first used."""


def __getattr__(name: str) -> Any:
    if (home := _HOMES.get(name)) is not None:
        from importlib import import_module

        return getattr(import_module(f".{home}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
