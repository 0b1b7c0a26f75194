"""Bind records to pyarrow: its schema, and batches of them.

Columns are written and read by `bakeoff.schemas.wire.bindings._conversion`, each compiled for its kind and
Arrow type. pyarrow 26 takes 2 to 3 times as long to write rows (`from_pylist`). To read them it takes 1.7 to
4 times as long (`to_pylist`, and steps for choices, maps, missing fields, and nulls that are refused);
pyarrow 20 takes 10 to 50 times as long.

A payload contains its schema, so payloads of another version are read by the names of their columns. A column
may be narrower in the payload, or missing if its field is optional. An unknown column is decoded unchanged.
Any other difference is refused.
"""

from __future__ import annotations

import datetime as dt
import decimal
import struct
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....codecs.binding import Binding
from ....codecs.paths import step
from ...tree import types as t
from ...tree.declare import SchemaError
from .. import layout as w
from ..languages.arrow import VALUE, column_names, columnar, kind_of, map_fields, pyarrow, row_of, schema_of
from . import _conversion as c
from .fit import fit
from .leaves import builder, hashes_safely, kinds, reader, uuid_steps, writer

if TYPE_CHECKING:
    import pyarrow as pa

    from . import BindableSchema


def binding(schema: BindableSchema, *, of: Any = None) -> Binding:
    """Return the Arrow schema of a schema's records, and the conversions to and from batches.

    `take` converts a record to a `pyarrow.RecordBatch`. `give` converts anything that yields batches to a
    record. If the schema is one of lists of records (or tuples, or sets), their items are the rows; otherwise
    there is one row.

    Args:
        schema: The schema.
        of: For `give`, the Arrow schema of batches from another writer; None for the schema's own.

    Raises:
        SchemaError: Arrow has no form for a type, or the batches do not match the schema.
        UsageError: pyarrow is not installed.
    """
    library = pyarrow()
    row, holder = row_of(schema.layout.root)
    own = library.schema([_storable(library, field) for field in schema_of(schema.layout)])
    columns = _Columns(library, as_objects=schema.as_objects)
    kind = None if holder is None else t.collection(holder)
    written = columns.row(row, own, own)
    read = written if of is None else columns.row(row, of, own)
    hashed = kind in (set, frozenset) and not hashes_safely(row)
    imported = library.RecordBatch._import_from_c
    return Binding(
        own,
        c.ToBatch(written, kind, lambda address: imported(address, own)),
        c.FromBatches(read, kind, hashed),
        definition=own.to_string(),
    )


def _storable(library: Any, field: pa.Field) -> pa.Field:
    """Return a field in its written form: without metadata, and with values instead of dictionaries."""
    types, type_ = library.types, field.type

    def stored(*fields: pa.Field) -> list[pa.Field]:
        return [_storable(library, each) for each in fields]

    if types.is_dictionary(type_):
        return _storable(library, field.with_type(type_.value_type))
    if types.is_map(type_):
        type_ = library.map_(*stored(type_.key_field, type_.item_field))
    elif types.is_struct(type_):
        type_ = library.struct(stored(*type_))
    elif types.is_fixed_size_list(type_):
        type_ = library.list_(*stored(type_.value_field), type_.list_size)
    elif types.is_large_list(type_):
        type_ = library.large_list(*stored(type_.value_field))
    elif types.is_list(type_):
        type_ = library.list_(*stored(type_.value_field))
    return library.field(field.name, type_, field.nullable)


class _Columns:
    def __init__(self, library: Any, *, as_objects: bool) -> None:
        self.types, self.bases, self.as_objects = library.types, library.BaseExtensionType, as_objects
        self.above: list[str] = []

    def row(self, kind: w.WireType, schema: pa.Schema, own: pa.Schema) -> c.Column:
        """Return the column of the rows of a batch.

        Args:
            kind: Kind of a row.
            schema: Schema of the batch.
            own: The schema that we would write it with.
        """
        if isinstance(kind, w.WireRecord):
            return self.record(kind, list(schema), list(own), "$")
        value = w.WireField(VALUE, VALUE, 1, kind)
        _, columns, _ = self.fields([value], [VALUE], list(schema), list(own), "$")
        if len(columns) != 1:
            raise SchemaError("$", f"there are columns other than {VALUE!r}")
        return c.Alone(columns[0])

    # kinds -------------------------------------------------------------------------------------

    def column(
        self, kind: w.WireType, field: pa.Field, own: pa.DataType | None, path: str, *, gaps: bool = False
    ) -> c.Column:
        """Return the column of a kind in a field.

        Args:
            kind: The kind.
            field: The field.
            own: The Arrow type that we would write it with.
            path: Its place.
            gaps: See `Column`.
        """
        nulls = w.may_be_null(kind)
        if self.types.is_null(field.type) and (nulls or gaps):
            made: c.Column = c.Nulls()
        else:
            kind = columnar(kind.kind if isinstance(kind, w.Nullable) else kind, self.above)
            made = self.of_kind(kind, self.stored(field.type), self.stored(own), path)
        made.nulls, made.gaps = nulls, gaps
        return made

    def stored(self, type_: Any) -> Any:
        """Return the storage type of an extension type, and any other type unchanged."""
        return type_.storage_type if isinstance(type_, self.bases) else type_

    def of_kind(self, kind: w.WireType, type_: pa.DataType, own: pa.DataType | None, path: str) -> c.Column:
        match kind:
            case w.Leaf():
                return self.leaf(kind, type_, own, path)
            case w.WireSequence():
                return self.sequence(kind, type_, own, path)
            case w.WireMap():
                return self.map(kind, type_, own, path)
            case w.WireRecord() if self.types.is_struct(type_):
                return self.record(kind, _below(type_), _below(own), path)
            case w.WireUnion() if self.types.is_struct(type_):
                return self.choice(kind, _below(type_), _below(own), path)
        raise _unlike(path, type_, own)

    def sequence(
        self, kind: w.WireSequence, type_: pa.DataType, own: pa.DataType | None, path: str
    ) -> c.Column:
        types = self.types
        fixed, large = types.is_fixed_size_list(type_), types.is_large_list(type_)
        if not (fixed or large or types.is_list(type_)):
            raise _unlike(path, type_, own)
        item = self.column(kind.item, type_.value_field, getattr(own, "value_type", None), path + "[]")
        holder = t.collection(kind.type)
        hashed = holder in (set, frozenset) and not hashes_safely(kind.item)
        return c.Lists(item, holder, large, type_.list_size if fixed else -1, hashed)

    def map(self, kind: w.WireMap, type_: pa.DataType, own: pa.DataType | None, path: str) -> c.Column:
        pair = map_fields(type_)
        if pair is None:
            raise _unlike(path, type_, own)
        own_key, own_value = (None, None) if own is None else map_fields(own) or (None, None)
        key = self.column(kind.key, pair[0], own_key and own_key.type, path + "{key}")
        value = self.column(kind.value, pair[1], own_value and own_value.type, path + "{}")
        large = self.types.is_large_list(type_)
        return c.Maps(key, value, large, not hashes_safely(kind.key))

    def record(self, kind: w.WireRecord, fields: list[pa.Field], own: list[pa.Field], path: str) -> c.Column:
        self.above.append(kind.name)
        names = column_names(kind.slots)
        made, columns, children = self.fields(kind.slots, names, fields, own, path, places=kind.places)
        self.above.pop()
        build = builder(kind, as_objects=self.as_objects)
        return c.Structs(c.Fields(made, kind.places, build), columns, children)

    def fields(
        self,
        slots: Iterable[w.WireField],
        names: list[str],
        fields: list[pa.Field],
        own: list[pa.Field],
        path: str,
        *,
        places: bool = False,
    ) -> tuple[list[c.Field], list[c.Column], list[tuple[int, int]]]:
        """Return fields, their columns, and the places of the columns in a batch; see `Structs`."""
        at = _places(fields, path)
        types = {field.name: field.type for field in own}
        made, columns, children = [], [], []
        for slot, name in zip(slots, names, strict=True):
            part = path + step(slot.key)
            place, flag = at.pop(name, -1), at.pop(slot.null_name, -1) if slot.null else -1
            if place < 0:
                if slot.required:
                    raise SchemaError(part, f"there is no column {name!r}")
                continue
            column = self.column(slot.kind, fields[place], types.get(name), part, gaps=not slot.required)
            if flag >= 0 and not self.types.is_boolean(fields[flag].type):
                raise SchemaError(part, f"the column {slot.null_name!r} is not a bool")
            made.append(c.Field(slot.key, name, None, slot.required, slot.null_name if flag >= 0 else ""))
            columns.append(column)
            children.append((place, flag))
        for name, place in at.items():
            if places:
                raise SchemaError(path, f"the tuple has no place for the column {name!r}")
            known = kind_of(fields[place], path + step(name))
            made.append(c.Field(name, name, None))
            columns.append(self.column(known, fields[place], None, path + step(name)))
            children.append((place, -1))
        return made, columns, children

    def choice(self, kind: w.WireUnion, fields: list[pa.Field], own: list[pa.Field], path: str) -> c.Column:
        at = _places(fields, path)
        types = {field.name: field.type for field in own}
        options, columns, children = [], [], []
        for i, option in enumerate(kind.options):
            place = at.pop(option.name, -1)
            field = fields[place] if place >= 0 else own[i]
            options.append(c.Field(i, option.name, None, kinds=kinds(option.kind), fit=fit(option.kind)))
            columns.append(self.column(option.kind, field, types.get(option.name), path, gaps=True))
            children.append(place)
        if at:
            raise SchemaError(path, f"the schema has no option {next(iter(at))!r}")
        return c.Choices(options, columns, children)

    # leaves ------------------------------------------------------------------------------------

    def leaf(self, leaf: w.Leaf, type_: pa.DataType, own: pa.DataType | None, path: str) -> c.Column:
        types = self.types
        if types.is_dictionary(type_):
            return c.Known(_integer(type_.index_type), self.leaf(leaf, type_.value_type, own, path))
        if own is not None and type_ != own and not self.widens(leaf, type_, own):
            raise _unlike(path, type_, own)
        if types.is_boolean(type_) and leaf.wire == "bool":
            return c.Bits()
        if types.is_integer(type_) and leaf.wire in ("int", "float"):
            form = _integer(type_)
            to = writer(leaf) if form in "iq" else c.Call(_bounded(type_), int)
            return c.Numbers(form, to, reader(leaf), leaf.wire == "float")
        if types.is_floating(type_) and leaf.wire == "float":
            if type_.bit_width == 16:
                return c.Blocks(2, c.Call(_HALF.pack, float), c.Call(lambda data: _HALF.unpack(data)[0]))
            return c.Numbers("d" if type_.bit_width == 64 else "f", writer(leaf), reader(leaf))
        if types.is_string(type_) or types.is_large_string(type_):
            if leaf.wire in ("text", "enum"):
                return c.Texts(True, types.is_large_string(type_), writer(leaf), reader(leaf))
        elif types.is_fixed_size_binary(type_):
            if leaf.wire == "bytes" and isinstance(leaf.type, t.BytesType):
                return c.Blocks(type_.byte_width, c.Exact(bytes))
            if isinstance(leaf.type, t.UUIDType) and type_.byte_width == 16:
                return c.Blocks(16, *uuid_steps())
        elif types.is_binary(type_) or types.is_large_binary(type_):
            if leaf.wire in ("bytes", "any"):
                read = reader(leaf, as_objects=self.as_objects)
                return c.Texts(False, types.is_large_binary(type_), writer(leaf), read)
        elif (steps := self.moments(leaf, type_)) is not None:
            return c.Numbers(*steps)
        elif types.is_decimal(type_) and isinstance(leaf.type, t.DecimalType):
            width, scale = type_.bit_width // 8, type_.scale
            limit = 10**type_.precision
            return c.Blocks(
                width,
                c.Call(
                    lambda value: _unscaled(value, scale, limit).to_bytes(width, "little", signed=True),
                    decimal.Decimal,
                ),
                c.Call(lambda data: _scaled(int.from_bytes(data, "little", signed=True), scale)),
            )
        raise _unlike(path, type_, own)

    def moments(self, leaf: w.Leaf, type_: pa.DataType) -> tuple[str, c.Step, c.Step | None] | None:
        """Return the numeric form of moments and durations, or None for other types."""
        types = self.types
        if types.is_timestamp(type_) and leaf.wire in ("timestamp", "local-timestamp"):
            if (type_.tz is None) != (leaf.wire == "local-timestamp"):
                return None
            if type_.unit == "s":
                to, back = writer(replace(leaf, unit="ms")), reader(replace(leaf, unit="ms"))
                return (
                    "q",
                    c.Call(lambda value: _whole(to(value), 1000)),
                    c.Call(lambda count: _call(back, count * 1000)),
                )
            leaf = replace(leaf, unit=type_.unit)
            return "q", writer(leaf), reader(leaf)
        if types.is_date(type_) and leaf.wire == "date":
            to, back = writer(leaf), reader(leaf)
            if type_.bit_width == 32:
                return "i", to, back
            return (
                "q",
                c.Call(lambda value: to(value) * _DAY),
                c.Call(lambda count: _call(back, count // _DAY)),
            )
        if types.is_time(type_) and leaf.type == t.TextType(dt.time):
            nanoseconds = _NANOSECONDS[type_.unit]
            form = "i" if type_.bit_width == 32 else "q"
            return (
                form,
                c.Call(lambda value: _whole(_of_time(value), nanoseconds), dt.time),
                c.Call(lambda count: _time(count * nanoseconds)),
            )
        if types.is_duration(type_) and isinstance(leaf.type, t.TimeDeltaType):
            nanoseconds = _NANOSECONDS[type_.unit]
            return (
                "q",
                c.Call(lambda value: _whole(value // _MICROSECOND * 1000, nanoseconds), dt.timedelta),
                c.Call(lambda count: dt.timedelta(microseconds=count * nanoseconds // 1000)),
            )
        return None

    def widens(self, leaf: w.Leaf, type_: pa.DataType, own: pa.DataType) -> bool:
        """Return whether our own type contains all values of another type, and reads them the same."""
        types = self.types
        if types.is_integer(type_):
            bits = type_.bit_width - types.is_signed_integer(type_)
            if types.is_integer(own):
                return (types.is_signed_integer(own) or not types.is_signed_integer(type_)) and (
                    bits <= own.bit_width - types.is_signed_integer(own)
                )
            # Significant bits of a float: IEEE 754, table 3.5.
            return bool(types.is_floating(own)) and bits <= {16: 11, 32: 24, 64: 53}[own.bit_width]
        if types.is_floating(type_):
            return bool(types.is_floating(own)) and type_.bit_width <= own.bit_width
        if types.is_timestamp(type_) and types.is_timestamp(own):
            return _NANOSECONDS[type_.unit] >= _NANOSECONDS[own.unit]
        # All forms of text and bytes have the same values, and so do types that are text in one schema only.
        return True


def _below(type_: pa.DataType | None) -> list[Any]:
    """Return the fields of a struct, or none for another type."""
    return [type_.field(i) for i in range(type_.num_fields)] if type_ is not None else []


def _places(fields: list[pa.Field], path: str) -> dict[str, int]:
    at = {field.name: place for place, field in enumerate(fields)}
    if len(at) < len(fields):
        raise SchemaError(path, "two columns have the same name")
    return at


def _unlike(path: str, type_: pa.DataType, own: pa.DataType | None) -> SchemaError:
    return SchemaError(
        path, f"the column is {type_}" + ("" if own is None else f", where the schema has {own}")
    )


def _integer(type_: pa.DataType) -> str:
    """Return the form of integers; see `Numbers`."""
    form = {8: "b", 16: "h", 32: "i", 64: "q"}[type_.bit_width]
    return form.upper() if str(type_).startswith("u") else form


def _bounded(type_: pa.DataType) -> Callable[[int], int]:
    signed = str(type_).startswith("int")
    low, high = (-(1 << type_.bit_width - 1) if signed else 0), 1 << type_.bit_width - signed

    def bounded(value: int) -> int:
        if isinstance(value, bool) or not low <= value < high:
            raise c.MisfitError(f"{value!r:.40} does not fit in {type_}")
        return value

    return bounded


_DAY = 86_400_000
_HALF = struct.Struct("<e")
_MICROSECOND = dt.timedelta(microseconds=1)
_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def _call(back: c.Step | None, value: Any) -> Any:
    return value if back is None else back(value)


def _whole(number: int, per: int) -> int:
    count, rest = divmod(number, per)
    if rest:
        raise c.MisfitError("it is finer than the column's unit")
    return count


def _of_time(value: dt.time) -> int:
    if value.tzinfo is not None:
        raise c.MisfitError("the time has an offset, but the column has none")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**9 + value.microsecond * 1000


def _time(nanoseconds: int) -> dt.time:
    seconds, rest = divmod(nanoseconds, 10**9)
    return dt.time(seconds // 3600, seconds // 60 % 60, seconds % 60, rest // 1000)


def _unscaled(value: decimal.Decimal, scale: int, limit: int) -> int:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent + scale > 100:
        raise c.MisfitError(f"{value!s:.40} does not fit in the column")
    number = int("".join(map(str, digits)))
    if exponent + scale >= 0:
        number *= 10 ** (exponent + scale)
    else:
        number = _whole(number, 10 ** -max(exponent + scale, -5000))
    if number >= limit:
        raise c.MisfitError(f"{value!s:.40} does not fit in the column")
    return -number if sign else number


def _scaled(number: int, scale: int) -> decimal.Decimal:
    return decimal.Decimal(f"{number}E{-scale}")
