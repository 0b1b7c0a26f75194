"""Protocol Buffers: proto3 text and descriptors, written from a layout; both, and proto2, read.

Values that the wire cannot express are wrapped in messages. A list or map has one around it if the place also
allows None, another list or a missing value, and so has each item that may be None. An option of a union is a
field of a ``oneof``. Maps whose keys are not integers, bools or text are pairs. Comments of fixed wording
express the facts that proto cannot: that None is meant and not a missing field, that a count is a time, that
a message is a wrapper. They are read back. Without them, a file is read as any other program would read it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from collections.abc import Sequence as Many
from dataclasses import replace
from typing import TYPE_CHECKING

from ....codecs.paths import step
from ...tree import types as t
from ...tree.declare import SchemaError
from .. import layout as w
from . import proto_words as proto
from .proto_file import file_of
from .proto_sets import OWN, chosen_message, file_set, is_compiled, pool_of
from .proto_text import WRITTEN, text

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor
    from google.protobuf.descriptor_pb2 import DescriptorProto

_FIRST = (0,)
_READ_FROM = "The record, in the file that it was read from, is message"
_DEEPEST = 100
"""Levels of messages in a definition, counting each message at its first place."""


def write(layout: w.Layout) -> bytes:
    """Return the ``.proto`` file of a layout."""
    lines = [*text(file_of(layout))]
    if layout.index != _FIRST:
        lines += ["", f"// {_READ_FROM} {'.'.join(map(str, layout.index))}"]
    return "\n".join(lines).encode() + b"\n"


def read(data: bytes, name: str, part: str = "", *, include: Many[str | os.PathLike[str]] = ()) -> w.Layout:
    """Return the layout of a ``.proto`` file, a compiled descriptor set or the descriptor of one file.

    Fields that may be unset may be missing in a record. Wrappers and `Timestamp` of ``google.protobuf`` are
    read as their values.

    Args:
        data: The file. Of a set, the last file is read, which is the main one in sets by `protoc`.
        name: Name of the file, see `compiled`.
        part: Name of the record's message, with or without its package. A nested message has the name of the
            outer message before it (``Span.Event``). By default, the message that no other contains.
        include: Folders to search first for imports.

    Raises:
        UsageError: protobuf is not installed, there is no compiler for ``.proto`` text, or no such message or
            folder.
        SchemaError: The file is not a definition, or has a group.
    """
    found = file_set(data, name, include)
    # Records may contain one another, so only the place identifies our record.
    first = found.file[-1].message_type[0].name if data.startswith(WRITTEN) else ""
    message, chosen = chosen_message(found, pool_of(found, name), part or first, name)
    comments: dict[str, str] = {}
    for each in found.file:
        by_path = proto.comments_of(each)
        package = f"{each.package}." if each.package else ""
        for i, own in enumerate(each.message_type):
            comments.update(_comments_by_name(own, package, (4, i), by_path))
    root = _Reader(comments).message(message, "$")
    # A reader who only gets the text must find the same message in it, with all its parts.
    whole = not part and all(file.startswith(OWN) for file in found.file[-1].dependency)
    kept = data if whole and not is_compiled(data, name) else b""
    return w.Layout(root, "protobuf", kept, chosen, _index(message, data))


def _index(message: Descriptor, data: bytes) -> tuple[int, ...]:
    """Return the index of a message in its file, or in the file that ours was made from."""
    index: list[int] = []
    while (around := message.containing_type) is not None:
        index.insert(0, list(around.nested_types).index(message))
        message = around
    index.insert(0, list(message.file.message_types_by_name.values()).index(message))
    if tuple(index) == _FIRST and data.startswith(WRITTEN):
        last = data.rstrip().rpartition(b"\n")[2].decode(errors="replace")
        if found := re.fullmatch(rf"// {_READ_FROM} (\d{{1,9}}(?:\.\d{{1,9}})*)", last):
            return tuple(map(int, found[1].split(".")))
    return tuple(index)


def _comments_by_name(
    message: DescriptorProto, package: str, path: tuple[int, ...], by_path: dict[tuple[int, ...], str]
) -> Iterator[tuple[str, str]]:
    name = package + message.name
    yield name, by_path.get(path, "")
    for i, field in enumerate(message.field):
        yield f"{name}.{field.name}", by_path.get((*path, 2, i), "")
    for i, nested in enumerate(message.nested_type):
        yield from _comments_by_name(nested, f"{name}.", (*path, 3, i), by_path)


class _Reader:
    def __init__(self, comments: dict[str, str]) -> None:
        self.comments = comments
        self.made: dict[str, w.WireType] = {}
        self.names: set[str] = set()
        self.above: dict[str, w.Ref | None] = {}
        self.references = 0

    def said(self, of: Descriptor | FieldDescriptor) -> str:
        return self.comments.get(of.full_name, "")

    def message(self, message: Descriptor, path: str) -> w.WireType:
        full = message.full_name
        if full in self.above:
            if (ref := self.above[full]) is None:
                raise SchemaError(path, f"{full} is a value that contains itself, not a record")
            self.references += 1
            return ref
        if full in self.made:
            self.references += isinstance(self.made[full], w.Ref)
            return self.made[full]
        if len(self.above) > _DEEPEST:
            raise SchemaError(path, f"messages are nested more than {_DEEPEST} deep")
        self.above[full], before = None, self.references
        made = self.inside(message, path)
        ref = self.above.pop(full)
        # A message with references is laid out once. Repeated in each place, it would grow without end.
        self.made[full] = made if ref is None or self.references == before else ref
        return made

    def name(self, message: Descriptor, before: str = "") -> str:
        """Return a name for a message that is unique in the layout."""
        name: str = before + message.name
        if name in self.names:
            name = message.full_name.replace(".", "_")
        name = proto.free_name(name, self.names)
        self.names.add(name)
        return name

    def inside(self, message: Descriptor, path: str) -> w.WireType:
        if message.GetOptions().message_set_wire_format:
            raise SchemaError(path, f"message {message.full_name} is a MessageSet: no names")
        said, fields = self.said(message), list(message.fields)
        if said == proto.BOX and [field.name for field in fields] == [proto.VALUE]:
            return self.slot(fields[0], path).kind
        name, reserved = self.name(message), _reserved(message)
        if said == proto.CHOICE and len({field.containing_oneof for field in fields}) == 1:
            return w.WireUnion(
                name, tuple(self.option(field, i, path) for i, field in enumerate(fields)), reserved
            )
        if said != proto.TUPLE:
            self.above[message.full_name] = within = w.Ref(name, t.RefType(name))
        bits = {
            words: field.number
            for field in fields
            if field.name == f"null_{field.number}" and (words := self.said(field)).startswith("whether ")
        }
        slots = [
            self.slot(field, path, bits.get(proto.null_words(field.name), 0))
            for field in fields
            if field.number not in bits.values()
        ]
        if said == proto.TUPLE:
            slots = [replace(slot, key=i) for i, slot in enumerate(slots)]
            places = tuple(w.types_of(slot.kind) for slot in slots)
            return w.WireRecord(name, tuple(slots), t.TupleType(places), reserved)
        made = tuple(t.Field(str(slot.key), w.types_of(slot.kind), slot.required) for slot in slots)
        within.type.bind(types := t.RecordType(name, made))
        return w.WireRecord(name, tuple(slots), types, reserved)

    def option(self, field: FieldDescriptor, i: int, path: str) -> w.WireField:
        return w.WireField(
            i, field.name, field.number, self.item(field, path + step(field.name), self.said(field))
        )

    def slot(self, field: FieldDescriptor, path: str, null: int = 0) -> w.WireField:
        words = self.said(field)
        said = proto.KEY.sub("", words)
        has = said.split("; ")
        kind = self.kind(field, path + step(field.name), said)
        nullable = proto.NONE in has or bool(null)
        if nullable and not isinstance(kind, w.Nullable) and not w.is_null(kind):
            kind = w.Nullable(kind)
        always = not field.has_presence or field.is_required or proto.ALWAYS in has or proto.NONE in has
        required = always and not null and proto.MISSING not in has
        one = field.containing_oneof
        among = one.name if one is not None and one.name != f"_{field.name}" else ""
        filled = "protobuf" if required and not field.has_presence else ""
        return w.WireField(_key(field, words), field.name, field.number, kind, required, null, among, filled)

    def kind(self, field: FieldDescriptor, path: str, said: str) -> w.WireType:
        entry = field.message_type
        if not field.is_repeated:
            return self.item(field, path, said)
        if entry is not None and entry.GetOptions().map_entry:
            words = dict(part.split(": ", 1) for part in said.split("; ") if ": " in part)
            key, value = entry.fields_by_name["key"], entry.fields_by_name[proto.VALUE]
            keys = self.item(key, path + "{key}", words.get("keys", ""))
            values = self.item(value, path + "{}", words.get("values", ""))
            return w.WireMap(keys, values, self.name(entry, field.full_name.split(".")[-2]))
        item = self.item(field, path + "[]", said)
        if entry is not None and self.said(entry) == proto.PAIR and isinstance(item, w.WireRecord):
            keys, values = (slot.kind for slot in item.slots)
            return w.WireMap(keys, values, item.name)
        held = next(
            (node for words, node in proto.COLLECTIONS.items() if words in said.split("; ")), t.ListType
        )
        return w.WireSequence(item, held(w.types_of(item)))

    def item(self, field: FieldDescriptor, path: str, said: str) -> w.WireType:
        """Return the kind of a field's single value."""
        has = said.split("; ")
        required = field.is_required or (field.has_presence and proto.ALWAYS in has)
        if field.type == field.TYPE_GROUP:
            raise SchemaError(path, "groups are not supported; use a message")
        if (message := field.message_type) is not None:
            full = message.full_name
            if full == proto.TIMESTAMP:
                return w.Leaf("timestamp", t.DateTimeType(aware=True), form=full)
            if full in proto.WRAPPERS:
                return replace(proto.SCALARS[proto.WRAPPERS[full]], form=full)
            return self.message(message, path)
        if (enum := field.enum_type) is not None:
            # With presence, as in `google.protobuf.Value`, being set is the value.
            null = enum.full_name == proto.NULL and not field.has_presence
            if null:
                return w.Leaf("null", t.NoneType())
            symbols = tuple((value.name, value.number) for value in enum.values)
            node = t.LiteralType(tuple(name for name, _ in symbols))
            return w.Leaf("enum", node, symbols=symbols, form="required enum" if required else "")
        if (known := next((proto.COUNTS[words] for words in has if words in proto.COUNTS), None)) is not None:
            return known
        scalar = proto.descriptors().FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
        return (
            replace(proto.SCALARS[scalar], form=f"required {scalar}") if required else proto.SCALARS[scalar]
        )


def _key(field: FieldDescriptor, words: str) -> str:
    """Return the key of a field: from its comment if the key is not a valid name, or else its JSON name."""
    if found := proto.KEY.search(words):
        return str(json.loads(found[1]))
    made = field.name == f"field_{field.number}" and field.json_name != proto.camel(field.name)
    return field.json_name if made else field.name


def _reserved(message: Descriptor) -> tuple[int, ...]:
    """Return the reserved numbers. Ranges of more than 100 are skipped: they are for planned fields."""
    described = proto.descriptors().DescriptorProto()
    message.CopyToProto(described)
    ranges = (range(held.start, held.end) for held in described.reserved_range)
    return tuple(number for held in ranges if len(held) <= 100 for number in held)
