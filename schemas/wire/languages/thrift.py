"""Apache Thrift's interface definitions (thrift.apache.org/docs/idl)."""

from __future__ import annotations

import json
import keyword
from collections.abc import Iterator

from ...tree import types as t
from ...tree.declare import SchemaError
from .. import layout as w
from ..names import capitals

BOX = "value"
"""The field of a struct that wraps a value that may be None in a place where Thrift does not allow None."""
PAIR = ("key", "value")
"""The fields of a struct that represents a map entry whose key type Thrift does not have."""
HIGHEST = 32767
"""Largest number of a field; numbers are 16 bits wide."""

_WORDS = frozenset(
    {
        "async", "binary", "bool", "byte", "const", "cpp_include", "cpp_type", "double", "enum", "exception",
        "extends", "false", "i16", "i32", "i64", "i8", "include", "list", "map", "namespace", "oneway",
        "optional", "required", "service", "set", "string", "struct", "throws", "true", "typedef", "union",
        "uuid", "void", "xsd_all", "xsd_attrs", "xsd_nillable", "xsd_optional",
        "BEGIN", "END", "self", "read", "write", "validate", "thrift_spec",
        *keyword.kwlist,
    }
)  # fmt: skip
"""Reserved words of the language (compiler/cpp/src/thrift/thriftl.ll), and its classes for Python."""

_TYPES = {
    "null": "bool",
    "bool": "bool",
    "int": "i64",
    "float": "double",
    "text": "string",
    "bytes": "binary",
    "timestamp": "i64",
    "local-timestamp": "i64",
    "date": "i32",
    "enum": "string",
    "any": "binary",
}
_UNITS = {"ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def field_name(slot: w.WireField) -> str:
    """Return a field's name, or one made from its number if the language reserves the name."""
    return f"field_{slot.number}" if slot.name in _WORDS else slot.name


def _struct_name(name: str) -> str:
    return f"{name}_" if name in _WORDS else name


def type_name(leaf: w.Leaf) -> str:
    """Return the name of the type of a leaf."""
    return "i32" if leaf.wire == "int" and leaf.bits == 32 else _TYPES[leaf.wire]


def natively(kind: w.WireMap | w.WireSequence) -> bool:
    """Return whether a map or set has a form in Thrift: its keys or items have no parts."""
    inside = kind.key if isinstance(kind, w.WireMap) else kind.item
    if isinstance(kind, w.WireSequence) and not isinstance(kind.type, (t.SetType, t.FrozenSetType)):
        return False
    return isinstance(inside, w.Leaf) and inside.wire != "null"


def read(data: bytes, name: str, part: str = "") -> w.Layout:
    """Refuse a definition, because no maintained Python library reads them.

    Raises:
        SchemaError: Always.
    """
    raise SchemaError(
        name,
        ".thrift files are not supported, as no maintained library for Python parses them; declare the "
        "schema in "
        "Python, its fields in the order of their numbers, and compare what `bakeoff schema export -f "
        "thrift` prints with the file (with --keep events.proto it keeps the numbers of that)",
    )


def write(layout: w.Layout) -> bytes:
    """Return the definition of a layout. Structs come before those that use them, except recursive ones.

    Raises:
        SchemaError: The number of a field is too large for Thrift.
    """
    writer = _Writer(layout.names())
    if isinstance(layout.root, (w.WireRecord, w.WireUnion)):
        writer.type(layout.root)
    else:
        writer.box(layout.root, "Root")
    return "\n".join(writer.blocks.values()).encode()


class _Writer:
    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.blocks: dict[str, str] = {}
        self.begun: set[str] = set()
        self.boxes: dict[str, list[str]] = {}

    def type(self, kind: w.WireType) -> str:
        """Return the type of a kind, after writing the structs that it uses."""
        match kind := w.opened(kind):
            case w.Nullable(inner):
                return self.type(inner)
            case w.Leaf():
                return type_name(kind)
            case w.WireSequence(item):
                return f"{'set' if natively(kind) else 'list'}<{self.inside(item)}>"
            case w.WireMap(key, value):
                if natively(kind):
                    return f"map<{self.inside(key)}, {self.inside(value)}>"
                return f"list<{self.struct(_struct_name(kind.name), self.pair(key, value))}>"
            case w.WireRecord(name) | w.WireUnion(name) if (made := _struct_name(name)) in self.begun:
                return made
            case w.WireRecord(name, slots):
                self.begun.add(_struct_name(name))
                return self.struct(_struct_name(name), self.fields(slots), kind.reserved)
            case w.WireUnion(name, options):
                self.begun.add(_struct_name(name))
                fields = self.fields(options, union=True)
                return self.struct(_struct_name(name), fields, kind.reserved, "union")
        raise AssertionError(kind)

    def inside(self, kind: w.WireType) -> str:
        """Return the type of items, keys or values of a kind."""
        # Containers cannot contain None.
        made = self.type(kind)
        return self.box(kind, f"Optional{capitals(made)}") if w.may_be_null(kind) else made

    def box(self, kind: w.WireType, name: str) -> str:
        """Return the name of a struct for one value: the requested name, or a similar one."""
        lines = [self.line(1, BOX, kind, required=not w.may_be_null(kind))]
        while name in self.taken or self.boxes.setdefault(name, lines) != lines:
            name += "Box"
        return self.struct(name, lines)

    def pair(self, key: w.WireType, value: w.WireType) -> list[str]:
        return [
            self.line(number, name, kind, required=not w.may_be_null(kind))
            for number, (name, kind) in enumerate(zip(PAIR, (key, value), strict=True), 1)
        ]

    def struct(
        self, name: str, lines: list[str], reserved: tuple[int, ...] = (), word: str = "struct"
    ) -> str:
        gone = [f"  // {number} was another field's; do not reuse it" for number in reserved]
        text = "\n".join([f"{word} {name} {{", *lines, *gone, "}", ""])
        self.blocks.setdefault(name, text)
        return name

    def fields(self, slots: tuple[w.WireField, ...], union: bool = False) -> list[str]:
        lines = []
        for slot in sorted(slots, key=lambda slot: slot.number):
            if max(slot.number, slot.null) > HIGHEST:
                raise SchemaError(f".{slot.key}", f"Thrift has no field numbers above {HIGHEST:,}")
            required = None if union else slot.required and not w.may_be_null(slot.kind)
            name = field_name(slot)
            key = slot.key
            words = [f"key {json.dumps(key)}"] if isinstance(key, str) and key != name else []
            lines.append(self.line(slot.number, name, slot.kind, required, words))
            if slot.null:
                lines.append(f"  {slot.null}: optional bool {slot.null_name} // {name} is null, not missing")
        return lines

    def line(
        self, number: int, name: str, kind: w.WireType, required: bool | None, words: list[str] | None = None
    ) -> str:
        need = "" if required is None else "required " if required else "optional "
        remarks = "; ".join([*(words or ()), *dict.fromkeys(_remarks(kind))])
        return f"  {number}: {need}{self.type(kind)} {name}" + (f" // {remarks}" if remarks else "")


def _remarks(kind: w.WireType) -> Iterator[str]:
    """Yield facts about the written values that the types do not express, down to the next structs."""
    match kind:
        case w.Leaf("timestamp" | "local-timestamp" as wire, unit=unit):
            offset = "Z" if wire == "timestamp" else ", without an offset"
            yield f"{_UNITS[unit]} since 1970-01-01T00:00{offset}"
        case w.Leaf("date"):
            yield "days since 1970-01-01"
        case w.Leaf("null"):
            yield "always null: never set"
        case w.Leaf("any"):
            yield "any value, as MessagePack"
        case w.Leaf("enum", symbols=symbols):
            yield f"one of {', '.join(name for name, _ in symbols)}"
        case w.Leaf("text", node) if not isinstance(node, t.StrType):
            yield f"{node} as text".replace("\n", " ")
        case w.Nullable() | w.WireSequence() | w.WireMap():
            for part in w.parts(kind):
                yield from _remarks(part)
