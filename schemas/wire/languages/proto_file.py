"""The descriptor of the file that defines a layout, with its comments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

from ..layout import (
    Layout,
    Leaf,
    Nullable,
    Ref,
    WireField,
    WireMap,
    WireRecord,
    WireSequence,
    WireType,
    WireUnion,
    capitals,
    is_null,
    opened,
    unique_name,
)
from .proto_words import (
    ALWAYS,
    BOX,
    CHOICE,
    COLLECTIONS,
    MISSING,
    NONE,
    NULL,
    PAIR,
    SCALARS,
    TUPLE,
    VALUE,
    WELL_KNOWN,
    boxed_slot,
    camel,
    descriptors,
    free_name,
    leaf_words,
    map_key,
    null_words,
)

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto

__all__ = ["file_of"]


def file_of(layout: Layout) -> FileDescriptorProto:
    """Return the descriptor of a layout's file, with its comments; its first message is the record's.

    Raises:
        UsageError: protobuf is not installed.
    """
    return _Builder(layout).file


class _Builder:
    def __init__(self, layout: Layout) -> None:
        self.pb = descriptors()
        self.file: FileDescriptorProto = self.pb.FileDescriptorProto(name="record.proto", syntax="proto3")
        self.made: dict[str, str] = {}
        self.enums: dict[tuple[tuple[str, int], ...], str] = {}
        self.taken = layout.names()
        root = layout.root
        if isinstance(root, (WireRecord, WireUnion)):
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

    def named(self, kind: WireRecord | WireUnion) -> str:
        if kind.name not in self.made:
            self.made[kind.name] = f".{kind.name}"
            if isinstance(kind, WireRecord):
                self.record(kind)
            else:
                self.choice(kind)
        return self.made[kind.name]

    def record(self, kind: WireRecord) -> None:
        message, path = self.open(kind.name, TUPLE if kind.places else "")
        for name in dict.fromkeys(slot.among for slot in kind.slots if slot.among):
            message.oneof_decl.add(name=name)
        names, in_json = {slot.name for slot in kind.slots}, _json_names(kind.slots)
        for slot in kind.slots:
            self.slot(message, path, slot, in_json.get(slot.name, ""), names)
            if slot.null:
                bit = self.add(message, path, slot.null_name, slot.null, [null_words(slot.name)])
                bit.type = bit.TYPE_BOOL
        _reserve(message, kind.reserved)

    def choice(self, kind: WireUnion) -> None:
        message, path = self.open(kind.name, CHOICE)
        message.oneof_decl.add(name=free_name(VALUE, {option.name for option in kind.options}))
        for option in kind.options:
            field = self.add(message, path, option.name, option.number, [_words(option.kind)])
            field.oneof_index = 0
            self.item(field, option.kind, kind.name + capitals(option.name))
        _reserve(message, kind.reserved)

    def box(self, kind: WireType, wanted: str) -> str:
        """Make the message that stands for a value."""
        message, path = self.open(unique_name(wanted, self.taken), BOX)
        self.slot(message, path, WireField(VALUE, VALUE, 1, kind))
        return f".{message.name}"

    def pair(self, kind: WireMap) -> str:
        if kind.name not in self.made:
            self.made[kind.name] = f".{kind.name}"
            message, path = self.open(kind.name, PAIR)
            self.slot(message, path, WireField("key", "key", 1, kind.key))
            self.slot(message, path, WireField(VALUE, VALUE, 2, kind.value))
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
        slot: WireField,
        json_name: str = "",
        names: Set[str] = frozenset(),
    ) -> None:
        inner = slot.kind.kind if isinstance(slot.kind, Nullable) else slot.kind
        nullable, boxed = isinstance(slot.kind, Nullable), boxed_slot(slot)
        repeated = not boxed and isinstance(inner, (WireSequence, WireMap))
        well_known = isinstance(inner, Leaf) and inner.form in WELL_KNOWN
        present = isinstance(inner, (WireRecord, Ref, WireUnion)) or well_known or _required(inner)
        said = [NONE] if nullable and not slot.null else []
        if nullable and not slot.null and not slot.required:
            said.append(MISSING)
        if present and slot.required and not nullable:
            said.append(ALWAYS)
        if not boxed:
            said.append(_words(inner))
        if isinstance(slot.key, str) and slot.key != slot.name:
            said.append(f"key {json.dumps(slot.key)}")
        field = self.add(message, path, slot.name, slot.number, said)
        if json_name:
            field.json_name = json_name
        optional = not repeated and (nullable or not slot.required) and not is_null(inner)
        if slot.among:
            field.oneof_index = [each.name for each in message.oneof_decl].index(slot.among)
        elif optional or _required(inner):
            field.proto3_optional = True
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{slot.name}")
        wanted = message.name + capitals(slot.name)
        if boxed:
            self.refer(field, self.box(inner, wanted))
        elif isinstance(inner, WireSequence):
            field.label = field.LABEL_REPEATED
            self.item(field, inner.item, f"{wanted}Item")
        elif isinstance(inner, WireMap):
            field.label = field.LABEL_REPEATED
            if map_key(inner.key) and _entry(slot.name) not in names:
                self.map(message, field, inner, wanted)
            else:
                self.refer(field, self.pair(inner))
        else:
            self.item(field, inner, wanted)

    def map(self, message: DescriptorProto, field: FieldDescriptorProto, kind: WireMap, wanted: str) -> None:
        entry = message.nested_type.add(name=_entry(field.name))
        entry.options.map_entry = True
        one = self.pb.FieldDescriptorProto.LABEL_OPTIONAL
        self.item(entry.field.add(name="key", number=1, label=one), kind.key, wanted)
        self.item(entry.field.add(name=VALUE, number=2, label=one), kind.value, f"{wanted}Item")
        self.refer(field, f".{message.name}.{entry.name}")

    def item(self, field: FieldDescriptorProto, kind: WireType, wanted: str) -> None:
        """Give a field the type of what stands there once."""
        kind = opened(kind)
        if isinstance(kind, (WireRecord, WireUnion)):
            self.refer(field, self.named(kind))
        elif not isinstance(kind, Leaf):
            self.refer(field, self.box(kind, wanted))
        elif kind.wire == "enum":
            field.type, field.type_name = field.TYPE_ENUM, self.enum(kind, wanted)
        elif is_null(kind):
            field.type, field.type_name = field.TYPE_ENUM, f".{NULL}"
            self.depend(NULL)
        elif kind.form in WELL_KNOWN:
            self.depend(kind.form)
            self.refer(field, f".{kind.form}")
        else:
            field.type = getattr(field, f"TYPE_{_scalar(kind).upper()}")

    def refer(self, field: FieldDescriptorProto, name: str) -> None:
        field.type, field.type_name = field.TYPE_MESSAGE, name

    def depend(self, name: str) -> None:
        file = f"google/protobuf/{WELL_KNOWN[name]}.proto"
        if file not in self.file.dependency:
            self.file.dependency.append(file)

    def enum(self, leaf: Leaf, wanted: str) -> str:
        """Make an enum; in a message of its own, as the names of its values stand beside it."""
        if leaf.symbols in self.enums:
            return self.enums[leaf.symbols]
        message, _ = self.open(unique_name(f"{wanted}Enum", self.taken))
        made = message.enum_type.add(name="Value")
        # The first must be 0.
        symbols = sorted(leaf.symbols, key=lambda symbol: symbol[1] != 0)
        if not symbols or symbols[0][1] != 0:
            symbols.insert(0, (free_name("UNSPECIFIED", {name for name, _ in symbols}), 0))
        for name, number in symbols:
            made.value.add(name=name, number=number)
        if len({number for _, number in symbols}) < len(symbols):
            made.options.allow_alias = True
        self.enums[leaf.symbols] = f".{message.name}.Value"
        return self.enums[leaf.symbols]


def _reserve(message: DescriptorProto, numbers: Iterable[int]) -> None:
    for number in numbers:
        message.reserved_range.add(start=number, end=number + 1)


def _words(kind: WireType) -> str:
    """Return what is to be said of a list, map or leaf beside its type."""
    if isinstance(kind, Leaf):
        return leaf_words(kind)
    if isinstance(kind, WireSequence):
        held = next((words for words, node in COLLECTIONS.items() if isinstance(kind.type, node)), "")
        items = kind.item
        return "; ".join(filter(None, (held, leaf_words(items) if isinstance(items, Leaf) else "")))
    if isinstance(kind, WireMap) and map_key(kind.key):
        key, value = (leaf_words(part) if isinstance(part, Leaf) else "" for part in (kind.key, kind.value))
        return "; ".join(filter(None, (key and f"keys: {key}", value and f"values: {value}")))
    return ""


def _required(kind: WireType) -> bool:
    return isinstance(kind, Leaf) and kind.form.startswith("required")


def _scalar(leaf: Leaf) -> str:
    """Return the scalar type that a leaf is written as."""
    form = leaf.form.removeprefix("required").strip()
    if form in SCALARS and SCALARS[form].wire == leaf.wire:
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
    """Return the name that protobuf wants for the message of a map's entries, of its field's name."""
    return f"{camel(f'_{name}')}Entry"


def _json_names(slots: Iterable[WireField]) -> dict[str, str]:
    """Return the keys that can be names of fields in JSON, by the names of those fields."""
    slots, made = tuple(slots), {}
    taken = {camel(name).lower() for slot in slots for name in (slot.name, slot.null_name)}
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
