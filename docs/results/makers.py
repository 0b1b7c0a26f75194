"""Make files of records from files of an archive; data.toml names a function where one is needed.

Each takes the members by name and returns files by name. Same members, same bytes.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

Files = Mapping[str, bytes]

_SPANS = 300
"""Records of `spans`."""


def projects(members: Files) -> Files:
    """Return the projects, whose number in the file is their key."""
    return {"projects.jsonl": _lines(_only(members).values())}


def webhooks(members: Files) -> Files:
    """Return the payloads of all events."""
    return {"webhooks.jsonl": _lines(each for event in _only(members) for each in event["examples"])}


def features(members: Files) -> Files:
    """Return the web APIs, each below its name."""
    return {"features.jsonl": _lines({name: api} for name, api in _only(members)["api"].items())}


def climate(members: Files) -> Files:
    """Return the hours as an Avro file."""
    import fastavro

    (text,) = members.values()
    hour = {"type": "long", "logicalType": "timestamp-millis"}
    kinds: dict[str, Any] = {"date": hour, "pressure": "double", "temperature": "double", "wind": "double"}
    schema = {
        "type": "record",
        "name": "Hour",
        "fields": [{"name": name, "type": kind} for name, kind in kinds.items()],
    }
    rows = [
        {"date": dt.datetime.fromisoformat(row.pop("date")).replace(tzinfo=dt.UTC)}
        | {name: float(value) for name, value in row.items()}
        for row in csv.DictReader(io.StringIO(text.decode()))
    ]
    file = io.BytesIO()
    # The marker between blocks is random by default.
    fastavro.writer(file, schema, rows, sync_marker=bytes(16))
    return {"climate.avro": file.getvalue()}


def spans(members: Files) -> Files:
    """Return batches of spans as JSON, and the compiled definition of their message.

    The classes are those of the package; names and numbers come from a fixed seed.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, content in members.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        sys.path.insert(0, folder)
        try:
            from google.protobuf.descriptor_pb2 import FileDescriptorSet
            from google.protobuf.json_format import MessageToDict
            from opentelemetry.proto.trace.v1 import trace_pb2
        finally:
            sys.path.remove(folder)
    records = (
        MessageToDict(batch, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
        for batch in _batches(trace_pb2, random.Random(1))
    )
    definition = FileDescriptorSet()
    for file in _imported(trace_pb2.DESCRIPTOR):
        file.CopyToProto(definition.file.add())
    return {
        "spans.jsonl": _lines(records),
        "spans.desc": definition.SerializeToString(deterministic=True),
    }


def _imported(file: Any) -> Iterator[Any]:
    """Yield the descriptors of a definition and what it imports, the imported ones first."""
    found: dict[str, Any] = {}

    def visit(each: Any) -> None:
        for dependency in each.dependencies:
            visit(dependency)
        found.setdefault(each.name, each)

    visit(file)
    yield from found.values()


def _batches(trace: Any, rng: random.Random) -> Iterator[Any]:
    """Yield batches as a service exports them: a request, and the queries and calls that it made."""
    start = 1_790_000_000_000_000_000
    for number in range(_SPANS):
        batch = trace.ResourceSpans()
        _attribute(batch.resource, {"service.name": "orders", "service.version": "4.2.1"})
        _attribute(batch.resource, {"process.pid": 4242, "host.name": f"orders-{number % 7}"})
        scope = batch.scope_spans.add()
        scope.scope.name, scope.scope.version = "opentelemetry.instrumentation.asgi", "0.63b2"
        trace_id, parent = rng.getrandbits(128).to_bytes(16), b""
        start += rng.randrange(10**9)
        for child in range(1 + rng.randrange(5)):
            span = scope.spans.add(trace_id=trace_id, span_id=rng.getrandbits(64).to_bytes(8))
            span.parent_span_id, parent = parent, parent or span.span_id
            span.start_time_unix_nano = start + child * 1_000_000
            span.end_time_unix_nano = span.start_time_unix_nano + rng.randrange(10**8)
            if child:
                span.name, span.kind = "SELECT orders", trace.Span.SPAN_KIND_CLIENT
                query = "SELECT id, customer, total FROM orders WHERE customer = $1"
                _attribute(span, {"db.system.name": "postgresql", "db.query.text": query})
            else:
                order = rng.randrange(10**6)
                span.name, span.kind = "GET /orders/{id}", trace.Span.SPAN_KIND_SERVER
                status = 500 if rng.random() < 0.02 else 200
                _attribute(span, {"http.request.method": "GET", "http.route": "/orders/{id}"})
                _attribute(span, {"url.path": f"/orders/{order}", "http.response.status_code": status})
                if status == 500:
                    span.status.code = trace.Status.STATUS_CODE_ERROR
                    event = span.events.add(time_unix_nano=span.end_time_unix_nano, name="exception")
                    _attribute(
                        event, {"exception.type": "TimeoutError", "exception.message": "pool is empty"}
                    )
        yield batch


def _attribute(holder: Any, values: Mapping[str, str | int]) -> None:
    """Add attributes to a resource, a span or an event."""
    for key, value in values.items():
        added = holder.attributes.add(key=key)
        if isinstance(value, int):
            added.value.int_value = value
        else:
            added.value.string_value = value


def _only(members: Files) -> Any:
    """Return the document of the only member."""
    (text,) = members.values()
    return json.loads(text)


def _lines(records: Iterable[Any]) -> bytes:
    """Return records as JSON Lines."""
    return b"".join(
        json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for each in records
    )
