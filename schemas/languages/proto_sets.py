"""Descriptors of the files that somebody gives: compiled ones, and text where there is a compiler."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError, hint, near
from ..declare import SchemaError
from .proto_words import descriptors

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

__all__ = ["chosen_message", "file_set", "is_compiled", "pool_of"]


def is_compiled(data: bytes, name: str) -> bool:
    """Whether a definition is no text: a descriptor begins with a length, or a control character."""
    return not name.endswith(".proto") and any(byte < 32 and byte not in b"\t\r\n" for byte in data)


def file_set(data: bytes, name: str) -> FileDescriptorSet:
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
    return _compiled(data, name)


def _compiled(data: bytes, name: str) -> FileDescriptorSet:
    """Compile ``.proto`` text with whatever compiler is at hand."""
    path = Path(name)
    if find_spec("grpc_tools") is not None:
        compiler = [sys.executable, "-P", "-m", "grpc_tools.protoc"]
        roots = [str(resources.files("grpc_tools").joinpath("_proto"))]
    elif (found := shutil.which("protoc")) is not None:
        compiler, roots = [found], []
    else:
        out = path.with_suffix(".desc").name
        raise UsageError(
            f"nothing compiles {name} here; pip install grpcio-tools, or give what a compiler made of it: "
            f"protoc --include_imports --include_source_info -o {out} {path.name}"
        )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "in", path.name if path.suffix == ".proto" else "record.proto")
        source.parent.mkdir()
        source.write_bytes(data)
        target = Path(folder, "out.desc")
        beside = [str(path.parent.resolve())] if path.parent.is_dir() else []
        ended = subprocess.run(
            [
                *compiler,
                *(f"-I{root}" for root in (source.parent, *beside, *roots)),
                "--include_imports",
                "--include_source_info",
                f"--descriptor_set_out={target}",
                source.name,
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if ended.returncode:
            said = ended.stderr.replace(f"{source.parent}/", "").strip()
            raise SchemaError("$", f"{name} does not compile: {said}")
        made: FileDescriptorSet = descriptors().FileDescriptorSet.FromString(target.read_bytes())
    return made


def pool_of(found: FileDescriptorSet, name: str) -> Any:
    """Return a pool of all files of a set, and of protobuf's own that they import."""
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
        raise SchemaError("$", f"{name} is no valid definition: {error}") from error
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


def chosen_message(messages: Any, wanted: str, name: str) -> Descriptor:
    """Return the message that is the record."""
    if wanted:
        if wanted.split(".")[-1] not in messages:
            alike = hint(near(wanted, messages), f"it has {', '.join(messages)}")
            raise UsageError(f"{name} has no message {wanted!r}; {alike}")
        chosen: Descriptor = messages[wanted.split(".")[-1]]
        return chosen
    held = {
        kind.full_name
        for message in messages.values()
        for each in _with_nested(message)
        for field in each.fields
        if (kind := field.message_type or (field.enum_type and field.enum_type.containing_type)) is not None
        and kind.full_name != message.full_name
    }
    free: list[Descriptor] = [message for message in messages.values() if message.full_name not in held]
    if not free and messages:
        # All hold one another: the first is the record where no other one holds it but as a part of itself.
        first: Descriptor = next(iter(messages.values()))
        within = _held_by(first)
        if all(message.full_name in within for message in messages.values()):
            return first
    if len(free) == 1:
        return free[0]
    listed = ", ".join(message.name for message in free or messages.values()) or "none"
    raise SchemaError(
        "$",
        f"{name} has more than one message that could be the record ({listed}); name it: "
        "Schema.from_proto(data, name, message=...)"
        if messages
        else f"{name} has no message",
    )


def _held_by(message: Descriptor) -> set[str]:
    """Return the names of all messages that one holds, through whatever others."""
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
