"""The conventions: the document is the truth, and lowering loses nothing silently."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

import bakeoff
from bakeoff.codecs.conventions.families import JSON_FAMILY
from bakeoff.codecs.conventions.rules import duration_text
from bakeoff.codecs.conventions.tokens import Colour
from bakeoff.codecs.registry import formats


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (dt.timedelta(0), "P0D"),
        (dt.timedelta(days=1), "P1D"),
        (dt.timedelta(days=1, seconds=2, microseconds=3), "P1DT2.000003S"),
        (dt.timedelta(microseconds=-1), "-PT0.000001S"),
        (dt.timedelta(seconds=90), "PT90S"),
    ],
)
def test_durations_are_iso_text(value, expected):
    assert expected == duration_text(value)


@pytest.mark.parametrize("family", ["json", "bson", "plist"])
def test_keys_that_would_merge_are_refused(family):
    with pytest.raises(ValueError, match="two keys"):
        formats()[family].family.lower({1: "a", "1": "b"})


def test_lowering_is_a_copy():
    record = {"s": {1}, "n": [{2: (3,)}]}

    assert {"s": [1], "n": [{"2": [3]}]} == JSON_FAMILY.lower(record)
    assert {"s": {1}, "n": [{2: (3,)}]} == record


def test_a_library_error_is_chained():
    with pytest.raises(bakeoff.DecodeError) as caught:
        bakeoff.codec("orjson").decode(b"{")

    assert type(caught.value.__cause__).__name__ == "JSONDecodeError"


BESIDE = (0, dt.time(1), dt.datetime(2024, 2, 29), 2**70, {1: 2}, memoryview(b"m"))


class Tenths(float):
    def __repr__(self) -> str:
        return "tenths"


def found_beside(codec: bakeoff.Codec, field: Any) -> list[str]:
    """Return the decoded field next to each of the values for which some codecs lower the record."""
    return [
        repr(codec.decode(codec.encode({"field": field, "beside": beside}))["field"])
        for beside in BESIDE
        if codec.format != "pickle" or not isinstance(beside, memoryview)
    ]


KEYS = (
    uuid.UUID(int=5),
    decimal.Decimal("1.5"),
    dt.date(2024, 2, 29),
    dt.datetime(2024, 2, 29, 12),
    dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC),
    dt.timedelta(1),
    Colour.RED,
    Tenths(1.5),
    2**63,
)
FIELDS = (
    2**63,
    2**64 - 1,
    -(2**63),
    dt.time(1, tzinfo=dt.UTC),
    dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC),
    dt.datetime(2024, 2, 29, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    {3, 1, 2},
    (1, 2),
)


def test_what_else_is_in_a_record_does_not_decide_over_a_field(codec):
    """A record that has to be lowered keeps its keys; some libraries ask for that at a naive datetime.

    Integers of 64 bits without a sign stay integers where the library has them.
    """
    for field in (*({key: 1} for key in KEYS), *FIELDS):
        found = found_beside(codec, field)

        assert [found[0]] * len(found) == found, field


@pytest.mark.parametrize(
    "field",
    [
        {(1, 2): 1},
        {((1, dt.date(2024, 2, 29)), "x"): 1},
        {frozenset({1}): 1},
        {(1, 2)},
        {frozenset({1}), (3,)},
    ],
    ids=str,
)
def test_arrays_stay_keys_and_items_of_sets_in_cbor(field):
    codec = bakeoff.codec("cbor2")

    assert [repr(field)] * len(BESIDE) == found_beside(codec, field)


@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
@pytest.mark.parametrize("record", [{"v": {(1, 2)}}, {(1, 2): 3}, {"v": {frozenset({1})}}, [{1: {(1,): 2}}]])
def test_yaml_writes_no_key_that_it_cannot_read(name, record):
    """A list as a key is YAML, but nothing that Python could hash."""
    codec = bakeoff.codec(name)

    with pytest.raises(bakeoff.EncodeError, match="cannot be decoded"):
        codec.encode(record)
    assert {"v": {1, "a"}} == codec.decode(codec.encode({"v": {1, "a"}}))


@pytest.mark.parametrize("name", ["bson", "plist", "json"])
def test_the_key_none_is_the_text_null(name):
    codec = bakeoff.codec(name)

    assert {"null": 1} == codec.decode(codec.encode({None: 1}))


class _Shortens(Mapping):
    """Empties the list that it is in when it is read."""

    def __init__(self, around):
        self._around = around

    def __getitem__(self, key):
        raise KeyError(key)

    def __iter__(self):
        self._around.clear()
        return iter(())

    def __len__(self):
        return 0


def test_a_list_that_its_item_empties_is_refused():
    """Such values are rewritten in compiled code, before the library sees them."""
    record = {"items": []}
    record["items"] += [[number] for number in range(500)] + [_Shortens(record["items"])]

    with pytest.raises(bakeoff.EncodeError):
        bakeoff.codec("bson").encode(record)
