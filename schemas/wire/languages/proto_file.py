"""Build the descriptor of a layout's file, with its comments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

from .. import layout as w
from ..names import capitals, unique_name
from . import proto_words as proto

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto


def file_of(layout: w.Layout) -> FileDescriptorProto:
    """Return the descriptor of a layout's file, with its comments; its first message is the record's.

    Raises:
        UsageError: protobuf is not installed.
    """
    return _Builder(layout).file


class _Builder:
    def __init__(self, layout: w.Layout) -> None:
        self.pb = proto.descriptors()
        self.file: FileDescriptorProto = self.pb.FileDescriptorProto(name="record.proto", syntax="proto3")
        self.made: dict[str, str] = {}
        self.enums: dict[tuple[tuple[str, int], ...], str] = {}
        self.taken = layout.names()
        root = layout.root
        if isinstance(root, (w.WireRecord, w.WireUnion)):
            self.named(root)
        else:
            self.box(root, "Record")

    def open(self, name: str, *said: str) -> tuple[DescriptorProto, tuple[int, ...]]:
        path = (4, len(self.file.message_type))
        self.say(path, said, leading=True)
        return self.file.message_type.add(name=name), path

    def say(self, path: tuple[int, ...], said: Iterable[str], *, leading: bool = False) -> None:
        if words := "; ".join(filter(None, said)):
            place = self.file.source_code_info.location.add(path=path)
            if leading:
                place.leading_comments = f" {words}\n"
            else:
                place.trailing_comments = f" {words}\n"

    def named(self, kind: w.WireRecord | w.WireUnion) -> str:
        if kind.name not in self.made:
            self.made[kind.name] = f".{kind.name}"
            if isinstance(kind, w.WireRecord):
                self.record(kind)
            else:
                self.choice(kind)
        return self.made[kind.name]

    def record(self, kind: w.WireRecord) -> None:
        message, path = self.open(kind.name, proto.TUPLE if kind.places else "")
        for name in dict.fromkeys(slot.among for slot in kind.slots if slot.among):
            message.oneof_decl.add(name=name)
        names, in_json = {slot.name for slot in kind.slots}, _json_names(kind.slots)
        for slot in kind.slots:
            self.slot(message, path, slot, in_json.get(slot.name, ""), names)
            if slot.null:
                bit = self.add(message, path, slot.null_name, slot.null, [proto.null_words(slot.name)])
                bit.type = bit.TYPE_BOOL
        _reserve(message, kind.reserved)

    def choice(self, kind: w.WireUnion) -> None:
        message, path = self.open(kind.name, proto.CHOICE)
        message.oneof_decl.add(name=proto.free_name(proto.VALUE, {option.name for option in kind.options}))
        for option in kind.options:
            field = self.add(message, path, option.name, option.number, [_words(option.kind)])
            field.oneof_index = 0
            self.item(field, option.kind, kind.name + capitals(option.name))
        _reserve(message, kind.reserved)

    def box(self, kind: w.WireType, wanted: str) -> str:
        """Make the message that represents a value."""
        message, path = self.open(unique_name(wanted, self.taken), proto.BOX)
        self.slot(message, path, w.WireField(proto.VALUE, proto.VALUE, 1, kind))
        return f".{message.name}"

    def pair(self, kind: w.WireMap) -> str:
        if kind.name not in self.made:
            self.made[kind.name] = f".{kind.name}"
            message, path = self.open(kind.name, proto.PAIR)
            self.slot(message, path, w.WireField("key", "key", 1, kind.key))
            self.slot(message, path, w.WireField(proto.VALUE, proto.VALUE, 2, kind.value))
        return self.made[kind.name]

    def add(
        self, message: DescriptorProto, path: tuple[int, ...], name: str, number: int, said: Iterable[str]
    ) -> FieldDescriptorProto:
        self.say((*path, 2, len(message.field)), said)
        return message.field.add(name=name, number=number, label=self.pb.FieldDescriptorProto.LABEL_OPTIONAL)

    def slot(
        self,
        message: DescriptorProto,
        path: tuple[int, ...],
        slot: w.WireField,
        json_name: str = "",
        names: Set[str] = frozenset(),
    ) -> None:
        inner = slot.kind.kind if isinstance(slot.kind, w.Nullable) else slot.kind
        nullable, boxed = isinstance(slot.kind, w.Nullable), proto.boxed_slot(slot)
        repeated = not boxed and isinstance(inner, (w.WireSequence, w.WireMap))
        well_known = isinstance(inner, w.Leaf) and inner.form in proto.WELL_KNOWN
        present = isinstance(inner, (w.WireRecord, w.Ref, w.WireUnion)) or well_known or _required(inner)
        said = [proto.NONE] if nullable and not slot.null else []
        if nullable and not slot.null and not slot.required:
            said.append(proto.MISSING)
        if present and slot.required and not nullable:
            said.append(proto.ALWAYS)
        if not boxed:
            said.append(_words(inner))
        if isinstance(slot.key, str) and slot.key != slot.name:
            said.append(f"key {json.dumps(slot.key)}")
        field = self.add(message, path, slot.name, slot.number, said)
        if json_name:
            field.json_name = json_name
        optional = not repeated and (nullable or not slot.required) and not w.is_null(inner)
        if slot.among:
            field.oneof_index = [each.name for each in message.oneof_decl].index(slot.among)
        elif optional or _required(inner):
            field.proto3_optional = True
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{slot.name}")
        wanted = message.name + capitals(slot.name)
        if boxed:
            self.refer(field, self.box(inner, wanted))
        elif isinstance(inner, w.WireSequence):
            field.label = field.LABEL_REPEATED
            self.item(field, inner.item, f"{wanted}Item")
        elif isinstance(inner, w.WireMap):
            field.label = field.LABEL_REPEATED
            if proto.map_key(inner.key) and _entry(slot.name) not in names:
                self.map(message, field, inner, wanted)
            else:
                self.refer(field, self.pair(inner))
        else:
            self.item(field, inner, wanted)

    def map(
        self, message: DescriptorProto, field: FieldDescriptorProto, kind: w.WireMap, wanted: str
    ) -> None:
        entry = message.nested_type.add(name=_entry(field.name))
        entry.options.map_entry = True
        one = self.pb.FieldDescriptorProto.LABEL_OPTIONAL
        self.item(entry.field.add(name="key", number=1, label=one), kind.key, wanted)
        self.item(entry.field.add(name=proto.VALUE, number=2, label=one), kind.value, f"{wanted}Item")
        self.refer(field, f".{message.name}.{entry.name}")

    def item(self, field: FieldDescriptorProto, kind: w.WireType, wanted: str) -> None:
        """Set the type of a field that is not repeated."""
        kind = w.opened(kind)
        if isinstance(kind, (w.WireRecord, w.WireUnion)):
            self.refer(field, self.named(kind))
        elif not isinstance(kind, w.Leaf):
            self.refer(field, self.box(kind, wanted))
        elif kind.wire == "enum":
            field.type, field.type_name = field.TYPE_ENUM, self.enum(kind, wanted)
        elif w.is_null(kind):
            field.type, field.type_name = field.TYPE_ENUM, f".{proto.NULL}"
            self.depend(proto.NULL)
        elif kind.form in proto.WELL_KNOWN:
            self.depend(kind.form)
            self.refer(field, f".{kind.form}")
        else:
            field.type = getattr(field, f"TYPE_{_scalar(kind).upper()}")

    def refer(self, field: FieldDescriptorProto, name: str) -> None:
        field.type, field.type_name = field.TYPE_MESSAGE, name

    def depend(self, name: str) -> None:
        file = f"google/protobuf/{proto.WELL_KNOWN[name]}.proto"
        if file not in self.file.dependency:
            self.file.dependency.append(file)

    def enum(self, leaf: w.Leaf, wanted: str) -> str:
        """Make an enum inside a separate message, because names of values share the scope of their enum."""
        if leaf.symbols in self.enums:
            return self.enums[leaf.symbols]
        message, _ = self.open(unique_name(f"{wanted}Enum", self.taken))
        made = message.enum_type.add(name="Value")
        # The first number must be 0.
        symbols = sorted(leaf.symbols, key=lambda symbol: symbol[1] != 0)
        if not symbols or symbols[0][1] != 0:
            symbols.insert(0, (proto.free_name("UNSPECIFIED", {name for name, _ in symbols}), 0))
        for name, number in symbols:
            made.value.add(name=name, number=number)
        if len({number for _, number in symbols}) < len(symbols):
            made.options.allow_alias = True
        self.enums[leaf.symbols] = f".{message.name}.Value"
        return self.enums[leaf.symbols]


def _reserve(message: DescriptorProto, numbers: Iterable[int]) -> None:
    for number in numbers:
        message.reserved_range.add(start=number, end=number + 1)


def _words(kind: w.WireType) -> str:
    """Return the comment of a list, map or leaf, for facts that its type does not express."""
    if isinstance(kind, w.Leaf):
        return proto.leaf_words(kind)
    if isinstance(kind, w.WireSequence):
        held = next((words for words, node in proto.COLLECTIONS.items() if isinstance(kind.type, node)), "")
        items = kind.item
        return "; ".join(filter(None, (held, proto.leaf_words(items) if isinstance(items, w.Leaf) else "")))
    if isinstance(kind, w.WireMap) and proto.map_key(kind.key):
        key, value = (
            proto.leaf_words(part) if isinstance(part, w.Leaf) else "" for part in (kind.key, kind.value)
        )
        return "; ".join(filter(None, (key and f"keys: {key}", value and f"values: {value}")))
    return ""


def _required(kind: w.WireType) -> bool:
    return isinstance(kind, w.Leaf) and kind.form.startswith("required")


def _scalar(leaf: w.Leaf) -> str:
    """Return the scalar type that a leaf is written as."""
    form = leaf.form.removeprefix("required").strip()
    if form in proto.SCALARS and proto.SCALARS[form].wire == leaf.wire:
        return form
    match leaf.wire:
        case "bool":
            return "bool"
        case "int":
            return f"int{leaf.bits}"
        case "float":
            return "float" if leaf.bits == 32 else "double"
        case "text":
            return "string"
        case "bytes" | "any":
            return "bytes"
        case "date":
            return "int32"
    return "int64"


def _entry(name: str) -> str:
    """Return the name that protobuf requires for the message of a map's entries, given the field's name."""
    return f"{proto.camel(f'_{name}')}Entry"


def _json_names(slots: Iterable[w.WireField]) -> dict[str, str]:
    """Return keys that are valid JSON names of fields, by the names of those fields."""
    slots, made = tuple(slots), {}
    taken = {proto.camel(name).lower() for slot in slots for name in (slot.name, slot.null_name)}
    for slot in slots:
        key = slot.key
        if isinstance(key, str) and key != slot.name and _can_be_json_name(key) and key.lower() not in taken:
            made[slot.name] = key
            taken.add(key.lower())
    return made


def _can_be_json_name(key: str) -> bool:
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return bool(key) and "\0" not in key and not (key.startswith("[") and key.endswith("]"))
