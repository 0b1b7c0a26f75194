"""The types that pydantic validates and writes, built from a schema."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import pickle
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import pytest
from kinds import Colour
from pydantic import BaseModel
from round_trips import assert_comes_back, read, written

from bakeoff import codecs
from bakeoff.bench.equality.equal import first_difference
from bakeoff.schemas import Hint, Schema, SchemaError

CODECS = ["pydantic-json", "pydantic-json/model"]
OTHERS = ["json", "simplejson", "orjson", "msgspec-json", "rapidjson", "ssrjson", "pydantic-core"]


class Point(NamedTuple):
    x: int
    day: dt.date


@dataclasses.dataclass
class Place:
    name: str
    opened: dt.date


class Inner(TypedDict):
    a: NotRequired[int | None]
    b: NotRequired[str]


class Record(TypedDict):
    optional: NotRequired[int]
    both: NotRequired[str | None]
    nested: NotRequired[Inner]
    items: list[Inner]
    by_number: dict[int, str]
    by_day: dict[dt.date, list[Decimal]]
    mixed: list[int | str | None]
    lists: list[list[int]]
    nothing: None
    pair: tuple[int, str]
    many: tuple[float, ...]
    numbers: set[int]
    words: frozenset[str]
    at: dt.datetime
    took: dt.timedelta
    key: UUID
    raw: bytes
    array: bytearray
    colour: Colour
    big: Annotated[int, Hint(big=True)]
    anything: Any


RECORD = {
    "optional": 1,
    "both": None,
    "nested": {"a": None},
    "items": [{"a": 1}, {"b": "x"}, {}],
    "by_number": {1: "a", -2: "b"},
    "by_day": {dt.date(2024, 1, 2): [Decimal("1E+5"), Decimal("0.10")]},
    "mixed": [1, "1", None],
    "lists": [[1], []],
    "nothing": None,
    "pair": (1, "a"),
    "many": (1.5, float("inf")),
    "numbers": {3, 1},
    "words": frozenset({"a"}),
    "at": dt.datetime(2024, 1, 2, 3, 4, 5, 6, dt.UTC),
    "took": dt.timedelta(days=-800, microseconds=1),
    "key": UUID(int=5),
    "raw": b"\xff\xfe\xfb",
    "array": bytearray(b"\xff"),
    "colour": Colour.RED,
    "big": 2**80,
    "anything": [{"a": [1, None, 2.5]}],
}
FEWER = {key: value for key, value in RECORD.items() if key not in ("optional", "both", "nested")}


@pytest.mark.parametrize("record", [RECORD, FEWER, {**RECORD, "both": "x", "nested": {}}])
@pytest.mark.parametrize("name", CODECS)
def test_records_come_back(name: str, record: dict[str, Any]) -> None:
    assert_comes_back(pickle.loads(pickle.dumps(codecs.codec(name, schema=Schema(Record)))), record)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", CODECS)
def test_one_convention(name: str, other: str) -> None:
    record = {**RECORD, "many": (1.5,), "big": 7}
    schema = Schema(Record)
    codec, plain = codecs.codec(name, schema=schema), codecs.codec(other)

    assert first_difference(record, read(codec, plain.encode(record))) is None
    assert first_difference(record, plain.with_schema(schema).decode(written(codec, record))) is None


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"zz": 1}, "$.zz"),
        ({"optional": "1"}, "$.optional"),
        ({"optional": True}, "$.optional"),
        ({"items": [{}, {"q": 1}]}, "$.items[1].q"),
        ({"pair": [1, "a"]}, "$.pair"),
        ({"raw": "x"}, "$.raw"),
        ({"mixed": [1.5]}, "$.mixed[0]"),
        ({"by_number": {"1": "a"}}, "$.by_number"),
        ({"array": b"x"}, "$.array"),
    ],
)
@pytest.mark.parametrize("name", CODECS)
def test_what_does_not_fit_is_not_written(name: str, change: dict[str, Any], path: str) -> None:
    codec = codecs.codec(name, schema=Schema(Record))
    with pytest.raises(ValueError, match="at `") as caught:
        written(codec, {**RECORD, **change})

    assert f"at `{path}" in str(caught.value)


@pytest.mark.parametrize("name", CODECS)
def test_required_fields_are_written(name: str) -> None:
    """Or the record is refused, which a serializer alone does not do."""
    codec = codecs.codec(name, schema=Schema({"a": int}))
    with pytest.raises(ValueError, match=r"at `\$\.a`: Field required"):
        written(codec, {})


@pytest.mark.parametrize("name", CODECS)
def test_what_others_send(name: str) -> None:
    codec = codecs.codec(name, schema=Schema({"a": int, "by": dict[int, str], "raw": bytes}))
    base = {"a": b"1", "by": b'{"1":"x"}', "raw": b'"/w=="'}
    for key, value in (
        ("a", b'"1"'),
        ("a", b"1.0"),
        ("a", b"true"),
        ("by", b'{"01":"x"}'),
        ("by", b'{" 1":"x"}'),
        ("raw", b'"/"'),
        ("raw", b"[255]"),
    ):
        fields = b",".join(b'"%s":%s' % (k.encode(), v) for k, v in {**base, key: value}.items())
        with pytest.raises(codecs.DecodeError, match=rf"at `\$\.{key}"):
            codec.decode(b"{%s}" % fields)

    payload = b'{"a":1,"new":[1],"by":{},"raw":""}'
    assert {"a": 1, "by": {}, "raw": b"", "new": [1]} == read(codec, payload)


@pytest.mark.parametrize("name", CODECS)
def test_what_is_written_of_anything_is_read(name: str) -> None:
    codec = codecs.codec(name, schema=Schema({"a": Any})).with_limits(depth=121)
    deep: Any = 0
    for _ in range(120):
        deep = [deep]

    assert {"a": deep} == read(codec, written(codec, {"a": deep}))
    for _ in range(300):
        deep = [deep]
        with pytest.raises(codecs.EncodeError, match="nested more"):
            written(codec, {"a": deep})


def test_objects() -> None:
    spec = {"place": Place, "point": Point}
    record = {"place": Place("x", dt.date(2024, 1, 2)), "point": Point(1, dt.date(2024, 1, 2))}
    plain = codecs.codec("pydantic-json", schema=Schema(spec))
    objects = codecs.codec("pydantic-json", schema=Schema(spec, as_objects=True))
    payload = plain.encode(record)

    assert b'{"place":{"name":"x","opened":"2024-01-02"},"point":[1,"2024-01-02"]}' == payload
    assert {**record, "place": dataclasses.asdict(record["place"])} == plain.decode(payload)  # type: ignore[call-overload]
    assert record == objects.decode(payload)
    assert {"name": "x", "opened": dt.date(2024, 1, 2), "new": 1} == objects.decode(
        payload.replace(b'-02"}', b'-02","new":1}')
    )["place"]


def test_models() -> None:
    record = {"a b": 1, "class": 2, "json": 3, "_id": 4, "__v": 5, "model_x": 6, "field_0": 7}
    codec = codecs.codec("pydantic-json/model", schema=Schema(dict.fromkeys(record, int)))
    model = codec.bound.take(record)  # type: ignore[union-attr,misc]

    assert isinstance(model, BaseModel)
    assert record == read(codec, codec.encode(model))
    later = codec.decode(codec.encode(model)[:-1] + b',"new":[1]}')
    assert {**record, "new": [1]} == read(codec, codec.encode(later))
    with pytest.raises(codecs.EncodeError, match=r"bound\.take"):
        codec.encode(record)
    inside = codecs.codec("pydantic-json/model", schema=Schema([{"in": {"a b": int}}]))
    assert b'[{"in":{"a b":1}}]' == written(inside, [{"in": {"a b": 1}}])
    with pytest.raises(ValueError, match="valid integer"):
        model.model_x = "x"  # type: ignore[attr-defined]


class Get(TypedDict):
    kind: Literal["get"]


class Put(TypedDict):
    kind: Literal["put"]
    value: NotRequired[int]


def test_tagged_records_are_told_apart() -> None:
    codec = codecs.codec("pydantic-json", schema=Schema(list[Get | Put]))
    records = [{"kind": "put", "value": 1}, {"kind": "get"}]

    assert records == codec.decode(codec.encode(records))


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"a": complex}, "$.a"),
        ({"a": [str | UUID]}, "$.a[]"),
        ({"a": dict[str, int] | Inner}, "$.a"),
        ({"a": list[int] | set[int]}, "$.a"),
        ({"a": Annotated[dt.datetime, Hint(epoch="ms")]}, "$.a"),
        ({"a": Annotated[dt.timedelta, Hint(epoch="s")]}, "$.a"),
        ({"a": dict[int | str, int]}, "$.a{key}"),
        ({"a": enum.Enum("Odd", {"A": 0.5})}, "$.a"),
    ],
)
@pytest.mark.parametrize("name", CODECS)
def test_what_has_no_form(name: str, spec: Any, path: str) -> None:
    with pytest.raises(SchemaError) as caught:
        codecs.codec(name, schema=Schema(spec))

    assert path == caught.value.path
