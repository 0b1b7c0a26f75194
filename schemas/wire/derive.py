"""Layouts of declared types: from a description tree to records with names and numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from ...codecs.paths import step
from ...errors import SchemaError
from ..tree import types as t
from .layout import (
    Layout,
    Leaf,
    Nullable,
    Ref,
    WireField,
    WireKind,
    WireMap,
    WireRecord,
    WireSequence,
    WireType,
    WireUnion,
    may_be_null,
)
from .names import NAME, capitals, folded, free_numbers, unique_name, wire_name

_WIRES: dict[type[t.Type], WireKind] = {
    t.AnyType: "any",
    t.NoneType: "null",
    t.BoolType: "bool",
    t.IntType: "int",
    t.FloatType: "float",
    t.StrType: "text",
    t.BytesType: "bytes",
    t.ByteArrayType: "bytes",
    t.DateType: "date",
    t.TimeDeltaType: "text",
    t.DecimalType: "text",
    t.UUIDType: "text",
    t.TextType: "text",
}
_OF_VALUES: dict[type, t.Type] = {
    str: t.StrType(),
    int: t.IntType(),
    bool: t.BoolType(),
    type(None): t.NoneType(),
}


def derive(types: t.Type) -> Layout:
    """Return the layout of a description tree, numbered from 1 in the order of the fields.

    Raises:
        SchemaError: These formats have no form for a type (complex).
    """
    return Layout(_Deriver().kind(types, "$", "Record"))


class _Deriver:
    def __init__(self) -> None:
        self.made: dict[t.Type, WireRecord] = {}
        # Compare by identity: comparing equal records walks through all their contents.
        self.named: dict[int, str] = {}
        self.names: set[str] = set()

    def kind(self, node: t.Type, path: str, name: str) -> WireType:
        """Return the kind of a node; `name` is for types without a name."""
        match node:
            case t.UnionType(options):
                return self._union(options, path, name)
            case t.LiteralType(values=allowed):
                found = tuple(dict.fromkeys(_OF_VALUES[type(value)] for value in allowed))
                return self._union(found, path, name, node)
            case t.CollectionType(item):
                return WireSequence(self.kind(item, path + "[]", f"{name}Item"), node)
            case t.DictType(key, value):
                keys = self.kind(key, path + "{key}", f"{name}Key")
                values = self.kind(value, path + "{}", f"{name}Value")
                return WireMap(keys, values, unique_name(f"{name}Entry", self.names))
            case t.RecordType():
                return self._record(node, path)
            case t.RefType(record=record):
                if id(record) in self.named:
                    return Ref(self.named[id(record)], node)
                return self._record(record, path)
            case t.TupleType(items):
                inside = ((i, item, True) for i, item in enumerate(items))
                return self._fields(node, inside, path, name)
            case t.EnumType(cls):
                held = {type(member.value) for member in cls}
                fits = all(type(m.value) is not int or m.value.bit_length() < 64 for m in cls)
                if len(held) == 1 and fits and (only := held.pop()) in (str, int):
                    return Leaf("text" if only is str else "int", node)
                return Leaf("any", node)
            case t.DateTimeType(aware=aware):
                return Leaf("text" if aware is None else "timestamp" if aware else "local-timestamp", node)
            case t.IntType(big=True):
                return Leaf("text", node)
        if type(node) not in _WIRES:
            raise SchemaError(path, f"formats with a schema do not support `{node}`")
        return Leaf(_WIRES[type(node)], node)

    def _union(
        self, options: tuple[t.Type, ...], path: str, name: str, whole: t.Type | None = None
    ) -> WireType:
        some = [option for option in options if not isinstance(option, t.NoneType)]
        if not some:
            return Leaf("null", t.NoneType())
        names = [name] if len(some) == 1 else [f"{name}{i}" for i in range(1, len(some) + 1)]
        kinds = [self.kind(option, path, own) for option, own in zip(some, names, strict=True)]
        if len(kinds) == 1 and isinstance(kinds[0], Leaf) and kinds[0].wire == "any":
            return Leaf("any", whole or t.UnionType(options))
        # A Literal with None, or a union with an option that contains None.
        nullable = len(some) < len(options) or any(isinstance(kind, Nullable) for kind in kinds)
        kinds = [kind.kind if isinstance(kind, Nullable) else kind for kind in kinds]
        # A Literal of two types is a choice within the choice, which Avro does not support.
        kinds = list(dict.fromkeys(itertools.chain.from_iterable(map(_options, kinds))))
        if len(kinds) == 1:
            kind = replace(kinds[0], type=whole) if whole and isinstance(kinds[0], Leaf) else kinds[0]
        else:
            slots = tuple(WireField(i, f"option_{i + 1}", i + 1, kind) for i, kind in enumerate(kinds))
            kind = WireUnion(self._name(name), slots)
        return Nullable(kind) if nullable else kind

    def _record(self, node: t.RecordType, path: str) -> WireRecord:
        inside = (
            (i if node.positional else item.name, item.type, item.required)
            for i, item in enumerate(node.fields)
        )
        return self._fields(node, inside, path, node.name)

    def _fields(
        self, node: t.Type, inside: Iterator[tuple[str | int, t.Type, bool]], path: str, wanted: str
    ) -> WireRecord:
        if node in self.made:
            return self.made[node]
        name = self.named[id(node)] = self._name(wanted)
        slots: list[WireField] = []
        taken: set[str] = set()
        fields = list(inside)
        # Formats that also store the keys refuse a made-up name that is another field's key.
        keys = {folded(key) for key, _, _ in fields}
        for number, (key, kind, required) in enumerate(fields, 1):
            made = self.kind(kind, path + step(key), f"{name}{capitals(key)}")
            others = keys - {folded(key)}
            slots.append(WireField(key, wire_name(key, number, taken, others), number, made, required))
        fresh = (n for n in free_numbers({slot.number for slot in slots}) if f"null{n}" not in keys)
        slots = [
            replace(slot, null=next(fresh)) if not slot.required and may_be_null(slot.kind) else slot
            for slot in slots
        ]
        self.made[node] = WireRecord(name, tuple(slots), node)
        return self.made[node]

    def _name(self, wanted: str) -> str:
        return unique_name(wanted if NAME.fullmatch(wanted) else "Record", self.names)


def _options(kind: WireType) -> tuple[WireType, ...]:
    """Return the options that a value of a kind is one of."""
    return tuple(option.kind for option in kind.options) if isinstance(kind, WireUnion) else (kind,)
