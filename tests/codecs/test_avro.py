"""Avro: with other libraries, with schemas that were given, and against payloads and schemas that attack."""

from __future__ import annotations

import bz2
import datetime as dt
import decimal
import io
import itertools
import json
import lzma
import uuid
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import avro.datafile
import avro.io
import avro.schema
import fastavro
import pytest
import zstandard

import bakeoff
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import Codec, DecodeError, EncodeError, LimitError
from bakeoff.codecs.formats.avro import BLOCKS
from bakeoff.codecs.streams.compression import compressor
from bakeoff.schemas import Schema, SchemaError

DATA = Path(__file__).parent.parent / "data" / "avro"
"""Made by Avro's libraries for Java and Python and by fastavro, see `Orders.java` and `orders.py` there."""


def record(**fields: Any) -> dict[str, Any]:
    made = []
    for name, kind in fields.items():
        made.append(
            {"name": name, "type": kind[0], "default": kind[1]}
            if isinstance(kind, tuple)
            else {"name": name, "type": kind}
        )
    return {"type": "record", "name": "R", "fields": made}


def given(definition: Any, name: str = "avro") -> Codec:
    text = json.dumps(definition) if isinstance(definition, dict) else definition
    return bakeoff.codec(name, schema=Schema.of_definition(text, "avro"))


def number(value: int) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, "long", value)
    return file.getvalue()


def order(i: int) -> dict[str, Any]:
    """Return an order as `Orders.java` writes it."""
    place = {"city": "東京" if i % 2 else "Zürich", "zip": 8000 + i if i % 3 else None}
    return {
        "id": uuid.UUID(int=(i << 64) + (-i & 2**64 - 1)),
        "number": -i,
        "at": dt.datetime(2024, 2, 29, 23, 59, 59, 999000, dt.UTC) + dt.timedelta(milliseconds=i),
        "due": dt.date(1969, 12, 31) + dt.timedelta(days=i),
        "state": ("NEW", "PAID", "SENT")[i % 3],
        "total": decimal.Decimal(-12345 * i).scaleb(-2),
        "digest": bytes([i]) * 16,
        "weight": i * 0.5,
        "note": "leave it at the door" if i % 2 else None,
        "address": place,
        "billing": None if i % 2 else place,
        "lines": [
            {"sku": f"SKU-{j}", "count": j << 40, "prices": {"CHF": j + 0.25} if j else {}}
            for j in range(i % 4)
        ],
        "paid": (True, "by cheque", place, bytes([i]) * 16)[i % 4],
    }  # fmt: skip


@pytest.fixture
def orders() -> Codec:
    return given((DATA / "orders.avsc").read_bytes())


# Other libraries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["orders.avro", "orders.fastavro.avro", "orders.python.avro"])
def test_a_file_of_each_library_is_read(orders: Codec, name: str) -> None:
    """Deflated blocks, logical types, named types that are referred to, a union of five."""
    with (DATA / name).open("rb") as file:
        assert first_difference([order(i) for i in range(20)], list(orders.load(file))) is None


@pytest.mark.parametrize("codec", sorted({name.decode() for name in BLOCKS} - {"zstandard"}))
@pytest.mark.parametrize("count", [0, 1, 5, 5_000])
def test_files_of_fastavro_are_read(codec: str, count: int, tmp_path: Path) -> None:
    """fastavro leaves part of a checksum after each deflated block; a corpus has the file's own schema."""
    path, records = tmp_path / "records.avro", [{"i": i, "s": f"text {i % 7}"} for i in range(count)]
    definition = record(i="long", s="string")
    with path.open("wb") as file:
        fastavro.writer(file, definition, records, codec=codec, sync_interval=4_000)
    with path.open("rb") as file:
        assert list(given(definition).load(file)) == records
    if records:
        assert list(bakeoff.corpus(str(path)).records()) == records


@pytest.mark.parametrize(("behind", "is_read"), [(0, True), (4, True), (5, False)])
def test_no_more_than_a_checksum_may_stand_behind_a_block(behind: int, is_read: bool) -> None:
    """Longer trailing data is not a part of zlib's format."""
    pack = zlib.compressobj(wbits=-15)
    block = pack.compress(number(7)) + pack.flush() + b"x" * behind
    file = io.BytesIO()
    fastavro.writer(file, record(a="int"), [{"a": 1}], codec="deflate", sync_marker=b"!" * 16)
    head = file.getvalue()[: file.getvalue().index(b"!" * 16) + 16]
    damaged = io.BytesIO(head + number(1) + number(len(block)) + block + b"!" * 16)
    if is_read:
        assert list(given(record(a="int")).load(damaged)) == [{"a": 7}]
    else:
        with pytest.raises(DecodeError, match="not a complete compressed stream"):
            list(given(record(a="int")).load(damaged))


def test_a_single_object_of_java_is_the_same(orders: Codec) -> None:
    """To the byte: the fingerprint is that of Java's canonical form."""
    payload = (DATA / "orders.single").read_bytes()

    assert first_difference(order(0), orders.decode(payload)) is None
    assert payload == orders.encode(order(0))


def test_its_files_are_read_by_the_other_libraries(orders: Codec) -> None:
    orders_ = [order(i) for i in range(19)] * 40
    file = io.BytesIO()
    orders.dump(orders_, file)
    assert file.getvalue().count(file.getvalue()[-16:]) > 2

    file.seek(0)
    assert orders_ == list(fastavro.reader(file))
    file.seek(0)
    # This leaves texts and fixed unchanged.
    found = list(avro.datafile.DataFileReader(file, avro.io.DatumReader()))
    assert [(o["number"], o["total"], o["lines"]) for o in orders_] == [
        (o["number"], o["total"], o["lines"]) for o in found
    ]


@pytest.mark.parametrize("corpus", ["messages", "movies", "numbers", "types"])
def test_what_is_exported_is_read_by_the_other_libraries(corpus: str) -> None:
    records = list(bakeoff.corpus(corpus, records=5).records())
    schema = Schema.infer(records)
    definition = json.loads(schema.definition("avro"))
    parsed, theirs = fastavro.parse_schema(definition), avro.schema.parse(json.dumps(definition))
    codec = bakeoff.codec("avro/bare", schema=schema)
    for each in records:
        payload = codec.encode(each)
        decoder = avro.io.BinaryDecoder(io.BytesIO(payload))
        found = fastavro.schemaless_reader(io.BytesIO(payload), parsed, None)
        # Their UUIDs are text.
        theirs_found = avro.io.DatumReader(theirs).read(decoder)
        assert json.dumps(theirs_found, default=str) == json.dumps(found, default=str)


# Given schemas --------------------------------------------------------------------------------------


def test_a_given_schema_is_written_as_it_was() -> None:
    text = (DATA / "orders.avsc").read_bytes()

    assert text == Schema.of_definition(text, "avro").definition("avro")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ({"type": "string", "logicalType": "uuid"}, uuid.UUID(int=5)),
        ({"type": "fixed", "name": "F", "size": 16, "logicalType": "uuid"}, uuid.UUID(int=5)),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, decimal.Decimal("-12.34")),
        ({"type": "bytes", "logicalType": "decimal", "precision": 40}, decimal.Decimal(10**39)),
        (
            {"type": "fixed", "name": "F", "size": 8, "logicalType": "decimal", "precision": 9, "scale": 3},
            decimal.Decimal("0.001"),
        ),
        ({"type": "int", "logicalType": "date"}, dt.date(1, 1, 1)),
        ({"type": "int", "logicalType": "time-millis"}, dt.time(23, 59, 59, 999000)),
        ({"type": "long", "logicalType": "time-micros"}, dt.time(23, 59, 59, 999999)),
        ({"type": "long", "logicalType": "timestamp-millis"}, dt.datetime(1969, 1, 1, 0, 0, 0, 1000, dt.UTC)),
        ({"type": "long", "logicalType": "timestamp-nanos"}, dt.datetime(2024, 1, 1, 0, 0, 0, 1, dt.UTC)),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, dt.datetime.max),
        ({"type": "long", "logicalType": "unheard-of"}, 5),
        ({"type": "bytes", "logicalType": "decimal"}, b"no precision"),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B"),
        (["null", {"type": "enum", "name": "E", "symbols": ["A", "B"]}, "string"], "A"),
        (["null", {"type": "enum", "name": "E", "symbols": ["A", "B"]}, "string"], "other"),
        ([{"type": "fixed", "name": "F", "size": 2}, "bytes"], b"abc"),
        (["string"], "x"),
        (["null"], None),
        ({"type": "map", "values": {"type": "map", "values": ["null", "int"]}}, {"a": {"b": None, "c": 5}}),
    ],
)  # fmt: skip
def test_given_types_come_back(kind: Any, value: Any) -> None:
    codec = given(record(a={"type": "array", "items": kind}))
    whole: dict[str, Any] = {"a": [value, value]}

    assert first_difference(whole, codec.decode(codec.encode(whole))) is None
    if isinstance(kind, dict):
        codec = given(record(a=kind, b=["null", kind.get("name", kind)]))
        for whole in ({"a": value, "b": None}, {"a": value, "b": value}):
            assert first_difference(whole, codec.decode(codec.encode(whole))) is None


def test_defaults_stand_for_what_is_missing() -> None:
    """In what is written, as libraries for Avro do; decoded records have every field."""
    inner = record(x=("int", 5)) | {"name": "Inner"}
    codec = given(
        record(
            a=("string", "x"),
            b=("bytes", "\u00ff"),
            c=(["null", "int"], None),
            d=(["int", "null"], 7),
            e=({"type": "array", "items": ["null", "long"]}, [1, None]),
            f=({"type": "map", "values": "double"}, {"k": 1}),
            g=(inner, {}),
            h="int",
        )
    )
    expected = {
        "a": "x", "b": b"\xff", "c": None, "d": 7, "e": [1, None], "f": {"k": 1.0}, "g": {"x": 5}, "h": 0
    }  # fmt: skip

    assert first_difference(expected, codec.decode(codec.encode({"h": 0}))) is None
    with pytest.raises(EncodeError, match=r"\$\.h"):
        codec.encode({})


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, decimal.Decimal("123.45")),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, decimal.Decimal("1.234")),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, decimal.Decimal("1E+9999")),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, decimal.Decimal("NaN")),
        ({"type": "int", "logicalType": "time-millis"}, dt.time(0, 0, 0, 1)),
        ({"type": "int", "logicalType": "time-millis"}, dt.time(tzinfo=dt.UTC)),
        ({"type": "long", "logicalType": "timestamp-millis"}, dt.datetime(2024, 1, 1, 0, 0, 0, 1, dt.UTC)),
        ({"type": "long", "logicalType": "timestamp-micros"}, dt.datetime(2024, 1, 1)),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, dt.datetime(2024, 1, 1, tzinfo=dt.UTC)),
        ("int", 2**31),
        ("float", 3.5e38),
        ({"type": "fixed", "name": "F", "size": 2}, b"abc"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "B"),
    ],
)  # fmt: skip
def test_what_a_given_type_has_no_room_for_is_refused(kind: Any, value: Any) -> None:
    """Where fastavro rounds or takes a naive datetime for local time."""
    with pytest.raises(EncodeError):
        given(record(a=kind)).encode({"a": value})


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        (record(a="R"), "`R` must contain itself"),
        (
            record(a={"type": "record", "name": "S", "fields": [{"name": "b", "type": ["R"]}]}),
            "must contain itself",
        ),
        (record(a=["R"]), "`R` must contain itself"),
        (record(a=[{"type": "int", "logicalType": "date"}, "long"]), r"\$\.a.*read as int"),
        (record(a="Unknown"), r"\$\.a.*'Unknown'"),
        (record(a=["int", ["null", "string"]]), "union within a union"),
        (record(a=["null", "null"]), "null twice"),
        (record(a={"type": "fixed", "name": "F", "size": -1}), "size"),
        (record(a={"type": "enum", "name": "E", "symbols": "AB"}), "symbols"),
        (record(a={"type": "record", "name": "R", "fields": []}), "defined twice"),
        ({"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}] * 2}, "two fields"),
        ({"type": "record", "name": "1", "fields": []}, "name"),
        ({"type": "record", "name": "R"}, "fields"),
        ({"type": "array"}, "not an Avro schema"),
        ("[" * 100_000, "not JSON"),
        ('{"type":"array","items":' * 200 + '"int"' + "}" * 200, "nested more than 100"),
        ("not json", "not JSON"),
    ],
)  # fmt: skip
def test_what_is_no_schema_for_records_is_refused(definition: Any, said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        given(definition)


def test_a_schema_that_doubles_with_each_level_is_refused() -> None:
    """Thirty records that hold the next one twice are a billion values of no byte."""
    kind: Any = {"type": "record", "name": "R0", "fields": []}
    for level in range(1, 30):
        fields = [{"name": "a", "type": kind}, {"name": "b", "type": f"R{level - 1}"}]
        kind = {"type": "record", "name": f"R{level}", "fields": fields}
    with pytest.raises(SchemaError, match="more than 10,000 parts"):
        given(kind)


# Versions -------------------------------------------------------------------------------------------


def test_another_schema_s_payload_is_refused() -> None:
    old, new = given(record(a="int")), given(record(a="int", b="int"))
    payload = old.encode({"a": 1})
    with pytest.raises(DecodeError, match=f"another schema, of fingerprint {payload[2:10].hex()}"):
        new.decode(payload)
    with pytest.raises(DecodeError, match="not an Avro single object"):
        new.decode(b"\x02\x02")


@pytest.mark.parametrize("name", ["avro", "avro/bare"])
def test_another_version_is_read_by_resolution(name: str) -> None:
    old = given(record(gone="string", x="int", y="int", z=["null", "string"]), name)
    newer = record(
        z=["null", "string"], y="double", new=({"type": "array", "items": "int"}, [1]), renamed="long"
    )
    newer["fields"][3]["aliases"] = ["x"]
    new = given(newer, name)
    assert new.bound is not None
    assert new.bound.reading is not None
    decode = new.bound.reading(old.schema)
    payload = old.encode({"gone": "g", "x": 1, "y": 2, "z": "t"})
    expected = {"z": "t", "y": 2.0, "new": [1], "renamed": 1}
    first = decode(payload)
    first["new"].append(2)

    assert first_difference(expected, decode(payload)) is None
    with pytest.raises(ValueError, match="data after"):
        decode(payload + b"\0")


def test_a_version_that_cannot_be_resolved_is_no_foreign_error() -> None:
    """fastavro raises its own class for that, which is not a `ValueError`."""
    old, new = given(record(a="string")), given(record(b="int"))
    decode = new.bound.reading(old.schema)  # type: ignore[union-attr, misc]
    with pytest.raises(DecodeError, match="avro: No default value for field b"):
        decode(old.encode({"a": "x"}))


def test_a_record_of_no_bytes_is_one_without_the_fingerprint() -> None:
    codec = given(record(a="null"), "avro/bare")

    assert codec.encode({"a": None}) == b""
    assert codec.decode(b"") == {"a": None}
    with pytest.raises(DecodeError):
        given(record(a="int"), "avro/bare").decode(b"")


def test_numbers_of_another_unit_are_not_read() -> None:
    """Resolution would silently read milliseconds as microseconds."""
    at = {"type": "long", "logicalType": "timestamp-millis"}
    old = given(record(a={"type": "array", "items": ["null", at]}))
    new = given(record(a={"type": "array", "items": at | {"logicalType": "timestamp-micros"}}))
    with pytest.raises(SchemaError, match=r"\$\.a\[\].*timestamp-ms would be read as timestamp-us"):
        new.bound.reading(old.schema)  # type: ignore[union-attr, misc]


# Attacks --------------------------------------------------------------------------------------------

EMPTY = [
    "null",
    {"type": "fixed", "name": "F", "size": 0},
    {"type": "record", "name": "E", "fields": []},
    {"type": "record", "name": "E", "fields": [{"name": "n", "type": "null"}]},
]


@pytest.mark.parametrize("items", EMPTY)
@pytest.mark.parametrize("claim", [1_000_001, 2**40, 2**63 - 1, -(2**40), -(2**63)])
def test_items_of_no_byte_are_counted_first(items: Any, claim: int) -> None:
    """Of a given schema; six bytes took fastavro 24 s and 2.9 GB."""
    codec = given(record(a={"type": "array", "items": items}), "avro/bare")
    with pytest.raises(LimitError, match="limit of items"):
        codec.decode(number(claim) + number(0) * (1 + (claim < 0)))
    three = codec.decode(number(3) + number(0))["a"]

    assert 3 == len(three)


def test_items_of_no_byte_are_not_derived() -> None:
    """They are in a union of one branch, which takes a byte."""
    definition = json.loads(Schema({"a": list[None]}).definition("avro"))

    assert {"type": "array", "items": ["null"]} == definition["fields"][0]["type"]


@pytest.mark.parametrize(
    "body",
    [
        number(2**62),
        number(-1) + number(2**62),
        number(-1) + number(-1) + b"\0\0",
        number(1) + number(2**40),
        b"\xff" * 20,
        b"\x80" * 20,
        number(2) + b"\0",
        b"",
    ],
)
@pytest.mark.parametrize("kind", [{"type": "map", "values": "null"}, {"type": "array", "items": "string"}])
def test_claims_beyond_the_payload_are_refused(kind: Any, body: bytes) -> None:
    codec = given(record(a=kind), "avro/bare")
    with pytest.raises(DecodeError):
        codec.decode(body + b"")


@pytest.mark.parametrize("name", ["avro", "avro/bare"])
def test_the_limit_of_items_holds(name: str) -> None:
    codec = given(record(a={"type": "array", "items": "int"}), name)
    payload = codec.encode({"a": list(range(100))})

    assert {"a": list(range(100))} == codec.with_limits(items=110).decode(payload)
    with pytest.raises(LimitError, match="more than 90 values"):
        codec.with_limits(items=90).decode(payload)


def test_blocks_that_say_their_length_are_read() -> None:
    """As Java writes long arrays."""
    codec = given(record(a={"type": "array", "items": "int"}), "avro/bare")

    assert {"a": [1, 2, 3]} == codec.decode(b"\x03\x04\x02\x04" + b"\x02\x06" + b"\0")
    with pytest.raises(DecodeError, match="another length than it says"):
        codec.decode(b"\x03\x06\x02\x04" + b"\x02\x06" + b"\0")


# Files ----------------------------------------------------------------------------------------------

KIND = record(a="int")


def container(*blocks: bytes, codec: bytes = b"null", schema: Any = KIND, sync: bytes = b"S" * 16) -> bytes:
    text = schema if isinstance(schema, bytes) else json.dumps(schema).encode()
    meta = {b"avro.codec": codec, b"avro.schema": text}
    entries = b"".join(number(len(part)) + part for pair in meta.items() for part in pair)
    return b"Obj\x01" + number(len(meta)) + entries + b"\0" + sync + b"".join(blocks)


def block(count: int, data: bytes, sync: bytes = b"S" * 16) -> bytes:
    return number(count) + number(len(data)) + data + sync


LARGE = bytes.fromhex(
    "fd377a585a000004e6d6b44602002101220000008240acdc0100000200000000029f27cc249729eb"
    "00011901a52c81cc1fb6f37d010000000004595a"
)
"""A block of xz that needs 512 MiB to be read, for one byte."""


def snapped(data: bytes, wrong: int = 0) -> bytes:
    return compressor("snappy").compress(data) + (zlib.crc32(data) ^ wrong).to_bytes(4, "big")


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04....", "not an Avro container"),
        (container(codec=b"lzo"), "expected one of null, deflate, snappy, zstandard, bzip2, xz"),
        (container(schema=record(a="string")), "another schema"),
        (container(schema=b"[" * 100_000), "nested more than"),
        (container(schema=b"?"), "not an Avro schema"),
        (container(block(1, b"\x02"))[:-3], "ends within"),
        (container(block(1, b"\x02", b"T" * 16)), "sync marker"),
        (container(block(2, b"\x02")), "ends within a value"),
        (container(block(1, b"\x02\x04")), "after the last record"),
        (container(block(2**40, b"\x02")), "claims"),
        (container(block(-1, b"\x02")), "claims"),
        (container(number(1) + number(2**40)), "limit of size"),
        (container(number(1) + number(-5)), "negative size"),
        (container(block(1, b"?"), codec=b"deflate"), "rror"),
        (container(block(1, snapped(b"\x02", wrong=1)), codec=b"snappy"), "wrong checksum"),
        (container(block(1, b""), codec=b"snappy"), "ompress|corrupt"),
        (container(block(1, LARGE), codec=b"xz"), "emory"),
        (container(block(1, bz2.compress(b"\x02")[:-1]), codec=b"bzip2"), "not a complete"),
        (container(block(1, lzma.compress(b"\x02") + b"x"), codec=b"xz"), "not a complete"),
        (b"Obj\x01" + number(2**40) + number(2**50), "more than 1,000 pairs"),
        (b"Obj\x01" + number(600) + bytes(1200) + number(600), "more than 1,000 pairs"),
        (b"Obj\x01" + number(-1001) + number(0), "more than 1,000 pairs"),
        (b"Obj\x01" + number(1) + number(2**20), "more than 1,048,576 bytes"),
        (container(schema=b'{"fields": [' + b"{}," * 400_000), "more than 1,048,576 bytes"),
        (b"Obj\x01" + b"\xff" * 20, "64 bits"),
    ],
)  # fmt: skip
def test_damaged_files_are_decode_errors(data: bytes, said: str) -> None:
    with pytest.raises(DecodeError, match=said):
        list(given(KIND).load(io.BytesIO(data)))


@pytest.mark.parametrize(
    ("codec", "compress"),
    [
        ("deflate", deflated),
        ("snappy", snapped),
        ("zstandard", zstandard.compress),
        ("bzip2", bz2.compress),
        ("xz", partial(lzma.compress, preset=0)),
    ],
    ids=["deflate", "snappy", "zstandard", "bzip2", "xz"],
)
def test_blocks_of_too_many_bytes_are_decode_errors(codec: str, compress: Callable[[bytes], bytes]) -> None:
    data = container(block(1, compress(bytes(1 << 25))), codec=codec.encode())

    with pytest.raises(DecodeError, match="more than"):
        list(given(KIND).load(io.BytesIO(data)))


def test_blocks_of_zstandard_are_read() -> None:
    """fastavro writes them with another library; Java's frames do not say their size."""
    plain = zstandard.ZstdCompressor(write_content_size=False).compress(number(7))

    for packed in (plain, compressor("zstd").compress(number(7))):
        file = io.BytesIO(container(block(1, packed), codec=b"zstandard", schema=record(a="int")))
        assert [{"a": 7}] == list(given(record(a="int")).load(file))


def test_deflated_blocks_may_grow_together() -> None:
    """Each is small, all of them are not: the first MiB is free for all together, then the ratio counts."""
    kind = record(a={"type": "fixed", "name": "F", "size": 4096})
    many = [block(16, deflated(bytes(1 << 16)))] * 40
    codec, file = given(kind), io.BytesIO(container(*many, codec=b"deflate", schema=kind))

    assert 40 * 16 == sum(1 for _ in codec.with_limits(ratio=2000).load(file))
    file.seek(0)
    records = codec.load(file)
    assert 16 * 16 == sum(1 for _ in itertools.islice(records, 16 * 16))
    with pytest.raises(LimitError, match="100 times their size"):
        next(records)


@pytest.mark.parametrize("name", ["avro", "avro/bare"])
def test_files_of_others_are_read(name: str) -> None:
    schema = KIND | {"doc": "with words"}
    data = container(block(2, b"\x02\x04"), block(0, b""), block(1, b"\x06"), schema=schema)
    packed = container(block(2, deflated(b"\x02\x04")), codec=b"deflate", schema=schema)
    codec = given(KIND, name)
    decoder = codec.decoder()
    fed = [each for byte in data for each in decoder.feed(bytes([byte]))] + decoder.end()

    assert [{"a": 1}, {"a": 2}, {"a": 3}] == fed == list(codec.load(io.BytesIO(data)))
    assert [{"a": 1}, {"a": 2}] == list(codec.load(io.BytesIO(packed)))
    assert [] == list(codec.load(io.BytesIO(container(schema=schema))))


def test_each_empty_record_takes_a_byte_more() -> None:
    """Else a payload of a few bytes could claim any number of them."""
    codec = bakeoff.codec("avro", schema=Schema({"a": list[TypedDict("Empty", {})]}))  # type: ignore[misc]
    record = {"a": [{}] * 1000}
    payload = codec.encode(record)

    assert 1000 < len(payload)
    assert record == codec.decode(payload)


@pytest.mark.parametrize(("value", "read"), [("1.1", "1.1000"), ("-7", "-7.0000"), ("1E+2", "100.0000")])
def test_decimals_of_fewer_places_get_those_of_the_scale(value: str, read: str) -> None:
    kind = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 4}
    codec = given(record(a=kind))

    assert read == str(codec.decode(codec.encode({"a": decimal.Decimal(value)}))["a"])


def test_timestamps_have_an_offset_and_local_ones_none() -> None:
    kinds = {
        name: {"type": "long", "logicalType": f"{name}-{unit}"}
        for name, unit in (("timestamp", "millis"), ("local-timestamp", "micros"))
    }
    schema = Schema.of_definition(
        json.dumps(record(a=kinds["timestamp"], b=kinds["local-timestamp"])), "avro"
    )

    assert [True, False] == [field.type.aware for field in schema.types.fields]  # type: ignore[attr-defined]


def test_a_decimal_finer_than_its_column_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = pa.schema([pa.field("a", pa.decimal128(5, 2), nullable=False)]).serialize().to_pybytes()
    codec = bakeoff.codec("arrow", schema=Schema.of_definition(columns, "arrow"))

    assert {"a": decimal.Decimal("1.50")} == codec.decode(codec.encode({"a": decimal.Decimal("1.500")}))
    with pytest.raises(EncodeError):
        codec.encode({"a": decimal.Decimal("1.501")})
