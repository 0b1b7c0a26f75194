"""The promise: what a codec does not carry, its schema brings back; and nothing else happens."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import ANYTHING, declared

from bakeoff import codecs
from bakeoff.bench.equality import first_difference
from bakeoff.schemas import Schema

LOSSLESS = [name for name in codecs.available() if not codecs.codec(name).losses and "/pure" not in name]


@pytest.mark.parametrize("name", [*LOSSLESS, "json", "simplejson", "msgpack/tuple"])
@given(case=declared())
def test_every_codec_brings_everything_back(name: str, case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Decoded and corrected, a record is what it was: types, offsets, signs and all."""
    spec, record = case
    schema = Schema(spec)
    codec = codecs.codec(name, trusted=True)
    back = codec.with_schema(schema).decode(codec.encode(record))

    assert first_difference(record, back) is None
    assert schema.advise(back, codec)[1] == []


@given(declared())
def test_right_data_is_left_alone(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """A record that is right already gets no advice and keeps its objects."""
    spec, record = case
    schema = Schema(spec)
    before = {key: id(value) for key, value in record.items()}
    after, advice = schema.advise(record)

    assert advice == []
    assert after is record
    assert {key: id(value) for key, value in schema.apply(record).items()} == before


@given(declared(), ANYTHING)
def test_anything_is_survived_and_settled(case: tuple[dict[str, Any], Any], junk: Any) -> None:
    """No record makes a schema raise; a second look changes nothing; apply does what advise does."""
    schema = Schema(case[0])
    if not isinstance(junk, dict):
        junk = {**{key: copy.deepcopy(junk) for key in case[0]}, "more": 1}
    fast = schema.apply(copy.deepcopy(junk))
    once, first = schema.advise(junk)
    seen = copy.deepcopy(once)
    twice, second = schema.advise(once)

    assert first_difference(once, fast) is None
    assert first_difference(seen, twice) is None
    assert all(advice.outcome != "fixed" for advice in second)
    kept = sorted((a.path, a.code) for a in first if a.outcome != "fixed")
    assert kept == sorted((a.path, a.code) for a in second)


@given(declared(), st.data())
def test_unknown_fields_pass(case: tuple[dict[str, Any], dict[str, Any]], data: st.DataObject) -> None:
    """What the schema does not know stays as it is."""
    spec, record = case
    extra = data.draw(ANYTHING)
    after = Schema(spec).apply({**record, "unknown": extra})

    assert after["unknown"] is extra
