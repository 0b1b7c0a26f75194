"""Convert values without parts to and from their form on the wire, for all formats with a layout.

A format that has another form for a type converts it in its binding.
"""

from __future__ import annotations

import datetime as dt
import operator
import uuid
from collections.abc import Callable
from typing import Any

from ....codecs.conventions.families import JSON64_FAMILY
from ....codecs.safety.embedded import count_embedded
from ...plan.build import PlanFacts, build_of, compile_plan
from ...plan.build import SchemaLimits as PlanLimits
from ...tree import types as t
from .. import layout as w
from . import _conversion as c

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LOCAL_EPOCH = dt.datetime(1970, 1, 1)
_FIRST_DAY = dt.date(1970, 1, 1).toordinal()
_MICROSECOND = dt.timedelta(microseconds=1)
_PER_MICROSECOND = {"ms": (1, 1000), "us": (1, 1), "ns": (1000, 1)}


def generic(node: t.Type, path: str, of: Callable[[t.Type, str], Any]) -> Any:
    """Return the annotation of a collection for libraries of typed classes, or None for other types.

    Args:
        node: The description.
        path: Its place.
        of: Returns the annotation of a part, given its place.
    """
    match node:
        case t.VarTupleType(item):
            return tuple[of(item, path + "[]"), ...]  # type: ignore[misc]
        case t.CollectionType(item):
            return t.collection(node)[of(item, path + "[]")]  # type: ignore[index]
        case t.TupleType(items):
            return tuple[tuple(of(item, f"{path}[{i}]") for i, item in enumerate(items))]  # type: ignore[misc]
    return None


def kinds(kind: w.WireType) -> tuple[type, ...]:
    """Return the types that values of a kind have in records."""
    match kind := w.opened(kind):
        case w.Nullable(inner):
            return (*kinds(inner), type(None))
        case w.WireMap():
            return (dict,)
        case w.WireUnion(options=options):
            return tuple(dict.fromkeys(each for option in options for each in kinds(option.kind)))
        case w.WireRecord(type=t.RecordType(cls=cls, positional=positional)):
            plain = dict if not positional else list if is_list(cls) else tuple
            return (plain, *([] if cls is None else [cls]))
        case w.WireRecord():
            return (tuple,)
        case w.WireSequence(type=node):
            return (t.collection(node),)
        case w.Leaf(type=node):
            return _types(node)
    raise AssertionError(kind)


def _types(node: t.Type) -> tuple[type, ...]:
    match node:
        case t.AnyType() | t.UnionType():
            return (object,)
        case t.EnumType(cls):
            return (cls,)
        case t.LiteralType(values):
            return tuple(dict.fromkeys(type(value) for value in values if value is not None))
    return (t.python_type(node),)


def is_list(cls: type | None) -> bool:
    """Return whether records as their values are lists, as those of Structs; others are tuples."""
    return cls is not None and not issubclass(cls, tuple)


def builder(record: w.WireRecord, *, as_objects: bool) -> Callable[..., Any] | None:
    """Return a function that builds a record from its fields, for lists, named tuples, requested classes.

    A record in the form of a list is built from its values, others from the dict of their fields.
    """
    node = record.type
    if not isinstance(node, t.RecordType) or node.cls is None:
        return None
    named, build = issubclass(node.cls, tuple), build_of(node)
    if not (as_objects or named):
        return (lambda *values: list(values)) if node.positional else None
    if named and build is node.cls:
        return build

    def of_fields(fields: dict[str, Any]) -> Any:
        return build(**fields) if build is node.cls else build(fields)

    if not node.positional:
        return of_fields
    names = [item.name for item in node.fields]
    return lambda *values: of_fields(dict(zip(names, values, strict=False)))


def hashes_safely(key: w.WireType) -> bool:
    """Return whether keys of a kind cannot be chosen to share one hash; see `codecs.safety.keys`.

    This holds for text, and for types of at most 64 bits.
    """
    safe = ("bool", "int", "float", "bytes", "timestamp", "local-timestamp", "date", "enum")
    return isinstance(key, w.Leaf) and (key.wire in safe or isinstance(key.type, (t.StrType, t.LiteralType)))


def same(value: Any) -> Any:
    """Return the value: the conversion of what is the same on the wire."""
    return value


# Writing --------------------------------------------------------------------------------------------


def writer(leaf: w.Leaf) -> c.Step:
    """Return the step from a value to int (also of timestamps and dates), float, bool, str, bytes or None.

    It raises `MisfitError` for values that the leaf cannot hold.
    """
    match leaf.wire:
        case "any":
            return c.Call(_packer().encode)
        case "null":
            return c.Null()
        case "bool":
            return c.Bool()
        case "int" if not isinstance(leaf.type, t.EnumType):
            return c.Int(leaf.bits)
        case "float":
            return c.Float(leaf.bits)
        case "bytes":
            return c.Exact(bytes) if isinstance(leaf.type, t.BytesType) else c.Call(bytes, bytearray)
        case "timestamp" | "local-timestamp":
            return c.Call(_to_count(leaf), dt.datetime)
        case "date":
            return c.Call(_to_days, dt.date)
        case "enum":
            return c.Exact(str)
    if isinstance(leaf.type, t.EnumType):
        return c.Call(operator.attrgetter("value"), leaf.type.cls)
    kind = _types(leaf.type)
    if kind == (str,):
        return c.Exact(str)
    return c.Call(_digits if kind == (int,) else JSON64_FAMILY.leaf, kind[0])


def _digits(value: int) -> str:
    if isinstance(value, bool):
        raise TypeError("expected int, got bool")
    return int.__repr__(value)


def _to_count(leaf: w.Leaf) -> Callable[[dt.datetime], int]:
    epoch = EPOCH if leaf.wire == "timestamp" else LOCAL_EPOCH
    times, per = _PER_MICROSECOND[leaf.unit]

    def count(value: dt.datetime) -> int:
        if (value.utcoffset() is None) != (epoch.tzinfo is None):
            has = "no offset" if value.utcoffset() is None else "an offset"
            raise ValueError(f"the datetime has {has}, unlike the schema")
        number, rest = divmod((value - epoch) // _MICROSECOND * times, per)
        if rest:
            raise ValueError("the datetime is finer than the schema's milliseconds")
        return number

    return count


def _to_days(value: dt.date) -> int:
    if isinstance(value, dt.datetime):
        raise TypeError("expected date, got datetime")
    return value.toordinal() - _FIRST_DAY


def _packer() -> Any:
    from ....codecs.factory import codec

    return codec("msgpack")


# Reading --------------------------------------------------------------------------------------------


def reader(leaf: w.Leaf, *, as_objects: bool = False) -> c.Step | None:
    """Return the step from the wire to the value, or None if they are the same.

    Malformed text stays text, as after every codec; advice about it is the schema's task. With `as_objects`,
    a leaf of any type has objects of its classes.
    """
    node = leaf.type
    match leaf.wire:
        case "any":
            return c.Call(_unpacked(node, as_objects))
        case "null" | "bool" | "float":
            return None
        case "timestamp" | "local-timestamp":
            return c.Call(_from_count(leaf))
        case "date":
            return c.Call(_from_days)
        case "bytes":
            return None if isinstance(node, t.BytesType) else c.Call(bytearray)
    if isinstance(node, t.IntType) and node.big:
        return c.Call(int)
    plan = compile_plan(
        node, PlanFacts(known=True, preserves=frozenset({"list", "tuple", "none"})), PlanLimits()
    )
    return None if plan is None else c.Call(plan.apply)


def _unpacked(node: t.Type, as_objects: bool) -> Callable[[bytes], Any]:
    packer = _packer()
    plan = compile_plan(node, PlanFacts.of(packer), PlanLimits(), objects=as_objects)

    def unpack(data: bytes) -> Any:
        count_embedded(data)
        return packer.decode(data) if plan is None else plan.apply(packer.decode(data))

    return unpack


def _from_count(leaf: w.Leaf) -> Callable[[int], dt.datetime]:
    epoch = EPOCH if leaf.wire == "timestamp" else LOCAL_EPOCH
    times, per = _PER_MICROSECOND[leaf.unit]

    def moment(count: int) -> dt.datetime:
        return epoch + dt.timedelta(microseconds=count * per // times)

    return moment


def uuid_steps() -> tuple[c.Step, c.Step]:
    """Return the steps from a UUID to its 16 bytes, and back."""
    return c.Call(operator.attrgetter("bytes"), uuid.UUID), c.Call(lambda data: uuid.UUID(bytes=data))


def _from_days(count: int) -> dt.date:
    return dt.date.fromordinal(count + _FIRST_DAY)
