"""Parts that codecs with a schema share, and msgspec's typed codecs.

Records of typed codecs are objects of the schema's classes, or Structs made from the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..binding import Bound, SchemaProtocol, unbound
from ..conventions.classes import ClassFamily
from ..safety.keys import with_checked_keys
from ..safety.policies import Policies
from ..spec import RawCalls, Spec

OBJECTS: tuple[ClassFamily, ...] = ("struct", "dataclass", "attrs", "namedtuple")
"""The kinds of classes that msgspec supports natively."""

TYPED = frozenset(
    {"tuple", "set", "frozenset", "datetime", "date", "time", "timedelta", "decimal", "uuid", "enum"}
)
"""The types that a typed decoder preserves in addition to the format's own."""

# For formats whose payloads contain only the values of a schema: Avro, Arrow, protobuf, Thrift.
WIRE_PRESERVES = TYPED | {
    "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "bytearray", "list", "dict",
    "namedtuple", "int_keys", "any_keys",
}  # fmt: skip
WIRE_LOSSES = (
    "datetimes with an offset are decoded in UTC",
    "decoded fields are in the order of the schema",
    "integers become floats if the schema says float",
)
WIRE_POLICIES = Policies(
    duplicate_keys="none/last",
    nonfinite="allow",
    surrogates="reject",
    big_integers="reject/none",
    trailing="reject",
    extensions="none",
    nesting="none",
)
STRICT = "refuses records with fields that are not in the schema"
UNCHECKED = "often decodes damaged payloads silently; a name with |crc32 detects damage"


def typed(
    spec: Spec, decoder: Callable[..., Any], *, also: Collection[str] = (), array_like: bool = False
) -> Spec:
    """Return a codec of msgspec with a typed decoder.

    Args:
        spec: The same codec without types.
        decoder: The format's ``Decoder`` class.
        also: Further types that the typed codec preserves.
        array_like: Records are written as lists of their values, without field names.
    """

    def bind(schema: SchemaProtocol) -> Bound:
        binding = schema.binding("msgspec", array_like=array_like)
        decode = decoder(binding.type).decode
        return Bound(
            encode=spec.calls.encode,
            decode=decode if schema.hashes_text_only else with_checked_keys(decode, spec.calls.decode),
            take=binding.take,
            give=None if binding.as_is else binding.give,
            dicts=not (array_like and hasattr(schema.types, "fields")),
            as_is=binding.as_is,
        )

    def raw(schema: SchemaProtocol) -> RawCalls:
        binding = schema.binding("msgspec", array_like=array_like)
        assert isinstance(spec.calls.raw, RawCalls)
        return RawCalls(
            spec.calls.raw.encode,
            decoder(binding.type).decode,
            binding.take,
            None if binding.as_is else binding.give,
        )

    return spec.changed(
        decode=unbound,
        raw=raw,
        bind=bind,
        preserves={*spec.facts.preserves, *TYPED, *also, *(() if array_like else ("dataclass",))}
        - {"key_order"},
        losses=("records are decoded as Structs, in the order of the schema, without unknown fields",),
        takes="`msgspec.Struct` objects",
        notes=(),
    )
