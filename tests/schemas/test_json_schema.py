"""JSON Schema: payloads of our codecs are valid, and other tools' schemas can be read."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator
from kinds import Colour
from pydantic import BaseModel, Field, TypeAdapter

from bakeoff import codecs
from bakeoff.codecs import codec
from bakeoff.datasets import corpus, names
from bakeoff.schemas import Hint, Schema, SchemaError
from bakeoff.schemas.tree import types as t


class Point(NamedTuple):
    x: int
    y: int


class Inner(TypedDict):
    at: Annotated[dt.datetime, Hint(aware=True)]
    local: NotRequired[Annotated[dt.datetime, Hint(aware=False)] | None]


class Every(TypedDict):
    inner: list[Inner]
    again: NotRequired[Inner]
    when: dt.datetime
    times: list[dt.time]
    price: Decimal
    key: UUID
    raw: bytes
    hexed: Annotated[bytes, Hint(encoding="hex")]
    big: Annotated[int, Hint(big=True)]
    one: Literal["a", "b", None]
    colour: Colour
    pair: tuple[str, int]
    point: Point
    tags: set[str]
    mixed: list[int | str | None]
    by_year: dict[int, float]
    by_day: dict[dt.date, bool]
    flags: dict[bool, int]
    parts: dict[str, dict[str, Inner]]
    anything: Any
    nothing: None


INNER = {"at": dt.datetime(2024, 1, 2, tzinfo=dt.UTC), "local": dt.datetime(2024, 1, 2)}
RECORD = {
    "inner": [INNER, {**INNER, "local": None}, {"at": INNER["at"]}],
    "when": dt.datetime(2024, 1, 2, 3, 4, 5, 6),
    "times": [dt.time(1, 2)],
    "price": Decimal("-1.10E+5"),
    "key": UUID(int=3),
    "raw": b"\xff\xfe",
    "hexed": "fffe",
    "big": 2**80,
    "one": None,
    "colour": Colour.RED,
    "pair": ("a", 1),
    "point": Point(1, 2),
    "tags": {"a"},
    "mixed": [1, "a", None],
    "by_year": {2024: 0.5, -1: 2.0},
    "by_day": {dt.date(2024, 1, 2): True},
    "flags": {True: 1},
    "parts": {"a": {"b": {"at": INNER["at"]}}},
    "anything": [{"a": 1}],
    "nothing": None,
}


def validator(schema: Schema) -> Draft202012Validator:
    document = json.loads(schema.definition("json-schema"))
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


@pytest.mark.parametrize("codec", ["json", "orjson", "msgspec-json", "pydantic-json"])
@pytest.mark.parametrize("name", names())
def test_payloads_hold(codec: str, name: str) -> None:
    made = corpus(name, records=20)
    schema = Schema(made.schema)
    check = validator(schema)
    writer = codecs.codec(codec)
    writer = writer.with_schema(schema) if writer.needs_schema else writer
    for record in made.records():
        assert [] == list(check.iter_errors(json.loads(writer.encode(record))))


def test_every_type_holds() -> None:
    check = validator(Schema(Every))
    written = json.loads(codecs.codec("json").encode(RECORD))

    assert [] == list(check.iter_errors(written))
    for key in written.keys() - {"anything", "raw", "hexed", "again"}:
        wrong = {"nothing": 0, "big": 0.5, "one": "c", "colour": "blue", "price": "x", "point": [1]}
        assert list(check.iter_errors({**written, key: wrong.get(key, True)})), key
        assert list(check.iter_errors({k: v for k, v in written.items() if k != key})), key
    for key, wrong_key in (("by_year", "01"), ("flags", "yes")):
        assert list(check.iter_errors({**written, key: {wrong_key: 1}})), key


def test_what_is_written_is_read() -> None:
    """Except for types that JSON lacks: enumerations become their values, named tuples become tuples."""
    read = Schema.of_definition(Schema(Every).definition("json-schema"), "json-schema")
    assert isinstance(read.types, t.RecordType)
    found = {item.name: item for item in read.types.fields}
    expected = {item.name: item for item in Schema(Every).types.fields}  # type: ignore[attr-defined]
    known = {"colour": t.LiteralType(("red", "green")), "point": t.TupleType((t.IntType(), t.IntType()))}
    known["one"] = t.UnionType((t.LiteralType(("a", "b")), t.NoneType()))

    for name, item in expected.items():
        assert (known.get(name, item.type), item.required) == (found[name].type, found[name].required), name


@pytest.mark.parametrize("name", [name for name in names() if name != "types"])
def test_corpora_come_back(name: str) -> None:
    schema = Schema(corpus(name, 1).schema)
    data = schema.definition("json-schema")

    assert schema.types == (read := Schema.of_definition(data, "json-schema")).types
    assert data == read.definition("json-schema")


class Part(BaseModel):
    weight: float
    made: dt.date


class Model(BaseModel):
    id: int = Field(ge=0, description="a number")
    name: str | None = None
    parts: list[Part] = []
    by_day: dict[str, Part]
    price: float | None
    key: UUID
    at: dt.datetime
    took: dt.timedelta
    tags: set[str]
    pair: tuple[int, str]
    kind: Literal["a", "b"]
    colour: Colour
    either: Part | int


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_pydantic_s_schemas_are_read(mode: Any) -> None:
    read = Schema.of_definition(json.dumps(TypeAdapter(Model).json_schema(mode=mode)), "json-schema").types
    assert isinstance(read, t.RecordType)
    part = t.RecordType("Part", (t.Field("weight", t.FloatType()), t.Field("made", t.DateType())))
    required = {item.name for item in read.fields if item.required}

    assert "Model" == read.name
    assert {
        "id": t.IntType(),
        "name": t.UnionType((t.StrType(), t.NoneType())),
        "parts": t.ListType(part),
        "by_day": t.DictType(t.StrType(), part),
        "price": t.UnionType((t.FloatType(), t.NoneType())),
        "key": t.UUIDType(),
        "at": t.DateTimeType(aware=True),
        "took": t.TimeDeltaType(),
        "tags": t.SetType(t.StrType()),
        "pair": t.TupleType((t.IntType(), t.StrType())),
        "kind": t.LiteralType(("a", "b")),
        "colour": t.LiteralType(("red", "green")),
        "either": t.UnionType((part, t.IntType())),
    } == {item.name: item.type for item in read.fields}
    assert {"name", "parts"} == {item.name for item in read.fields} - required


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (True, t.AnyType()),
        # What pydantic before 2.14 says of Decimals; later ones say no more than that they are text.
        (
            {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}]},
            t.DecimalType(),
        ),
        ({"type": ["string", "null"]}, t.UnionType((t.StrType(), t.NoneType()))),
        ({"type": "integer", "nullable": True}, t.UnionType((t.IntType(), t.NoneType()))),
        ({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}, t.UnionType((t.IntType(), t.BoolType()))),
        ({"type": "array", "items": [{"type": "integer"}]}, t.TupleType((t.IntType(),))),
        ({"type": "array"}, t.ListType(t.AnyType())),
        ({"type": "object"}, t.DictType(t.StrType(), t.AnyType())),
        ({"const": "a"}, t.LiteralType(("a",))),
        ({"const": None}, t.NoneType()),
        ({"enum": [0.5, 1]}, t.FloatType()),
        ({"type": "string", "format": "email"}, t.StrType()),
        ({"type": "string", "contentEncoding": "base64"}, t.BytesType()),
        ({"definitions": {"a/b": {"type": "integer"}}, "$ref": "#/definitions/a~1b"}, t.IntType()),
        ({"allOf": [{"type": "integer"}], "title": "x"}, t.IntType()),
        ({"type": "object", "additionalProperties": False}, t.RecordType("Record", ())),
        ({"required": ["a"], "properties": {}}, t.RecordType("Record", (t.Field("a", t.AnyType()),))),
        ({"not": {"type": "string"}}, t.AnyType()),
        ({"allOf": [{"type": ["integer", "string"]}, {"type": "number"}]}, t.IntType()),
        (
            {
                "allOf": [{"$ref": "#/$defs/a"}, {"properties": {"x": {"enum": [1, 2]}}, "required": ["y"]}],
                "title": "Both",
                "$defs": {"a": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {}}}},
            },
            t.RecordType("Both", (t.Field("x", t.LiteralType((1, 2)), False), t.Field("y", t.AnyType()))),
        ),
        (
            {
                "properties": {"a": {"type": "integer"}},
                "if": {"required": ["a"]},
                "then": {"properties": {"b": {"type": "string"}, "a": {"const": 1}}, "required": ["b"]},
            },
            t.RecordType("Record", (t.Field("a", t.IntType(), False), t.Field("b", t.StrType(), False))),
        ),
        ({"patternProperties": {"^x-": {"type": "integer"}}}, t.DictType(t.StrType(), t.IntType())),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "null"}},
                "oneOf": [{"properties": {"b": {"type": "integer"}}}, {"type": "null"}],
            },
            t.RecordType("Record", (t.Field("a", t.NoneType(), False), t.Field("b", t.IntType(), False))),
        ),
        (
            {"type": "object", "anyOf": [{"required": ["a"]}], "properties": {"a": {"type": "null"}}},
            t.RecordType("Record", (t.Field("a", t.NoneType()),)),
        ),
    ],
)
def test_what_others_write(document: Any, expected: t.Type) -> None:
    assert expected == Schema.of_definition(json.dumps(document).encode(), "json-schema").types


@pytest.mark.parametrize(
    ("document", "place", "reason"),
    [
        (b"{", "x.schema.json", "cannot be read as JSON"),
        (b"[" * 100_000, "x.schema.json", "cannot be read as JSON"),
        (b"[]", "#", "not a schema"),
        ({"properties": {"a": False}}, "#/properties/a", "no value fits"),
        ({"$ref": "#"}, "#", "contains itself"),
        ({"$ref": "#/a", "a": {"items": {"$ref": "#/a"}}}, "#/a", "contains itself but is not an object"),
        ({"$ref": "other.json"}, "x.schema.json", "refers to other.json, found in none of"),
        ({"$ref": "https://example.com/other.json"}, "#/$ref", "another document"),
        ({"$ref": "#/$defs/a"}, "#/$ref", "does not exist"),
        ({"properties": {"a~/b": {"$dynamicRef": "#a"}}}, "#/properties/a~0~1b/$dynamicRef", "not supported"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "#/allOf", "not supported in records"),
        ({"patternProperties": {"^x": {}}, "properties": {"a": {}}}, "#/patternProperties", "not supported"),
        ({"anyOf": []}, "#/anyOf", "not a list of schemas"),
        ({"anyOf": [{"items": {}}], "items": {}}, "#/anyOf/0/items", "next to them"),
        ({"type": "thing"}, "#/type", "no type 'thing'"),
        ({"enum": [[1]]}, "#/enum", "values must be"),
        ({"enum": "a"}, "#/enum", "not a list"),
        ({"properties": [], "type": "object"}, "#/properties", "not an object"),
        ({"properties": {}, "required": "a"}, "#/required", "not a list"),
        ({"properties": {"a": {}}, "additionalProperties": {"a": {}}}, "#/additionalProperties", "fields"),
        ({"prefixItems": [{}]}, "#/items", "fixed length"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(document: Any, place: str, reason: str) -> None:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(SchemaError, match=reason) as caught:
        Schema.of_definition(data, "json-schema", "x.schema.json")

    assert place == caught.value.path.replace("x.schema.json#", "#")


def doubling(levels: int) -> dict[str, Any]:
    both = [
        {"type": "object", "properties": {key: {"$ref": f"#/$defs/a{i + 1}"} for key in "xy"}}
        for i in range(levels)
    ]
    return {
        "$ref": "#/$defs/a0",
        "$defs": {f"a{i}": each for i, each in enumerate([*both, {"type": "integer"}])},
    }


LARGE = {
    "references": doubling(40),
    "alternatives": {"anyOf": [{"enum": [f"v{i}"]} for i in range(11_000)]},
    "required": {"type": "object", "properties": {}, "required": [f"r{i}" for i in range(11_000)]},
    "properties": {"type": "object", "properties": {f"p{i}": {} for i in range(11_000)}},
    "places": {"type": "array", "prefixItems": [True] * 11_000, "items": False},
}


@pytest.mark.parametrize("document", LARGE.values(), ids=LARGE)
def test_a_schema_of_very_many_parts_is_refused(document):
    """Each definition counts in every place that refers to it: 40 levels make 2**40 parts."""
    with pytest.raises(SchemaError, match="more than 10,000 parts"):
        Schema.of_definition(json.dumps(document).encode(), "json-schema")


def test_references_count_where_they_are():
    node = Schema.of_definition(json.dumps(doubling(11)).encode(), "json-schema").types

    assert sum(1 for _ in t.walk(node)) == 2**12 - 1


def test_bytes_that_pydantic_writes_as_plain_text_stay_text() -> None:
    """Its `format: binary` is unencoded; base64 has `contentEncoding`."""
    document = {
        "type": "object",
        "properties": {"a": {"type": "string", "format": "binary"}},
        "required": ["a"],
    }
    one = codec("json", schema=Schema.of_definition(json.dumps(document), "json-schema", "x"))

    assert {"a": "plain"} == one.decode(b'{"a": "plain"}')
