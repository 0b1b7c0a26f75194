"""Codecs that need a schema, over the corpora and over what one format or another has no form for."""

from __future__ import annotations

import contextlib
import datetime as dt
import decimal
import io
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

import avro.schema
import fastavro
import msgspec
import pytest
from hypothesis import given
from kinds import declared, unions
from round_trips import assert_comes_back, read, written

import bakeoff
from bakeoff import datasets
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import Codec, DecodeError, EncodeError, LimitError
from bakeoff.schemas import Hint, Schema

CODECS = [
    "arrow", "arrow/object", "avro", "avro/bare", "avro/registry", "protobuf", "protobuf/object",
    "protobuf/registry", "thrift", "thrift/object",
]  # fmt: skip
"""All that are built from a layout."""
OF_RECORDS = [name for name in CODECS if not name.endswith("/object")]
"""Codecs that encode and decode records, not objects of their library."""
TYPED = ["pydantic-json", "pydantic-json/model", "msgspec-json/struct", "msgspec-msgpack/struct"]
"""Codecs whose libraries have their own classes."""


class Place(TypedDict):
    city: str
    zip: NotRequired[int | None]


class Point(NamedTuple):
    x: int
    y: float


class Other(TypedDict):
    name: str
    size: int


class Optional(TypedDict):
    id: int
    note: NotRequired[str]


class Absent(TypedDict):
    id: int
    note: NotRequired[str | None]
    nothing: NotRequired[None]


class Holder(TypedDict):
    place: NotRequired[Place]
    other: Place | None


class Hole(TypedDict):
    a: None


EXTENDED: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "optional": (
        Optional,
        [{"id": 1}, {"id": 2, "note": ""}],
    ),
    "absent and None": (
        Absent,
        [{"id": 1}, {"id": 2, "note": None}, {"id": 3, "note": "x", "nothing": None}],
    ),
    "optional record": (
        Holder,
        [
            {"other": None},
            {"place": {"city": "Bern"}, "other": {"city": "", "zip": None}},
            {"place": {"city": "é😀\x00", "zip": 0}, "other": {"city": "x", "zip": -1}},
        ],
    ),
    "optional in items": (
        {"places": list[Place]},
        [{"places": []}, {"places": [{"city": "a"}, {"city": "b", "zip": 1}, {"city": "c", "zip": None}]}],
    ),
    "maps": (
        {
            "names": dict[str, int],
            "years": dict[int, float],
            "places": dict[str, Place],
            "days": dict[dt.date, str],
        },
        [
            {"names": {}, "years": {}, "places": {}, "days": {}},
            {
                "names": {"a": 1, "": -(2**63)},
                "years": {2020: 0.5, -1: 2.0},
                "places": {"x": {"city": "y"}},
                "days": {dt.date(2024, 2, 29): "leap"},
            },
        ],
    ),
    "unions": (
        {
            "value": int | str | None,
            "values": list[int | str],
            "one": Place | Other,
            "many": list[Place | Other | int],
        },
        [
            {"value": None, "values": [1, "a", 2], "one": {"city": "a"}, "many": []},
            {
                "value": 0,
                "values": [],
                "one": {"name": "n", "size": 1},
                "many": [5, {"city": "", "zip": None}],
            },
            {
                "value": "",
                "values": ["", 0],
                "one": {"city": "b", "zip": 3},
                "many": [{"name": "m", "size": 0}],
            },
        ],
    ),
    "nothing but None": (
        {"expires": None, "nothing": list[None], "holes": list[Hole]},
        [
            {"expires": None, "nothing": [], "holes": []},
            {"expires": None, "nothing": [None] * 3, "holes": [{"a": None}]},
        ],
    ),
    "named tuples": ({"point": Point}, [{"point": Point(1, 2.5)}, {"point": Point(-1, 0.0)}]),
    "any": ({"any": Any}, [{"any": {"a": [1, None, 2.5, b"x", "y"]}}]),
    "names": (
        dict.fromkeys(("class", "field_1", "with space", "", "camelCase", "camel_case", "é"), int),
        [{"class": 1, "field_1": 2, "with space": 3, "": 4, "camelCase": 5, "camel_case": 6, "é": 7}],
    ),
    "numbers": (
        {"whole": int, "real": float},
        [
            {"whole": -(2**63), "real": -0.0},
            {"whole": 2**63 - 1, "real": float("inf")},
            {"whole": 0, "real": float("nan")},
        ],
    ),
}  # fmt: skip


def with_schema(name: str, kind: Any) -> Codec:
    return bakeoff.codec(name, schema=Schema(kind))


@pytest.mark.parametrize("name", [*CODECS, *TYPED])
@pytest.mark.parametrize("corpus", [corpus for corpus in datasets.names() if corpus != "types"])
def test_corpora_come_back(name: str, corpus: str) -> None:
    made = bakeoff.corpus(corpus, records=50)
    records = list(made.records())
    for schema in ([Schema(made.schema)] if made.schema else []) + [Schema.infer(records)]:
        codec = bakeoff.codec(name, schema=schema)
        for record in records:
            assert_comes_back(codec, record)


@pytest.mark.parametrize("name", CODECS)
def test_objects_are_built(name: str) -> None:
    types = bakeoff.corpus("types", records=20)
    codec = bakeoff.codec(name, schema=Schema(types.schema, as_objects=True))

    for record in types.records():
        assert record == read(codec, written(codec, record))


class Renamed(msgspec.Struct, rename="camel", tag="put", tag_field="op"):
    """Its fields have other names in payloads, where a tag stands before them."""

    first_name: str


@pytest.mark.parametrize("name", OF_RECORDS)
def test_objects_are_written_by_their_names_in_payloads(name: str) -> None:
    codec = with_schema(name, Renamed)

    assert {"op": "put", "firstName": "x"} == codec.decode(codec.encode(Renamed("x")))


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("case", EXTENDED)
def test_records_come_back(name: str, case: str) -> None:
    kind, records = EXTENDED[case]
    codec = with_schema(name, kind)
    for record in records:
        assert_comes_back(codec, record)


def in_utc(value: Any) -> Any:
    """Return a record with aware datetimes in UTC, as they are decoded."""
    match value:
        case dt.datetime() if value.utcoffset() is not None:
            return value.astimezone(dt.UTC)
        case dict():
            return {in_utc(key): in_utc(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return type(value)(in_utc(item) for item in value)
    return value


@pytest.mark.slow
@pytest.mark.parametrize("name", CODECS)
@given(case=declared())
def test_whatever_is_declared_comes_back(name: str, case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    kind, record = case
    codec = with_schema(name, kind)
    try:
        back = read(codec, written(codec, record))
    except OverflowError:
        return
    assert first_difference(in_utc(record), in_utc(back)) is None


@pytest.mark.parametrize("name", CODECS)
@given(case=unions())
def test_every_option_of_a_union_comes_back(name: str, case: tuple[Any, list[Any]]) -> None:
    kind, values = case
    schema = Schema({"one": list[kind]})
    codec = bakeoff.codec(name, schema=schema)
    record = {"one": values}

    assert_comes_back(codec, record)
    if codec.format == "avro":
        fastavro.parse_schema(json.loads(schema.definition("avro")))
        avro.schema.parse(schema.definition("avro").decode())


@pytest.mark.parametrize("name", CODECS)
def test_keys_that_become_one_are_not_lost(name: str) -> None:
    """Two NaN of a dict are one text, which is the key in maps of Protocol Buffers and Thrift."""
    codec = with_schema(name, {"a": dict[decimal.Decimal, int]})
    record = {"a": {decimal.Decimal("NaN"): 1, decimal.Decimal("nan"): 2}}
    try:
        payload = written(codec, record)
    except ValueError as error:
        assert "`$.a`: two keys become the same" in str(error)  # noqa: PT017
    else:
        assert len(read(codec, payload)["a"]) == 2


@pytest.mark.parametrize("name", OF_RECORDS)
@pytest.mark.parametrize("kind", [decimal.Decimal, Annotated[int, Hint(big=True)]])
def test_keys_of_one_hash_are_refused(name: str, kind: Any) -> None:
    """Numbers that differ by a multiple of the modulus of hashes."""
    number = decimal.Decimal if kind is decimal.Decimal else int
    keys = [number(1 + i * (2**61 - 1)) for i in range(2000)]
    for spec, record in (
        ({"a": dict[kind, int]}, {"a": dict.fromkeys(keys, 1)}),
        ({"a": set[kind]}, {"a": set(keys)}),
        (set[kind], set(keys)),
    ):
        codec = with_schema(name, spec)
        payload = written(codec, record)
        with pytest.raises(LimitError, match="keys with the same hash"):
            read(codec, payload)


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize(
    ("kind", "record", "place"),
    [
        ({"a": int}, {}, ".a"),
        ({"a": int}, {"a": 1, "b": 2}, "'b'"),
        ({"a": {"b": int}}, {"a": {"b": "x"}}, ".a.b"),
        ({"a": list[int]}, {"a": [1, None]}, ".a[1]"),
        ({"a": int}, {"a": 2**63}, ".a"),
        ({"a": int}, {"a": True}, ".a"),
        ({"a": int}, {"a": 1.5}, ".a"),
        ({"a": str}, {"a": None}, ".a"),
        ({"a": str}, {"a": b"x"}, ".a"),
        ({"a": str}, {"a": "\ud800"}, ""),
        ({"a": dict[str, int]}, {"a": {"k": "v"}}, ".a{k}"),
        (Optional, {"id": 1, "note": None}, ".note"),
        ({"a": int | str}, {"a": 1.5}, ".a"),
        ({"a": dt.datetime}, {"a": dt.date(2024, 1, 1)}, ".a"),
        ({"a": int}, [1], ""),
        ({"a": int}, None, ""),
    ],
)
def test_what_the_schema_has_no_room_for_is_refused(name: str, kind: Any, record: Any, place: str) -> None:
    codec = with_schema(name, kind)
    with pytest.raises((EncodeError, ValueError)) as caught:
        written(codec, record)

    assert place in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", CODECS)
def test_damage_is_a_decode_error(name: str) -> None:
    kind, records = EXTENDED["unions"]
    codec = with_schema(name, kind)
    # A library's own object may be whole, and no record.
    damaged = DecodeError if codec.bound is None or codec.bound.give is None else ValueError
    for record in records:
        payload = written(codec, record)
        # Arrow's are long, and much the same.
        for at in range(0, len(payload), 1 + len(payload) // 300):
            with contextlib.suppress(damaged):
                read(codec, payload[:at])
            for byte in (0, 1, 0x7F, 0x80, 0xFF):
                with contextlib.suppress(damaged):
                    read(codec, payload[:at] + bytes([byte]) + payload[at + 1 :])


@pytest.mark.parametrize("name", CODECS)
def test_a_stream_comes_back(name: str) -> None:
    kind, records = EXTENDED["optional in items"]
    codec = with_schema(name, kind)
    take, give = codec.bound.take, codec.bound.give  # type: ignore[union-attr]
    for some in (records * 50, []):
        file = io.BytesIO()
        assert len(some) == codec.dump(map(take, some) if take else some, file)
        file.seek(0)
        back = [give(each) if give else each for each in codec.load(file)]
        assert first_difference(some, back) is None


@pytest.mark.parametrize("name", CODECS)
def test_it_can_be_pickled_and_shared(name: str) -> None:
    kind, records = EXTENDED["maps"]
    codec = with_schema(name, kind)
    again = pickle.loads(pickle.dumps(codec))
    with ThreadPoolExecutor(4) as pool:
        payloads = list(pool.map(lambda record: written(codec, record), records * 100))
        backs = list(pool.map(lambda payload: read(again, payload), payloads))

    assert first_difference(records * 100, backs) is None


@pytest.mark.parametrize("name", CODECS)
def test_it_says_its_definition(name: str) -> None:
    codec = with_schema(name, EXTENDED["optional"][0])

    assert codec.bound is not None
    assert "note" in codec.bound.definition
    assert codec.needs_schema


@pytest.mark.parametrize("name", CODECS)
def test_without_a_schema_it_says_what_it_needs(name: str) -> None:
    codec = bakeoff.codec(name)
    with pytest.raises(EncodeError, match="with_schema"):
        codec.encode({"a": 1})
    with pytest.raises(DecodeError, match="with_schema"):
        codec.decode(b"\x00")
    with pytest.raises(DecodeError, match="with_schema"):
        list(codec.load(io.BytesIO(b"\x00\x00\x00\x01" * 100)))
