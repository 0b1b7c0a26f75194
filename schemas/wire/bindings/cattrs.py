"""Bind records to cattrs: attrs classes and dataclasses, or TypedDicts built from the description tree."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ....codecs.binding import Binding
from ....codecs.conventions.families import member_form
from ....codecs.conventions.rules import SCALARS
from ...plan.convert import from_text, to_timedelta
from ...tree import types as t
from .annotations import Form, annotation, bytes_forms, checked, located

if TYPE_CHECKING:
    from . import BindableSchema

_READ: Mapping[type, Callable[[Any], Any]] = {
    dt.date: dt.date.fromisoformat,
    dt.timedelta: to_timedelta(None),
    decimal.Decimal: decimal.Decimal,
    uuid.UUID: uuid.UUID,
}
"""Reads the types whose rows in `SCALARS` have no `read`."""


def binding(
    schema: BindableSchema,
    *,
    write: Callable[[Any], Any],
    read: Callable[[Any], Any],
    texts: bool,
) -> Binding:
    """Return the hooks that cattrs makes for a schema's records; `type` are its `Calls`.

    Args:
        schema: The schema.
        write: Writes the dicts that the library makes of records.
        read: Reads the dicts that it makes records of.
        texts: Bytes are written as base64, as in all codecs of JSON.

    Raises:
        SchemaError: The library does not support a type.
    """
    annotated = annotation(schema, ("attrs", "dataclass"), "cattrs")
    preconf: Any = import_module(f"cattrs.preconf.{'orjson' if texts else 'msgpack'}")
    converter = preconf.make_converter(detailed_validation=False)
    # Its own forms are base85 and seconds since 1970, without the offset; it has no forms of most others.
    forms = {
        **bytes_forms(texts=texts),
        dt.datetime: Form(dt.datetime.isoformat, dt.datetime.fromisoformat),
        **{each.type: Form(each.write, _READ.get(each.type) or from_text(each.type)) for each in SCALARS},
        type(None): Form(_none, _none),
    }
    for each, form in forms.items():
        converter.register_unstructure_hook(each, form.write)
        converter.register_structure_hook(each, _reading(form.read))
    for _, node in t.walk(schema.types):
        # It leaves members that are texts or numbers as they are, but reads them by their values.
        if isinstance(node, t.EnumType) and (value := member_form(node.cls)) is not None:
            converter.register_unstructure_hook(node.cls, value)
    for each, items in annotated.tuples.items():
        converter.register_unstructure_hook(each, converter.get_unstructure_hook(items))
        converter.register_structure_hook(each, _reading_tuple(each, items, converter))
    kind = annotated.type
    opened, built = converter.get_unstructure_hook(kind), converter.get_structure_hook(kind)
    return Binding(
        annotated.calls(
            lambda record: write(opened(record)),
            located(lambda data: built(read(data), kind), read, schema),
        ),
        schema.apply if annotated.own else checked(schema),
        schema.apply,
        as_is=annotated.own,
    )


def _reading(read: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda value, _: read(value)


def _reading_tuple(cls: type, items: Any, converter: Any) -> Callable[[Any, Any], Any]:
    read = converter.get_structure_hook(items)
    return lambda value, _: cls(*read(value, items))


def _none(value: None) -> None:
    if value is not None:
        raise TypeError("expected None")
