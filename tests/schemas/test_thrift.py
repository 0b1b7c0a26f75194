"""Thrift: its definitions, and what its library makes of payloads."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import pytest
from round_trips import read

import bakeoff
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import DecodeError, LimitError
from bakeoff.codecs.safety._scan import end_of, values_in
from bakeoff.schemas import Hint, Schema, SchemaError
from bakeoff.schemas.wire.layout import Layout


class Place(TypedDict):
    service: str
    zip: NotRequired[int | None]


EVERY = Schema(
    {
        "place": Place,
        "content-type": str,
        "at": Annotated[dt.datetime, Hint(aware=True)],
        "price": decimal.Decimal,
        "raw": bytes | None,
        "tags": set[str],
        "rows": list[list[int | None]],
        "by_day": dict[dt.date, float],
        "by_either": dict[int | str, str],
        "one": int | str,
        "nothing": None,
        "any": Any,
    },
    name="Every",
)

DEFINITION = """\
struct Place {
  1: required string field_1 // key "service"
  2: optional i64 zip
  3: optional bool null_3 // zip is null, not missing
}

struct OptionalI64 {
  1: optional i64 value
}

union RecordByEitherKey {
  1: i64 option_1
  2: string option_2
}

struct RecordByEitherEntry {
  1: required RecordByEitherKey key
  2: required string value
}

union RecordOne {
  1: i64 option_1
  2: string option_2
}

struct Record {
  1: required Place place
  2: required string field_2 // key "content-type"
  3: required i64 at // microseconds since 1970-01-01T00:00Z
  4: required string price // Decimal as text
  5: optional binary raw
  6: required set<string> tags
  7: required list<list<OptionalI64>> rows
  8: required map<i32, double> by_day // days since 1970-01-01
  9: required list<RecordByEitherEntry> by_either
  10: required RecordOne one
  11: optional bool nothing // always null: never set
  12: required binary any // any value, as MessagePack
}
"""


def test_a_definition_says_what_stands_on_the_wire() -> None:
    """Words of the language are names made of numbers, and comments say what types do not."""
    assert EVERY.definition("thrift").decode() == DEFINITION


@pytest.mark.skipif(shutil.which("thrift") is None, reason="no compiler of Thrift (Debian: thrift-compiler)")
def test_the_compiler_takes_definitions(tmp_path: Path) -> None:
    for schema in (
        EVERY,
        Schema(bakeoff.corpus("messages", records=1).schema),
        Schema(list[int | None]),
        Schema(TypedDict("union", {"struct": int, "from": TypedDict("list", {"END": NotRequired[None]})})),  # type: ignore[operator]
    ):
        file = tmp_path / "definition.thrift"
        file.write_bytes(schema.definition("thrift"))
        done = subprocess.run(
            ["thrift", "-strict", "--gen", "py", "-out", tmp_path, file], capture_output=True, text=True
        )

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_definition_is_not_read_and_the_error_says_what_helps() -> None:
    """There is no maintained parser for it."""
    with pytest.raises(SchemaError, match=r"a\.thrift.*declare the schema in Python"):
        Schema.of_definition(b"struct A {}", "thrift", "a.thrift")


def test_numbers_that_have_no_room_are_refused() -> None:
    """A field has 16 bits for its number."""
    schema = Schema({"a": int})
    (slot,) = schema.layout.root.slots  # type: ignore[attr-defined]
    wide = Layout(replace(schema.layout.root, slots=(replace(slot, number=40_000),)))  # type: ignore[type-var]
    with pytest.raises(SchemaError, match=r"no field numbers above 32,767"):
        Schema.of_layout(wide).definition("thrift").decode()


RECORD = {
    "place": {"service": "post", "zip": None},
    "content-type": "text/plain",
    "at": dt.datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=dt.UTC),
    "price": decimal.Decimal("1.10"),
    "raw": b"\xff\x00",
    "tags": {"a", "é😀"},
    "rows": [[1, None], []],
    "by_day": {dt.date(2024, 2, 29): 0.5},
    "by_either": {-5: "number", "five": "text"},
    "one": "one",
    "nothing": None,
    "any": [1, None, True],
}


@pytest.mark.parametrize("name", ["thrift", "thrift/object"])
def test_what_go_has_written_is_read(name: str) -> None:
    kept = json.loads((Path(__file__).parent / "thrift_from_go.json").read_text())
    codec = bakeoff.codec(name, schema=EVERY)

    assert first_difference(RECORD, read(codec, bytes.fromhex(kept["payload"]))) is None


def test_the_finder_counts_as_records_are_counted() -> None:
    schema = Schema(
        {"a": int, "b": list[bool], "c": dict[str, float], "d": dict[str, str], "e": {"f": bytes}}
    )
    record = {"a": 2**40, "b": [True, False] * 10, "c": {}, "d": {"x": "y", "z": ""}, "e": {"f": b"123"}}
    payload = bakeoff.codec("thrift", schema=schema).encode(record)

    assert values_in("thrift", payload) == (1 + 2 * 5 + 20 + 4 + 2, False)
    assert end_of("thrift", payload + b"\x00\x16") == len(payload)
    assert all(end_of("thrift", payload[:at]) == -1 for at in range(len(payload)))


SMALL = Schema(TypedDict("Small", {"a": int, "b": NotRequired[list[str]]}))  # type: ignore[operator]
NAMES = ["thrift", "thrift/object"]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_schema_does_not_know_is_passed_over(name: str) -> None:
    codec = bakeoff.codec(name, schema=SMALL)
    payload = b"\x16\x02\x16\x04\x11\x00"

    assert getattr(codec.decode(payload), "a", None) == 1 or codec.decode(payload) == {"a": 1}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\x16\x02\x00\x00", "data after the end of the value, at byte 3"),
        (b"\x16\x02", "the payload ends within a value"),
        (b"\x16\x02\x19\xf8\xff\xff\xff\xff\x07\x00", "the payload ends within a value"),
        (b"\x16\x02\x19\xf8\xff\xff\xff\xff\x0f\x00", "negative length"),
        (b"\x16\x02\x19\x15\x02\x00", "wrong ttype"),
        (b"\x16\x02\x3c" + b"\x1c" * 100 + b"\x00" * 102, "nested more deeply than thrift goes"),
        (b"\x16\x02\x39" + b"\x19" * 100 + b"\x00" * 102, "nested more deeply than thrift goes"),
        (b"\x16" + b"\xff" * 11 + b"\x00", "varint exceeded 10 bytes"),
        (b"\x1e\x00", "don't know what type: 14"),
    ],
)
def test_damage_is_refused_with_the_librarys_reason(name: str, payload: bytes, reason: str) -> None:
    with pytest.raises(DecodeError, match=reason):
        bakeoff.codec(name, schema=SMALL).decode(payload)


def test_what_must_be_there_and_text_that_is_none_are_refused() -> None:
    """The library by itself leaves the one None and puts U+FFFD into the other, as its own objects show."""
    records, objects = (bakeoff.codec(name, schema=SMALL) for name in NAMES)
    for payload, reason in (
        (b"\x00", "a required field is missing"),
        (b"\x16\x02\x19\x18\x01\xff\x00", "utf-8"),
    ):
        with pytest.raises(DecodeError, match=reason):
            records.decode(payload)

    assert objects.decode(b"\x00").a is None
    assert objects.decode(b"\x16\x02\x19\x18\x01\xff\x00").b == ["\ufffd"]


def test_values_are_counted_before_they_are_made() -> None:
    """A million empty structs take a million bytes, and as many objects."""
    codec = bakeoff.codec(
        "thrift", schema=Schema({"many": list[TypedDict("Empty", {"a": NotRequired[int]})]})
    )  # type: ignore[misc,operator]
    for count in (b"\x81\x89\x7a", b"\xff\xff\xff\xff\x07"):
        with pytest.raises(LimitError, match="more than the limit of 1,000,000"):
            codec.decode(b"\x19\xfc" + count + bytes(2_000_001))


def test_objects_are_such_as_the_compiler_makes() -> None:
    from thrift.protocol.TCompactProtocol import TCompactProtocolAcceleratedFactory
    from thrift.TSerialization import deserialize, serialize

    codec = bakeoff.codec("thrift/object", schema=SMALL)
    assert codec.bound is not None
    assert codec.bound.take is not None
    made = codec.bound.take({"a": 7})
    factory = TCompactProtocolAcceleratedFactory(fallback=False)

    assert repr(made) == "Small(a=7, b=None)"
    assert serialize(made, factory) == codec.encode(made)
    assert deserialize(type(made)(), codec.encode(made), factory) == made
