"""Schemas for readers: what a worker gets, and what Python's library reads by the same schema."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ...codecs import codec as made_by_name

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    from ...schemas.schema import Schema

FORMATS = ("avro", "protobuf")
"""Formats whose schema workers get."""


@dataclass(frozen=True, slots=True)
class ReaderSchema:
    """The schema of payloads.

    Attributes:
        text: Avro: the schema as JSON. Protocol Buffers: a `FileDescriptorSet` in base64. Others: a JSON
            Schema.
        message: Full name of the message in it, for Protocol Buffers.
        head: Bytes before what libraries read, such as the fingerprint of an Avro single object.
        decode: Python's generic reading by this schema: fastavro's, or a message and its fields. None if
            Python needs none.
    """

    text: str
    message: str = ""
    head: int = 0
    decode: Callable[[bytes], Any] | None = None

    def fields(self) -> dict[str, str]:
        """Return the part of a message to a worker."""
        return {"text": self.text, "message": self.message}


def reader_schema(codec: str, schema: Schema) -> ReaderSchema:
    """Return what workers get of a schema.

    Args:
        codec: Name of a codec that writes one of `FORMATS`, without schema and compression.
        schema: The schema of the records.
    """
    made = made_by_name(codec).with_schema(schema)
    assert made.bound is not None
    return (_protobuf if made.format == "protobuf" else _avro)(schema, made.bound.head)


def json_schema(schema: Schema) -> ReaderSchema:
    """Return what workers get to make types of their language."""
    return ReaderSchema(schema.definition("json-schema").decode())


def _avro(schema: Schema, head: int) -> ReaderSchema:
    from fastavro import parse_schema, schemaless_reader

    text = schema.binding("avro").definition
    parsed = parse_schema(json.loads(text))
    return ReaderSchema(text, "", head, lambda body: schemaless_reader(BytesIO(body), parsed, None))


def _protobuf(schema: Schema, head: int) -> ReaderSchema:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    message = schema.binding("protobuf").type
    files = FileDescriptorSet()
    _add(files, message.DESCRIPTOR.file)
    text = b64encode(files.SerializeToString()).decode()
    name = message.DESCRIPTOR.full_name
    return ReaderSchema(text, name, head, lambda body: _fields(message.FromString(body)))


def _add(files: FileDescriptorSet, file: FileDescriptor) -> None:
    """Add a file, after those that it imports."""
    if all(known.name != file.name for known in files.file):
        for needed in file.dependencies:
            _add(files, needed)
        file.CopyToProto(files.file.add())


def _fields(message: Any) -> dict[str, Any]:
    """Return the fields of a message: those that are set, and those that have a default instead."""
    return {
        field.name: _plain(field, getattr(message, field.name))
        for field in message.DESCRIPTOR.fields
        if not field.has_presence or message.HasField(field.name)
    }


def _plain(field: Any, value: Any) -> Any:
    if field.message_type is None:
        return list(value) if field.is_repeated else value
    if field.message_type.GetOptions().map_entry:
        inner = field.message_type.fields_by_name["value"]
        return {key: _plain(inner, each) for key, each in value.items()}
    return [_fields(each) for each in value] if field.is_repeated else _fields(value)
