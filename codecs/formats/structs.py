"""Parts that codecs with a schema share, and msgspec's typed codecs.

Records of typed codecs are objects of the schema's classes, or Structs made from the schema.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from ..binding import Bound, SchemaProtocol, unbound
from ..conventions.classes import ClassFamily
from ..conventions.families import FormatFamily
from ..conventions.notes import FIELDS_ONLY, UNSET_FIELDS
from ..safety.keys import with_checked_keys
from ..safety.policies import Policies
from ..spec import RawCalls, Spec

OBJECTS: tuple[ClassFamily, ...] = ("struct", "dataclass", "attrs", "namedtuple")
"""The kinds of classes that msgspec supports natively."""

TYPED = frozenset(
    {"tuple", "set", "frozenset", "datetime", "date", "time", "timedelta", "decimal", "uuid", "enum"}
)
"""The types that a typed decoder preserves in addition to the format's own."""

ROUNDED_OFFSETS = "offsets from UTC are rounded to whole minutes"
"""Only those before 1972 have seconds."""
NONFINITE_AS_NULL = "NaN and Infinity become null"
# A look for these types in each dump would take 7 % on messages.
UNSORTED_SETS = "sets are written in the order of their hashes, subclasses by their own `__iter__`"
OWN_ITERATION = "subclasses of sets are written by their own `__iter__`"
ATTRIBUTES = "attrs classes are written by attributes: also others than fields, none that begins with `_`"
RUN_AGAIN = "code of classes (`__post_init__`, converters) runs again on what is decoded"
UNKNOWN_DROPPED = "unknown fields are not decoded"
ORDER_OF_SCHEMA = "decoded fields are in the order of the schema"
OFFSETS_IN_UTC = "datetimes with an offset are decoded in UTC"

# For formats whose payloads contain only the values of a schema: Avro, Arrow, protobuf, Thrift.
WIRE_PRESERVES = TYPED | {
    "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "bytearray", "list", "dict",
    "namedtuple", "int_keys", "any_keys",
}  # fmt: skip
WIRE_LOSSES = (
    OFFSETS_IN_UTC,
    ORDER_OF_SCHEMA,
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


class _ArrayStruct(ABC):  # noqa: B024 - it only answers `isinstance`, and keeps the answer for each class
    """Structs that msgspec writes as arrays."""

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return getattr(getattr(kind, "__struct_config__", None), "array_like", False)


def dicts_of(schema: SchemaProtocol, bind: Callable[[SchemaProtocol], Bound]) -> Callable[[bytes], Any]:
    """Return a function that decodes records as dicts, for those that the schema's classes refuse."""

    @cache
    def bound() -> Bound:
        return bind(schema.as_dicts())

    def decode(data: bytes) -> Any:
        made = bound()
        record = made.decode(data)
        return record if made.give is None else made.give(record)

    return decode


def _is_record(types: Any) -> bool:
    return hasattr(types, "fields")


def _rows_only(encode: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return an encoder of lists of records that refuses those which are no arrays."""

    def write(records: Any) -> Any:
        for each in records:
            if not isinstance(each, _ArrayStruct):
                name = type(each).__name__
                raise TypeError(
                    f"an object of {name} cannot be decoded again; convert it with codec.bound.take(record)"
                )
        return encode(records)

    return write


def typed(
    spec: Spec,
    format: Any,
    *,
    also: Collection[str] = (),
    losses: Collection[str] = (),
    array_like: bool = False,
) -> Spec:
    """Return a codec of msgspec with a typed decoder.

    Args:
        spec: The same codec without types.
        format: The module of the format, with its ``Encoder`` and ``Decoder``.
        also: Further types that the typed codec preserves.
        losses: Further losses.
        array_like: Records are written as lists of their values, without field names.
    """
    assert spec.facts.family is not None
    family, decoder = spec.facts.family, format.Decoder
    # Text in place of an integer could not be read as one, or as another value.
    exact_family = FormatFamily(family.name, family.native, text_keys=family.text_keys)

    def leaf(value: Any) -> Any:
        if isinstance(value, int):
            raise TypeError("an integer beyond 64 bits, which cannot be read as one")
        return family.leaf(value)

    def bind(schema: SchemaProtocol) -> Bound:
        binding = schema.binding("msgspec", array_like=array_like, text_keys=family.text_keys)
        decode = decoder(binding.type).decode
        nulls = NONFINITE_AS_NULL in losses and schema.has_floats
        rows, item = array_like and _is_record(schema.types), getattr(schema.types, "item", None)
        encode = format.Encoder(enc_hook=leaf).encode
        return Bound(
            encode=_rows_only(encode) if array_like and _is_record(item) else encode,
            suspect=(*binding.suspect, b"null") if nulls else binding.suspect,
            decode=decode if schema.hashes_text_only else with_checked_keys(decode, spec.calls.decode),
            take=binding.take,
            give=None if binding.as_is else binding.give,
            dicts=not rows,
            only=_ArrayStruct if rows else None,
            as_is=binding.as_is,
            again=dicts_of(schema, bind) if binding.as_is else None,
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
        lower=exact_family.lower,
        raw=raw,
        bind=bind,
        preserves={*spec.facts.preserves, *TYPED, *also, *(() if array_like else ("dataclass",))}
        - {"key_order"},
        losses=(
            "records are decoded as Structs, in the order of the schema, without unknown fields",
            ROUNDED_OFFSETS,
            UNSORTED_SETS,
            ATTRIBUTES,
            FIELDS_ONLY,
            UNSET_FIELDS,
            RUN_AGAIN,
            *losses,
        ),
        takes="`msgspec.Struct` objects",
        notes=(),
    )
