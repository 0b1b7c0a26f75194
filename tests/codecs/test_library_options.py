"""A library's option in place of our rewrite: it is read alike, and when it is tried changes no byte."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from decimal import Decimal
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs.conventions.tokens import TOKENS

OFFSETS = (dt.UTC, dt.timezone(dt.timedelta(hours=-3)), dt.timezone(dt.timedelta(minutes=59, seconds=7)))
WITH_OPTIONS = [name for name in codecs.names() if bakeoff.codec(name, trusted=True).spec.calls.encode_again]


class Mark(enum.Enum):
    """Members that are written alike with other keys, and with each other."""

    ONE = 1
    TEXT = "1"
    NOTHING = None
    HALF = 0.5


class Number(int):
    """A subclass, which is written as a number."""


def moments(zones: st.SearchStrategy[Any]) -> st.SearchStrategy[dt.datetime]:
    """Return datetimes of all years, with and without microseconds."""
    return st.builds(
        lambda moment, fine, zone: moment.replace(microsecond=fine, tzinfo=zone),
        st.datetimes(),
        st.sampled_from((0, 10_000, 678_901)),
        zones,
    )


KEYS = st.one_of(
    st.sampled_from(("a", "1", "-7", "true", "null", "2020-01-02", "0.5", "é")),
    st.integers(-(2**63), 2**64 - 1),
    st.sampled_from((1, -7, 2**70, True, False, None, Number(1), 0.5, 1e16, 1e-7, Decimal("1.10"), b"1")),
    st.sampled_from(list(Mark)),
    moments(st.sampled_from((None, *OFFSETS))),
    st.sampled_from((dt.date(2020, 1, 2), dt.time(3, 4, 5), dt.time(3, 4, 5, 10), uuid.UUID(int=7), (1, 2))),
)
VALUES = st.recursive(
    st.sampled_from([token.example for token in TOKENS if token.name != "any_keys"] + list(Mark)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4), st.tuples(inner, inner)
    ),
    max_leaves=6,
)
RECORDS = st.dictionaries(KEYS, VALUES, max_size=5)


def written(codec: Any, record: Any) -> bytes | None:
    """Return the payload of a record; None if it is refused."""
    try:
        return bytes(codec.encode(record))
    except bakeoff.EncodeError:
        return None


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_the_option_is_read_like_the_rewrite(name: str) -> None:
    """For every type of keys and values, also mixed; what the rewrite refuses is refused."""
    codec = bakeoff.codec(name)
    rewriting = bakeoff.Codec.from_spec(codec.spec.changed(encode_again=None))

    @given(RECORDS)
    def check(record: Any) -> None:
        expected, found = written(rewriting, record), written(codec, record)
        assert (expected is None) == (found is None)
        if expected is not None and found is not None:
            assert equal(codec.decode(expected), codec.decode(found))

    check()


@pytest.mark.parametrize(
    "record",
    [{1: 0, "1": 0}, {"-7": 0, -7: 0}, {Mark.TEXT: 0, "1": 0}, {Mark.ONE: 0, 1: 0}, {None: 0, "null": 0}],
)
@pytest.mark.parametrize("name", [name for name in WITH_OPTIONS if codecs.describe(name).format == "json"])
def test_keys_that_would_be_written_alike_are_refused(name: str, record: Any) -> None:
    codec = bakeoff.codec(name)
    codec.encode({1: 2})

    for held in (record, {"a": [record]}, {"a": (record,)}):
        assert written(codec, held) is None


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_what_was_encoded_before_changes_no_byte(name: str) -> None:
    """The option is tried first after a record that needed it."""

    @given(RECORDS)
    def check(record: Any) -> None:
        new, used = bakeoff.codec(name), bakeoff.codec(name)
        used.encode({"a": {1: 2}})
        assert written(new, record) == written(used, record)

    check()


def test_a_codec_returns_to_the_plain_call() -> None:
    codec = bakeoff.codec("orjson")
    calls: list[str] = []

    def plain(record: Any) -> bytes:
        calls.append("plain")
        if 1 in record:
            raise TypeError("a key")
        return b"{}"

    def again(record: Any) -> bytes:
        calls.append("again")
        return b"{}"

    counting = bakeoff.Codec.from_spec(
        codec.spec.changed(encode=plain, encode_arguments=(), encode_again=again)
    )
    counting.encode({1: 1})
    for _ in range(1001):
        counting.encode({"a": 1})

    assert ["plain", "again"] == calls[:2]
    assert ["again", "plain", "plain"] == calls[-3:]


@pytest.mark.parametrize("name", ["msgpack", "msgpack/pure"])
def test_timestamps_are_those_of_msgpack(name: str) -> None:
    codec = bakeoff.codec(name)

    @given(moments(st.sampled_from((None, *OFFSETS))))
    def check(moment: dt.datetime) -> None:
        utc = moment.tzinfo is dt.UTC
        form = msgpack.Timestamp.from_datetime(moment) if utc else moment.isoformat()
        assert msgpack.packb(form) == codec.encode(moment)

    check()
