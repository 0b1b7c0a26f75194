"""Our codecs next to Confluent's serializers and deserializers, on its schema registry in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

import bakeoff
from bakeoff import Schema
from bakeoff.bench.versions.records import Maker
from bakeoff.codecs import Codec
from bakeoff.schemas.wire.languages.proto_sets import chosen_message, file_set, pool_of

DATA = Path(__file__).parent / "data"
TRACE = "definitions/opentelemetry-proto/opentelemetry/proto/trace/v1/trace.proto"
COMMON = "definitions/opentelemetry-proto/opentelemetry/proto/common/v1/common.proto"
ERRORS = "definitions/googleapis/google/rpc/error_details.proto"
SCHEMAS = (
    "definitions/avro/Json.avsc",
    "definitions/avro/full_record_v2.avsc",
    "definitions/avro/interop.avsc",
    "definitions/avro/nested_logical_types_record.avsc",
    "definitions/avro/union_and_fixed_fields.avsc",
    "definitions/avro/weather.avsc",
    "definitions/confluent/Payment2b.avsc",
    "definitions/confluent/location.avsc",
    "definitions/confluent/orderenriched.avsc",
    "definitions/cloudevents/cloudevents.avsc",
    "protobuf/order.proto#Order",
    "protobuf/order.proto#Order.Line",
    f"{TRACE}#ResourceSpans",
    f"{TRACE}#Span.Event",
    f"{TRACE}#Span.Link",
    f"{COMMON}#AnyValue",
    f"{COMMON}#InstrumentationScope",
    f"{ERRORS}#RetryInfo",
    f"{ERRORS}#QuotaFailure.Violation",
    "definitions/cloudevents/cloudevents.proto#CloudEvent",
)
"""Twenty definitions: with unions, logical types, recursion, imports, several and nested messages, maps."""
CONTEXT = SerializationContext("orders", MessageField.VALUE)
SUBJECT = "orders-value"
_numbers = itertools.count()


def new_registry() -> Any:
    """Return a client of a new and empty registry."""
    return SchemaRegistryClient.new_client({"url": f"mock://{next(_numbers)}"})


class Peer(NamedTuple):
    """Confluent's calls for the records of one schema, and our codec with the id that the registry gave.

    Attributes:
        codec: Our codec.
        serialize: Their ``(record) -> payload``.
        deserialize: Their ``(payload) -> record``.
    """

    codec: Codec
    serialize: Callable[[Any], bytes]
    deserialize: Callable[[bytes], Any]

    def records(self, count: int) -> Iterator[Any]:
        """Yield random records, the same ones each time."""
        assert isinstance(self.codec.schema, Schema)
        return (Maker(seed).make(self.codec.schema.layout.root) for seed in range(count))


def peer_of(text: str) -> Peer:
    """Return the peer for a file in `DATA`, with the message after a ``#``, on a new registry."""
    name, _, part = text.partition("#")
    return _of_messages(DATA / name, part) if part else avro_peer((DATA / name).read_text(), new_registry())


def avro_peer(text: str, registry: Any) -> Peer:
    """Return the peer for a definition in Avro, which Confluent's serializer registers."""
    write, read = AvroSerializer(registry, text), AvroDeserializer(registry, text)
    schema = Schema.of_definition(text, "avro")
    write(Maker().make(schema.layout.root), CONTEXT)
    return Peer(
        bakeoff.codec("avro/registry", schema=schema).with_schema_id(_registered(registry)),
        lambda record: bytes(write(record, CONTEXT)),
        lambda payload: read(payload, CONTEXT),
    )


def _of_messages(path: Path, part: str) -> Peer:
    from google.protobuf.message_factory import GetMessageClass

    registry = new_registry()
    found = file_set(path.read_bytes(), str(path))
    cls: Any = GetMessageClass(chosen_message(found, pool_of(found, path.name), part, path.name)[0])
    write, read = ProtobufSerializer(cls, registry), ProtobufDeserializer(cls, None, registry)
    write(cls(), CONTEXT)
    schema = Schema.of_definition(found.SerializeToString(), "protobuf", "set.desc", part=part)
    body = bakeoff.codec("protobuf", schema=schema)
    return Peer(
        bakeoff.codec("protobuf/registry", schema=schema).with_schema_id(_registered(registry)),
        lambda record: bytes(write(cls.FromString(body.encode(record)), CONTEXT)),
        lambda payload: body.decode(read(payload, CONTEXT).SerializeToString()),
    )


def _registered(registry: Any) -> int:
    number: int = registry.get_latest_version(SUBJECT).schema_id
    return number
