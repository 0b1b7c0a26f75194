"""Reading payloads of the other version: exact reports with the names of lost and misread fields."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict

import kinds
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import Schema
from bakeoff.bench.figure import Figure
from bakeoff.bench.lab.evolution.attempt import attempts
from bakeoff.bench.lab.evolution.cost import Key, costs, payloads
from bakeoff.bench.lab.evolution.trial import CrossReading, Trial, sample, try_codec
from bakeoff.bench.messages.timing import Timed
from bakeoff.bench.versions.convert import as_version
from bakeoff.bench.versions.records import NOTHING, FieldMapping, Maker, Unfit, expected, translate
from bakeoff.codecs import registry
from bakeoff.reports.tables.evolution import Evolution, table
from bakeoff.schemas.difference import SchemaDifference, compare, contains
from bakeoff.schemas.tree import types as t
from bakeoff.schemas.wire.layout import Leaf


def versions(old: dict[str, Any], new: dict[str, Any], **renamed: str) -> SchemaDifference:
    made = (Schema(TypedDict("Order", fields)) for fields in (old, new))  # type: ignore[operator]
    return compare(*made, renamed)  # type: ignore[misc]


def tried(difference: SchemaDifference, *names: str) -> list[Trial]:
    records = sample(difference, 60)
    return [try_codec(name, difference, *records) for name in names]


def told(reading: CrossReading) -> list[tuple[str, str]]:
    """Return fault and place of everything that is not as it should be."""
    return [(found.fault, found.path) for found in reading.faults]


@pytest.mark.slow
@given(kinds.declared())
def test_made_records_fit_their_schema(declared: tuple[dict[str, Any], dict[str, Any]]) -> None:
    schema = Schema(declared[0])
    root = schema.layout.root
    made = [Maker(seed).make(root) for seed in range(5)]

    assert as_version(made, schema, "pickle").faults == []
    assert pickle.dumps([Maker(seed).make(root) for seed in range(5)]) == pickle.dumps(made)


_PROTO = """syntax = "proto3"; import "google/protobuf/wrappers.proto";
enum E { A = 0; B = -7; }
message R { uint32 a = 1; uint64 b = 2; fixed32 c = 3; fixed64 d = 4; int32 e = 5; sint32 f = 6;
  sfixed32 g = 7; E h = 8; bytes i = 9; float j = 10; google.protobuf.UInt32Value k = 11;
  map<uint32, fixed64> l = 12; }"""
_AVRO = """{"type": "record", "name": "R", "fields": [
  {"name": "a", "type": "int"},
  {"name": "b", "type": {"type": "fixed", "name": "F", "size": 7}},
  {"name": "c", "type": {"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 2}},
  {"name": "d", "type": {"type": "fixed", "name": "G", "size": 2, "logicalType": "decimal", "precision": 4}},
  {"name": "e", "type": {"type": "int", "logicalType": "time-millis"}},
  {"name": "f", "type": {"type": "long", "logicalType": "timestamp-millis"}},
  {"name": "g", "type": {"type": "enum", "name": "E", "symbols": ["x", "y"]}},
  {"name": "h", "type": {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}},
  {"name": "i", "type": "float"}]}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "definition", "codecs"),
    [
        ("protobuf", _PROTO, ("protobuf", "avro", "thrift")),
        ("avro", _AVRO, ("avro", "json", "protobuf", "thrift")),
    ],
)
def test_made_records_have_room_in_a_definition(
    language: str, definition: str, codecs: tuple[str, ...]
) -> None:
    """Widths, signs, sizes and digits: no codec is blamed for a record that the schema does not allow."""
    if language == "protobuf":
        pytest.importorskip("grpc_tools")
    schema = Schema.of_definition(definition.encode(), language)
    made = [Maker(seed).make(schema.layout.root) for seed in range(60)]

    for name in codecs:
        codec = bakeoff.codec(name, schema=schema)
        assert [codec.decode(codec.encode(record)) for record in made] == made
    root = schema.layout.root
    assert [expected(record, root, root, FieldMapping({})) for record in made] == made


def test_made_records_have_room_in_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    types = [
        pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(),
        pa.binary(5), pa.decimal128(3, 1), pa.timestamp("s"), pa.timestamp("ms", "UTC"), pa.time32("s"),
        pa.time32("ms"), pa.time64("us"), pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.date64(),
    ]  # fmt: skip
    schema = Schema.of_definition(
        pa.schema([pa.field(f"c{i}", kind, False) for i, kind in enumerate(types)]).serialize().to_pybytes(),
        "arrow",
    )
    made = [Maker(seed).make(schema.layout.root) for seed in range(60)]

    codec = bakeoff.codec("arrow", schema=schema)
    assert [codec.decode(codec.encode(record)) for record in made] == made


def test_numbers_without_a_sign_are_wider_to_one_side_only() -> None:
    """A `uint32` has room in 64 bits with a sign, and none in 32 bits."""
    leaves = {name: Leaf("int", t.IntType(), form=name) for name in ("uint32", "uint64", "fixed32")}
    plain = Leaf("int", t.IntType())
    narrow = Leaf("int", t.IntType(), bits=32)
    assert contains(plain, leaves["uint32"])
    assert contains(leaves["fixed32"], leaves["uint32"])
    assert not contains(plain, leaves["uint64"])
    assert not contains(leaves["uint64"], narrow)
    assert not contains(narrow, leaves["uint32"])


EDITS: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda fields: {"new": int | None, **dict(list(fields.items())[1:])},
    lambda fields: {name: NotRequired[kind] for name, kind in reversed(fields.items())},
    lambda fields: {name: dict[str, list[kind]] for name, kind in fields.items()},  # type: ignore[valid-type]
    lambda fields: dict.fromkeys(fields, str),
    lambda fields: dict.fromkeys(fields, dict[str, float]),
]


@pytest.mark.slow
@given(kinds.declared(), st.sampled_from(EDITS), st.booleans())
def test_whatever_changes_is_told(
    declared: tuple[dict[str, Any], dict[str, Any]],
    edit: Callable[[dict[str, Any]], dict[str, Any]],
    reverse: bool,
) -> None:
    old, new = declared[0], edit(declared[0])
    difference = versions(*((new, old) if reverse else (old, new)))

    found = try_codec("pickle", difference, *sample(difference, 8))

    for reading in (found.backward, found.forward):
        assert (reading.refused, reading.failed) == (0, "")
        assert {fault for fault, _ in told(reading)} <= {"unfit"}


def test_made_records_reach_everything() -> None:
    root = Schema({"a": int | str | None, "b": NotRequired[bool], "c": list[Literal["x", "y"]]}).layout.root
    maker = Maker()
    made = [maker.make(root) for _ in range(60)]

    assert {type(record["a"]) for record in made} == {int, str, type(None)}
    assert {record.get("b") for record in made} == {True, False, None}
    assert {item for record in made for item in record["c"] or [None]} == {"x", "y", None}


def test_what_a_record_is_in_the_other_version() -> None:
    found = versions(
        {"a": int, "b": str, "c": Literal["x"], "d": str},
        {"a": float, "e": str, "c": Literal["x", "y"]},
        b="e",
    )
    old, new, pairing = found.old.layout.root, found.new.layout.root, FieldMapping(found.renamed)

    record = {"a": 1, "b": "t", "c": "x", "d": "?"}
    assert expected(record, old, new, pairing) == {"a": 1.0, "e": "t", "c": "x"}
    assert expected({"a": 1.5, "e": "t", "c": "y"}, new, old, pairing.back()) == {
        "a": Unfit(1.5),
        "b": "t",
        "c": Unfit("y"),
        "d": Unfit(NOTHING),
    }
    # Beside each record stands its like in the other version: whole, and with what is new there.
    likes = [translate(record, old, new, pairing, Maker(n)) for n in range(30)]
    assert {record["e"] for record in likes} == {"t"}
    assert {record["c"] for record in likes} == {"x", "y"}


def test_a_rename_is_lost_by_name_and_read_by_place() -> None:
    """Dicts lose it silently, typed readers refuse it, and arrays do not see it."""
    found = versions({"id": int, "name": str}, {"id": int, "title": str}, name="title")

    by_name, typed, array = tried(found, "json", "msgspec-json/struct", "msgspec-msgpack/array")

    assert (told(by_name.backward), told(by_name.forward)) == ([("lost", "$.title")], [("lost", "$.name")])
    assert " was written, nothing was read" in by_name.backward.faults[0].example
    assert by_name.backward.unknown is True
    assert (typed.backward.refused, typed.forward.refused) == (60, 60)
    assert "`title`" in typed.backward.error
    assert array.clean


def test_reordered_fields_of_one_type_are_misread_by_place() -> None:
    """The worst of all: another value, and no error."""
    (array,) = tried(versions({"a": str, "b": str}, {"b": str, "a": str}), "msgspec-msgpack/array")

    assert told(array.backward) == [("wrong", "$.b"), ("wrong", "$.a")]


def test_what_does_not_fit_is_told() -> None:
    found = versions({"a": Literal["x"], "b": str}, {"a": Literal["x", "y"], "c": str})

    by_name, typed = tried(found, "msgpack", "msgspec-msgpack/struct")

    assert told(by_name.backward) == [("unfit", "$.c")]
    assert sorted(told(by_name.forward)) == [("unfit", "$.a"), ("unfit", "$.b")]
    # Removed, added, widened: each is tried alone.
    kinds_of = [change.kind for change in found.changes]
    alone = dict(zip(kinds_of, typed.changes, strict=True))
    assert alone["widened"] is not None
    assert alone["widened"][0].clean
    assert 0 < alone["widened"][1].refused < 60


def test_what_a_typed_reader_does_not_know_it_drops() -> None:
    """And this is not a loss for the reading version."""
    typed, by_name = tried(versions({"a": int, "b": str}, {"a": int}), "msgspec-json/struct", "json")

    assert typed.backward.clean
    assert typed.backward.unknown is False
    assert by_name.backward.unknown is True
    assert told(by_name.forward) == [("unfit", "$.b")]


def test_a_codec_that_cannot_carry_a_version_says_why() -> None:
    (array,) = tried(versions({"a": int}, {"a": int, "b": NotRequired[str]}), "msgspec-msgpack/array")

    assert "cannot have optional fields" in array.backward.failed
    assert not array.clean
    assert list(payloads(array)) == []


def test_a_codec_that_is_told_the_writers_version() -> None:
    found = versions({"a": int, "b": str}, {"b": str, "a": int})
    asked = []

    def bind(schema: Any) -> Any:
        names = [field.name for field in schema.types.fields]

        def reading(writer: Any) -> Any:
            asked.append([field.name for field in writer.types.fields])
            if len(asked) > 1:
                raise ValueError("these two do not go together")
            written = [field.name for field in writer.types.fields]
            return lambda data: dict(zip(written, pickle.loads(data), strict=True))

        return bakeoff.codecs.Bound(
            encode=lambda record: pickle.dumps([record[name] for name in names]),
            decode=lambda data: dict(zip(names, pickle.loads(data), strict=True)),
            reading=reading,
        )

    codec = bakeoff.Codec("placed", "placed", bind=bind)
    bakeoff.codecs.register(codec)
    try:
        (placed,) = tried(found, "placed")
    finally:
        registry._registered.pop("placed")

    assert asked == [["a", "b"], ["b", "a"]]
    assert placed.backward.clean
    assert (placed.forward.refused, placed.forward.error) == (60, "these two do not go together")


@pytest.mark.slow
def test_costs_are_of_what_is_read() -> None:
    found = versions({"a": int, "b": str}, {"a": int, "b": str, "c": str})
    names = ["json", "msgspec-json/struct"]

    tried, costs, _ = attempts(names, found, *sample(found, 60), 0.0, lambda *_: None)

    assert names == [trial.codec for trial in tried]
    assert sorted(costs) == [
        ("json", "new→old"),
        ("json", "old→new"),
        ("msgspec-json/struct", "new→old"),
    ]
    for cost in costs.values():
        assert cost.other > 0
        assert cost.own > 0
        assert cost.ratio.low <= cost.ratio.value <= cost.ratio.high


def test_a_cost_is_the_mean_of_its_processes() -> None:
    def timed(*paired: float) -> Timed:
        figures = {str(i): Figure(each, each) for i, each in enumerate(paired) if each}
        return Timed(figures, {}, reference_kernel=2.0, harness=0.0, dirty=0.0)

    keys: dict[int, list[Key]] = {0: [("a", "old→new"), ("b", "old→new")], 1: [("b", "old→new")]}
    found = costs(keys, [timed(1.0, 0.0, 2.0, 1.0), timed(8.0, 1.0)])

    assert list(found) == [("b", "old→new")]
    cost = found["b", "old→new"]
    assert (cost.other, cost.own) == pytest.approx((8.0, 2.0))
    assert (cost.ratio.value, cost.ratio.processes) == (pytest.approx(4.0), 2)


@pytest.mark.parametrize(
    ("record", "fault"),
    [({"a": "x", "b": []}, "$.a: 'x' was not converted"), ({"b": []}, "$.a: required")],
)
def test_records_of_neither_version_are_told_from_others(record: dict[str, Any], fault: str) -> None:
    schema = Schema({"a": int, "b": tuple[int, ...]})
    good = as_version([{"a": 1, "b": [2], "c": 3}], schema, "json")

    assert (good.records, good.faults, good.unknown) == ([{"a": 1, "b": (2,)}], [], 1)
    assert as_version([record], schema, "json").faults[0].startswith(fault)


def avro(*fields: dict[str, Any]) -> Schema:
    record = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}, *fields]}
    return Schema.of_definition(json.dumps(record), "avro")


def proto(*fields: str, syntax: str = "proto3", first: str = "int64 id = 1;") -> Schema:
    pytest.importorskip("grpc_tools")
    text = f'syntax = "{syntax}"; enum E {{ A = 0; B = 1; }} message R {{ {first} {" ".join(fields)} }}'
    return Schema.of_definition(text, "protobuf", part="R")


def proto2(*fields: str) -> Schema:
    return proto(*fields, syntax="proto2", first="required int64 id = 1;")


ARRAY = {"type": "array", "items": "int"}
ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
INNER = {"type": "record", "name": "Q", "fields": [{"name": "q", "type": "int", "default": 3}]}
MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}
ADDED: list[tuple[str, Callable[..., Schema], Any, list[tuple[str, str]] | str]] = [
    ("avro", avro, {"type": ["null", "string"], "default": None}, []),
    ("avro", avro, {"type": ["string", "null"], "default": "x"}, []),
    ("avro", avro, {"type": "int", "default": 5}, []),
    ("avro", avro, {"type": "float", "default": 1}, []),
    ("avro", avro, {"type": "bytes", "default": "\xff"}, []),
    ("avro", avro, {"type": ENUM, "default": "B"}, []),
    ("avro", avro, {"type": ARRAY, "default": [1]}, []),
    ("avro", avro, {"type": {"type": "map", "values": "int"}, "default": {}}, []),
    ("avro", avro, {"type": INNER, "default": {}}, []),
    ("avro", avro, {"type": MONEY, "default": "\x01"}, []),
    ("avro", avro, {"type": "int"}, "No default value for field n in R"),
    ("json", avro, {"type": "int", "default": 5}, [("unfit", "$.n")]),
    ("protobuf", avro, {"type": "int", "default": 5}, [("made up", "$.n")]),
    ("protobuf", proto, "int32 n = 2;", []),
    ("protobuf", proto, "string n = 2;", []),
    ("protobuf", proto, "E n = 2;", []),
    ("protobuf", proto, "R n = 2;", []),
    ("protobuf", proto, "repeated int32 n = 2;", []),
    ("protobuf", proto, "map<string, int32> n = 2;", []),
    ("protobuf", proto, "oneof o { int32 n = 2; string m = 3; }", []),
    ("protobuf", proto2, "optional int32 n = 2 [default = 7];", []),
    ("protobuf", proto2, "optional E n = 2 [default = B];", []),
    ("protobuf", proto2, "required int32 n = 2;", [("made up", "$.n")]),
    ("json", proto, "int32 n = 2;", [("unfit", "$.n")]),
    ("avro", proto, "int32 n = 2;", "No default value for field n in R"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("codec", "schema", "field", "old_to_new"), ADDED)
def test_a_declared_default_is_no_fault(
    codec: str, schema: Callable[..., Schema], field: Any, old_to_new: list[tuple[str, str]] | str
) -> None:
    without, with_field = schema(), schema({"name": "n", **field} if isinstance(field, dict) else field)

    (added,) = tried(compare(without, with_field, {}), codec)
    (removed,) = tried(compare(with_field, without, {}), codec)

    for reading, other in ((added.backward, added.forward), (removed.forward, removed.backward)):
        assert old_to_new == (reading.error if isinstance(old_to_new, str) else told(reading))
        assert other.clean


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codec", "old", "new", "clean"),
    [
        ("avro", avro, lambda: avro({"name": "n", "type": "int", "default": 5, "aliases": ["m"]}), True),
        ("avro", avro, lambda: avro({"name": "n", "type": "int", "default": 5}), False),
        ("protobuf", proto, lambda: proto("int32 n = 2;"), True),
        ("protobuf", proto, lambda: proto("int32 n = 3;"), False),
    ],
)
def test_a_default_does_not_hide_a_renamed_field(
    codec: str, old: Callable[..., Schema], new: Callable[[], Schema], clean: bool
) -> None:
    before = old({"name": "m", "type": "int"} if old is avro else "int32 m = 2;")

    (trial,) = tried(compare(before, new(), {"m": "n"}), codec)

    assert clean == trial.backward.clean


@pytest.mark.slow
def test_a_default_does_not_hide_a_new_number() -> None:
    (trial,) = tried(compare(proto("int32 n = 2;"), proto("int32 n = 3;"), {}), "protobuf")

    assert [("wrong", "$.n")] == told(trial.backward)


def test_a_note_says_why_a_cost_is_missing() -> None:
    died = CrossReading(1, untimed="died, while being timed")
    trials = [Trial("json", CrossReading(1), CrossReading(1)), Trial("orjson", CrossReading(1), died)]
    found = table(Evolution("old", "new", versions({"a": int}, {"b": int}), trials, {}, (), 1))

    assert "new→old not timed (orjson): died, while being timed" in found.sections[0].remarks
