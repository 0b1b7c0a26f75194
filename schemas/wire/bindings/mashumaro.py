"""Bind records to mashumaro: dataclasses, or TypedDicts built from the description tree."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

from ....codecs.binding import Binding
from ....codecs.conventions.rules import duration_text
from ...plan.convert import to_timedelta
from ...tree import types as t
from ...tree.declare import SchemaError
from .annotations import Form, LibraryCalls, annotation, bytes_forms, checked, located

if TYPE_CHECKING:
    from . import BindableSchema


def binding(
    schema: BindableSchema, *, write: Callable[[Any], Any], read: Callable[[Any], Any], texts: bool
) -> Binding:
    """Return mashumaro's code for a schema's records; `type` are its `LibraryCalls`.

    Args:
        schema: The schema.
        write: Writes the dicts that the library makes of records.
        read: Reads the dicts that it makes records of.
        texts: Bytes are written as base64, as in all codecs of JSON.

    Raises:
        SchemaError: The library does not support a type.
    """
    from mashumaro.codecs import BasicDecoder, BasicEncoder
    from mashumaro.dialect import Dialect

    if schema.as_objects:
        _refuse_optional_arguments(schema.types)
    annotated = annotation(schema, ("dataclass",), "mashumaro", splits_text=True)
    # Its own forms are seconds as a float, which does not have all microseconds, and base64 with line breaks.
    forms = {dt.timedelta: Form(duration_text, to_timedelta(None)), **bytes_forms(texts=texts)}

    strategies: dict[type, dict[str, Any]] = {
        each: {"serialize": form.write, "deserialize": form.read} for each, form in forms.items()
    }

    class Conventions(Dialect):
        serialization_strategy = strategies
        no_copy_collections = (list, dict)

    def coded(each: Any, write: Any = None, read: Any = None) -> LibraryCalls:
        encoder: Any = BasicEncoder(each, default_dialect=Conventions, post_encoder_func=write)
        decoder: Any = BasicDecoder(each, default_dialect=Conventions, pre_decoder_func=read)
        return LibraryCalls(encoder.encode, decoder.decode)

    for each, items in annotated.tuples.items():
        inner = coded(items)
        strategies[each] = {
            "serialize": inner.encode,
            "deserialize": lambda value, cls=each, read=inner.decode: cls(*read(value)),
        }
    whole = coded(annotated.type, write, read)
    return Binding(
        annotated.calls(whole.encode, located(whole.decode, read, schema)),
        schema.apply if annotated.own else checked(schema),
        schema.apply,
        as_is=annotated.own,
    )


def _refuse_optional_arguments(types: t.Type) -> None:
    """Refuse generic classes with arguments of which the library does not read None."""
    for path, each in t.walk(types):
        if isinstance(each, t.RecordType) and any(type(None) in get_args(one) for one in each.arguments):
            raise SchemaError(path, f"mashumaro does not read None in the generic class `{each}`")
