"""Bind records to fastavro: the schema for its compiled calls, and conversions of the values.

We convert logical types ourselves, because fastavro takes naive datetimes for local time and drops digits
that are too fine. It gets only numbers, texts and bytes. Branches of unions are named; otherwise fastavro
would try each on the whole value.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....codecs.binding import Binding
from ....codecs.formats.avro import AvroSchema
from ....codecs.paths import step
from ...tree import types as t
from ...tree.declare import SchemaError
from .. import layout as w
from ..languages import write
from ..languages.avro import NAMED, branch_name
from . import _conversion as c
from .fit import fit
from .leaves import builder, kinds, reader, same, uuid_steps, writer

if TYPE_CHECKING:
    from . import BindableSchema

NULL = ("null", None)
"""None as a named branch."""
_PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
_WIRE: dict[str, type] = {
    "boolean": bool, "int": int, "long": int, "float": float, "double": float, "bytes": bytes, "string": str,
    "array": list, "map": dict,
}  # fmt: skip
"""The types that fastavro returns for schemas without a name."""
_PER_SECOND = {"ms": 1_000, "us": 1_000_000}
_EXACT = decimal.Context(decimal.MAX_PREC, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


def binding(schema: BindableSchema, *, read_as: BindableSchema | None = None) -> Binding:
    """Return the schema for fastavro, and the conversions to and from its values.

    Args:
        schema: The schema.
        read_as: Another version, to decode payloads as.

    Raises:
        SchemaError: Avro has no form for a type; two branches of a given union have the same decoded form; or
            a number of this schema would be decoded in another unit.
    """
    if read_as is not None:
        _check_units(schema.layout.root, read_as.layout.root, "$", set())
    definition = write(schema.layout, "avro")
    made = _Plain()
    node = made.node(json.loads(definition), "")
    compiled = _Compiler(made.names, made.tells, schema.as_objects)
    take, give = compiled.both(node, schema.layout.root, "$")
    return Binding(AvroSchema(node, made.names, made.tells), take or same, give or same, definition.decode())


def _check_units(kind: w.WireType, read_as: w.WireType, path: str, seen: set[tuple[str, str]]) -> None:
    """Raise if a number would be decoded in another unit, which schema resolution does not check."""
    kind = w.opened(kind.kind if isinstance(kind, w.Nullable) else kind)
    read_as = w.opened(read_as.kind if isinstance(read_as, w.Nullable) else read_as)
    match kind, read_as:
        case w.Leaf("int" | "timestamp" | "local-timestamp" | "date"), w.Leaf(
            "int" | "timestamp" | "local-timestamp" | "date"
        ):
            if (kind.wire, kind.unit, type(kind.type)) != (read_as.wire, read_as.unit, type(read_as.type)):
                raise SchemaError(path, f"{_unit(kind)} would be read as {_unit(read_as)}")
        case w.WireRecord(name), w.WireRecord(other) if (name, other) not in seen:
            seen.add((name, other))
            by_name = {slot.name: slot.kind for slot in read_as.slots}
            for slot in kind.slots:
                if slot.name in by_name:
                    _check_units(slot.kind, by_name[slot.name], path + step(slot.name), seen)
        case w.WireSequence(), w.WireSequence():
            _check_units(kind.item, read_as.item, f"{path}[]", seen)
        case w.WireMap(), w.WireMap():
            _check_units(kind.value, read_as.value, path + "{}", seen)


def _unit(leaf: w.Leaf) -> str:
    return f"{leaf.wire}-{leaf.unit}" if "timestamp" in leaf.wire else str(leaf.type)


class _Plain:
    """Expands a schema to full names, without parts that do not affect the bytes.

    Attributes:
        names: Named types by their full names.
        tells: Whether a union has several branches, one of them named. The names are then needed to identify
            the branch that was decoded.
    """

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.tells = False

    def node(self, node: Any, space: str) -> Any:
        if isinstance(node, list):
            branches = [self.node(branch, space) for branch in node]
            some = [branch for branch in branches if branch != "null"]
            self.tells |= len(some) > 1 and any(_is_named(branch) for branch in some)
            return branches
        if isinstance(node, str):
            full = f"{space}.{node}" if space and "." not in node else node
            return sys.intern(full if node not in _PRIMITIVES and full in self.names else node)
        # fastavro compares the names of types, which is fastest if they are identical objects.
        kind = sys.intern(node["type"])
        if kind in _PRIMITIVES:
            decimal_ = {key: node[key] for key in ("precision", "scale") if key in node}
            return {"type": kind, **decimal_} if node.get("logicalType") == "decimal" else kind
        if kind == "array":
            return {"type": kind, "items": self.node(node["items"], space)}
        if kind == "map":
            return {"type": kind, "values": self.node(node["values"], space)}
        if kind not in NAMED:
            return self.node(kind, space)
        own = node.get("namespace", space)
        full = f"{own}.{node['name']}" if own and "." not in node["name"] else node["name"]
        made = {
            key: node[key]
            for key in ("type", "size", "symbols", "default", "precision", "scale")
            if key in node
        }
        made |= {"type": kind, "name": full, "aliases": node.get("aliases", [])}
        self.names[full] = made
        if "fields" in node:
            inner = full.rpartition(".")[0]
            made["fields"] = [
                {key: field[key] for key in ("name", "default", "aliases") if key in field}
                | {"type": self.node(field["type"], inner)}
                for field in node["fields"]
            ]
            for field in made["fields"]:
                if "default" in field:
                    field["default"] = self.default(field["type"], field["default"])
        return made

    def default(self, node: Any, value: Any) -> Any:
        """Convert a default from JSON to its decoded form."""
        if isinstance(node, list):
            branch = next((each for each in node if self.fits(each, value)), node[0])
            made = self.default(branch, value)
            return (branch_name(branch), made) if self.tells and _is_named(branch) else made
        node = self.names.get(node, node) if isinstance(node, str) else node
        match branch_name(node) if node in _PRIMITIVES else node["type"]:
            case "bytes" | "fixed":
                return value.encode("latin-1")
            case "float" | "double":
                return float(value)
            case "array":
                return [self.default(node["items"], item) for item in value]
            case "map":
                return {key: self.default(node["values"], item) for key, item in value.items()}
            case "record" | "error":
                fields = {field["name"]: field for field in node["fields"]}
                return {
                    name: self.default(field["type"], value[name]) if name in value else field["default"]
                    for name, field in fields.items()
                }
        return value

    def fits(self, node: Any, value: Any) -> bool:
        node = self.names.get(node, node) if isinstance(node, str) else node
        kind = node["type"] if isinstance(node, dict) else node
        wanted: dict[str, tuple[type, ...]] = {
            "null": (type(None),), "boolean": (bool,), "int": (int,), "long": (int,), "float": (float, int),
            "double": (float, int), "array": (list,), "map": (dict,), "record": (dict,), "error": (dict,),
        }  # fmt: skip
        return type(value) in wanted.get(kind, (str,))


def _is_named(node: Any) -> bool:
    return node not in _PRIMITIVES if isinstance(node, str) else node["type"] in NAMED


Both = tuple[c.Step | None, c.Step | None]
"""The steps that write and read a value."""


class _Compiler:
    def __init__(self, names: dict[str, Any], tells: bool, as_objects: bool) -> None:
        self.names = names
        self.tells = tells
        self.as_objects = as_objects
        self.made: dict[str, Both] = {}
        self.begun: dict[str, tuple[c.Within, c.Within]] = {}

    def both(self, node: Any, kind: w.WireType, path: str) -> Both:
        """Return the steps of a kind in a given schema."""
        match kind:
            case w.Nullable(inner):
                return self.union(node, inner, path, nullable=True)
            case w.WireUnion():
                return self.union(node, kind, path)
            case _ if isinstance(node, list):
                return self.union(node, kind, path, nullable=w.is_null(kind))
            case w.Leaf():
                return self.leaf(node, kind)
            case w.WireSequence(item, type=held):
                take, give = self.both(node["items"], item, f"{path}[]")
                own = t.collection(held)
                return c.Each(list, take, own), c.Each(own, give) if give or own is not list else None
            case w.WireMap(key, value) if node["type"] == "map":
                take, give = self.both("string", key, path)
                take_value, give_value = self.both(node["values"], value, path + "{}")
                return c.Items(take, take_value), c.Items(give, give_value) if give or give_value else None
            case w.WireMap(key, value):
                fields = node["items"]["fields"]
                take, give = self.both(fields[0]["type"], key, path + "{key}")
                take_value, give_value = self.both(fields[1]["type"], value, path + "{}")
                return c.ToPairs(take, take_value), c.FromPairs(give, give_value)
            case w.WireRecord() | w.Ref():
                return self.record(node, w.opened(kind), path)
        raise AssertionError(kind)

    def leaf(self, node: Any, leaf: w.Leaf) -> Both:
        node = self.names.get(node, node) if isinstance(node, str) else node
        match leaf:
            case w.Leaf(type=t.DecimalType()) if isinstance(node, dict) and "precision" in node:
                to, back = _decimal(node)
                return c.Call(to, decimal.Decimal), c.Call(back)
            case w.Leaf(type=t.UUIDType()) if isinstance(node, dict) and "size" in node:
                return uuid_steps()
            case w.Leaf(type=t.TextType(dt.time), unit=unit) if node in ("int", "long"):
                to_count, from_count = _time(unit)
                return c.Call(to_count, dt.time), c.Call(from_count)
            case w.Leaf("enum"):
                return c.Call(_symbol(node["symbols"]), str), None
            case w.Leaf("bytes", t.BytesType()) if isinstance(node, dict) and "size" in node:
                return c.Call(_sized(node["size"]), bytes), None
        return writer(leaf), reader(leaf)

    def record(self, node: Any, kind: w.WireType, path: str) -> Both:
        assert isinstance(kind, w.WireRecord)
        full = node if isinstance(node, str) else node["name"]
        if full in self.begun:
            return self.begun[full]
        if full not in self.made:
            begun = self.begun[full] = c.Within(), c.Within()
            nodes = {field["name"]: field for field in self.names[full]["fields"]}
            found = [self.field(nodes, slot, path) for slot in kind.slots]
            build = builder(kind, as_objects=self.as_objects)
            plain = not kind.places and build is None and all(same for _, _, same in found)
            give = None if plain else c.FromDict([back for _, back, _ in found], kind.places, build)
            take = c.ToDict([to for to, _, _ in found], kind.places)
            self.made[full] = begun[0].step, begun[1].step = take, c.FromBranch(give) if self.tells else give
            del self.begun[full]
        return self.made[full]

    def field(self, nodes: dict[str, Any], slot: w.WireField, path: str) -> tuple[c.Field, c.Field, bool]:
        """Return the steps that write and read a field, and whether reading changes nothing."""
        node = nodes.get(slot.name) or nodes[f"field_{slot.number}"]
        name, inner = node["name"], path + step(slot.name)
        null = slot.null_name if slot.null else ""
        if slot.required or slot.null:
            take, give = self.both(node["type"], slot.kind, inner)
        else:
            take, give = self.union(node["type"], slot.kind, inner)
            give = None if give is None else c.Maybe(give)
        given = slot.required and "default" in node
        nothing = NULL if isinstance(node["type"], list) else None
        absent = _paired(node["type"], node["default"], self.names) if given else nothing
        return (
            c.Field(slot.key, name, take, slot.required and not given, null, absent=absent),
            c.Field(slot.key, name, give, slot.required, null),
            slot.key == name and slot.required and give is None,
        )

    def union(self, node: list[Any], kind: w.WireType, path: str, *, nullable: bool = False) -> Both:
        null = NULL if nullable else None
        branches = [branch for branch in node if branch != "null"]
        if not branches:
            return c.ToBranch("null", writer(w.Leaf("null", t.NoneType())), NULL), None
        if not isinstance(kind, w.WireUnion):
            take, give = self.both(branches[0], kind, path)
            give = c.FromBranch(give) if self.tells and _is_named(branches[0]) else give
            to = c.ToBranch(branch_name(branches[0]), take, null)
            return to, c.Maybe(give) if give is not None and nullable else give
        options, named, typed = [], dict[str, c.Step | None](), dict[type, c.Step | None]()
        unnamed: set[str] = set()
        for branch, option in zip(branches, kind.options, strict=True):
            take, give = self.branch(branch, option.kind, path)
            name = branch_name(branch)
            options.append(c.Field(option.key, name, take, kinds=kinds(option.kind), fit=fit(option.kind)))
            if _is_named(branch):
                named[name] = give
                continue
            wire, twice = _WIRE[name], name in unnamed
            unnamed.add(name)
            if wire in typed and (twice or typed[wire] is not None or give is not None):
                raise SchemaError(
                    path, f"two branches of the union are read as {wire.__name__}, {name} the second"
                )
            typed[wire] = give
        if not named and not any(typed.values()):
            return c.ToBranches(options, null), None
        return c.ToBranches(options, null), c.FromBranches(named, typed | {type(None): None})

    def branch(self, node: Any, kind: w.WireType, path: str) -> Both:
        """Return the steps of a branch that may be wrapped in a record."""
        named = self.names.get(branch_name(node))
        if isinstance(kind, (w.WireRecord, w.Ref)) or named is None or named["type"] != "record":
            return self.both(node, kind, path)
        take, give = self.both(named["fields"][0]["type"], kind, path)
        return c.Wrap("value", take), c.Unwrap("value", give)


def _paired(node: Any, value: Any, names: dict[str, Any]) -> Any:
    """Convert a default from its decoded form to its encoded form, with the names of branches."""
    if isinstance(node, list):
        if type(value) is tuple:
            name, value = value
            branch = next(each for each in node if branch_name(each) == name)
        else:
            plain = _Plain()
            plain.names = names
            shown = value.decode("latin-1") if isinstance(value, bytes) else value
            branch = next((each for each in node if plain.fits(each, shown)), node[0])
        return branch_name(branch), _paired(branch, value, names)
    node = names.get(node, node) if isinstance(node, str) else node
    if isinstance(node, dict) and node["type"] == "array":
        return [_paired(node["items"], item, names) for item in value]
    if isinstance(node, dict) and node["type"] == "map":
        return {key: _paired(node["values"], item, names) for key, item in value.items()}
    if isinstance(node, dict) and "fields" in node:
        return {
            field["name"]: _paired(field["type"], value[field["name"]], names) for field in node["fields"]
        }
    return value


# Logical types -------------------------------------------------------------------------------------


def _decimal(node: Any) -> tuple[Callable[[Any], bytes], Callable[[bytes], decimal.Decimal]]:
    """Return the conversions of decimals: two's complement of the unscaled number, big-endian."""
    precision, scale, size = node["precision"], node.get("scale", 0), node.get("size")
    most = size or precision // 2 + 2

    def to(value: decimal.Decimal) -> bytes:
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise ValueError(f"{value} is not a number of {precision} digits")
        number = int("".join(map(str, digits)))
        if (number and not -scale <= exponent <= precision) or len(digits) + exponent > precision - scale:
            raise ValueError(f"a number does not fit in {precision} digits, {scale} of them after the point")
        number *= (1 - 2 * sign) * 10 ** (exponent + scale if number else 0)
        return number.to_bytes(size or number.bit_length() // 8 + 1, "big", signed=True)

    def back(data: bytes) -> decimal.Decimal:
        if len(data) > most:
            raise ValueError(f"a decimal of {len(data):,} bytes, which has more than {precision} digits")
        return _EXACT.scaleb(decimal.Decimal(int.from_bytes(data, "big", signed=True)), -scale)

    return to, back


def _time(unit: str) -> tuple[Callable[[Any], int], Callable[[int], dt.time]]:
    """Return the conversions of times of day, counted from midnight."""
    per = 1_000_000 // _PER_SECOND[unit]

    def to(value: dt.time) -> int:
        if value.tzinfo is not None:
            raise ValueError("the time has an offset, which Avro does not support")
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        count, rest = divmod(seconds * 1_000_000 + value.microsecond, per)
        if rest:
            raise ValueError("the time is finer than the schema's milliseconds")
        return count

    def back(count: int) -> dt.time:
        seconds, micro = divmod(count * per, 1_000_000)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        return dt.time(hour, minute, second, micro)

    return to, back


def _symbol(symbols: list[str]) -> Callable[[str], str]:
    known = {symbol: symbol for symbol in symbols}

    def to(value: str) -> str:
        if value not in known:
            raise ValueError(f"the enum has no symbol {value!r:.60}")
        return known[value]

    return to


def _sized(size: int) -> Callable[[bytes], bytes]:
    def to(value: bytes) -> bytes:
        if len(value) != size:
            raise ValueError(f"{len(value):,} bytes, where the schema says {size:,}")
        return value

    return to
