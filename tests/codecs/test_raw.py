"""The libraries' own calls, which accompany each codec."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.bench.worker.raw import fitting, reads_alike, writes_alike
from bakeoff.codecs.conventions.notes import GUARD, about
from bakeoff.codecs.safety.guards import GUARDS, unguarded
from benchmarks.interface import Figure, limit

RECORD = {"id": 2**40, "name": "Zoë / A", "tags": ["a", "b"], "score": 0.25, "deep": {"list": [{"x": [1]}]}}


@pytest.mark.parametrize("name", codecs.names())
def test_raw_calls_speak_the_codecs_format(name):
    codec = bakeoff.codec(name, trusted=True)
    raw = codecs.describe(name).raw()

    assert codec.decode(codec.encode(RECORD)) == codec.decode(raw.encode(RECORD))
    assert codec.decode(codec.encode(RECORD)) == raw.decode(codec.encode(RECORD))


@pytest.mark.parametrize("name", codecs.names())
def test_raw_calls_with_options_do_the_same_for_other_records(name):
    codec, raw = bakeoff.codec(name, trusted=True), codecs.describe(name).raw()

    for option, way in raw.all_ways().items():
        assert writes_alike(way, codec, RECORD), option
        assert reads_alike(way, codec, RECORD), option


@pytest.mark.parametrize(
    ("name", "record", "option"),
    [
        ("orjson", RECORD, ""),
        ("orjson", {1: 2}, "OPT_NON_STR_KEYS"),
        ("orjson", {1: Decimal("1.1")}, "OPT_NON_STR_KEYS, default=anything"),
        ("msgpack", {1: 2}, "strict_map_key=False"),
        ("msgpack", {"at": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}, "datetime=True, timestamp=3"),
        ("msgpack", {"at": dt.datetime(2026, 1, 2)}, "default=moments"),
        ("ormsgpack", {1: 2}, "OPT_NON_STR_KEYS"),
        ("json", {"price": Decimal("1.10")}, "default=texts"),
        ("rapidjson", {"on": dt.date(2026, 1, 2)}, "DM_ISO8601"),
        ("bson", {"at": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}, "tz_aware"),
        ("plist", {"nothing": None}, ""),
    ],
)
def test_raw_calls_have_the_option_that_the_records_need(name, record, option):
    """The first that does what the codec does; the plain call if none does, whose error then shows."""
    raw = codecs.describe(name).raw()

    assert (option, raw.all_ways()[option]) == fitting(raw, bakeoff.codec(name), [RECORD, record])


@pytest.mark.parametrize("name", sorted(set(codecs.names(needs_schema=True)) - set(codecs.names())))
def test_raw_calls_of_a_schema_speak_the_codecs_format(name):
    schema = bakeoff.Schema.infer([RECORD])
    codec = bakeoff.codec(name, schema=schema)
    raw = codecs.describe(name).raw()(schema)

    def same(value):
        return value

    theirs = raw.encode((raw.take or same)(RECORD))
    ours = codec.encode((codec.bound.take or same)(RECORD))
    assert RECORD == (codec.bound.give or same)(codec.decode(theirs))
    assert RECORD == (raw.give or same)(raw.decode(ours))


def test_a_guard_is_said_in_the_codecs_notes():
    assert GUARDS
    for name, guards in GUARDS.items():
        codec = bakeoff.codec(name)
        assert {guard.operation for guard in guards} <= {"dump", "load"}
        assert tuple(guard.note(name) for guard in guards) == codec.notes[: len(guards)]
        assert all(about(note) == GUARD and unguarded(name) in note for note in codec.notes[: len(guards)])


def test_each_guarded_codec_has_a_variant_without():
    without = {unguarded(name): name for name in GUARDS}

    assert without.keys() == {name for name in codecs.names() if name.endswith("/unguarded")}
    assert all(codecs.describe(name).unguarded for name in without)
    assert without.keys() <= set(codecs.default_set())
    for name, guarded in without.items():
        codec, other = bakeoff.codec(name), bakeoff.codec(guarded)
        payload = codec.encode(RECORD)
        assert (other.encode(RECORD), other.decode(payload)) == (payload, codec.decode(payload))
        assert (True, False) == (codec.unguarded, other.unguarded)
        assert other.preserves == codec.preserves


def test_marshal_refuses_lengths_beyond_the_payload_where_asked():
    """It does not ask the library, which makes a list of 300 million items first, or takes longer still."""
    codec = bakeoff.codec("marshal", trusted=True, policies={"trailing": "reject"})

    for payload in (b"[" + (300_000_000).to_bytes(4, "little") + b"N" * 10, b"[" * 100_000):
        with pytest.raises(bakeoff.DecodeError, match="the end of the value cannot be found"):
            codec.decode(payload)


@pytest.mark.parametrize("name", ["ormsgpack/unguarded", "cbor2/unguarded", "pickle/2", "marshal"])
def test_what_does_not_look_for_the_end_says_so(name):
    codec = bakeoff.codec(name, trusted=True)
    payload = codec.encode(RECORD) + b"\x00"

    assert "ignore" == codec.policies["trailing"].partition("/")[0]
    assert RECORD == codec.decode(payload)
    if codec.trusted_only:
        with pytest.raises(bakeoff.DecodeError, match="after the end"):
            codec.with_policies(trailing="reject").decode(payload)


def test_a_guard_may_cost_more_than_the_target_by_what_is_stated():
    """Of the operation concerned; elsewhere, and without guards, the target holds."""
    cells = [("ormsgpack", "load"), ("ormsgpack", "dump"), ("ormsgpack/unguarded", "load")]
    guarded, *others = (limit(Figure(name, "messages", operation, 1e-6, 1.0)) for name, operation in cells)

    assert (1.03 + GUARDS["ormsgpack"][0].share, "guarded") == guarded
    assert [(1.03, "target")] * 2 == others


def test_raw_calls_of_json_write_the_same_bytes():
    record = {"name": "naïve 日本"}
    for name in ("json", "simplejson", "ujson", "rapidjson"):
        assert bakeoff.codec(name).encode(record) == codecs.describe(name).raw().encode(record), name
