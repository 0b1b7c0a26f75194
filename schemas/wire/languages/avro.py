"""Avro: schemas as JSON, written from a layout and read into one.

Source: Apache Avro 1.12 specification, "Schema Declaration" and "Logical Types". Avro has no form for the
following:

* Branches of a union that Avro or Python would not distinguish. Each is wrapped in a record of one field,
  ``value``.
* Maps whose keys are not text. They are arrays of records of ``key`` and ``value``.
* Items that take no bytes. They are in a union of one branch, which takes one byte: an array of nulls can
  claim a hundred million items in five bytes.
* Facts about fields of records. They are in properties of fields, as the specification allows: `KEY`,
  `NUMBER`, `MISSING` and `NULL`.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from ....codecs.paths import step
from ...tree import types as t
from ...tree.declare import SchemaError
from .. import layout as w
from ..names import unique_name
from .avro_parts import part_of

KEY = "bakeoff.key"
"""The key of a field in records, if it differs from the name."""
NUMBER = "bakeoff.number"
"""The number of a field, if it is not its place among the fields. Other formats write it on the wire."""
MISSING = "bakeoff.missing"
"""True if null represents a missing field."""
NULL = "bakeoff.null"
"""On a bool: the name of the field that is present with the value None if the bool is true."""

NAMED = ("record", "error", "enum", "fixed")
"""The types that have names."""

_BIT = re.compile(r"null_[0-9]{1,9}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READ_NAME = re.compile(rf"(?:[A-Za-z_][A-Za-z0-9_$]*\.)*{_NAME.pattern}")
"""A full name. Java writes ``$`` after the outer class of a class, as in ``org.acme.Shop$.Order``."""
_Unit = Literal["ms", "us", "ns"]
_UNITS: dict[_Unit, str] = {"ms": "millis", "us": "micros", "ns": "nanos"}
_LEAVES = {"null": "null", "bool": "boolean", "text": "string", "bytes": "bytes", "any": "bytes"}
_DEEPEST = 100
"""Levels of nesting; libraries read schemas and records recursively."""
_LARGEST = 10_000
"""Most nodes of a schema, counting a named type in each of its places; real records have far fewer."""


def branch_name(node: Any) -> str:
    """Return what distinguishes a branch of a union from the others: its name, or else its type."""
    if isinstance(node, dict):
        name: str = node["name"] if node["type"] in NAMED else node["type"]
        return name
    return str(node)


def is_empty(node: Any) -> bool:
    """Return whether values of a schema take no bytes. References count as records that take some."""
    if isinstance(node, dict):
        if node["type"] in ("record", "error"):
            return all(is_empty(field["type"]) for field in node["fields"])
        return is_empty(node["type"]) or (node["type"] == "fixed" and node["size"] == 0)
    return bool(node == "null")


# Writing --------------------------------------------------------------------------------------------


def write(layout: w.Layout) -> bytes:
    """Return the Avro schema of a layout as JSON.

    It uses the names of the layout. Optional fields have the default null, so that readers of other versions
    find a value.
    """
    node = _Writer(layout).node(layout.root, "Value")
    return json.dumps(node, indent=2, ensure_ascii=False).encode() + b"\n"


class _Writer:
    def __init__(self, layout: w.Layout) -> None:
        self.names: dict[str, str] = {}
        self.taken: set[str] = set()
        self.empty: set[str] = set()
        for record in layout.records():
            self.names[record.name] = self.unique(record.name)
        self.written: set[str] = set()

    def unique(self, wanted: str) -> str:
        base = re.sub(r"\W", "_", wanted, flags=re.ASCII)
        base = base if _NAME.fullmatch(base) else f"_{base}"
        return unique_name(base, self.taken)

    def node(self, kind: w.WireType, name: str) -> Any:
        """Return the schema of a kind; `name` is for types without a name."""
        match kind := w.opened(kind):
            case w.Leaf():
                return self.leaf(kind, name)
            case w.Nullable(w.WireUnion() as choice):
                return ["null", *self.branches(choice)]
            case w.Nullable(inner):
                return ["null", self.node(inner, name)]
            case w.WireUnion():
                return self.branches(kind)
            case w.WireSequence(item):
                return {"type": "array", "items": self.wide(self.node(item, f"{name}Item"))}
            case w.WireMap(w.Leaf("text") as key, value) if isinstance(key.type, t.StrType):
                return {"type": "map", "values": self.node(value, f"{name}Value")}
            case w.WireMap(key, value):
                pair = self.record(
                    self.unique(kind.name),
                    [
                        {"name": "key", "type": self.wide(self.node(key, f"{name}Key"))},
                        {"name": "value", "type": self.node(value, f"{name}Value")},
                    ],
                )
                return {"type": "array", "items": pair}
            case w.WireRecord(name=own, slots=slots):
                made = self.names[own]
                if own in self.written:
                    return made
                self.written.add(own)
                node = self.record(
                    made, [field for i, slot in enumerate(slots, 1) for field in self.fields(slot, made, i)]
                )
                if is_empty(node):
                    self.empty.add(made)
                return node
        raise AssertionError(kind)

    def record(self, name: str, fields: list[Any]) -> dict[str, Any]:
        return {"type": "record", "name": name, "fields": fields}

    def wide(self, node: Any) -> Any:
        """Return a schema whose values take at least one byte."""
        return [node] if is_empty(node) or (isinstance(node, str) and node in self.empty) else node

    def fields(self, slot: w.WireField, record: str, place: int) -> Iterator[dict[str, Any]]:
        name = slot.name if _NAME.fullmatch(slot.name) else f"field_{slot.number}"
        node = self.node(slot.kind, record + name[:1].upper() + name[1:])
        key: dict[str, Any] = {} if name == slot.key or isinstance(slot.key, int) else {KEY: slot.key}
        if slot.number != place:
            key[NUMBER] = slot.number
        if slot.required:
            yield {"name": name, "type": node, **key}
            return
        if not slot.null:
            node = ["null", *node] if isinstance(node, list) else ["null", node]
        yield {"name": name, "type": node, "default": None, MISSING: True, **key}
        if slot.null:
            yield {"name": slot.null_name, "type": "boolean", "default": False, NULL: name}

    def branches(self, choice: w.WireUnion) -> list[Any]:
        forms = [_form(option.kind) for option in choice.options]
        return [
            self.node(option.kind, f"{choice.name}{option.number}")
            if not form or forms.count(form) == 1
            else self.record(
                self.unique(f"{choice.name}Option{option.number}"),
                [{"name": "value", "type": self.node(option.kind, f"{choice.name}{option.number}")}],
            )
            for option, form in zip(choice.options, forms, strict=True)
        ]

    def leaf(self, leaf: w.Leaf, name: str) -> Any:
        match leaf.wire:
            case "int":
                return "int" if leaf.bits == 32 else "long"
            case "float":
                return "float" if leaf.bits == 32 else "double"
            case "timestamp" | "local-timestamp":
                return {"type": "long", "logicalType": f"{leaf.wire}-{_UNITS[leaf.unit]}"}
            case "date":
                return {"type": "int", "logicalType": "date"}
            case "enum":
                symbols = [symbol for symbol, _ in leaf.symbols]
                return {"type": "enum", "name": self.unique(name), "symbols": symbols}
            case "text" if isinstance(leaf.type, t.UUIDType):
                return {"type": "string", "logicalType": "uuid"}
        return _LEAVES[leaf.wire]


def _form(kind: w.WireType) -> str:
    """Return the Python type that a branch is read as; "" for a named branch, which its name identifies."""
    match kind:
        case w.WireRecord() | w.Ref() | w.Leaf("enum"):
            return ""
        case w.Leaf("int" | "timestamp" | "local-timestamp" | "date"):
            return "int"
        case w.Leaf("bytes" | "any"):
            return "bytes"
        case w.Leaf(wire):
            return wire
        case w.WireMap(w.Leaf("text", t.StrType())):
            return "dict"
    return "list"


# Reading --------------------------------------------------------------------------------------------


def read(data: bytes, name: str, part: str = "") -> w.Layout:
    """Return the layout of an Avro schema.

    Fields with a default are required, because every decoded record has them. A union of one branch is read
    as that branch.

    Args:
        data: The file.
        name: Name of the file, for messages.
        part: Name of the record, if it is not the whole schema.

    Raises:
        UsageError: The schema has no record of that name.
        SchemaError: It is not an Avro schema, or is nested more than 100 deep.
    """
    try:
        node = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError("$", f"{name} is not JSON: {error}") from error
    try:
        node, data, chosen = part_of(node, part, name, data)
    except RecursionError as error:
        raise SchemaError("$", f"{name} is nested too deeply") from error
    return w.Layout(_Reader().kind(node, "$", "", 0, "Value"), "avro", data, chosen)


# A layout has text where other formats have text. The leaf's form has the type that Avro uses instead.
_LOGICAL: dict[tuple[str, str], w.Leaf] = {
    ("string", "uuid"): w.Leaf("text", t.UUIDType()),
    ("fixed", "uuid"): w.Leaf("text", t.UUIDType(), form="fixed(16)"),
    ("bytes", "decimal"): w.Leaf("text", t.DecimalType()),
    ("fixed", "decimal"): w.Leaf("text", t.DecimalType()),
    ("int", "date"): w.Leaf("date", t.DateType(), 32),
    ("int", "time-millis"): w.Leaf("text", t.TextType(dt.time), unit="ms", form="time-millis"),
    ("long", "time-micros"): w.Leaf("text", t.TextType(dt.time), form="time-micros"),
    **{
        ("long", f"{prefix}timestamp-{word}"): w.Leaf(
            "local-timestamp" if prefix else "timestamp", t.DateTimeType(aware=not prefix), 64, unit
        )
        for prefix in ("", "local-")
        for unit, word in _UNITS.items()
    },
}
_PRIMITIVE: dict[str, w.Leaf] = {
    "null": w.Leaf("null", t.NoneType()),
    "boolean": w.Leaf("bool", t.BoolType()),
    "int": w.Leaf("int", t.IntType(), 32),
    "long": w.Leaf("int", t.IntType()),
    "float": w.Leaf("float", t.FloatType(), 32),
    "double": w.Leaf("float", t.FloatType()),
    "bytes": w.Leaf("bytes", t.BytesType()),
    "string": w.Leaf("text", t.StrType()),
}


class _Reader:
    def __init__(self) -> None:
        self.known: dict[str, w.WireType] = {}
        self.sizes: dict[str, int] = {}
        self.names: set[str] = set()
        self.nodes = 0
        self.references = 0

    def kind(self, node: Any, path: str, space: str, depth: int, name: str) -> w.WireType:
        """Return the kind of a schema; `space` is the namespace, `name` is for types without a name."""
        if depth > _DEEPEST:
            raise SchemaError(path, f"the schema is nested more than {_DEEPEST} deep")
        self.count(1, path)
        if isinstance(node, list):
            return self.union(node, path, space, depth, name)
        if isinstance(node, str):
            return _PRIMITIVE.get(node) or self.reference(node, path, space)
        if not isinstance(node, dict) or not isinstance(kind := node.get("type"), str):
            raise SchemaError(path, f"not an Avro schema: {json.dumps(node):.60}")
        if leaf := _LOGICAL.get((kind, str(node.get("logicalType")))):
            if leaf.type == t.DecimalType():
                digits = f"decimal({node.get('precision')}, {node.get('scale', 0)})"
                leaf = replace(leaf, form=digits) if _is_decimal(node) else _PRIMITIVE["bytes"]
            return self.named(node, leaf, path, space) if kind == "fixed" else leaf
        if kind in _PRIMITIVE:
            return _PRIMITIVE[kind]
        match kind:
            case "array":
                item = self.kind(node.get("items"), f"{path}[]", space, depth + 1, f"{name}Item")
                return w.WireSequence(item, t.ListType(w.types_of(item)))
            case "map":
                value = self.kind(node.get("values"), path + "{}", space, depth + 1, f"{name}Value")
                return w.WireMap(_PRIMITIVE["string"], value, unique_name(f"{name}Entry", self.names))
            case "fixed":
                return self.named(node, _PRIMITIVE["bytes"], path, space)
            case "enum":
                symbols = node.get("symbols")
                if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
                    raise SchemaError(path, "an enum needs a list of symbols")
                numbered = tuple((symbol, i) for i, symbol in enumerate(symbols))
                leaf = w.Leaf("enum", t.LiteralType(tuple(symbols)), symbols=numbered)
                return self.named(node, leaf, path, space)
            case "record" | "error":
                return self.record(node, path, space, depth)
        return self.reference(kind, path, space)

    def count(self, nodes: int, path: str) -> None:
        self.nodes += nodes
        if self.nodes > _LARGEST:
            raise SchemaError(path, f"the schema has more than {_LARGEST:,} parts")

    def union(self, node: list[Any], path: str, space: str, depth: int, name: str) -> w.WireType:
        some = [branch for branch in node if not _is_null(branch)]
        if len(node) - len(some) > 1:
            raise SchemaError(path, "a union with null twice")
        if any(isinstance(branch, list) for branch in some):
            raise SchemaError(path, "a union within a union")
        if not some:
            return _PRIMITIVE["null"]
        names = [name] if len(some) == 1 else [f"{name}{i}" for i in range(1, len(some) + 1)]
        kinds = [
            self.kind(branch, path, space, depth + 1, own) for branch, own in zip(some, names, strict=True)
        ]
        if len(kinds) == 1:
            kind = kinds[0]
        else:
            slots = (w.WireField(i, f"option_{i + 1}", i + 1, each) for i, each in enumerate(kinds))
            kind = w.WireUnion(unique_name(name, self.names), tuple(slots))
        return w.Nullable(kind) if len(some) < len(node) else kind

    def record(self, node: dict[str, Any], path: str, space: str, depth: int) -> w.WireType:
        full = _full_name(node, path, space)
        short = unique_name(full.rpartition(".")[2], self.names)
        within = w.Ref(short, t.RefType(short))
        self.define(full, within, path)
        before, references = self.nodes, self.references
        inner = full.rpartition(".")[0]
        fields = node.get("fields")
        if not isinstance(fields, list) or not all(
            isinstance(field, dict) and isinstance(field.get("name"), str) for field in fields
        ):
            raise SchemaError(path, "a record needs a list of fields with names")
        slots = []
        bits = {field[NULL]: field for field in fields if NULL in field and _BIT.fullmatch(field["name"])}
        for number, field in enumerate((each for each in fields if each not in bits.values()), 1):
            name, key, bit = field["name"], str(field.get(KEY, field["name"])), bits.get(field["name"])
            kind = self.kind(
                field.get("type"), path + step(key), inner, depth + 1, short + name[:1].upper() + name[1:]
            )
            missing = field.get(MISSING) is True
            if missing and bit is None and isinstance(kind, w.Nullable):
                kind = kind.kind
            null = 0 if bit is None else int(bit["name"].removeprefix("null_"))
            filled = "avro" if "default" in field and not missing else ""
            number = field.get(NUMBER, number)
            slots.append(w.WireField(key, name, number, kind, not missing, null, filled=filled))
        for told in ([slot.key for slot in slots], [field["name"] for field in fields]):
            if len(set(told)) < len(told):
                raise SchemaError(path, "a record with two fields of one name")
        held = (t.Field(str(slot.key), w.types_of(slot.kind), slot.required) for slot in slots)
        types = t.RecordType(short, tuple(held))
        within.type.bind(types)
        made = w.WireRecord(short, tuple(slots), types)
        if self.references == references:
            self.known[full] = made
        self.sizes[full] = self.nodes - before
        return made

    def named(self, node: dict[str, Any], leaf: w.Leaf, path: str, space: str) -> w.Leaf:
        if node["type"] == "fixed" and (not isinstance(size := node.get("size"), int) or size < 0):
            raise SchemaError(path, "a fixed needs a size")
        if node["type"] == "fixed" and leaf.type == t.BytesType():
            leaf = replace(leaf, form=f"fixed({node['size']})")
        self.define(_full_name(node, path, space), leaf, path)
        return leaf

    def define(self, full: str, kind: w.WireType, path: str) -> None:
        if full in self.known:
            raise SchemaError(path, f"{full} is defined twice")
        self.known[full] = kind

    def reference(self, name: str, path: str, space: str) -> w.WireType:
        full = f"{space}.{name}" if space and "." not in name else name
        full = full if full in self.known else name
        if full not in self.known:
            raise SchemaError(path, f"no Avro type {name!r}; define it before its first use")
        kind = self.known[full]
        if isinstance(kind, w.Ref):
            self.references += 1
        else:
            self.count(self.sizes.get(full, 0), path)
        return kind


def _full_name(node: dict[str, Any], path: str, space: str) -> str:
    """Return the full name of a named type; see the specification, section "Names"."""
    name, own = node.get("name"), node.get("namespace", space)
    full = f"{own}.{name}" if isinstance(name, str) and own and "." not in name else name
    if not isinstance(full, str) or not _READ_NAME.fullmatch(full):
        raise SchemaError(path, f"a {node['type']} has a name, not {full!r:.60}")
    return full


def _is_null(node: Any) -> bool:
    return node == "null" or (isinstance(node, dict) and node.get("type") == "null")


def _is_decimal(node: dict[str, Any]) -> bool:
    """Return whether precision and scale are valid; otherwise the logical type is ignored."""
    precision, scale = node.get("precision"), node.get("scale", 0)
    return isinstance(precision, int) and isinstance(scale, int) and 0 <= scale <= precision > 0
