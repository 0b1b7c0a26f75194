"""Write the text of a `.proto` file from its descriptor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from .proto_words import SCALARS, comments_of

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto

WRITTEN = b"// Written by bakeoff."
"""Start of the files that we write; the record is their first message."""

_KEYWORDS = frozenset(
    {
        "syntax", "edition", "import", "weak", "public", "option", "package", "message", "enum", "oneof",
        "map", "repeated", "optional", "required", "group", "extensions", "extend", "reserved", "to", "max",
        "service", "rpc", "returns", "stream", "true", "false", "inf", "nan", "export", "local",
    }
)  # fmt: skip


def text(file: FileDescriptorProto) -> Iterator[str]:
    """Yield the lines of a ``.proto`` file."""
    comments = comments_of(file)
    yield f"{WRITTEN.decode()} Never change the numbers; names and comments are not on the wire."
    yield 'syntax = "proto3";'
    if file.dependency:
        yield ""
    yield from (f'import "{name}";' for name in file.dependency)
    for i, message in enumerate(file.message_type):
        yield ""
        yield from _message_text(message, (4, i), comments)


def _message_text(
    message: DescriptorProto, path: tuple[int, ...], comments: dict[tuple[int, ...], str]
) -> Iterator[str]:
    if words := comments.get(path):
        yield f"// {words}"
    yield f"message {message.name} {{"
    hidden = {nested.name for nested in message.nested_type}
    maps = {f".{message.name}.{nested.name}": nested for nested in message.nested_type}
    for enum in message.enum_type:
        yield f"  enum {enum.name} {{"
        if enum.options.allow_alias:
            yield "    option allow_alias = true;"
        yield from (f"    {value.name} = {value.number};" for value in enum.value)
        yield "  }"
    if numbers := [held.start for held in message.reserved_range]:
        yield f"  reserved {', '.join(map(str, numbers))};"
    opened = -1
    for i, field in enumerate(message.field):
        one = field.oneof_index if field.HasField("oneof_index") and not field.proto3_optional else -1
        if one != opened:
            if opened >= 0:
                yield "  }"
            if one >= 0:
                yield f"  oneof {message.oneof_decl[one].name} {{"
            opened = one
        words = comments.get((*path, 2, i))
        indent = "    " if one >= 0 else "  "
        yield f"{indent}{_field_text(field, maps, hidden)};{f'  // {words}' if words else ''}"
    if opened >= 0:
        yield "  }"
    yield "}"


def _field_text(field: FieldDescriptorProto, maps: dict[str, DescriptorProto], hidden: Set[str]) -> str:
    if entry := maps.get(field.type_name):
        kind = f"map<{_type_text(entry.field[0], hidden)}, {_type_text(entry.field[1], hidden)}>"
    else:
        label = "repeated " if field.label == field.LABEL_REPEATED else ""
        kind = f"{'optional ' if field.proto3_optional else label}{_type_text(field, hidden)}"
    options = f" [json_name = {_quoted(field.json_name)}]" if field.HasField("json_name") else ""
    return f"{kind} {field.name} = {field.number}{options}"


def _type_text(field: FieldDescriptorProto, hidden: Set[str]) -> str:
    if not field.type_name:
        return type(field).Type.Name(field.type).removeprefix("TYPE_").lower()
    name = field.type_name.removeprefix(".")
    # With a leading dot it is a name, and the name of another message in this file.
    first = name.partition(".")[0]
    return field.type_name if first in _KEYWORDS or first in SCALARS or first in hidden else name


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\{ord(match[0]):03o}", escaped) + '"'
