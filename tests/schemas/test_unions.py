"""Unions keep values: the option that holds a value exactly is taken, or the union is refused."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import functools
import itertools
import json
import operator
import uuid
from dataclasses import make_dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from round_trips import assert_comes_back, read, written

import bakeoff
from bakeoff.bench.equality.equal import first_difference
from bakeoff.schemas import Hint, Schema
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


@pytest.mark.slow
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


@pytest.mark.slow
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


# Pairs of options ------------------------------------------------------------------------------------


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Size(enum.IntEnum):
    SMALL = 1
    BIG = 2


NAIVE = dt.datetime(2024, 1, 2, 3, 4, 5, 678901)
UTC = NAIVE.replace(tzinfo=dt.UTC)
OFFSET = NAIVE.replace(tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30)))
MILLIS = UTC.replace(microsecond=678000)
DIGITS = [10**19, 2**64, 10**20, 20240102 * 10**12, -(10**20)]
PRICES = [Decimal(text) for text in ("12", "1200", "20240102", "20240102120000", "1.10", "1E+3", "-0.5")]
KINDS: dict[str, tuple[Any, list[Any]]] = {
    "bool": (bool, [True, False]),
    "int": (int, [0, 1, -5, 2**31, 2**63 - 1, -(2**63)]),
    "big": (Annotated[int, Hint(big=True)], [0, 1, 2**63, -(2**70), *DIGITS]),
    "float": (float, [0.0, 1.0, 0.1, -1.5, 1e300, float("inf"), 2.0**53]),
    "str": (str, ["", "x", "5", "2024-01-02", "P1D", "true", "00ff", "AAAA", "r", "18446744073709551616"]),
    "bytes": (bytes, [b"", b"\xff", b"abc"]),
    "hex": (Annotated[bytes, Hint(encoding="hex")], [b"", b"\xff", b"abc"]),
    "bytearray": (bytearray, [bytearray(b"x")]),
    "datetime": (dt.datetime, [NAIVE, UTC, OFFSET]),
    "aware": (Annotated[dt.datetime, Hint(aware=True)], [UTC, OFFSET]),
    "naive": (Annotated[dt.datetime, Hint(aware=False)], [NAIVE]),
    "seconds": (Annotated[dt.datetime, Hint(epoch="s")], [UTC.replace(microsecond=0)]),
    "millis": (Annotated[dt.datetime, Hint(epoch="ms")], [MILLIS]),
    "date": (dt.date, [dt.date(2024, 1, 2)]),
    "time": (dt.time, [dt.time(12), dt.time(1, 2, 3, 4)]),
    "delta": (dt.timedelta, [dt.timedelta(1), dt.timedelta(microseconds=-1)]),
    "delta in s": (Annotated[dt.timedelta, Hint(epoch="s")], [dt.timedelta(1)]),
    "decimal": (Decimal, PRICES),
    "uuid": (uuid.UUID, [uuid.UUID(int=5)]),
    "enum": (Color, list(Color)),
    "int enum": (Size, list(Size)),
    "text literal": (Literal["r", "z"], ["r", "z"]),
    "int literal": (Literal[1, 7], [1, 7]),
    "bool literal": (Literal[True], [True]),
    "null": (type(None), [None]),
    "list": (list[int], [[], [1]]),
    "texts": (list[str], [["1"]]),
    "tuple": (tuple[int, ...], [(), (1,)]),
    "pair": (tuple[int, str], [(1, "x")]),
    "set": (set[int], [set(), {1}]),
    "frozenset": (frozenset[int], [frozenset({1})]),
    "dict": (dict[str, int], [{}, {"a": 1}]),
    "complex": (complex, [1j]),
}
READ_AS_TEXT = {"str", "text literal", "enum"}
SEQUENCES = {"list", "texts", "tuple", "pair", "set", "frozenset"}
OF_INTEGERS = SEQUENCES - {"texts", "pair"}
PLAIN_FORMATS = ["json", "msgpack", "bson", "yaml", "cbor2", "pydantic-json"]


def of_one_form(one: str, other: str) -> bool:
    """Return whether a format of few types writes both in one form; its text, number or list stays that."""
    pair = {one, other}
    if pair & READ_AS_TEXT and pair & {"int", "bool", "float", "null", "dict", *SEQUENCES} == set():
        return True
    return (
        pair <= OF_INTEGERS
        or pair <= {"bytes", "bytearray", "hex"}
        or ("int enum" in pair and bool(pair & {"int", "big", "int literal"}))
    )


def lost(bare: bakeoff.Codec, spec: Any, values: list[Any]) -> list[Any] | None:
    """Return the values that a type loses, or None if it is refused."""
    try:
        codec = bare.with_schema(Schema({"v": spec}))
    except bakeoff.BakeoffError:
        return None
    found = []
    for value in values:
        record = {"v": copy.deepcopy(value)}
        try:
            gap = first_difference({"v": value}, read(codec, written(codec, record)))
        except bakeoff.codecs.EncodeError:
            continue
        if gap is not None:
            found.append(value)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PLAIN_FORMATS, *OF_LAYOUTS])
def test_pairs_of_types_keep_values_or_are_refused(name: str) -> None:
    bare = bakeoff.codec(name)
    alone = {key: lost(bare, *kind) for key, kind in KINDS.items()}
    wrong = {}
    for one, other in itertools.permutations(KINDS, 2):
        if name in PLAIN_FORMATS[:-1] and of_one_form(one, other):
            continue
        kept = [v for key in (one, other) for v in KINDS[key][1] if v not in (alone[key] or ())]
        if {one, other} <= SEQUENCES:
            kept = [value for value in kept if value]  # An empty list is in all of them.
        if found := lost(bare, KINDS[one][0] | KINDS[other][0], kept):
            wrong[one, other] = found
    assert {} == wrong


def avro_decimal(scale: int, size: int = 0, name: str = "") -> dict[str, Any]:
    form = {"type": "fixed", "size": size, "name": name} if size else {"type": "bytes"}
    return form | {"logicalType": "decimal", "precision": 9, "scale": scale}


def avro_record(name: str, kind: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": "x", "type": kind}]}


def avro_counted(kind: str, logical: str) -> dict[str, Any]:
    return {"type": kind, "logicalType": logical}


LETTERS = [{"type": "enum", "name": f"E{symbols}", "symbols": list(symbols)} for symbols in ("ab", "bc")]
SIZES = [{"type": "fixed", "name": f"F{size}", "size": size} for size in (2, 4)]
COUNTED = [
    avro_counted("int", "time-millis"),
    avro_counted("long", "time-micros"),
    avro_counted("long", "timestamp-millis"),
    avro_counted("long", "timestamp-micros"),
    avro_counted("long", "local-timestamp-millis"),
    avro_counted("int", "date"),
    avro_counted("string", "uuid"),
]
BRANCHES: list[Any] = [
    "int", "long", "float", "double", "string", "bytes", "boolean", *COUNTED, *LETTERS, *SIZES,
    avro_decimal(2), avro_decimal(2, 5, "D2"), avro_decimal(4, 5, "D4"), avro_decimal(0, 5, "D0"),
    {"type": "map", "values": "float"}, {"type": "map", "values": "long"},
    {"type": "array", "items": "int"}, {"type": "array", "items": avro_decimal(2, 5, "I2")},
]  # fmt: skip
BRANCHES += [
    avro_record(f"R{i}", kind | {"name": f"In{kind['name']}"} if "name" in kind else kind)
    for i, kind in enumerate(branch for branch in BRANCHES if branch != "bytes")
]
SCALARS = [
    0, 2**31, 2**40, 0.5, 0.1, 1e300, "", "a", "b", "c", "zz", b"", b"ab", b"abcd", True,
    Decimal("1.10"), Decimal("1.1234"), Decimal(1), Decimal("0.0000"), dt.date(2024, 1, 2),
    dt.time(1, 2, 3, 4000), dt.time(1, 2, 3, 4567), UTC, MILLIS, NAIVE, NAIVE.replace(microsecond=678000),
    uuid.UUID(int=5),
]  # fmt: skip
LISTS: list[Any] = [[1], [Decimal("1.10")], {"k": 0.5}, {"k": 2**40}]
CANDIDATES = [*SCALARS, *LISTS, *({"x": value} for value in [*SCALARS, *LISTS])]


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_LAYOUTS)
def test_branches_of_definitions_keep_values_or_are_refused(name: str) -> None:
    bare = bakeoff.codec(name)

    def bound(kind: Any) -> bakeoff.Codec | None:
        definition = json.dumps({"type": "record", "name": "Top", "fields": [{"name": "v", "type": kind}]})
        try:
            return bare.with_schema(Schema.of_definition(definition, "avro"))
        except bakeoff.BakeoffError:
            return None

    def keeps(codec: bakeoff.Codec, value: Any) -> bool | None:
        """Return whether a value comes back; None if it is refused."""
        try:
            payload = written(codec, {"v": copy.deepcopy(value)})
        except bakeoff.codecs.EncodeError:
            return None
        return first_difference({"v": value}, read(codec, payload)) is None

    alone = [bound(branch) for branch in BRANCHES]
    assert None not in alone
    kept = [[value for value in CANDIDATES if codec and keeps(codec, value)] for codec in alone]
    assert all(kept)
    wrong = {}
    for i, j in itertools.combinations(range(len(BRANCHES)), 2):
        pair = [BRANCHES[i], BRANCHES[j]] if (i + j) % 2 else [BRANCHES[j], BRANCHES[i]]
        if (codec := bound(pair)) is None:
            continue
        if found := [value for value in kept[i] + kept[j] if keeps(codec, value) is False]:
            wrong[json.dumps(pair)] = found
    assert {} == wrong


def test_avro_refuses_two_branches_without_a_name() -> None:
    """fastavro writes a map as the first of two, whatever its values are."""
    maps = [{"type": "map", "values": "long"}, {"type": "map", "values": "float"}]
    definition = json.dumps({"type": "record", "name": "Top", "fields": [{"name": "v", "type": maps}]})
    with pytest.raises(bakeoff.BakeoffError, match="are read as dict, map the second"):
        bakeoff.codec("avro", schema=Schema.of_definition(definition, "avro"))


@pytest.mark.parametrize(
    "spec", [Literal[1] | bool, Literal[True] | int, Literal[1, "x"] | float, Size | Decimal]
)
def test_pydantic_refuses_options_of_equal_values(spec: Any) -> None:
    with pytest.raises(bakeoff.BakeoffError, match="have equal values"):
        bakeoff.codec("pydantic-json", schema=Schema({"v": spec}))
