"""What libraries have for the records of a schema: one file for each that wants to know them beforehand.

A binding is a module of this folder with one function, ``binding(schema, **options) -> Binding``, which says
of the library what its codec needs (`bakeoff.codecs.binding.Binding`). Where the library's objects are made
of a layout, the conversions are compiled (`bakeoff.schemas.wire.bindings._conversion`, `leaves`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ....codecs.binding import Binding
    from ...tree.types import Type
    from ..layout import Layout

__all__ = ["BindableSchema", "make"]


class BindableSchema(Protocol):
    """What bindings need of a schema; `bakeoff.Schema` describes each member."""

    types: Type
    as_objects: bool

    @property
    def nests(self) -> bool: ...
    @property
    def layout(self) -> Layout: ...
    def definition(self, language: str) -> bytes: ...
    def apply(self, record: Any, /) -> Any: ...


def make(schema: BindableSchema, kind: str, **options: Any) -> Binding:
    """Return the binding of a schema to a library.

    Raises:
        SchemaError: The library has no form of a type.
        UsageError: The library is not installed.
    """
    made: Binding = import_module(f".{kind}", __name__).binding(schema, **options)
    return made
