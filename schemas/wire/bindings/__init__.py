"""What libraries have for the records of a schema: one file for each that wants to know them beforehand.

A peer is a module of this folder with one function, ``peer(schema, **options) -> Peer``, which says of the
library what its codec needs (`bakeoff.codecs.binding.Peer`). Where the library's objects are made of a
layout, the conversions are compiled (`bakeoff.schemas.wire.bindings._conversion`, `leaves`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ....codecs.binding import Peer
    from ...schema import Schema

__all__ = ["make"]


def make(schema: Schema, kind: str, **options: Any) -> Peer:
    """Return the peer of a schema in a library.

    Raises:
        SchemaError: The library has no form of a type.
        UsageError: The library is not installed.
    """
    made: Peer = import_module(f".{kind}", __name__).peer(schema, **options)
    return made
