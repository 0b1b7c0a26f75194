"""Unions keep values: the option that holds a value exactly is taken, or the union is refused."""

from __future__ import annotations

import datetime as dt
import functools
import json
import operator
from dataclasses import make_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from round_trips import assert_comes_back

import bakeoff
from bakeoff.schemas import Schema
from bakeoff.schemas.tree import types as t

OF_LAYOUTS = ["avro", "protobuf", "arrow", "thrift"]
"""A codec for each format whose payloads name the option."""

Option = tuple[Any, st.SearchStrategy[Any]]
"""An Avro type with values that it holds exactly."""

SINGLES = st.floats(width=32, allow_nan=False)
DOUBLES = st.floats(allow_nan=False)
LONGS = st.integers(-(2**63), 2**63 - 1)


def avro_fields() -> st.SearchStrategy[Option]:
    leaves: list[Option] = [
        ("float", SINGLES),
        ("double", DOUBLES),
        ("long", LONGS),
        ("string", st.sampled_from(["a", "b", "c"])),
        (["null", "float"], SINGLES | st.none()),
        (["null", "string"], st.sampled_from(["a", "b"]) | st.none()),
        (["float", "double"], DOUBLES),
        ({"type": "array", "items": "float"}, st.lists(SINGLES, max_size=3)),
        ({"type": "array", "items": "double"}, st.lists(DOUBLES, max_size=3)),
        ({"type": "map", "values": "float"}, st.dictionaries(st.just("k"), SINGLES)),
    ]
    return st.sampled_from(leaves)


@st.composite
def avro_unions(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """Draw a definition with a union, and a record that one of the options holds exactly."""
    options: list[Option] = draw(
        st.lists(st.sampled_from([("float", SINGLES), ("double", DOUBLES), ("long", LONGS)]), unique_by=str)
    )
    for i in range(draw(st.integers(2, 4))):
        shared = [(name, *draw(avro_fields())) for name in draw(st.sets(st.sampled_from("xyz")))]
        listed = [
            {"name": name, "type": kind} | ({"default": None} if "null" in kind else {})
            for name, kind, _ in sorted(shared, key=lambda field: field[0])
        ]
        values = st.fixed_dictionaries({name: held for name, _, held in shared})
        options.append(({"type": "record", "name": f"R{i}", "fields": listed}, values))
    options = draw(st.permutations(options))
    field = {"name": "v", "type": [kind for kind, _ in options]}
    definition = {"type": "record", "name": "Top", "fields": [field]}
    return definition, {"v": draw(st.one_of([held for _, held in options]))}


@pytest.mark.parametrize("name", OF_LAYOUTS)
@given(drawn=avro_unions())
def test_options_of_definitions_keep_values(name: str, drawn: tuple[dict[str, Any], Any]) -> None:
    definition, record = drawn
    schema = Schema.of_definition(json.dumps(definition), "avro")
    assert_comes_back(bakeoff.codec(name, schema=schema), record)


@st.composite
def classes(draw: st.DrawFn) -> tuple[type, Any, dict[str, Any]]:
    """Draw a class whose field is one of several classes, an object of it, and the same object as dicts."""
    kinds: dict[str, tuple[Any, list[Any]]] = {
        "a": (int, [1, 2]),
        "b": (dt.date, [dt.date(2024, 1, 2)]),
        "c": (bytes, [b"\xff"]),
        "d": (str, ["x", "2024-01-02"]),
    }
    sets = st.sets(st.sampled_from(sorted(kinds)), min_size=1)
    chosen = draw(st.lists(sets, min_size=2, max_size=3, unique_by=frozenset))
    made = [
        make_dataclass(f"Class{i}", [(name, kinds[name][0]) for name in sorted(names)])
        for i, names in enumerate(chosen)
    ]
    holder = make_dataclass("Holder", [("v", functools.reduce(operator.or_, made))])
    i = draw(st.integers(0, len(made) - 1))
    values = {name: draw(st.sampled_from(kinds[name][1])) for name in sorted(chosen[i])}
    return holder, holder(made[i](**values)), {"v": values}


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2", "yaml", *OF_LAYOUTS])
@given(drawn=classes())
def test_classes_are_distinguished_by_all_their_fields(name: str, drawn: tuple[type, Any, Any]) -> None:
    holder, made, record = drawn
    assert_comes_back(bakeoff.codec(name, schema=Schema(holder)), record)
    codec = bakeoff.codec(name, schema=Schema(holder, as_objects=True))
    assert made == codec.decode(codec.encode(made))


def test_lists_are_distinguished_by_all_items() -> None:
    lists = [t.ListType(t.IntType()), t.ListType(t.DateType()), t.ListType(t.StrType())]
    for first in range(3):
        union = t.UnionType((*lists[first:], *lists[:first]))
        apply = Schema.of_layout(Schema(t.RecordType("R", (t.Field("v", union),))).layout).apply
        for items in ([1, 2], ["5", "6"], ["2024-01-02", "x"], ["x", "2024-01-02"]):
            assert {"v": items} == apply({"v": list(items)})


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
