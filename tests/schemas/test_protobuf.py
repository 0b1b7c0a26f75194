"""Protocol Buffers: what is written is what protoc reads, and what protoc reads is kept."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pytest

from bakeoff import UsageError
from bakeoff.schemas import Schema, SchemaError
from bakeoff.schemas.languages import proto_sets
from bakeoff.schemas.languages import protobuf as proto
from bakeoff.schemas.languages.proto_file import file_of
from bakeoff.schemas.layout import Choice, Kind, Leaf, Map, Nullable, Record, Sequence, Slot

pytest.importorskip("google.protobuf")


class Part(TypedDict):
    """Stands in several places."""

    key: uuid.UUID
    count: NotRequired[int | None]


class Everything(TypedDict):
    """A field of each kind."""

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


def shape(kind: Kind) -> object:
    """Return what a definition says of a kind: all but what text stands for."""
    match kind:
        case Leaf(wire, node):
            return wire, None if wire == "text" else node, kind.bits, kind.unit, kind.symbols, kind.form
        case Nullable(inner):
            return "nullable", shape(inner)
        case Sequence(item, node):
            return type(node), shape(item)
        case Map(key, value):
            return shape(key), shape(value)
        case Record(name, slots, _, reserved) | Choice(name, slots, reserved):
            return name, reserved, [_slot(slot) for slot in slots]
    raise AssertionError(kind)


def _slot(slot: Slot) -> object:
    facts = (slot.key, slot.name, slot.number, slot.required, slot.null, slot.among)
    return *facts, shape(slot.kind)


@pytest.mark.parametrize("spec", [Everything, Awkward, list[Part], dict[str, int], int | None])
def test_a_definition_that_was_written_reads_as_the_same_layout(spec: Any) -> None:
    """Names, numbers and kinds are those that were written, whether as text or as a descriptor."""
    layout = Schema(spec).layout
    described = file_of(layout).SerializeToString()
    assert shape(proto.read(described, "record.desc").root) == shape(layout.root)
    pytest.importorskip("grpc_tools")
    assert shape(proto.read(proto.write(layout), "record.proto").root) == shape(layout.root)


def test_numbers_that_were_others_are_reserved() -> None:
    """Numbers of fields that are gone stand as reserved, and are read as that."""
    kept = Schema(TypedDict("Kept", {"b": int, "d": int})).keeping(
        Schema(TypedDict("Old", {"a": int, "b": int, "c": str}))
    )
    assert "  reserved 1, 3;\n  int64 b = 2;\n  int64 d = 4;\n" in kept.to_proto()
    described = file_of(kept.layout).SerializeToString()
    assert shape(Schema.from_proto(described).layout.root) == shape(kept.layout.root)


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


def test_a_definition_that_is_given_keeps_what_it_says(tmp_path: Path) -> None:
    """Numbers, widths, presence, symbols and what excludes one another are as the file has them."""
    pytest.importorskip("grpc_tools")
    (tmp_path / "parts.proto").write_text('syntax = "proto2"; message Part { required sint32 x = 1; }')
    name = tmp_path / "order.proto"
    layout = proto.read(GIVEN.encode(), str(name))
    assert (layout.language, layout.definition) == ("protobuf", GIVEN.encode())
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("message A { optional group G = 1 { optional int32 x = 1; } }", r"at `\$\.g`: groups are not read"),
        ("message A { repeated A a = 1; }", r"at `\$\.a\[\]`: message A holds itself"),
        ("message A { optional int32 x = 1;", r"does not compile: record\.proto:1:"),
        ('import "nope.proto"; message A {}', r"does not compile: nope\.proto: File not found"),
        ("message A {} message B {}", r"more than one message that could be the record \(A, B\)"),
        ("message A { option message_set_wire_format = true; extensions 4 to max; }", "a MessageSet"),
        ("enum E { X = 1; } // no message", "has no message"),
    ],
)
def test_a_definition_that_records_cannot_have_is_refused(text: str, message: str) -> None:
    """The error names the place."""
    pytest.importorskip("grpc_tools")
    with pytest.raises(SchemaError, match=message):
        Schema.from_proto(f'syntax = "proto2"; {text}', "record.proto")


def test_of_several_messages_the_one_is_read_that_is_named() -> None:
    """A name that the file has not is refused with those that it has."""
    pytest.importorskip("grpc_tools")
    text = 'syntax = "proto3"; package p; message A { int32 a = 1; } message B { int32 b = 1; }'
    assert [slot.key for slot in _root(Schema.from_proto(text, message="p.B")).slots] == ["b"]
    with pytest.raises(UsageError, match="has no message 'C'"):
        Schema.from_proto(text, message="C")


def _root(schema: Schema) -> Record:
    assert isinstance(schema.layout.root, Record)
    return schema.layout.root


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"\x0a\x05hello", b"hello"])
def test_what_is_no_definition_is_refused(data: bytes) -> None:
    """Whatever the bytes, the error says so."""
    with pytest.raises(SchemaError, match="neither a descriptor set nor"):
        Schema.from_proto(data)


def test_without_a_compiler_the_next_step_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has both ways out: a package, and a command."""
    monkeypatch.setattr(proto_sets, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match=r"pip install grpcio-tools.*-o order\.desc order\.proto"):
        Schema.from_proto('syntax = "proto3"; message A {}', "order.proto")
