"""mashumaro and cattrs: objects of classes, and TypedDicts built from a schema."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
from typing import Any, NamedTuple, TypedDict

import attrs
import pytest
from hypothesis import given
from kinds import declared
from round_trips import assert_comes_back, read, written

import bakeoff
from bakeoff.codecs import DecodeError, EncodeError, LimitError
from bakeoff.schemas import Schema, SchemaError

CODECS = ["mashumaro-json", "mashumaro-msgpack", "cattrs-json", "cattrs-msgpack"]
every_codec = pytest.mark.parametrize("name", CODECS)


class Pair(NamedTuple):
    day: dt.date
    rest: tuple[bytes, ...]


@dataclasses.dataclass
class Node:
    pair: Pair
    children: list[Node]


@attrs.define
class Leaf:
    pair: Pair


@pytest.mark.slow
@every_codec
@given(case=declared())
def test_what_is_declared_comes_back_or_is_refused(name: str, case: tuple[dict[str, Any], Any]) -> None:
    kind, record = case
    try:
        codec = bakeoff.codec(name, schema=Schema(kind))
    except SchemaError:
        return
    try:
        payload = written(codec, record)
    except EncodeError:
        return

    assert_comes_back(codec, record)
    assert payload


class Odd(enum.Enum):
    HALF = 0.5
    NONE = None


@every_codec
def test_enums_of_other_values_are_refused(name: str) -> None:
    with pytest.raises(SchemaError, match="not all text or integers of 64 bits"):
        bakeoff.codec(name, schema=Schema(TypedDict("Holder", {"odd": Odd})))


@every_codec
def test_classes_within_themselves_come_back(name: str) -> None:
    node = Node(Pair(dt.date(2026, 1, 2), (b"\xff",)), [])
    codec = bakeoff.codec(name, schema=Schema(Node, as_objects=True))
    deep = node
    for _ in range(5_000):
        deep = Node(node.pair, [deep])

    assert Node(node.pair, [node]) == codec.decode(codec.encode(Node(node.pair, [node])))
    with pytest.raises(EncodeError, match="nested"):
        codec.encode(deep)


@pytest.mark.parametrize("name", ["mashumaro-json", "mashumaro-msgpack"])
def test_classes_that_a_library_does_not_build_are_refused(name: str) -> None:
    with pytest.raises(SchemaError, match=r"mashumaro does not build objects of `Leaf`"):
        bakeoff.codec(name, schema=Schema({"leaf": Leaf}, as_objects=True))


class Words(NamedTuple):
    one: str
    other: str


SEQUENCES: list[Any] = [
    list[str],
    list[int],
    set[str],
    frozenset[int],
    tuple[int, ...],
    tuple[str, str],
    Words,
]


@every_codec
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_text_is_not_taken_for_a_list_of_letters(name: str, sequence: Any) -> None:
    kinds = [str | sequence]
    for kind in (sequence | str, sequence | None | str):
        if name.startswith("mashumaro"):
            with pytest.raises(SchemaError, match="write `str` first"):
                bakeoff.codec(name, schema=Schema({"v": kind}))
        else:
            kinds.append(kind)
    for kind in kinds:
        for text in ("", "1", "ab", "x"):
            assert_comes_back(bakeoff.codec(name, schema=Schema({"v": kind})), {"v": text})


@every_codec
@pytest.mark.parametrize("field", ["x'+exit(3)+'", "x\\", "x\n", "x\x00", "\ud800"])
def test_names_of_fields_do_not_become_code(name: str, field: str) -> None:
    """mashumaro puts the name of a key into its code without escaping it."""
    with pytest.raises(SchemaError, match="does not support a field named"):
        bakeoff.codec(name, schema=Schema({field: int}))


@every_codec
@pytest.mark.parametrize("field", ['a"b', "a b", "", "class", "self", "{x}", "%s", "é"])
def test_names_that_python_does_not_have_are_written(name: str, field: str) -> None:
    assert_comes_back(bakeoff.codec(name, schema=Schema({field: int})), {field: 1})


@every_codec
def test_a_number_does_not_become_as_many_bytes(name: str) -> None:
    """`bytes(number)` would: a short payload would take all memory."""
    plain = bakeoff.codec(name.split("-")[1])
    for kind in (bytes, bytearray):
        codec = bakeoff.codec(name, schema=Schema({"a": kind}))

        with pytest.raises(DecodeError):
            codec.decode(plain.encode({"a": 10**12}))


@pytest.mark.slow
@every_codec
def test_many_keys_with_the_same_hash_are_refused(name: str) -> None:
    codec = bakeoff.codec(name, schema=Schema({"a": dict[int, int]}))
    payload = written(codec, {"a": {i * (2**61 - 1): 1 for i in range(1, 6_000)}})

    with pytest.raises(LimitError, match="the same hash"):
        codec.decode(payload)


@every_codec
def test_records_that_do_not_fit_are_refused_where_they_do_not(name: str) -> None:
    codec = bakeoff.codec(name, schema=Schema({"a": [{"b": int}]}))

    with pytest.raises(ValueError, match=r"at `\$\.a\[0\]\.b`: expected int, found str"):
        written(codec, {"a": [{"b": "x"}]})


@every_codec
def test_payloads_are_read_by_other_codecs_of_the_format(name: str) -> None:
    """They follow the conventions, in both directions."""
    types = {
        "at": dt.datetime,
        "raw": bytes,
        "span": dt.timedelta,
        "days": set[dt.date],
        "keys": dict[int, str],
    }
    record = {
        "at": dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-5))),
        "raw": b"\xff" * 60,
        "span": dt.timedelta(days=-400_000, microseconds=1),
        "days": {dt.date(2026, 1, 2)},
        "keys": {1: "a", 2**40: "b"},
    }
    schema = Schema({**types, "keys": dict[int, str]})
    own, other = (bakeoff.codec(each, schema=schema) for each in (name, name.split("-")[1]))

    assert record == other.decode(written(own, record))
    assert record == read(own, other.encode(record))
