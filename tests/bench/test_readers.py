"""Readers in other languages say exactly what their libraries return, and refuse without ending."""

from __future__ import annotations

import datetime as dt
import json
import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import bson
import cbor2
import msgpack
import pytest

from bakeoff import Schema, codec
from bakeoff.bench.foreign import builds
from bakeoff.bench.foreign.canonical import canonical, changes
from bakeoff.bench.foreign.port import ForeignWorker, LibraryRefusal, TimedSlices
from bakeoff.bench.foreign.schemas import json_schema, reader_schema

Start = Callable[[str], ForeignWorker]

REFUSED = "refused"
CODECS = {"json": "json", "msgpack": "msgpack", "cbor": "cbor2"}
BIG = 2**53 + 1
CENTS = Decimal("1.10")
MOMENT = dt.datetime(2024, 2, 29, 12, 30, 15, 123456, dt.UTC)
NAMES = {"constructor": {"name": "X"}, "toString": "a", "_bsontype": "Long", "length": "b"}
PAYLOADS = {"json": b'{"a": "b"}', "msgpack": b"\x81\xa1a\xa1b", "cbor": b"\xa1\x61a\x61b"}
PAYLOADS["bson"] = bson.encode({"a": "b"})


def number(value: float) -> list[Any]:
    return ["number", struct.pack(">d", value).hex()]


def field(value: list[Any]) -> list[Any]:
    return ["map", [[["text", "v"], value]]]


def time(fraction: str) -> list[Any]:
    return ["time", f"2024-02-29T12:30:15.{fraction}Z"]


def pack(value: Any) -> bytes:
    return bytes(msgpack.packb(value, datetime=True))


DATE = cbor2.dumps(dt.date(2024, 2, 29))
SET = cbor2.dumps({1})
TWICE = b"\x13\0\0\0\x10a\0\x01\0\0\0\x10a\0\x02\0\0\0\0"
LATE = b"\x10\0\0\0\x09v\0" + struct.pack("<q", 2**62) + b"\0"
RETURNED: list[tuple[str, bytes, Any]] = [
    ("go encoding/json", json.dumps(BIG).encode(), canonical(2.0**53)),
    ("go encoding/json", b"NaN", REFUSED),
    ("go goccy/go-json", json.dumps({"1": None}).encode(), canonical({"1": None})),
    ("go goccy/go-json", b"[" * 202 + b"]" * 202, REFUSED),  # more levels than canonical text may have
    ("go vmihailenco/msgpack", pack(BIG), canonical(BIG)),
    ("go vmihailenco/msgpack", pack(MOMENT), time("123456000")),
    ("go vmihailenco/msgpack", pack({1: 2}), REFUSED),
    ("go vmihailenco/msgpack", b"\xa1\xff", ["raw text", "ff"]),
    ("go tinylib/msgp", pack([b"\xff", -(2**63), 1.5]), canonical([b"\xff", -(2**63), 1.5])),
    ("go tinylib/msgp", b"\xd4\x05\x00", ["tag", "5", ["bytes", "00"]]),
    ("go tinylib/msgp", b"\x01\x02", REFUSED),
    ("go fxamacker/cbor", cbor2.dumps({1: [2**64, b"a"]}), canonical({1: [2**64, b"a"]})),
    ("go fxamacker/cbor", DATE, ["tag", "1004", ["text", "2024-02-29"]]),
    ("go fxamacker/cbor", b"\xf0", ["other", "cbor.SimpleValue", "16"]),
    ("go mongo-driver/bson", TWICE, ["map", [[["text", "a"], ["int", "1"]], [["text", "a"], ["int", "2"]]]]),
    ("go mongo-driver/bson", bson.encode({"v": MOMENT}), field(time("123"))),
    ("go mongo-driver/bson", LATE, field(["other", "bson.DateTime", str(2**62)])),
    ("node JSON.parse", json.dumps(BIG).encode(), number(2.0**53)),
    ("node JSON.parse", json.dumps(NAMES).encode(), canonical(NAMES)),
    ("node JSON.parse", b'{"__proto__": "a"}', canonical({"__proto__": "a"})),
    ("node JSON.parse", b"[" * 10**5 + b"]" * 10**5, REFUSED),
    ("node @msgpack/msgpack", pack({1: b"\xff"}), canonical({"1": b"\xff"})),
    ("node @msgpack/msgpack", pack({"__proto__": 1}), REFUSED),
    ("node @msgpack/msgpack", b"\xd4\x05\x00", ["tag", "5", ["bytes", "00"]]),
    ("node msgpackr", pack(BIG), canonical(BIG)),
    ("node msgpackr", pack(MOMENT), time("123")),
    ("node msgpackr", pack({"__proto__": "a"}), canonical({"__proto_": "a"})),
    ("node cbor-x", DATE, ["tag", "1004", ["text", "2024-02-29"]]),
    ("node cbor-x", b"\xd8\x56\x48" + struct.pack("<d", 1.5), ["list", [number(1.5)]]),
    ("node cbor-x", SET, ["set", [number(1.0)]]),
    ("node cbor-x", b"\xd8\x1c\x81\xd8\x1d\x00", REFUSED),  # a list that contains itself
    ("node cbor-x", b"\xf7", ["undefined"]),
    ("node bson", bson.encode({"v": bson.Int64(BIG)}), field(canonical(BIG))),
    ("node bson", bson.encode({"v": bson.Decimal128("1.10")}), field(["decimal", "1.10"])),
    ("node bson", bson.encode({"v": bson.Binary(b"123", 4)}), field(["tag", "4", ["bytes", "313233"]])),
    ("node bson", LATE, field(["other", "Date", "Invalid Date"])),
    ("java jackson-databind", json.dumps([10**40, "\ud800"]).encode(), canonical([10**40, "\ud800"])),
    ("java jackson-databind", b"NaN", REFUSED),
    ("java jackson-databind", b"[" * 300 + b"]" * 300, REFUSED),
    ("java msgpack-core", pack({1: [MOMENT]}), ["map", [[["int", "1"], ["list", [time("123456")]]]]]),
    ("java msgpack-core", b"\xa1\xff", ["raw text", "ff"]),
    ("java msgpack-core", b"\x91" * 10**6, REFUSED),  # the stack overflows
    ("java jackson-dataformat-msgpack", pack({1: 2**64 - 1}), canonical({"1": 2**64 - 1})),
    ("java jackson-dataformat-msgpack", pack({None: 1}), canonical({})),
    ("java jackson-dataformat-cbor", cbor2.dumps([2**64, CENTS]), canonical([2**64, CENTS])),
    ("java jackson-dataformat-cbor", cbor2.dumps({1: 2}), canonical({"1": 2})),
    ("java jackson-dataformat-cbor", DATE, canonical("2024-02-29")),
    ("java org.mongodb:bson", bson.encode({"v": bson.Decimal128("1.10")}), field(["decimal", "1.10"])),
    ("java org.mongodb:bson", LATE, field(["other", "Instant", "+146140482-04-24T15:36:27.904Z"])),
    ("rust serde_json", json.dumps(10**40).encode(), canonical(1e40)),
    ("rust serde_json", b"[" * 300 + b"]" * 300, REFUSED),
    ("rust rmpv", pack({1: [b"\xff", 2**64 - 1, 1.5]}), canonical({1: [b"\xff", 2**64 - 1, 1.5]})),
    ("rust rmpv", b"\xd4\x05\x00", ["tag", "5", ["bytes", "00"]]),
    ("rust rmpv", b"\x91" * 300 + b"\x01", REFUSED),
    ("rust ciborium", cbor2.dumps({1: -(2**64)}), canonical({1: -(2**64)})),
    ("rust ciborium", DATE, ["tag", "1004", ["text", "2024-02-29"]]),
    ("rust bson", bson.encode({"v": MOMENT}), field(time("123"))),
    ("rust bson", bson.encode({"v": bson.Binary(b"123", 4)}), field(["tag", "4", ["bytes", "313233"]])),
    ("rust bson", LATE, field(["other", "DateTime", str(2**62)])),
]


@pytest.mark.parametrize(("library", "payload", "returned"), RETURNED)
def test_canonical_text_says_what_the_library_returned(
    reader: Start, library: str, payload: bytes, returned: Any
) -> None:
    language, name = library.split(" ")

    found = reader(language).check(name, payload)

    assert returned == (REFUSED if isinstance(found, LibraryRefusal) else found)


class Part(TypedDict):
    a: int


class Other(TypedDict):
    b: str


class Record(TypedDict):
    big: int
    at: dt.datetime
    day: dt.date
    raw: bytes
    price: Decimal
    maybe: int | None
    missing: NotRequired[str]
    either: Part | Other
    number: int | float | str
    parts: list[Part]
    counts: dict[str, int]
    names: dict[int, str]
    none: None


RECORD: dict[str, Any] = {
    "big": BIG, "at": MOMENT, "day": MOMENT.date(), "raw": b"\xff", "price": CENTS, "maybe": None,
    "either": {"b": "x"}, "number": 2.0, "parts": [{"a": 1}], "counts": {"__proto__": 1}, "names": {1: "x"},
    "none": None,
}  # fmt: skip
EMPTY = RECORD | {
    "big": 0,
    "raw": b"",
    "maybe": 0,
    "missing": "",
    "number": 5,
    "parts": [],
    "counts": {},
    "names": {},
}
GIVEN = b"""{"type": "record", "name": "my.Given", "fields": [
    {"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},
    {"name": "digest", "type": ["null", {"type": "fixed", "name": "Digest", "size": 2}]},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}},
    {"name": "next", "type": ["null", "Given"]}]}"""
INNER = {"level": "LOW", "digest": None, "price": CENTS, "next": None}
MIDNIGHT = "time 2024-02-29T00:00:00.000000000Z"
KEY_1 = "key text " + repr("\x01" + "\0" * 7)
INT_KEYS = "refused: msgpack: invalid code=1 decoding string/bytes length"
CBOR_DAY = "date 2024-02-29 became tag 1004 of text '2024-02-29'"
MSGPACK_TIME = "$.at: time 2024-02-29T12:30:15.123456Z became tag -1 of bytes 1d6f280065e078d7"
CBOR_TIME = "$.at: time 2024-02-29T12:30:15.123456Z became text '2024-02-29T12:30:15.123456Z'"
TEXT_KEY = "$.names[int 1]: key int 1 became key text '1'"
BY_SCHEMA: list[tuple[str, str, set[str]]] = [
    ("go hamba/avro", "records", {f"$.day: date 2024-02-29 became {MIDNIGHT}"}),
    ("go hamba/avro", "given", {"$.price: decimal 1.10 became decimal 1.1"}),
    ("go protobuf/dynamicpb", "records", set()),
    (
        "node avsc",
        "records",
        {"refused: Error: potential precision loss", "$.day: date 2024-02-29 became number 19782.0"},
    ),
    ("go encoding/json struct", "records", {"$.number: int 5 became float 5.0"}),
    ("go goccy/go-json struct", "records", {"$.number: int 5 became float 5.0"}),
    ("go vmihailenco/msgpack struct", "records", {INT_KEYS}),
    (
        "go fxamacker/cbor struct",
        "records",
        {f"$.day: {CBOR_DAY}", "$.price: decimal 1.10 became tag 4 of list of 2"},
    ),
    ("java jackson-databind class", "records", set()),
    ("java jackson-dataformat-msgpack class", "records", {MSGPACK_TIME, TEXT_KEY}),
    (
        "java jackson-dataformat-cbor class",
        "records",
        {CBOR_TIME, "$.day: date 2024-02-29 became text '2024-02-29'", TEXT_KEY},
    ),
    ("java avro", "records", set()),
    ("java avro", "given", set()),
    ("java protobuf-java", "records", set()),
    ("rust apache-avro", "records", set()),
    ("rust apache-avro", "given", {"$.price: decimal 1.10 became Value Decimal(Decimal { value: 110, len…"}),
    ("rust prost-reflect", "records", set()),
    ("node avsc", "given", {"$.price: decimal 1.10 became bytes 6e"}),
    (
        "node protobufjs",
        "records",
        {"$.raw: bytes  became list of 0", f"$.names[int 1]: key int 1 became {KEY_1}"},
    ),
]


@pytest.mark.parametrize(("library", "kind", "expected"), BY_SCHEMA)
def test_payloads_are_read_by_their_schema(
    reader: Start, library: str, kind: str, expected: set[str]
) -> None:
    language, name = library.split(" ", 1)
    worker = reader(language)
    asked = next(each for each in worker.libraries if each.name == name)
    schema, records = Schema(Record), [RECORD, EMPTY]
    if kind == "given":
        schema, records = Schema.of_definition(GIVEN, "avro"), [INNER | {"level": "HIGH", "digest": b"\1\2"}]
    given = json_schema(schema) if asked.typed else reader_schema(asked.format, schema)
    writer = codec(CODECS[asked.format]) if asked.typed else codec(asked.format).with_schema(schema)
    decode = given.decode or writer.decode
    payloads = [writer.encode(each)[given.head :] for each in records]

    found = set()
    for payload in payloads:
        read = worker.check(name, payload, given)
        if isinstance(read, LibraryRefusal):
            found.add(f"refused: {read.reason}")
        else:
            found |= set(map(str, changes(canonical(decode(payload)), read)))

    assert found == expected
    assert isinstance(worker.time(name, payloads[1:] or payloads, 2, 1000, 1, given), TimedSlices)


class Knot(TypedDict):
    """A record within records of its own kind, with keys that no language has as a name."""

    inner: list[Knot] | None
    flags: list[bool]


ODD_KEYS = ['"\\', "u0041", "\\u0041", "a\nb", "é😀", "class"]


@pytest.mark.parametrize("library", ["jackson-databind class", "jackson-dataformat-cbor class"])
def test_classes_have_any_key_and_may_contain_themselves(reader: Start, library: str) -> None:
    empty = TypedDict("empty", {"": int})
    optional = dict.fromkeys(ODD_KEYS, NotRequired[int | None])
    kind = TypedDict("kind", optional | {"knot": Knot, "empty": empty})
    knot = {"inner": [{"inner": None, "flags": [True]}, {"inner": [], "flags": []}], "flags": [False]}
    rest = {"knot": knot, "empty": {"": 1}}
    records = [dict.fromkeys(ODD_KEYS, 3) | rest, rest]
    worker = reader("java")
    form = next(each.format for each in worker.libraries if each.name == library)
    encode = codec(CODECS[form]).encode

    for record in records:
        read = worker.check(library, encode(record), json_schema(Schema(kind)))
        assert not isinstance(read, LibraryRefusal), read.reason
        assert list(changes(canonical(record), read)) == []


@pytest.mark.parametrize("language", ["go", "java", "node", "rust"])
def test_every_library_is_timed(reader: Start, language: str) -> None:
    worker = reader(language)

    for library in worker.libraries:
        if library.typed or library.format not in PAYLOADS:
            continue
        payload = PAYLOADS[library.format]
        timed = worker.time(library.name, [payload, payload], slices=3, slice_ns=1000, seed=1)
        assert isinstance(timed, TimedSlices)
        assert isinstance(worker.time(library.name, [payload, b""], 3, 1000, 1), LibraryRefusal)


WAITS_OUTSIDE = """
const fs = require("node:fs");
const { openSync, readSync } = fs;
let waited = 0;
fs.openSync = (path, ...more) => (path.endsWith("schedstat") ? -7 : openSync(path, ...more));
fs.readSync = (file, into, ...more) => {
  if (file !== -7) return readSync(file, into, ...more);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  return into.write(`1 ${(waited += 5e6)} 1\\n`);
};
"""


def test_a_wait_outside_a_slice_is_not_subtracted(reader: Start, tmp_path: Path) -> None:
    reader("node")
    (program, *arguments), folder = builds.command("node")
    (tmp_path / "waits.js").write_text(WAITS_OUTSIDE)
    payload = json.dumps(list(range(2000))).encode()

    with ForeignWorker([program, "--require", str(tmp_path / "waits.js"), *arguments], folder) as worker:
        timed = worker.time("JSON.parse", [payload], slices=3, slice_ns=1, seed=1)

    assert isinstance(timed, TimedSlices)
    assert min(timed.slices) > 1000  # no processor parses 2,000 ints in a microsecond
