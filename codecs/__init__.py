"""Every codec behind one `encode` and `decode`; the object that is measured is the one to import."""

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
    UnknownCodec,
)
from .limits import Limits
from .registry import (
    available,
    codec,
    describe,
    facts,
    is_raw,
    join_name,
    missing,
    names,
    register,
    select,
    split_name,
    usual,
)

if TYPE_CHECKING:
    from ._codec import Codec
    from .compression import train

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
    "UnknownCodec",
    "available",
    "codec",
    "describe",
    "facts",
    "is_raw",
    "join_name",
    "missing",
    "names",
    "register",
    "select",
    "split_name",
    "train",
    "usual",
]


def __getattr__(name: str) -> Any:
    if name == "Codec":
        from ._codec import Codec

        return Codec
    if name == "train":
        from .compression import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
