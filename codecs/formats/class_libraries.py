"""Codecs of libraries that make dicts of objects, over the codec that writes the dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from ..binding import Bound, SchemaProtocol
from ..conventions.arrays import convention
from ..conventions.classes import ClassFamily, record_class
from ..conventions.families import exactly
from ..conventions.finite import dict_of
from ..conventions.notes import STRANGERS, Note
from ..core.codec import Codec
from ..safety.keys import with_checked_keys
from ..spec import Calls, RawCalls, Spec
from .structs import NONFINITE_AS_NULL, ORDER_OF_SCHEMA, RUN_AGAIN, TYPED, UNKNOWN_DROPPED, dicts_of

DATACLASSES: tuple[ClassFamily, ...] = ("dataclass",)
"""The kind of classes that mashumaro supports."""
ATTRS: tuple[ClassFamily, ...] = ("attrs", "dataclass")
"""The kinds of classes that cattrs supports."""


def _plain_of(kind: type) -> Callable[[Any], Any] | None:
    """Return what converts values of a type that the libraries take for others: mappings, arrays, objects."""
    if issubclass(kind, Mapping) and not issubclass(kind, dict):
        return dict_of
    known = record_class(kind)
    if known is None or known.family == "namedtuple":
        return convention(kind)
    return known.open


def opening(spec: Spec, library: Literal["mashumaro", "cattrs"], kind: Literal["json", "msgpack"]) -> Spec:
    """Return a codec of objects that a library of classes makes dicts of, and another codec payloads.

    Args:
        spec: The other codec, which also writes what the library leaves as it is.
        library: Also the name of its binding.
        kind: Of payloads; with the library's, the name of the codec. In JSON, bytes are base64 text.
    """
    write = Codec.from_spec(spec.changed(name=f"{library}-{kind}")).encode
    read = partial(spec.calls.decode, **spec.calls.decode_options)

    def bind(schema: SchemaProtocol) -> Bound:
        binding = schema.binding(library, write=write, read=read, texts=kind == "json")
        encode, decode = binding.type.encode, binding.type.decode
        plain = exactly(_plain_of, members=False)
        nulls = NONFINITE_AS_NULL in spec.facts.losses and schema.has_floats
        return Bound(
            encode=encode if binding.type.opens else lambda record: encode(plain(record)),
            suspect=(b"null",) if nulls else (),
            decode=decode if schema.hashes_text_only else with_checked_keys(decode, read),
            take=binding.take,
            as_is=binding.as_is,
            again=dicts_of(schema, bind) if schema.as_objects else None,
        )

    def raw(schema: SchemaProtocol) -> RawCalls:
        theirs = spec.calls.raw
        assert isinstance(theirs, RawCalls)
        binding = schema.binding(library, write=theirs.encode, read=theirs.decode, texts=kind == "json")
        return RawCalls(binding.type.encode, binding.type.decode, binding.take)

    guards = replace(
        spec.guards, scan=None, shallow=0, split=None, plain_keys=False, unhashed=False, short_times=False
    )
    # The library itself opens objects: rewritten ones would be of the wrong types.
    calls = Calls(bind=bind, raw=raw, lower=lambda record: record)
    return replace(spec, calls=calls, guards=guards).changed(
        preserves={*spec.facts.preserves, *TYPED, "bytes", "bytearray", "int_keys", "dataclass"}
        - {"key_order"},
        losses=(*spec.facts.losses, UNKNOWN_DROPPED, ORDER_OF_SCHEMA, RUN_AGAIN),
        notes=(
            Note(
                "converts values to the declared type: the text '7' and the number 7.9 to the int 7, None to "
                "the text 'None'",
                STRANGERS,
            ),
        ),
        policies=replace(spec.facts.policies, options={}, enforce=None),
    )
