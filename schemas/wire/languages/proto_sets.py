"""Read descriptors of given files, and find the message that is the record."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...tree.declare import SchemaError
from ..layout import Chosen
from .parts import choose, unknown
from .proto_compiler import compiled
from .proto_words import descriptors

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

OWN = "google/protobuf/"
"""Folder of the files that are part of protobuf, and are always found."""


def is_compiled(data: bytes, name: str) -> bool:
    """Return whether a definition is not text: a descriptor begins with a length, or a control character."""
    return not name.endswith(".proto") and any(byte < 32 and byte not in b"\t\r\n" for byte in data)


def file_set(data: bytes, name: str, include: Sequence[str | os.PathLike[str]] = ()) -> FileDescriptorSet:
    """Return the files of a definition, imported files first; for text see `compiled`.

    Raises:
        SchemaError: It is not a definition, or does not compile.
        UsageError: There is no compiler, or no such folder.
    """
    pb = descriptors()
    if not name.endswith(".proto"):
        from google.protobuf.message import DecodeError

        for as_set in (True, False):
            made: FileDescriptorSet = pb.FileDescriptorSet()
            try:
                (made if as_set else made.file.add()).MergeFromString(data)
            except DecodeError:
                continue
            if made.file and all(each.name and each.message_type for each in made.file[-1:]):
                return made
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if "message" not in text:
        raise SchemaError("$", f"{name} is neither a descriptor set nor the text of a .proto file")
    return compiled(data, name, include)


def pool_of(found: FileDescriptorSet, name: str) -> Any:
    """Return a pool of all files of a set, and of protobuf's own files that they import."""
    from google.protobuf.descriptor_pool import DescriptorPool

    pool, given = DescriptorPool(), {file.name: file for file in found.file}
    added: set[str] = set()

    def add(file: FileDescriptorProto) -> None:
        if file.name in added:
            return
        added.add(file.name)
        for needed in file.dependency:
            add(given.get(needed) or _well_known_file(needed, name))
        pool.AddSerializedFile(file.SerializeToString())

    try:
        for file in found.file:
            add(file)
    except (TypeError, RecursionError) as error:
        raise SchemaError("$", f"{name} is not a valid definition: {error}") from error
    return pool


def _well_known_file(needed: str, name: str) -> FileDescriptorProto:
    made: FileDescriptorProto = descriptors().FileDescriptorProto()
    stem = re.fullmatch(r"google/protobuf/(\w+)\.proto", needed)
    try:
        if stem is None:
            raise ModuleNotFoundError
        module = importlib.import_module(f"google.protobuf.{stem[1]}_pb2")
    except ModuleNotFoundError:
        raise SchemaError(
            "$", f"{name} imports {needed}, which is not in it; compile with protoc --include_imports"
        ) from None
    module.DESCRIPTOR.CopyToProto(made)
    return made


def chosen_message(
    found: FileDescriptorSet, pool: Any, wanted: str, name: str
) -> tuple[Descriptor, Chosen | None]:
    """Return the message that is the record, and the reason for the choice if the caller named none.

    Raises:
        UsageError: There is no message of that name.
        SchemaError: No message is named, and several are possible.
    """
    file = found.file[-1]
    messages: list[Descriptor] = list(pool.FindFileByName(file.name).message_types_by_name.values())
    if wanted:
        known = {each.full_name: each for each in _every(found, pool)}
        inside = f"{file.package}." if file.package else ""
        full = next((full for full in (inside + wanted, wanted) if full in known), None)
        if full is None:
            alike = [each for each in known if each.endswith(f".{wanted}")]
            if len(alike) != 1:
                raise unknown(wanted, [each.removeprefix(inside) for each in known], name, "message")
            full = alike[0]
        return known[full], None
    held = {
        kind.name
        for message in messages
        for each in _with_nested(message)
        for field in each.fields
        if (kind := field.message_type or (field.enum_type and field.enum_type.containing_type)) is not None
        and kind.full_name != message.full_name
        and kind.containing_type is None
        and kind.file.name == file.name
    }
    names = [message.name for message in messages]
    if (
        len(names) > 1
        and held.issuperset(names)
        and {message.full_name for message in messages} <= _held_by(messages[0])
    ):
        remark = f"{name}: message {names[0]}, the first in a circle of messages, is used as the record"
        return messages[0], Chosen(f"{remark}; {name}#{names[1]} selects another", tuple(names[1:]))
    chosen, why = choose(names, held, name, "message")
    return pool.FindFileByName(file.name).message_types_by_name[chosen], why


def _every(found: FileDescriptorSet, pool: Any) -> Iterator[Descriptor]:
    """Yield all messages of a set, the last file's first, without entries of maps."""
    for file in reversed(found.file):
        for message in pool.FindFileByName(file.name).message_types_by_name.values():
            yield from (each for each in _with_nested(message) if not each.GetOptions().map_entry)


def _held_by(message: Descriptor) -> set[str]:
    """Return the names of all messages that a message contains, directly or indirectly."""
    found: set[str] = set()
    left = [message]
    while left:
        for field in left.pop().fields:
            if field.message_type is not None and field.message_type.full_name not in found:
                found.add(field.message_type.full_name)
                left.append(field.message_type)
    return found


def _with_nested(message: Descriptor) -> Iterator[Descriptor]:
    yield message
    for nested in message.nested_types:
        yield from _with_nested(nested)
