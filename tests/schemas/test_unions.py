"""Unions keep values: the option that holds a value exactly is taken, or the union is refused."""

from __future__ import annotations

import json

import pytest

import bakeoff
from bakeoff.schemas import Schema


CONDITIONS = {
    "allOf": lambda one, other: {"allOf": [{"if": {}, "then": one}, {"if": {}, "then": other}]},
    "else": lambda one, other: {"if": {}, "then": one, "else": other},
    "both": lambda one, other: {"if": {}, "then": one, "allOf": [{"if": {}, "then": other}, {}]},
    "nested": lambda one, other: {"allOf": [{"allOf": [{"if": {}, "else": one}]}, {"if": {}, "then": other}]},
    "dependentSchemas": lambda one, other: {"dependentSchemas": {"a": one, "b": other}},
}


@pytest.mark.parametrize("kinds", [("integer", "string"), ("string", "integer"), ("number", "string")])
@pytest.mark.parametrize("written_as", CONDITIONS)
def test_conditional_fields_have_each_type(written_as: str, kinds: tuple[str, str]) -> None:
    given = ({"properties": {"v": {"type": kind}}} for kind in kinds)
    definition = {"type": "object", "properties": {"k": {"type": "string"}}, **CONDITIONS[written_as](*given)}
    schema = Schema.of_definition(json.dumps(definition), "json-schema")
    for value in ("5", 5):
        assert {"v": value} == schema.apply({"v": value})


@pytest.mark.parametrize("name", ["pydantic-json", "pydantic-json/model"])
def test_text_of_digits_is_not_read_as_a_big_integer(name: str) -> None:
    schema = Schema.infer([{"v": 2**64}, {"v": "828717"}])
    with pytest.raises(bakeoff.BakeoffError, match="cannot be distinguished"):
        bakeoff.codec(name, schema=schema)
