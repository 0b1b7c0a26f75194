"""Arrow schemas, as a stream of messages without a batch.

Columns have the keys of records, because Arrow takes any name. Places of tuples and repeated names use the
name of the slot. Choices are structs in which all fields but one are null: dense unions are a tenth smaller,
but polars, DuckDB and Parquet do not support them. Types that Arrow does not have are named in the fields'
metadata, under `bakeoff.*`, so that they are read as they were written, except enums and classes.

Columns cannot nest without end. A record within one of its own kind is therefore any value: bytes in the form
of the codec `msgpack`.

The schema is that of rows. A layout of lists, tuples or sets of records has these records as rows. Any other
layout has a single row; a value other than a record is in the column `value`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Container
from typing import TYPE_CHECKING, Any, Literal

from ....codecs.paths import step
from ....errors import UsageError
from ...tree import types as t
from ...tree.declare import SchemaError
from .. import layout as w
from ..names import unique_name, wire_name

if TYPE_CHECKING:
    import pyarrow as pa

END = b"\xff\xff\xff\xff\0\0\0\0"
"""End-of-stream marker: arrow.apache.org/docs/format/Columnar.html, "IPC Streaming Format"."""
VALUE = "value"
"""Column of a value that is not a record."""

_LARGEST = 10_000
"""Most columns of a schema, counting a record in each of its places; real rows have far fewer."""
_FILE = b"ARROW1"
_FACTS = "bakeoff."
_LEAVES: dict[str, t.Type] = {
    "Any": t.AnyType(),
    "Decimal": t.DecimalType(),
    "UUID": t.UUIDType(),
    "timedelta": t.TimeDeltaType(),
    "bytearray": t.ByteArrayType(),
    "big": t.IntType(big=True),
    "datetime": t.DateTimeType(),
    **{str(node): node for node in t.LEAVES.values() if isinstance(node, t.TextType)},
}
"""Types that are written as another type, by their names in metadata."""
_SEQUENCES = {kind.__name__: node for node, kind in t.COLLECTIONS.items()}
_WORDS: dict[type[t.Type], str] = {type(node): word for word, node in _LEAVES.items() if word != "big"} | {
    kind: word for word, kind in _SEQUENCES.items()
}
_UNITS: dict[str, Literal["ms", "us", "ns"]] = {"s": "ms", "ms": "ms", "us": "us", "ns": "ns"}


def pyarrow() -> Any:
    """Return the library.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise UsageError("pyarrow is not installed; pip install 'bakeoff[pyarrow]'") from error
    return pyarrow


def row_of(root: w.WireType) -> tuple[w.WireType, t.Type | None]:
    """Return the kind of a row, and the type of the rows' container; None for a single row."""
    return (root.item, root.type) if isinstance(root, w.WireSequence) else (root, None)


def columnar(kind: w.WireType, above: Container[str]) -> w.WireType:
    """Return the kind of a column: a record within one of its own kind is any value.

    Args:
        kind: The kind.
        above: Names of the enclosing records.
    """
    if not isinstance(kind, w.Ref):
        return kind
    return w.Leaf("any", kind.type) if kind.name in above else kind.record


def column_names(slots: tuple[w.WireField, ...]) -> list[str]:
    """Return the names of the columns of slots, in their order."""
    flags = {slot.null_name for slot in slots if slot.null}
    names = [
        slot.key if isinstance(slot.key, str) and slot.key not in flags and _is_text(slot.key) else slot.name
        for slot in slots
    ]
    often = Counter(names)
    return [slot.name if often[name] > 1 else name for name, slot in zip(names, slots, strict=True)]


def _is_text(key: str) -> bool:
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


# Writing --------------------------------------------------------------------------------------------


def write(layout: w.Layout) -> bytes:
    """Return a stream that contains the schema and no batch.

    Raises:
        UsageError: pyarrow is not installed.
    """
    made: bytes = schema_of(layout).serialize().to_pybytes()
    return made + END


def schema_of(layout: w.Layout) -> pa.Schema:
    """Return the schema of a layout's rows: the original one, if the layout was read from an Arrow schema.

    Raises:
        UsageError: pyarrow is not installed.
    """
    if layout.language == "arrow":
        return schema_in(layout.definition, "the definition")
    return _Writing().schema(layout.root)


class _Writing:
    def __init__(self) -> None:
        self.pa = pyarrow()
        self.above: list[str] = []
        self.count = 0

    def schema(self, root: w.WireType) -> pa.Schema:
        row, holder = row_of(root)
        told = {} if holder is None else {"root": _WORDS[type(holder)]}
        if isinstance(row, w.WireRecord):
            made = self.pa.schema(self.fields(row))
            told |= self.of_record(row)
        else:
            made = self.pa.schema([self.field(VALUE, row)])
            told["row"] = VALUE
        return made.with_metadata(_metadata(told)) if told else made

    def fields(self, record: w.WireRecord) -> list[pa.Field]:
        names = column_names(record.slots)
        self.above.append(record.name)
        made = [
            self.slot(slot, name, number)
            for number, (name, slot) in enumerate(zip(names, record.slots, strict=True), 1)
        ]
        self.above.pop()
        flags = [slot for slot in record.slots if slot.null]
        return made + [self.pa.field(slot.null_name, self.pa.bool_(), nullable=False) for slot in flags]

    def slot(self, slot: w.WireField, name: str, number: int) -> pa.Field:
        told: dict[str, Any] = {}
        if slot.number != number:
            told["number"] = slot.number
        if slot.key != name:
            told["key"] = slot.key
        if slot.name != wire_name(name, number, set()):
            told["name"] = slot.name
        if not slot.required:
            told["missing"] = True
        if slot.null:
            told["null"] = slot.null
        return self.field(name, slot.kind, told, nullable=not slot.required)

    def field(
        self, name: str, kind: w.WireType, told: dict[str, Any] | None = None, *, nullable: bool = False
    ) -> pa.Field:
        told = told or {}
        if isinstance(kind, w.Nullable):
            if nullable:
                told["none"] = True
            kind, nullable = kind.kind, True
        kind = columnar(kind, self.above)
        self.count += 1
        if self.count > _LARGEST:
            raise SchemaError("$", f"more than {_LARGEST:,} columns, counting each use of a record")
        told = told | self.of_kind(kind)
        nullable = nullable or w.is_null(kind)
        return self.pa.field(name, self.type(kind), nullable, _metadata(told) if told else None)

    def of_kind(self, kind: w.WireType) -> dict[str, Any]:
        match kind:
            case w.Leaf(wire, node):
                told: dict[str, Any] = {"type": word} if (word := _word(node, wire)) else {}
                return told | ({"symbols": dict(kind.symbols)} if kind.symbols else {})
            case w.WireSequence(type=node):
                return {} if isinstance(node, t.ListType) else {"type": _WORDS[type(node)]}
            case w.WireMap(name=name):
                return {"record": name, "type": "dict"} if w.may_be_null(kind.key) else {"record": name}
            case w.WireUnion(name=name, reserved=reserved):
                return {"record": name, "type": "choice"} | ({"reserved": reserved} if reserved else {})
            case w.WireRecord():
                return self.of_record(kind)
        return {}

    def of_record(self, record: w.WireRecord) -> dict[str, Any]:
        told: dict[str, Any] = {"record": record.name}
        if record.places:
            told["type"] = "tuple"
        if record.reserved:
            told["reserved"] = record.reserved
        return told

    def type(self, kind: w.WireType) -> pa.DataType:
        pa = self.pa
        match kind:
            case w.Leaf(wire=wire):
                return _leaf(pa, kind, wire)
            case w.WireSequence(item):
                return pa.list_(self.field("item", item))
            case w.WireMap(key, value) if w.may_be_null(key):
                pair = pa.struct([self.field("key", key), self.field("value", value)])
                return pa.list_(pa.field("entries", pair, nullable=False))
            case w.WireMap(key, value):
                return pa.map_(self.field("key", key), self.field("value", value))
            case w.WireRecord():
                return pa.struct(self.fields(kind))
            case w.WireUnion(options=options):
                return pa.struct(
                    [self.slot(_optional(each), each.name, i) for i, each in enumerate(options, 1)]
                )
        raise AssertionError(kind)


def _optional(option: w.WireField) -> w.WireField:
    return w.WireField(option.name, option.name, option.number, option.kind, required=False)


def _leaf(pa: Any, leaf: w.Leaf, wire: str) -> pa.DataType:
    match wire:
        case "int":
            return pa.int32() if leaf.bits == 32 else pa.int64()
        case "float":
            return pa.float32() if leaf.bits == 32 else pa.float64()
        case "timestamp":
            return pa.timestamp(leaf.unit, "UTC")
        case "local-timestamp":
            return pa.timestamp(leaf.unit)
    return {
        "null": pa.null,
        "bool": pa.bool_,
        "text": pa.string,
        "enum": pa.string,
        "date": pa.date32,
        "bytes": pa.binary,
        "any": pa.binary,
    }[wire]()


def _word(node: t.Type, wire: str) -> str:
    """Return the name of a type that the column's type does not identify; enums and literals have none."""
    if wire == "any":
        return "Any"
    if isinstance(node, t.IntType):
        return "big" if node.big else ""
    if wire in ("timestamp", "local-timestamp"):
        return ""
    if isinstance(node, t.TextType):
        return str(node)
    return _WORDS.get(type(node), "")


def _metadata(told: dict[str, Any]) -> dict[str, str]:
    return {_FACTS + word: value if word in _WORDED else json.dumps(value) for word, value in told.items()}


def map_fields(type_: pa.DataType) -> tuple[pa.Field, pa.Field] | None:
    """Return the fields of keys and values of a map, or of a list of pairs; None for other types."""
    types = pyarrow().types
    if types.is_map(type_):
        return type_.key_field, type_.item_field
    if types.is_list(type_) or types.is_large_list(type_):
        pair = type_.value_type
        if types.is_struct(pair) and pair.num_fields == 2:
            return pair.field(0), pair.field(1)
    return None


# Reading --------------------------------------------------------------------------------------------


def schema_in(data: bytes, name: str) -> pa.Schema:
    """Return the schema of an IPC file or stream.

    Raises:
        SchemaError: The data are neither.
        UsageError: pyarrow is not installed.
    """
    pa = pyarrow()
    try:
        opened = pa.ipc.open_file if data[: len(_FILE)] == _FILE else pa.ipc.open_stream
        with opened(pa.BufferReader(data)) as reader:
            return reader.schema
    except (pa.ArrowException, ValueError, OSError, NotImplementedError) as error:
        raise SchemaError("$", f"{name} is not an Arrow IPC stream or file: {error}") from error


def read(data: bytes, name: str, part: str = "") -> w.Layout:
    """Return the layout of the rows of an IPC file or stream.

    Raises:
        SchemaError: The data are neither, or have a type that records cannot have.
        UsageError: pyarrow is not installed, or a part is named; Arrow schemas have no parts.
    """
    if part:
        raise UsageError(f"{name} has no part {part!r}: an Arrow schema describes its rows; remove #{part}")
    schema = schema_in(data, name)
    told = _facts(schema.metadata)
    reading = _Reading()
    if told.get("row") == VALUE and len(schema) == 1:
        row = reading.kind(schema.field(0), "$")
    else:
        row = reading.record(list(schema), told, "$", "Record")
    holder = _SEQUENCES.get(told.get("root", ""))
    root = row if holder is None else w.WireSequence(row, holder(w.types_of(row)))
    return w.Layout(root, "arrow", bytes(data))


def kind_of(field: pa.Field, path: str) -> w.WireType:
    """Return the kind of a column.

    Raises:
        SchemaError: Records cannot have its type.
    """
    return _Reading().kind(field, path)


class _Reading:
    def __init__(self) -> None:
        self.pa = pyarrow()
        self.names: set[str] = set()

    def kind(self, field: pa.Field, path: str, name: str = "Record") -> w.WireType:
        """Return the kind of a field's values; its record decides whether they may be missing."""
        told = _facts(field.metadata)
        kind = self.bare(field.type, told, path, name)
        may_be_none = told.get("none", "missing" not in told) and field.nullable
        return w.Nullable(kind) if may_be_none and not w.is_null(kind) else kind

    def bare(self, type_: pa.DataType, told: dict[str, Any], path: str, name: str) -> w.WireType:
        types, word = self.pa.types, told.get("type", "")
        if types.is_dictionary(type_):
            return self.bare(type_.value_type, told, path, name)
        if isinstance(type_, self.pa.BaseExtensionType):
            return self.extension(type_, told, path, name)
        if (types.is_map(type_) or word == "dict") and (pair := map_fields(type_)):
            key = self.kind(pair[0], path + "{key}", f"{name}Key")
            value = self.kind(pair[1], path + "{}", f"{name}Value")
            return w.WireMap(key, value, unique_name(told.get("record", f"{name}Entry"), self.names))
        if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
            item = self.kind(type_.value_field, path + "[]", f"{name}Item")
            return w.WireSequence(item, _SEQUENCES.get(word, t.ListType)(w.types_of(item)))
        if types.is_struct(type_):
            fields = [type_.field(i) for i in range(type_.num_fields)]
            if word == "choice":
                slots = self.slots(fields, path, name)
                options = tuple(
                    w.WireField(i, slot.name, slot.number, slot.kind) for i, slot in enumerate(slots)
                )
                own = unique_name(told.get("record", name), self.names)
                return w.WireUnion(own, options, tuple(told.get("reserved", ())))
            return self.record(fields, told, path, name)
        return self.leaf(type_, told, word, path)

    def extension(self, type_: Any, told: dict[str, Any], path: str, name: str) -> w.WireType:
        if type_.extension_name == "arrow.uuid":
            return w.Leaf("text", t.UUIDType())
        if type_.extension_name == "arrow.json":
            return self.bare(type_.storage_type, told, path, name)
        raise SchemaError(path, f"records cannot represent the extension type `{type_.extension_name}`")

    def leaf(self, type_: pa.DataType, told: dict[str, Any], word: str, path: str) -> w.Leaf:
        types = self.pa.types
        node = _LEAVES.get(word)
        if types.is_null(type_):
            return w.Leaf("null", t.NoneType())
        if types.is_boolean(type_):
            return w.Leaf("bool", t.BoolType())
        if types.is_integer(type_):
            narrow = type_.bit_width < 32 or type_ == self.pa.int32()
            form = "" if type_ in (self.pa.int32(), self.pa.int64()) else str(type_)
            return w.Leaf("int", t.IntType(), 32 if narrow else 64, form=form)
        if types.is_floating(type_):
            return w.Leaf("float", t.FloatType(), 64 if type_.bit_width == 64 else 32)
        if types.is_string(type_) or types.is_large_string(type_):
            if symbols := told.get("symbols"):
                return w.Leaf("enum", t.StrType(), symbols=tuple(symbols.items()))
            return w.Leaf("text", node or t.StrType())
        if types.is_binary(type_) or types.is_large_binary(type_) or types.is_fixed_size_binary(type_):
            form = f"fixed({type_.byte_width})" if types.is_fixed_size_binary(type_) else ""
            return w.Leaf("any" if word == "Any" else "bytes", node or t.BytesType(), form=form)
        if types.is_timestamp(type_):
            aware = type_.tz is not None
            wire: Literal["timestamp", "local-timestamp"] = "timestamp" if aware else "local-timestamp"
            form = "timestamp[s]" if type_.unit == "s" else ""
            return w.Leaf(wire, t.DateTimeType(aware=aware), unit=_UNITS[type_.unit], form=form)
        if types.is_date(type_):
            return w.Leaf("date", t.DateType())
        if types.is_time(type_):
            return w.Leaf("text", t.TextType(dt.time), form=str(type_))
        if types.is_duration(type_):
            return w.Leaf("text", t.TimeDeltaType(), form=str(type_))
        if types.is_decimal(type_):
            return w.Leaf("text", t.DecimalType(), form=f"decimal({type_.precision}, {type_.scale})")
        raise SchemaError(path, f"records cannot represent the Arrow type `{type_}`")

    def record(self, fields: list[pa.Field], told: dict[str, Any], path: str, name: str) -> w.WireRecord:
        own = unique_name(told.get("record", name), self.names)
        slots = self.slots(fields, path, own)
        if told.get("type") == "tuple":
            made: t.Type = t.TupleType(tuple(w.types_of(slot.kind) for slot in slots))
        else:
            inside = (t.Field(str(slot.key), w.types_of(slot.kind), slot.required) for slot in slots)
            made = t.RecordType(own, tuple(inside))
        return w.WireRecord(own, slots, made, tuple(told.get("reserved", ())))

    def slots(self, fields: list[pa.Field], path: str, name: str) -> tuple[w.WireField, ...]:
        often = Counter(field.name for field in fields)
        if twice := next((name for name, count in often.items() if count > 1), None):
            raise SchemaError(path + step(twice), "the schema has two columns of that name")
        facts = {field.name: _facts(field.metadata) for field in fields}
        flags = {f"null_{told['null']}" for told in facts.values() if told.get("null")}
        taken: set[str] = set()
        slots = []
        for number, field in enumerate((each for each in fields if each.name not in flags), 1):
            told = facts[field.name]
            kind = self.kind(field, path + step(field.name), f"{name}{_capitals(field.name)}")
            number = told.get("number", number)
            slot = w.WireField(
                told.get("key", field.name),
                told.get("name") or wire_name(field.name, number, taken),
                number,
                kind,
                "missing" not in told,
                told.get("null", 0),
            )
            slots.append(slot)
        return tuple(slots)


def _capitals(name: str) -> str:
    return "".join(
        part[:1].upper() + part[1:] for part in name.split("_") if part.isalnum() and part.isascii()
    )


_WORDED = {"type", "record", "root", "row", "name"}
_SHAPES: dict[str, type | tuple[type, ...]] = {
    "number": int,
    "null": int,
    "key": (str, int),
    "missing": bool,
    "none": bool,
    "reserved": list,
    "symbols": dict,
}


def _facts(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """Return the metadata under our names; entries that we did not write are ignored."""
    found: dict[str, Any] = {}
    for key, value in (metadata or {}).items():
        if key.startswith(_FACTS.encode()):
            word = key.decode(errors="replace").removeprefix(_FACTS)
            text = value.decode(errors="replace")
            try:
                told = text if word in _WORDED else json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(told, _SHAPES.get(word, str)):
                found[word] = told
    return found
