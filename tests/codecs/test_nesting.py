"""How deep payloads nest, as it is found before a library sees them."""

from __future__ import annotations

import contextlib
import io
import json
import zlib
from collections.abc import Iterator
from typing import Any

import bson
import cbor2
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import DecodeError, EncodeError, LimitError
from bakeoff.codecs.limits import DEFAULT_DEPTH
from bakeoff.codecs.safety._scan import choose_width, kinds, nests_deeper, values_at_most, values_in

FILLINGS = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.sampled_from('[]{}"\\aé😀') | st.characters(exclude_categories=["Cs"]), max_size=90),
    st.lists(st.integers(0, 2**32), max_size=40),
)
KEYS = st.text(st.sampled_from('[]{}"\\a'), max_size=12)


@st.composite
def records(draw: st.DrawFn) -> Any:
    inner: Any = draw(st.sampled_from([[], {}, 1, "]"]))
    for _ in range(draw(st.integers(1, 150))):
        beside = draw(st.lists(FILLINGS, max_size=2)) if draw(st.integers(0, 9)) == 0 else []
        if draw(st.booleans()):
            inner = [*beside, inner]
        else:
            inner = {**{str(place): each for place, each in enumerate(beside)}, draw(KEYS): inner}
    return {"": inner}


def depth(value: Any) -> int:
    deepest, left = 0, [(value, 1)]
    while left:
        value, level = left.pop()
        if isinstance(value, (dict, list)):
            deepest = max(deepest, level)
            left += [(each, level + 1) for each in (value.values() if isinstance(value, dict) else value)]
    return deepest


WRITERS: dict[str, Any] = {
    "json": lambda record: json.dumps(record, ensure_ascii=False).encode(),
    "msgpack": msgpack.packb,
    "cbor": cbor2.dumps,
    "bson": bson.encode,
}


def test_each_kind_whose_levels_are_counted_has_a_writer() -> None:
    assert WRITERS.keys() == {kind for kind, functions in kinds().items() if "deeper" in functions}


WIDTHS = pytest.mark.parametrize("wide", [False, True], ids=["short vectors", "wide vectors"])


@contextlib.contextmanager
def vectors(*, wide: bool) -> Iterator[None]:
    choose_width(wide)
    try:
        yield
    finally:
        choose_width()


@pytest.mark.slow
@WIDTHS
@pytest.mark.parametrize("kind", WRITERS)
@given(record=records())
def test_levels_are_counted_exactly(kind: str, wide: bool, record: Any) -> None:
    payload, levels = WRITERS[kind](record), depth(record)

    with vectors(wide=wide):
        assert not nests_deeper(kind, payload, levels)
        assert nests_deeper(kind, payload, levels - 1)


def values(record: Any) -> int:
    if isinstance(record, dict):
        return 1 + sum(1 + values(item) for item in record.values())
    return 1 + sum(map(values, record)) if isinstance(record, list) else 1


@pytest.mark.slow
@WIDTHS
@pytest.mark.parametrize("spaces", [None, 2])
@given(record=records())
def test_the_bound_for_values_of_json_is_no_less_than_their_number(
    wide: bool, spaces: int | None, record: Any
) -> None:
    payload, count = json.dumps(record, ensure_ascii=False, indent=spaces).encode(), values(record)

    assert (count, False) == values_in("json", payload)
    with vectors(wide=wide):
        assert count <= values_at_most("json", payload, count)
        # Beyond the number of interest, only an empty list or dict can count twice.
        empty = payload.count(b"[]") + payload.count(b"{}")
        assert values_at_most("json", payload, 1) <= count + empty


@WIDTHS
@given(parts=st.lists(st.sampled_from([",", ":", "[", "{", '"', "\\", '\\"', "x" * 40]), max_size=300))
def test_delimiters_in_texts_do_not_count_as_values(wide: bool, parts: list[str]) -> None:
    text = "".join(parts)
    payload = json.dumps([text, text[::-1]]).encode()

    with vectors(wide=wide):
        assert 3 == values_at_most("json", payload, 1)


def test_a_kind_without_a_bound_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing bounds the values of 'msgpack'"):
        values_at_most("msgpack", b"\x01", 1)


@WIDTHS
@given(
    parts=st.lists(st.sampled_from(["[", "{", "]", "}", '"', "\\", '\\"', "x" * 40, "\\\\"]), max_size=300)
)
def test_texts_of_json_hide_their_brackets_wherever_they_begin(wide: bool, parts: list[str]) -> None:
    """Quotes, and backslashes before them, are seen across the blocks that are looked at together."""
    text = "".join(parts)
    payload = ("[" + json.dumps(text) + ",[" + json.dumps(text[::-1]) + ",{}]]").encode()

    with vectors(wide=wide):
        assert not nests_deeper("json", payload, 3)
        assert nests_deeper("json", payload, 2)


@pytest.mark.parametrize(
    ("payload", "levels"),
    [
        (b"\x9f\xff", 1),
        (b"\xbf\x01\x9f\x81\xff\xff\xff", 3),
        (b"\x81\x5f\x41a\xff", 1),
        (b"\xd8\x1c\x81\xc1\x81\x00", 2),
    ],
)
def test_containers_of_cbor_that_end_by_a_mark_count(payload: bytes, levels: int) -> None:
    assert not nests_deeper("cbor", payload, levels)
    assert levels == 1 or nests_deeper("cbor", payload, levels - 1)


@WIDTHS
@pytest.mark.parametrize("kind", WRITERS)
@given(payload=st.binary(max_size=400), most=st.integers(1, 20))
def test_any_bytes_are_looked_at_and_no_others(kind: str, wide: bool, payload: bytes, most: int) -> None:
    with vectors(wide=wide):
        assert nests_deeper(kind, payload, most) in (True, False)


def test_a_kind_or_depth_that_cannot_be_asked_is_an_error() -> None:
    for kind, most in (("yaml", 5), ("json", 0), ("json", 5000)):
        with pytest.raises(ValueError, match="nothing checks whether"):
            nests_deeper(kind, b"[]", most)


def nested(levels: int) -> Any:
    inner: Any = []
    for _ in range(levels - 1):
        inner = [inner]
    return {"a": inner}


READING = [
    name
    for name in codecs.names()
    if not codecs.describe(name).trusted_only and bakeoff.codec(name).policies["nesting"].endswith("reject")
]


@pytest.mark.parametrize("name", READING)
def test_what_is_decoded_is_no_deeper_than_what_every_library_writes(name: str) -> None:
    codec = bakeoff.codec(name)
    said = f"nested more than {DEFAULT_DEPTH} deep"
    most, deeper = (codecs.describe(name).raw().encode(nested(levels)) for levels in (119, 120))

    assert nested(119) == given_back(codec.decode(most))
    for packed, payload in ((codec, deeper), (codec.with_compression("zlib"), zlib.compress(deeper))):
        with pytest.raises(LimitError, match=said):
            packed.decode(payload)
    with pytest.raises(LimitError, match=said):
        list(codec.load(io.BytesIO(codec.framing.frame(deeper))))
    assert codec.with_limits(depth=121).decode(deeper)


def given_back(record: Any) -> Any:
    return json.loads(json.dumps(record))


def test_the_codecs_of_strangers_payloads_hold_to_it() -> None:
    others = {name for name in codecs.names() if not codecs.describe(name).trusted_only}.difference(READING)

    assert {"cbor2/unguarded", "ormsgpack/unguarded"} == others


def test_nesting_is_looked_at_before_orjson_has_it_where_asked_for() -> None:
    """By policy, by a limit, and not otherwise: orjson's own limit is 254 levels."""
    codec, deep = bakeoff.codec("orjson"), nested(120)

    assert deep == json.loads(codec.encode(deep))
    for asked in (codec.with_policies(nesting="reject"), codec.with_limits(depth=DEFAULT_DEPTH)):
        assert nested(119) == asked.decode(asked.encode(nested(119)))
        with pytest.raises(EncodeError, match="nested more than 120 deep"):
            asked.encode(deep)
    with pytest.raises(EncodeError, match="nested more than 9 deep"):
        codec.with_policies(nesting="reject").with_limits(depth=9).encode(nested(9))


def test_trusted_payloads_are_held_to_it_where_asked_for() -> None:
    codec = bakeoff.codec("pickle", trusted=True)
    asked = codec.with_policies(nesting="reject")
    payload = codec.encode(nested(120))

    assert nested(120) == codec.decode(payload)
    with pytest.raises(DecodeError, match="nested more than 120 deep"):
        asked.decode(payload)
    with pytest.raises(EncodeError, match="nested more than 120 deep"):
        asked.encode(nested(120))
