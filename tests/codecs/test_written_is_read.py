"""Records are either written so that they can be read, or refused: cases found by fuzzing."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest

import bakeoff
from bakeoff.bench.equality.losses import find_losses
from bakeoff.codecs import DecodeError, EncodeError
from bakeoff.codecs.formats.json import _within_its_buffer
from bakeoff.codecs.spec import Spec

TENTHS = dt.time(19, 4, 7, 44_320)
NEW_LINE = "a\x85b"
LOCAL = dt.datetime(1900, 1, 1, tzinfo=dt.timezone(dt.timedelta(minutes=19, seconds=32)))


VALUES = (
    TENTHS,
    dt.time(1, 2, 3, 10_000),
    dt.datetime(2020, 1, 2, 3, 4, 5, 44_320),
    dt.datetime.max,
    dt.datetime.min,
    LOCAL,
    NEW_LINE,
    {NEW_LINE: NEW_LINE},
    "\u2028",
    "\uffff",
    {"\ufffe": 1},
    {2**64: 1, -(2**70): 2},
    [{2**64 - 1: [2**64]}],
)


def test_a_value_comes_back_or_is_refused(codec: bakeoff.Codec) -> None:
    for value in VALUES:
        try:
            payload = codec.encode({"v": value})
        except EncodeError:
            continue

        judgment = find_losses({"v": value}, codec.decode(payload), codec.preserves, codec.losses)
        assert judgment.wrong is None, ascii(value)


def test_orjson_writes_every_digit_of_a_time() -> None:
    """Some releases make a tenth of a second of a hundredth (`version_faults.ORJSON_TIMES`)."""
    assert b'["19:04:07.044320"]' == bakeoff.codec("orjson").encode([TENTHS])


def test_orjson_is_held_back_where_it_writes_times_wrong() -> None:
    """Whichever version is installed here: payloads are searched for such times then, and only then."""
    options: dict[str, Any] = {
        "OPT_PASSTHROUGH_DATETIME": 2,
        "OPT_PASSTHROUGH_DATACLASS": 16,
        "OPT_NON_STR_KEYS": 8,
        "__version__": "3.13.0",
    }
    wrong = SimpleNamespace(dumps=_without_zeros, **options)
    older = SimpleNamespace(dumps=_without_zeros, **{**options, "__version__": "3.11.9"})
    right = SimpleNamespace(dumps=lambda value: b'"00:00:00.010000"', **options)

    bare = Spec.of(encode=repr, decode=eval)

    found = [_within_its_buffer(library, bare) for library in (wrong, older, right)]  # type: ignore[arg-type]
    assert [16, 18, 16] == [each.calls.encode_arguments[1] for each in found]
    assert [True, False, False] == [each.guards.short_times for each in found]


def _without_zeros(value: object) -> bytes:
    return b'"00:00:00.10000"'


@pytest.mark.parametrize("name", ["orjson", "orjson|zlib", "orjson/numpy"])
@pytest.mark.parametrize("micros", [0, 9_999, 10_000, 54_321, 99_999, 100_000])
def test_orjson_writes_times_wherever_they_are(name: str, micros: int) -> None:
    """A text that looks like a wrong one stays, too, and so does all else in the record."""
    time, like = dt.time(1, 2, 3, micros), "01:02:03.12345"
    moment = dt.datetime(2020, 1, 2, 3, 4, 5, micros, tzinfo=dt.UTC)
    codec, other = bakeoff.codec(name), bakeoff.codec("json")
    records: list[Any] = [
        time,
        [like, moment],
        {"a": [{"b": time, "c": like}]},
        {time: like, 5: (time, moment)},
    ]

    for record in records:
        assert other.decode(other.encode(record)) == codec.decode(codec.encode(record))


def test_a_plan_for_times_reads_what_orjson_writes() -> None:
    """The wrong ones were silently read as other times."""
    codec = bakeoff.codec("orjson", schema=bakeoff.Schema({"at": dt.time}))

    assert {"at": TENTHS} == codec.decode(codec.encode({"at": TENTHS}))


@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_yaml_names_an_offset_that_it_cannot_read(name: str) -> None:
    """PyYAML writes seconds of an offset, and fails on them."""
    with pytest.raises(EncodeError, match="an offset with seconds"):
        bakeoff.codec(name).encode({"at": LOCAL})


@pytest.mark.parametrize("name", ["yaml", "yaml/pure", "ryaml", "ruamel.yaml"])
@pytest.mark.parametrize("minutes", [-1439, -720, -330, -1, 0, 1, 330, 841, 1439])
@pytest.mark.parametrize("naive", [dt.datetime.min, dt.datetime.max, dt.datetime(999, 1, 1)])
def test_yaml_reads_datetimes_that_have_no_moment_in_utc(name: str, minutes: int, naive: dt.datetime) -> None:
    """In UTC they can be in the years 0 and 10000; as text, with offset, they are the same."""
    moment = naive.replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes)))
    codec, text = bakeoff.codec(name), bakeoff.codec("json")
    record = {"at": moment, moment: [moment]}

    assert text.encode(record) == text.encode(codec.decode(codec.encode(record)))


@pytest.mark.parametrize("text", ["\ufffe", "a\uffff"])
def test_plist_refuses_what_xml_does_not_have(text: str) -> None:
    """In texts and in keys; binary lists have room for it."""
    for record in ({"a": text}, {text: 1}):
        with pytest.raises(EncodeError, match="U\\+FFFE or U\\+FFFF"):
            bakeoff.codec("plist").encode(record)
        binary = bakeoff.codec("plist/binary")
        assert record == binary.decode(binary.encode(record))


@pytest.mark.slow
def test_a_record_that_holds_itself_is_an_error_of_its_codec() -> None:
    """Making plain ints of a library's own went round until the stack was at its end."""
    endless: list[Any] = []
    endless.append(endless)
    codec = bakeoff.Codec("odd", "odd", repr, lambda data: endless, subclass=bool)

    with pytest.raises(DecodeError, match="nested"):
        codec.decode(b"1")
