"""Protocol Buffers: protoc can read our definitions, and its definitions are kept."""

from __future__ import annotations

import datetime as dt
import decimal
import importlib
import io
import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pytest

import bakeoff
from bakeoff import UsageError
from bakeoff.codecs import DecodeError, EncodeError, LimitError
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas.wire.languages import proto_compiler
from bakeoff.schemas.wire.languages import protobuf as proto
from bakeoff.schemas.wire.languages.proto_file import file_of
from bakeoff.schemas.wire.layout import (
    Leaf,
    Nullable,
    WireField,
    WireMap,
    WireRecord,
    WireSequence,
    WireType,
    WireUnion,
)

pytest.importorskip("google.protobuf")


class Part(TypedDict):
    key: uuid.UUID
    count: NotRequired[int | None]


class Everything(TypedDict):
    number: int
    text: str | None
    maybe: NotRequired[str]
    either: NotRequired[float | None]
    grid: list[list[int | str]]
    by_day: dict[int, float]
    lists: dict[str, list[int] | None]
    by_key: dict[uuid.UUID, dt.date]
    pairs: dict[bytes, int]
    place: tuple[int, str | None]
    marks: set[int] | None
    gone: NotRequired[list[int] | None]
    never: None
    sometimes: NotRequired[None]
    anything: Any
    price: decimal.Decimal
    parts: list[Part | None]
    part: Part
    other: NotRequired[Part]
    one: Part | int | list[int] | None
    names: frozenset[str]
    day: dt.date
    days: list[dt.date]
    nothing: list[None]
    row: tuple[int, ...]


Awkward = TypedDict(
    "Awkward",
    {
        "a b": int,
        "class": str,
        "x; y": NotRequired[int | None],
        "é": Everything,
        "A_B": int,
        "a_b": int,
        "[x]": int,
        "": int,
        "labels": dict[str, int],
        "LabelsEntry": int,
        "message": Part,
        "string": int,
        "\ud800": int,
        'say "\\n"\n': int,
    },
)


def shape(kind: WireType) -> object:
    match kind:
        case Leaf(wire, node):
            return wire, None if wire == "text" else node, kind.bits, kind.unit, kind.symbols, kind.form
        case Nullable(inner):
            return "nullable", shape(inner)
        case WireSequence(item, node):
            return type(node), shape(item)
        case WireMap(key, value):
            return shape(key), shape(value)
        case WireRecord(name, slots, _, reserved) | WireUnion(name, slots, reserved):
            return name, reserved, [_slot(slot) for slot in slots]
    raise AssertionError(kind)


def _slot(slot: WireField) -> object:
    facts = (slot.key, slot.name, slot.number, slot.required, slot.null, slot.among)
    return *facts, shape(slot.kind)


@pytest.mark.slow
@pytest.mark.parametrize("spec", [Everything, Awkward, list[Part], dict[str, int], int | None])
def test_a_definition_that_was_written_reads_as_the_same_layout(spec: Any) -> None:
    layout = Schema(spec).layout
    described = file_of(layout).SerializeToString()
    assert shape(proto.read(described, "record.desc").root) == shape(layout.root)
    pytest.importorskip("grpc_tools")
    assert shape(proto.read(proto.write(layout), "record.proto").root) == shape(layout.root)


def test_numbers_that_were_others_are_reserved() -> None:
    kept = Schema(TypedDict("Kept", {"b": int, "d": int})).keeping(
        Schema(TypedDict("Old", {"a": int, "b": int, "c": str}))
    )
    assert "  reserved 1, 3;\n  int64 b = 2;\n  int64 d = 4;\n" in kept.definition("protobuf").decode()
    described = file_of(kept.layout).SerializeToString()
    assert shape(Schema.of_definition(described, "protobuf").layout.root) == shape(kept.layout.root)


GIVEN = """
edition = "2023";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "parts.proto";
message Order {
  reserved 4, 6 to 8;
  string id = 1 [features.field_presence = IMPLICIT];
  int32 count = 2;
  fixed64 big = 3 [features.field_presence = LEGACY_REQUIRED];
  repeated Line lines = 9;
  map<uint32, Line> by_number = 10;
  oneof payment { string card = 11; Line cash = 12; }
  google.protobuf.Timestamp made = 13;
  google.protobuf.UInt64Value note = 14;
  Status status = 15 [features.field_presence = IMPLICIT];
  repeated float shares = 16;
  Part part = 17;
  enum Status { UNKNOWN = 0; OPEN = 5; }
  message Line { string sku = 1; }
}
"""


@pytest.mark.slow
def test_a_definition_that_is_given_keeps_what_it_says(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools")
    (tmp_path / "parts.proto").write_text('syntax = "proto2"; message Part { required sint32 x = 1; }')
    name = tmp_path / "order.proto"
    layout = proto.read(GIVEN.encode(), str(name))
    # The text alone would not do where it imports a file, or is of several messages.
    assert (layout.language, layout.definition) == ("protobuf", b"")
    alone = GIVEN.replace('import "parts.proto";', "").replace("Part part = 17;", "").encode()
    assert proto.read(alone, str(name)).definition == alone
    assert proto.read(alone, str(name), "Order.Line").definition == b""
    line = ("Line", (), [("sku", "sku", 1, False, 0, "", ("text", None, 64, "us", (), ""))])
    root: Any = shape(layout.root)
    assert root[:2] == ("Order", (4, 6, 7, 8))
    assert [(name, number, required, among) for name, _, number, required, _, among, _ in root[2]] == [
        ("id", 1, True, ""),
        ("count", 2, False, ""),
        ("big", 3, True, ""),
        ("lines", 9, True, ""),
        ("by_number", 10, True, ""),
        ("card", 11, False, "payment"),
        ("cash", 12, False, "payment"),
        ("made", 13, False, ""),
        ("note", 14, False, ""),
        ("status", 15, True, ""),
        ("shares", 16, True, ""),
        ("part", 17, False, ""),
    ]
    kinds = {slot[0]: slot[-1] for slot in root[2]}
    said = {key: (kind[0], kind[2], kind[-1]) for key, kind in kinds.items() if len(kind) == 6}
    assert said == {
        "id": ("text", 64, ""),
        "count": ("int", 32, ""),
        "big": ("int", 64, "required fixed64"),
        "card": ("text", 64, ""),
        "made": ("timestamp", 64, "google.protobuf.Timestamp"),
        "note": ("int", 64, "google.protobuf.UInt64Value"),
        "status": ("enum", 64, ""),
    }
    assert kinds["status"][4] == (("UNKNOWN", 0), ("OPEN", 5))
    assert kinds["lines"][1] == kinds["by_number"][1] == kinds["cash"] == line
    assert kinds["by_number"][0][-1] == "uint32"
    assert kinds["shares"][1][2] == 32
    # Another file of the same layout says the same.
    again = proto.read(file_of(layout).SerializeToString(), "again.desc")
    assert shape(again.root) == root


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "message A { optional group G = 1 { optional int32 x = 1; } }",
            r"at `\$\.g`: groups are not supported",
        ),
        ("message A { optional int32 x = 1;", r"does not compile: record\.proto:1:"),
        ('import "nope.proto"; message A {}', r"imports nope\.proto, found in none of"),
        ("message A {} message B {}", r"more than one message that could be the record \(A, B\)"),
        ("message A { option message_set_wire_format = true; extensions 4 to max; }", "a MessageSet"),
        ("enum E { X = 1; } // no message", "has no message"),
    ],
)
def test_a_definition_that_records_cannot_have_is_refused(text: str, message: str) -> None:
    pytest.importorskip("grpc_tools")
    with pytest.raises(SchemaError, match=message):
        Schema.of_definition(f'syntax = "proto2"; {text}', "protobuf", "record.proto")


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"\x0a\x05hello", b"hello"])
def test_what_is_no_definition_is_refused(data: bytes) -> None:
    with pytest.raises(SchemaError, match="neither a descriptor set nor"):
        Schema.of_definition(data, "protobuf")


def test_without_a_compiler_the_next_step_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proto_compiler, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match=r"pip install grpcio-tools.*-o order\.desc order\.proto"):
        Schema.of_definition('syntax = "proto3"; message A {}', "protobuf", "order.proto")


# Other libraries ------------------------------------------------------------------------------------

DATA = Path(__file__).parents[1] / "data" / "protobuf"
"""A payload of Go's library; see `main.go`."""


def test_what_go_wrote_is_read_and_written_again() -> None:
    """A delimited file of google.golang.org/protobuf: presence, widths, maps, oneof, enums."""
    schema = Schema.of_definition((DATA / "order.desc").read_bytes(), "protobuf")
    codec = bakeoff.codec("protobuf", schema=schema)
    data = (DATA / "orders.binpb").read_bytes()
    orders = list(codec.load(io.BytesIO(data)))
    assert orders == [
        {
            "id": "a-1",
            "count": 0,
            "balance": -5,
            "lines": [{"sku": "x", "units": 3}, {"sku": "", "units": 0}],
            "rates": {"eur": 1.5},
            "voucher": {"sku": "v", "units": 0},
            "made": dt.datetime(2024, 2, 29, 23, 59, 59, 1, dt.UTC),
            "note": "",
            "status": "OPEN",
            "marks": [1, 2**32 - 1],
            "most": 2**64 - 1,
            "share": 0.5,
            "raw": b"\x00\xff",
        },
        {
            "id": "",
            "balance": 0,
            "lines": [],
            "rates": {},
            "status": 7,
            "marks": [],
            "most": 0,
            "share": 0.0,
            "raw": b"",
        },
    ]
    file = io.BytesIO()
    codec.dump(orders, file)
    assert len(data) == len(file.getvalue())
    assert orders == list(codec.load(io.BytesIO(file.getvalue())))


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("count", 2**31, r"\.count"),
        ("most", -1, r"\.most"),
        ("most", True, r"\.most"),
        ("marks", [2**32], r"\.marks"),
        ("share", 1e300, r"\.share"),
        ("status", "CLOSED", r"\.status.*none of UNKNOWN, OPEN"),
        ("card", "x", "at most one of card and voucher may be present"),
        ("made", dt.datetime(2024, 1, 1), r"\.made"),
        ("note", 5, r"\.note"),
    ],
)
def test_what_a_given_definition_has_no_room_for_is_refused(field: str, value: Any, place: str) -> None:
    codec = bakeoff.codec(
        "protobuf", schema=Schema.of_definition((DATA / "order.desc").read_bytes(), "protobuf")
    )
    order = next(codec.load(io.BytesIO((DATA / "orders.binpb").read_bytes())))
    with pytest.raises(EncodeError, match=place):
        codec.encode(order | {field: value})


@pytest.mark.slow
def test_what_protoc_generates_of_our_definition_reads_our_payloads(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools")
    records = list(bakeoff.corpus("messages", records=20).records())
    schema = Schema.infer(records)
    (tmp_path / "written_by_bakeoff.proto").write_bytes(schema.definition("protobuf"))
    subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "grpc_tools.protoc",
            "-I.",
            "--python_out=.",
            "written_by_bakeoff.proto",
        ],
        cwd=tmp_path,
        check=True,
    )
    sys.path.insert(0, str(tmp_path))
    try:
        generated: Any = importlib.import_module("written_by_bakeoff_pb2")
    finally:
        sys.path.remove(str(tmp_path))
    codec = bakeoff.codec("protobuf", schema=schema)
    objects = bakeoff.codec("protobuf/object", schema=schema)
    for record in records:
        message = generated.Record.FromString(codec.encode(record))
        assert message.order.lines[0].sku == record["order"]["lines"][0]["sku"]
        assert message.history[0].value[0].WhichOneof("value") in ("option_1", "option_2")
        assert codec.decode(objects.encode(message)) == record
    with pytest.raises(EncodeError, match="Source has other fields than Record"):
        objects.encode(generated.Source())


# The codecs -----------------------------------------------------------------------------------------


class Wide(TypedDict):
    """Payloads of few bytes with many values."""

    flags: list[bool]
    parts: list[dict[str, int]]
    records: list[Part]
    by_price: dict[decimal.Decimal, int]


def test_limits_hold_for_what_a_payload_would_be_read_as() -> None:
    for name in ("protobuf", "protobuf/object"):
        codec = bakeoff.codec(name, schema=Schema(Wide)).with_limits(items=1000)
        for payload in (
            b"\x0a\xe7\x0f" + b"\x01" * 2023,
            b"\x12\x00" * 1000,
            b"\x1a\x00" * 600,
            b"\x22\x00" * 600,
        ):
            with pytest.raises(LimitError, match="more than 1,000 values"):
                codec.decode(payload)
        codec.decode(b"\x0a\xf4\x03" + b"\x01" * 500)
        codec.decode(b"\x1a\x00" * 300)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x05\x0a", "at byte 0: the stream ends within it"),
        (b"\x80", "at byte 0: the stream ends within it"),
        (b"\x00\x81", "at byte 1: the stream ends within it"),
        (b"\xff" * 11, "at byte 0: its length is not a 64-bit number"),
        (b"\xff\xff\xff\xff\x0f", "at byte 0: it claims 4,294,967,295 bytes"),
    ],
)
def test_a_damaged_stream_says_where(data: bytes, message: str) -> None:
    codec = bakeoff.codec("protobuf", schema=Schema({"a": int}))
    with pytest.raises(DecodeError, match=message):
        list(codec.load(io.BytesIO(data)))


def test_a_length_takes_as_many_bytes_as_it_needs() -> None:
    codec = bakeoff.codec("protobuf", schema=Schema({"a": bytes}))
    records = [{"a": b"x" * size} for size in (0, 125, 126, 16_380, 16_390, 3_000_000)]
    file = io.BytesIO()
    codec.dump(records, file)
    assert records == list(codec.load(io.BytesIO(file.getvalue())))
    decoder, found = codec.decoder(), []
    for byte in file.getvalue()[:40_000]:
        found += decoder.feed(bytes([byte]))
    assert records[:5] == found


def test_equal_definitions_have_one_class() -> None:
    one, other = (bakeoff.codec("protobuf/object", schema=Schema(Part)) for _ in range(2))
    assert one.bound is not None
    assert one.bound.take is not None
    message = one.bound.take({"key": uuid.UUID(int=1)})
    assert type(message) is type(other.decode(other.encode(message)))


@pytest.mark.slow
def test_a_compiled_set_is_written_as_text(tmp_path: Path) -> None:
    """What a compiler made of a definition is no text of it: export and lock get one that says the same."""
    pytest.importorskip("grpc_tools")
    schema = Schema({"id": int, "tags": list[str]})
    (tmp_path / "order.proto").write_bytes(schema.definition("protobuf"))
    arguments = [f"-I{tmp_path}", "-o", str(tmp_path / "order.desc"), "order.proto"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments], check=True)

    compiled = Schema.of_definition((tmp_path / "order.desc").read_bytes(), "protobuf")
    bound = bakeoff.codec("protobuf", schema=compiled).bound
    assert bound is not None
    assert (
        schema.definition("protobuf").decode() == compiled.definition("protobuf").decode() == bound.definition
    )


@pytest.mark.slow
def test_integers_and_moments_of_a_definition_keep_their_bounds() -> None:
    text = """syntax = "proto3"; import "google/protobuf/timestamp.proto";
        message R { int32 a = 1; google.protobuf.Timestamp at = 2; }"""
    schema = Schema.of_definition(text, "protobuf")
    exported = json.loads(schema.definition("json-schema"))

    assert (-(2**31), 2**31 - 1) == tuple(exported["properties"]["a"][key] for key in ("minimum", "maximum"))
    assert "at: NotRequired[Annotated[datetime, Hint(aware=True)]]" in schema.to_python()
