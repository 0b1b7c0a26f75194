"""What libraries have for the records of a schema: one file for each that wants to know them beforehand.

A binding is a module of this folder with one function, ``binding(schema, **options) -> Binding``, which says
of the library what its codec needs (`bakeoff.codecs.binding.Binding`). Where the library's objects are made
of a layout, the conversions are compiled (`bakeoff.schemas.wire.bindings._conversion`, `leaves`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ....codecs.binding import Binding
    from ...schema import Schema

__all__ = ["make"]


def make(schema: Schema, kind: str, **options: Any) -> Binding:
    """Return the binding of a schema to a library.

    Raises:
        SchemaError: The library has no form of a type.
        UsageError: The library is not installed.
    """
    made: Binding = import_module(f".{kind}", __name__).binding(schema, **options)
    return made
