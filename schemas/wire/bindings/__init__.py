"""Bindings of schemas to libraries: one file for each library that needs to know the records beforehand.

A binding is a module of this folder with one function, ``binding(schema, **options) -> Binding``. It returns
the parts of the library that the codec needs (`bakeoff.codecs.binding.Binding`). If the library's objects
follow a layout, the conversions are compiled (`bakeoff.schemas.wire.bindings._conversion`, `leaves`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from ....codecs.binding import SchemaProtocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....codecs.binding import Binding
    from ...plan.advice import Advice
    from ...tree.types import Type
    from ..layout import Layout

__all__ = ["BindableSchema", "make"]


class BindableSchema(SchemaProtocol, Protocol):
    """What bindings need of a schema beyond what codecs know; `bakeoff.Schema` describes each member."""

    types: Type

    @property
    def layout(self) -> Layout: ...
    def definition(self, language: str) -> bytes: ...
    def apply(self, record: Any, /) -> Any: ...
    def advise(self, record: Any, /) -> tuple[Any, list[Advice]]: ...
    def adviser(self) -> Callable[[Any], tuple[Any, list[Advice]]]: ...
    def as_dicts(self) -> BindableSchema: ...


def make(schema: BindableSchema, kind: str, **options: Any) -> Binding:
    """Return the binding of a schema to a library.

    Raises:
        SchemaError: The library has no form of a type.
        UsageError: The library is not installed.
    """
    made: Binding = import_module(f".{kind}", __name__).binding(schema, **options)
    return made
