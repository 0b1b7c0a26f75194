"""Definitions that are wrong, odd or damaged give a `SchemaError` when read, written or given to a codec."""

from __future__ import annotations

import contextlib
import json
import random

import pyarrow as pa
import pytest

import bakeoff
from bakeoff.codecs import CodecError
from bakeoff.errors import SchemaError
from bakeoff.schemas import Schema
from bakeoff.schemas.wire.languages import LANGUAGES

BINDING = [
    name
    for name in bakeoff.codecs.names(needs_schema=True)
    if bakeoff.codecs.describe(name).needs_schema and not bakeoff.codecs.missing(name)
]


def avro(*fields, **more):
    return json.dumps({"type": "record", "name": "R", "fields": list(fields), **more}).encode()


def json_schema(**said):
    return json.dumps(said).encode()


ODD = {
    "places that are a number": ("json-schema", json_schema(prefixItems=5, items=False)),
    "places that are a float": ("json-schema", json_schema(prefixItems=5.5)),
    "required that are lists": (
        "json-schema",
        json_schema(type="object", properties={"a": {}}, required=[["x"]]),
    ),
    "key that is no text": ("json-schema", b'{"type":"object","properties":{"\\ud800":{"type":"string"}}}'),
    "enum of a large number": ("json-schema", b'{"enum": [' + b"9" * 400 + b"]}"),
    "enum that is no text": ("json-schema", b'{"enum": ["\\ud800"]}'),
    "names with quotes": (
        "json-schema",
        json_schema(type="object", properties={'a"b': {"type": "integer"}, "c\nd": {}, "": {}, "e f": {}}),
    ),
    "type of a number": ("json-schema", json_schema(type=[[]])),
    "a field without a name": ("avro", avro({"type": "int"})),
    "a field whose name is a number": ("avro", avro({"name": 5, "type": "int"})),
    "bad default": ("avro", avro({"name": "a", "type": "int", "default": "x"})),
    "bad default of a record": (
        "avro",
        avro({"name": "a", "type": {"type": "record", "name": "B", "fields": []}, "default": 5}),
    ),
    "symbols twice": (
        "avro",
        avro({"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["A", "A"]}}),
    ),
    "scale of text": (
        "avro",
        avro(
            {"name": "a", "type": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": "x"}}
        ),
    ),
    "huge fixed": ("avro", avro({"name": "a", "type": {"type": "fixed", "name": "F", "size": 2**63}})),
    "aliases of numbers": ("avro", avro({"name": "a", "type": "int", "aliases": [5]}, aliases=7)),
    "order that is none": ("avro", avro({"name": "a", "type": "int", "order": {}})),
}


def use(data: bytes, language: str) -> None:
    """Read a definition, write it in every language, give it to every codec; raise what is not ours."""
    try:
        schema = Schema.of_definition(data, language)
    except SchemaError:
        return
    for other in LANGUAGES:
        with contextlib.suppress(SchemaError):
            schema.definition(other)
    with contextlib.suppress(SchemaError):
        schema.to_python()
    for name in BINDING:
        with contextlib.suppress(SchemaError, CodecError):
            bakeoff.codec(name).with_schema(schema)


@pytest.mark.parametrize(("language", "data"), ODD.values(), ids=ODD)
def test_an_odd_definition_is_read_or_refused(language, data):
    use(data, language)


GOOD = {
    "avro": avro(
        {"name": "a", "type": ["null", {"type": "array", "items": "long"}], "default": None},
        {"name": "b", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
        {"name": "c", "type": {"type": "map", "values": {"type": "fixed", "name": "F", "size": 4}}},
        {"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    ),
    "json-schema": json_schema(
        type="object",
        properties={
            "a": {"type": "array", "prefixItems": [{"type": "integer"}, {"enum": ["x", 1]}], "items": False},
            "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/c"}]},
            "d": {"type": "object", "additionalProperties": {"type": "string", "format": "date"}},
        },
        required=["a", "b"],
        **{"$defs": {"c": {"type": "object", "properties": {"e": {"const": 5}}}}},
    ),
    "arrow": pa.schema(
        {"abcdef": pa.list_(pa.int64()), "ghijkl": pa.dictionary(pa.int32(), pa.string())}
    ).serialize().to_pybytes(),
}  # fmt: skip


@pytest.mark.parametrize("language", GOOD)
def test_a_damaged_definition_is_read_or_refused(language):
    chance, good = random.Random(language), GOOD[language]
    words = [b"5", b'"x"', b"[]", b"{}", b"null", b"-1", b'"\\ud800"', b"1e400", b"true", b"9" * 30]
    for _ in range(60):
        data = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(data))
            if language in ("avro", "json-schema") and chance.random() < 0.7:
                ends = [i for i, byte in enumerate(data) if byte in b",:[]{}"]
                first = chance.randrange(len(ends) - 1)
                data[ends[first] + 1 : ends[first + 1]] = chance.choice(words)
            else:
                data[place] = chance.randrange(256)
        use(bytes(data), language)


def test_a_name_in_arrow_that_is_no_text_is_refused():
    """Arrow lets any bytes be a name."""
    data = GOOD["arrow"].replace(b"abcdef", b"abc\xd0ef")

    with pytest.raises(SchemaError, match="utf-8"):
        Schema.of_definition(data, "arrow")
