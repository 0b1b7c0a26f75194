"""Values that do not fit the schema: each error says where, whichever library found it."""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable
from typing import Any, TypedDict

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import DecodeError, EncodeError
from bakeoff.schemas import Schema


class Line(TypedDict):
    count: int
    at: dt.date


class Order(TypedDict):
    id: int
    lines: list[Line]


ORDER = {"id": 1, "lines": [{"count": 2, "at": dt.date(2026, 1, 2)}]}
WRONG: dict[str, Callable[[Any], Any]] = {
    "text": lambda order: order["lines"][0].update(count="x"),
    "list": lambda order: order["lines"][0].update(count=[1]),
    "date": lambda order: order["lines"][0].update(at="yesterday"),
    "lacking": lambda order: order["lines"][0].pop("count"),
    "no record": lambda order: order["lines"].insert(0, 3),
    "no list": lambda order: order.update(lines=5),
}
NAMES = [name for name in codecs.available(needs_schema=True) if codecs.describe(name).needs_schema]
SELF_DESCRIBING = [name for name in NAMES if codecs.describe(name).format in ("json", "msgpack")]
ARRAYS = "msgspec-msgpack/array"


def wrong(how: str) -> Any:
    order = copy.deepcopy(ORDER)
    WRONG[how](order)
    return order


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("name", [name for name in SELF_DESCRIBING if name != ARRAYS])
def test_a_payload_is_refused_with_the_place(name: str, how: str) -> None:
    codec = bakeoff.codec(name, schema=Schema(Order))
    payload = bakeoff.codec("orjson" if codec.format == "json" else "msgpack").encode(wrong(how))

    with pytest.raises(DecodeError, match=r"`\$\.lines") as refusal:
        codec.decode(payload)
    assert refusal.value.codec == name


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_refused_with_the_place(name: str, how: str) -> None:
    """By `take`, if there is one: some libraries write what they are given."""
    codec = bakeoff.codec(name, schema=Schema(Order))
    assert codec.bound is not None

    with pytest.raises(ValueError, match=r"`\$\.lines") as refusal:
        codec.encode(wrong(how) if codec.bound.take is None else codec.bound.take(wrong(how)))
    assert not isinstance(refusal.value, EncodeError) or refusal.value.codec == name


@pytest.mark.parametrize("name", NAMES)
def test_an_error_of_a_codec_within_names_the_codec(name: str) -> None:
    codec = bakeoff.codec(name, schema=Schema({"text": str}))
    take = codec.bound and codec.bound.take
    record = {"text": "\ud800"}

    with pytest.raises(ValueError, match=r"surrogate|UTF-8|utf-8|unicode") as refusal:
        codec.encode(take(record) if take else record)
    assert not isinstance(refusal.value, EncodeError) or refusal.value.codec == name
