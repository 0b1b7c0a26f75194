"""Published definitions: read, bound, exported, and payloads exchanged with official libraries."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import bakeoff
from bakeoff import Schema, corpus
from bakeoff.bench.versions.records import Maker
from bakeoff.datasets.schema import schema as named

DATA = Path(__file__).parents[1] / "data" / "definitions"
LANGUAGES = ("avro", "protobuf", "arrow", "thrift", "json-schema")
CODECS = ("avro", "protobuf", "arrow", "thrift", "msgpack")
CHECKS = {
    "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern", "uniqueItems",
}  # fmt: skip
"""What a schema of records does not say."""
RECORDS = 6

OTLP = "opentelemetry-proto/opentelemetry/proto"
GOOGLE = "googleapis/google"
PROTOS = [
    *(f"{OTLP}/trace/v1/trace.proto#{name}" for name in ("TracesData", "ResourceSpans", "Span", "Status")),
    *(f"{OTLP}/common/v1/common.proto#{name}" for name in ("AnyValue", "KeyValue", "InstrumentationScope")),
    f"{OTLP}/logs/v1/logs.proto#LogsData",
    f"{OTLP}/collector/trace/v1/trace_service.proto#ExportTraceServiceRequest",
    f"{GOOGLE}/rpc/status.proto",
    *(f"{GOOGLE}/rpc/error_details.proto#{name}" for name in ("QuotaFailure", "ErrorInfo", "RetryInfo")),
    *(f"{GOOGLE}/type/{name}.proto" for name in ("money", "date", "postal_address")),
    f"{GOOGLE}/logging/type/http_request.proto",
    f"{GOOGLE}/api/monitored_resource.proto#MonitoredResourceMetadata",
    "cloudevents/cloudevents.proto#CloudEvent",
]
AVROS = [
    str(path.relative_to(DATA))
    for folder in ("avro", "confluent", "cloudevents")
    for path in sorted((DATA / folder).glob("*.avsc"))
]
JSONS = [
    "cloudevents/cloudevents.json",
    "octokit/star/created.schema.json",
    "octokit/label/edited.schema.json",
    "octokit/commit_comment/created.schema.json",
    "octokit/common/repository.schema.json",
    "schemastore/kustomization.schema.json",
]


def made(schema: Schema) -> list[Any]:
    return [Maker(seed).make(schema.layout.root) for seed in range(RECORDS)]


@pytest.fixture(params=[*PROTOS, *AVROS, *JSONS])
def schema(request: pytest.FixtureRequest) -> Schema:
    if ".proto" in request.param:
        pytest.importorskip("grpc_tools")
    return named(str(DATA / request.param))


@pytest.mark.slow
def test_all_codecs_carry_its_records(schema: Schema) -> None:
    records = made(schema)
    for name in CODECS:
        codec = bakeoff.codec(name, schema=schema)
        assert [codec.decode(codec.encode(record)) for record in records] == records, name


@pytest.mark.slow
def test_all_languages_say_it(schema: Schema) -> None:
    for language in LANGUAGES:
        definition = schema.definition(language)
        if language != "thrift":
            Schema.of_definition(definition, language)


@pytest.mark.slow
@pytest.mark.parametrize("text", PROTOS)
def test_googles_library_exchanges_payloads(text: str, tmp_path: Path) -> None:
    protoc = pytest.importorskip("grpc_tools.protoc")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    path, _, part = text.partition("#")
    root, inside = path.split("/", 1)
    target = tmp_path / "set.desc"
    own = Path(protoc.__file__).parent / "_proto"
    options = [f"-I{DATA / root}", f"-I{own}", "--include_imports", f"--descriptor_set_out={target}", inside]
    assert protoc.main(["", *options]) == 0
    files = descriptor_pb2.FileDescriptorSet.FromString(target.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)  # type: ignore[no-untyped-call]
    package, messages = files.file[-1].package, files.file[-1].message_type
    kind: Any = message_factory.GetMessageClass(
        pool.FindMessageTypeByName(f"{package}.{part or messages[0].name}")  # type: ignore[no-untyped-call]
    )
    schema = named(str(DATA / text))
    codec = bakeoff.codec("protobuf", schema=schema)
    for record in made(schema):
        message = kind.FromString(codec.encode(record))
        written = message.SerializeToString()
        message.DiscardUnknownFields()
        assert message.SerializeToString() == written
        assert codec.decode(written) == record


@pytest.mark.parametrize("text", AVROS)
def test_fastavro_exchanges_payloads(text: str) -> None:
    fastavro = pytest.importorskip("fastavro")
    theirs = fastavro.parse_schema(json.loads((DATA / text).read_bytes()))
    schema = named(str(DATA / text))
    codec = bakeoff.codec("avro/bare", schema=schema)
    for record in made(schema):
        found = fastavro.schemaless_reader(io.BytesIO(codec.encode(record)), theirs, return_record_name=True)
        file = io.BytesIO()
        fastavro.schemaless_writer(file, theirs, found)
        assert codec.decode(file.getvalue()) == record


@pytest.mark.parametrize("text", JSONS)
def test_validators_take_what_is_written(text: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    from referencing.jsonschema import DRAFT7

    def retrieve(uri: str) -> Any:
        folders = [(DATA / text).parent, *(DATA / text).parents]
        found = next(folder / uri for folder in folders if (folder / uri).is_file())
        return referencing.Resource.from_contents(json.loads(found.read_bytes()), DRAFT7)

    document = json.loads((DATA / text).read_bytes())
    registry = referencing.Registry(retrieve=retrieve)
    validator = jsonschema.validators.validator_for(document)(document, registry=registry)
    schema = named(str(DATA / text))
    codec = bakeoff.codec("json", schema=schema)
    for record in made(schema):
        written = json.loads(codec.encode(record))
        errors = [error for error in validator.iter_errors(written) if error.validator not in CHECKS]
        assert [e.message for e in errors if "valid under each of" not in e.message] == []


def test_a_published_file_brings_its_schema() -> None:
    own = corpus(DATA / "avro" / "weather.avro")
    assert own.schema.layout.root == named(str(DATA / "avro" / "weather.avsc")).layout.root
    codec = bakeoff.codec("protobuf", schema=own.schema)
    records = list(own.records())
    assert len(records) == 5
    assert [codec.decode(codec.encode(record)) for record in records] == records
