"""Terms that the modules of Protocol Buffers share: types, and comments that are read back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....errors import UsageError
from ...tree import types as t
from ..layout import Leaf, Nullable, WireField, WireMap, WireSequence, WireType

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

VALUE = "value"
"""The field of a message that wraps one value, and the value of a pair. The key of a pair is ``key``."""
TIMESTAMP = "google.protobuf.Timestamp"
NULL = "google.protobuf.NullValue"
WRAPPERS: dict[str, str] = {
    "google.protobuf.BoolValue": "bool",
    "google.protobuf.Int32Value": "int32",
    "google.protobuf.Int64Value": "int64",
    "google.protobuf.UInt32Value": "uint32",
    "google.protobuf.UInt64Value": "uint64",
    "google.protobuf.FloatValue": "float",
    "google.protobuf.DoubleValue": "double",
    "google.protobuf.StringValue": "string",
    "google.protobuf.BytesValue": "bytes",
}
"""protobuf's own messages of one value, and the type of the value."""

SCALARS: dict[str, Leaf] = {
    "double": Leaf("float", t.FloatType()),
    "float": Leaf("float", t.FloatType(), bits=32),
    "bool": Leaf("bool", t.BoolType()),
    "string": Leaf("text", t.StrType()),
    "bytes": Leaf("bytes", t.BytesType()),
    "int32": Leaf("int", t.IntType(), bits=32),
    "int64": Leaf("int", t.IntType()),
    **{name: Leaf("int", t.IntType(), bits=32, form=name) for name in ("sint32", "sfixed32")},
    **{
        # Unsigned 32-bit integers do not fit into 32 bits of other formats.
        name: Leaf("int", t.IntType(), form=name)
        for name in ("uint32", "fixed32", "uint64", "sint64", "fixed64", "sfixed64")
    },
}
"""The layout type of each scalar type."""

WELL_KNOWN: dict[str, str] = {
    TIMESTAMP: "timestamp",
    NULL: "struct",
    **dict.fromkeys(WRAPPERS, "wrappers"),
}
"""Files of ``google/protobuf`` by the types that they define."""

_KEYS = ("int", "bool", "text", "timestamp", "local-timestamp", "date")
"""Types of keys that protobuf's own maps can have."""

# Comments that are read again -----------------------------------------------------------------------

BOX = "Stands for its value."
PAIR = "A key and its value."
CHOICE = "One of several."
TUPLE = "A tuple."
NONE = "None where it is not set"
MISSING = "missing where it is not set"
ALWAYS = "always set"
_UNITS = {"ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
_ANY = "MessagePack of any value"
COUNTS: dict[str, Leaf] = {
    "days since 1970-01-01": Leaf("date", t.DateType()),
    _ANY: Leaf("any", t.AnyType()),
    **{
        f"{words} since 1970-01-01T00:00{zone}": Leaf(wire, t.DateTimeType(aware=aware), unit=unit)  # type: ignore[arg-type]
        for unit, words in _UNITS.items()
        for wire, zone, aware in (("timestamp", "Z", True), ("local-timestamp", " local time", False))
    },
}
COLLECTIONS = {f"a {kind.__name__}": node for node, kind in t.COLLECTIONS.items() if kind is not list}
KEY = re.compile(r'(?:^|; )key (".*")$')


def null_words(name: str) -> str:
    """Return the comment of a flag for a field's None."""
    return f"whether `{name}` is None"


def leaf_words(leaf: Leaf) -> str:
    """Return facts about a leaf that its field's type does not express; on text they are only for people."""
    if leaf.form in WELL_KNOWN:
        return ""
    for words, known in COUNTS.items():
        if known.wire == leaf.wire and (known.unit == leaf.unit or "timestamp" not in leaf.wire):
            return words
    if leaf.wire == "text" and isinstance(leaf.type, (t.StrType, t.LiteralType, t.EnumType)):
        return ""
    return f"{leaf.type} as text" if leaf.wire == "text" else ""


# Which values stand in messages of their own --------------------------------------------------------


def boxed_slot(slot: WireField) -> bool:
    """Return whether a list or map has a message around it, because a repeated field is never missing."""
    kind = slot.kind
    if isinstance(kind, Nullable):
        return isinstance(kind.kind, (WireSequence, WireMap))
    return not slot.required and isinstance(kind, (WireSequence, WireMap))


def map_key(kind: WireType) -> bool:
    """Return whether protobuf's own maps can have keys of this type."""
    return isinstance(kind, Leaf) and kind.wire in _KEYS and kind.form not in WELL_KNOWN


def descriptors() -> Any:
    """Return protobuf's module of descriptors.

    Raises:
        UsageError: protobuf is not installed.
    """
    try:
        from google.protobuf import descriptor_pb2
    except ImportError as error:
        raise UsageError("protobuf is not installed; pip install 'bakeoff[protobuf]'") from error
    return descriptor_pb2


def camel(name: str) -> str:
    """Return the name that protobuf gives a field in JSON."""
    return re.sub(r"_+(.?)", lambda match: match[1].upper(), name)


def free_name(wanted: str, taken: set[str]) -> str:
    """Return a name, followed by underscores while it is taken."""
    while wanted in taken:
        wanted += "_"
    return wanted


def comments_of(file: FileDescriptorProto) -> dict[tuple[int, ...], str]:
    """Return the comments of a file by the paths of the elements that they describe."""
    return {
        tuple(place.path): " ".join((place.leading_comments + place.trailing_comments).split("\n")).strip()
        for place in file.source_code_info.location
        if place.leading_comments or place.trailing_comments
    }
