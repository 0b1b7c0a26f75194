"""Reading and changing one field: the same as by way of the whole record, in every codec."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import DecodeError, EncodeError, LimitError, MissingField
from bakeoff.codecs.core.fields import changed, extended, reach, steps_of

WALKED = (
    "json", "json/default", "simplejson", "simplejson/pure", "orjson", "orjson/numpy", "msgspec-json",
    "ujson", "rapidjson", "ssrjson", "pydantic-core",
    "msgpack", "msgpack/tuple", "msgpack/list-hook", "msgpack/pure", "msgpack/numpy", "ormsgpack",
    "msgspec-msgpack", "bson", "bson/pure", "cbor2",
)  # fmt: skip
"""Codecs that read a field without the rest."""


def paths(record: Any, depth: int = 0) -> Iterator[tuple[str | int, ...]]:
    """Yield the path to everything in a record, the first items of lists only."""
    yield ()
    parts = (
        record.items() if isinstance(record, dict) else enumerate(record[:2]) if type(record) is list else ()
    )
    for key, value in parts:
        if isinstance(key, str) or (type(key) is int and key >= 0):
            for rest in paths(value, depth + 1):
                yield key, *rest


def spoilt(codec: codecs.Codec, payload: bytes, path: Any) -> BaseException | None:
    try:
        codec.peek(payload, path)
    except Exception as error:  # noqa: BLE001 - which error it is, is asked of it
        return error
    return None


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["movies", "messages", "types", "numbers", "text"])
def test_a_field_is_what_the_record_has_there(codec, corpus):
    for record in bakeoff.corpus(corpus).sample(3):
        payload = codec.encode(record)
        decoded = codec.decode(payload)
        for path in paths(record):
            expected = reach(decoded, steps_of(path))
            if expected is not ...:
                assert equal(expected, codec.peek(payload, path), order=True), path
            else:
                assert codec.peek(payload, path, "none") == "none", path


@pytest.mark.slow
@pytest.mark.parametrize("change", ["replace", "append"])
def test_a_changed_field_is_as_in_a_record_that_was_changed_and_encoded(codec, change):
    for record in (
        *bakeoff.corpus("messages").sample(1),
        {"a": [], "b": list(range(15)), "c": list(range(300))},
    ):
        payload = codec.encode(record)
        before = codec.decode(payload)
        for path in paths(record):
            where = reach(before, steps_of(path))
            if change == "append" and type(where) not in (list, tuple, set):
                with pytest.raises(MissingField, match="no list at"):
                    codec.append(payload, path, 1)
                continue
            value = {"x": [1, "é"]} if change == "replace" else "new"
            by_hand = changed(
                codec.decode(payload),
                steps_of(path),
                lambda there, value=value: value if change == "replace" else extended(there, value),
            )
            made = getattr(codec, change)(payload, path, value)
            assert equal(codec.decode(codec.encode(by_hand)), codec.decode(made), order=True), path


@pytest.mark.parametrize("count", [0, 14, 15, 16, 22, 23, 24, 254, 255, 256, 65_534, 65_535, 65_536])
@pytest.mark.parametrize("name", ["msgpack", "cbor2", "orjson", "bson"])
def test_a_list_may_outgrow_the_number_it_begins_with(name, count):
    codec = bakeoff.codec(name)
    assert codec.encode({"a": [7] * count + [9], "z": 1}) == codec.append(
        codec.encode({"a": [7] * count, "z": 1}), "a", 9
    )


def test_it_says_how_fields_are_read(codec):
    assert ("walk" in codec.peeks) == (codec.name in WALKED)
    assert "full decode" == codec.with_limits(depth=50).peeks
    assert "full decode" == codec.with_schema(bakeoff.Schema({"a": int})).peeks


@pytest.mark.parametrize("name", WALKED)
def test_what_is_cut_short_or_goes_on_is_refused_wherever_the_field_is(name):
    codec = bakeoff.codec(name)
    payload = codec.encode({"first": 1, "list": [1, {"a": "b"}], "last": {"x": 2.5, "y": "text"}})
    for path in ("first", "list.1.a", "last.x"):
        for end in range(len(payload)):
            assert isinstance(spoilt(codec, payload[:end], path), DecodeError), (path, end)
        for more in (b"\x01", b"}", payload):
            assert isinstance(spoilt(codec, payload + more, path), DecodeError), (path, more)


@pytest.mark.parametrize(
    ("name", "payload", "path", "value"),
    [
        ("json", b'{"a":1,"b":[2],"a":{"c":3}}', "a.c", 3),
        ("json", b'{"a":{"c":3},"\\u0061":{"c":4}}', "a.c", 4),
        ("json", b' { "a" : [ 1 , { "b" : " ]}\\" " } ] } ', "a.1.b", ' ]}" '),
        ("json", b'{"a":{"c":3},"a":5}', "a.c", None),
        ("msgpack", b"\x82\xa1a\x01\xa1a\x02", "a", 2),
        ("msgpack", b"\x82\xd9\x01a\x01\xda\x00\x01b\xc0", "b", None),
        ("msgpack", b"\x82\x07\x01\xa17\x02", "7", 2),
        ("msgpack", b"\x81\x07\x01", "7", 1),
        ("msgpack", b"\x81\xa1a\xd4\x05x", "a.code", 5),
        ("cbor2", b"\xbf\x61a\x9f\x01\x02\xff\xff", "a.1", 2),
        ("cbor2", b"\xa1\x7f\x61a\x61b\xff\x05", "ab", 5),
        ("cbor2", b"\xd9\xd9\xf7\xa1\x61a\x05", "a", 5),
        ("cbor2", b"\xa2\x61a\xd8\x1c\x82\x01\x02\x61b\xd8\x1d\x00", "b.1", 2),
        ("cbor2", b"\xd9\x01\x00\x82\x63abc\xa1\x61k\xd8\x19\x00", "1.k", "abc"),
    ],
)
def test_what_walkers_leave_to_the_library_is_read_all_the_same(name, payload, path, value):
    """Duplicate keys, escaped keys and keys other than text, tags, and references to other values."""
    codec = bakeoff.codec(name)
    assert value == reach(codec.decode(payload), steps_of(path), None)
    assert value == codec.peek(payload, path, None)


@pytest.mark.parametrize("name", ["bson", "bson/pure"])
@pytest.mark.parametrize("strict", [{}, {"extensions": "reject"}, {"duplicate_keys": "reject"}])
def test_a_document_that_pymongo_takes_for_a_reference_is_a_dict(name, strict):
    """JSON Schemas have these keys."""
    codec = bakeoff.codec(name).with_policies(**strict)
    record = {
        "a": {"$ref": "films", "$id": {"n": [5]}, "$db": "x", "more": [{"$ref": "a", "$id": 1}]},
        "b": 1,
    }
    payload = codec.encode(record)

    assert record == codec.decode(payload)
    assert record["a"] == codec.peek(payload, "a")
    assert [5] == codec.peek(payload, ("a", "$id", "n"))
    assert "a" == codec.peek(payload, ("a", "more", 0, "$ref"))


def test_a_missing_field_says_how_far_the_path_leads():
    codec = bakeoff.codec("msgpack")
    payload = codec.encode({"order": {"city": "Riga", "lines": [1, 2], "note": None}, "id": 7})
    for path, words in {
        "order.citty": "msgpack: no $.order.citty: $.order has city, lines, note; did you mean city?",
        "order.lines.2": "msgpack: no $.order.lines[2]: $.order.lines has 2 items",
        "order.lines.city": "msgpack: no $.order.lines.city: $.order.lines is a list: its items have indices",
        "order.note.x": "msgpack: no $.order.note.x: $.order.note is None",
        "id.x": "msgpack: no $.id.x: $.id is of type int, which has no fields",
    }.items():
        with pytest.raises(MissingField) as missing:
            codec.peek(payload, path)
        assert words == str(missing.value)
        assert 5 == codec.peek(payload, path, 5)
    assert isinstance(missing.value, LookupError)
    assert isinstance(pickle.loads(pickle.dumps(missing.value)), MissingField)


@pytest.mark.parametrize("path", ["a..b", ".", "a.", 5, b"a", ("a", -1), ("a", True), ("a", 1.5), None])
def test_a_path_that_is_none_is_refused(path):
    for call in (lambda: bakeoff.codec("json").peeker(path), lambda: bakeoff.codec("json").peek(b"{}", path)):
        with pytest.raises(bakeoff.UsageError, match="path"):
            call()


def test_a_peeker_is_a_callable_to_keep():
    codec = bakeoff.codec("orjson")
    peeker = codec.peeker("a.0", default=None)
    assert [1, None] == [peeker(b'{"a":[1]}'), pickle.loads(pickle.dumps(peeker))(b"{}")]
    assert "<Peeker $.a[0] of orjson>" == repr(peeker)
    deep: Any = 5
    for _ in range(60):
        deep = {"a": deep}
    assert 5 == codec.peek(codec.encode(deep), ".".join("a" * 60))
    assert 5 == codec.peek(b"{}", "\ud800", 5)


def test_limits_trust_and_errors_are_those_of_decode():
    writer = bakeoff.codec("msgpack")
    codec = writer.with_limits(size=100, items=20)
    with pytest.raises(LimitError):
        codec.peek(writer.encode({"a": 1, "b": "x" * 100}), "a")
    with pytest.raises(LimitError):
        codec.peek(writer.encode({"a": 1, "b": [1] * 30}), "a")
    with pytest.raises(LimitError):
        codec.append(writer.encode({"a": [1], "b": [1] * 30}), "a", 1)
    with pytest.raises(DecodeError, match="trusted=True"):
        bakeoff.codec("pickle").peek(pickle.dumps({"a": 1}), "a")
    with pytest.raises(DecodeError, match="expected bytes"):
        codec.peek({"a": 1}, "a")
    with pytest.raises(DecodeError, match="empty payload"):
        codec.append(b"", "", 1)
    with pytest.raises(DecodeError, match=r"at \$\.a: "):
        codec.peek(b"\x81\xa1a\xa1\xff", "a")
    with pytest.raises(EncodeError):
        codec.append(codec.encode({"a": []}), "a", object())


@pytest.mark.parametrize("head", [0x7C, 0x7D, 0x7E])
def test_keys_of_cbor_with_reserved_heads_are_refused(head):
    """No version of the format stores their length."""
    codec = bakeoff.codec("cbor2")
    payload = bytes((0xA2, head)) + b"k" * (head & 31) + b"\x01\x61a\x05"
    for act in (codec.decode, lambda data: codec.peek(data, "a"), lambda data: codec.replace(data, "a", 6)):
        with pytest.raises(DecodeError):
            act(payload)


def test_policies_compression_and_schemas_hold_for_a_field():
    with pytest.raises(DecodeError):
        bakeoff.codec("msgpack").with_policies(duplicate_keys="reject").peek(b"\x82\xa1a\x01\xa1a\x02", "a")
    packed = bakeoff.codec("orjson|zlib")
    assert 2 == packed.peek(packed.encode({"a": [1, 2]}), "a.1")
    assert {"a": [1, 2, 3]} == packed.decode(packed.append(packed.encode({"a": [1, 2]}), "a", 3))
    fixed = bakeoff.codec("orjson+schema", schema=bakeoff.Schema({"at": dt.date, "ids": set[int]}))
    payload = fixed.encode({"at": dt.date(2020, 1, 2), "ids": {1}})
    assert dt.date(2020, 1, 2) == fixed.peek(payload, "at")
    assert {1, 2} == fixed.decode(fixed.append(payload, "ids", 2))["ids"]


class Pair(NamedTuple):
    left: int
    right: list[int]


@dataclass
class Box:
    pair: Pair
    names: frozenset[str] = frozenset()


def test_fields_of_objects_are_reached_by_name():
    codec = bakeoff.codec("pickle", trusted=True)
    payload = pickle.dumps({"box": Box(Pair(1, [2]), frozenset("a"))})
    assert 2 == codec.peek(payload, "box.pair.right.0")
    assert 1 == codec.peek(payload, "box.pair.0")
    with pytest.raises(MissingField, match="has pair, names"):
        codec.peek(payload, "box.__class__")
    assert Pair(5, [2]) == codec.decode(codec.replace(payload, "box.pair.left", 5))["box"].pair
    assert {"a", "b"} == codec.decode(codec.append(payload, "box.names", "b"))["box"].names
    typed = bakeoff.codec("msgspec-msgpack/struct", schema=bakeoff.Schema({"a": {"b": list[int]}}))
    assert [1, 2] == typed.peek(typed.append(typed.encode({"a": {"b": [1]}}), "a.b", 2), "a.b")


def test_a_walk_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="nothing walks through 'yaml'"):
        bakeoff.Codec("x", "x", repr, eval, walk="yaml").peek(b"1", "a")


TEXT = st.text('ab.é"\\ 7', max_size=3)
KEYS = TEXT | st.integers(0, 9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=30,
)


@pytest.mark.parametrize("name", ["orjson", "msgpack", "ormsgpack", "msgspec-msgpack", "cbor2", "bson"])
@given(record=VALUES, path=st.lists(KEYS, max_size=3))
def test_any_path_into_any_record(name, record, path):
    codec = bakeoff.codec(name)
    payload = codec.encode(record)
    for way in (path, *list(paths(record))[:6]):
        steps = steps_of(way)
        there = reach(codec.decode(payload), steps, KEYS)
        if there is KEYS:
            assert isinstance(spoilt(codec, payload, way), MissingField)
            continue
        assert equal(there, codec.peek(payload, way), order=True)
        replaced = changed(copy.deepcopy(codec.decode(payload)), steps, lambda _: [None, "é"])
        made = codec.decode(codec.replace(payload, way, [None, "é"]))
        assert equal(codec.decode(codec.encode(replaced)), made, order=True)
        if isinstance(there, list):
            assert [*there, {"x": 1}] == codec.peek(codec.append(payload, way, {"x": 1}), way)
