"""Streams that arrive in chunks, and damaged streams."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bakeoff
from bakeoff import Codec
from bakeoff.codecs import DecodeError, LimitError
from bakeoff.codecs.streams.framing import MARKED

RECORDS = [
    {"id": number, "text": "é\n---\n" * number, "list": [[number, -70_000 * number, 0.5], {}]}
    for number in range(6)
]


def stream(codec: Codec, records: Iterable[Any] = RECORDS) -> bytes:
    file = io.BytesIO()
    codec.dump(records, file)
    return file.getvalue()


def pieces(data: bytes, sizes: list[int]) -> list[bytes]:
    found, at = [], 0
    for size in cycle(sizes):
        if at >= len(data):
            return found
        found.append(data[at : at + size])
        at += size
    return found


def decoded(codec: Codec, chunks: Iterable[bytes]) -> tuple[list[Any], list[DecodeError]]:
    errors: list[DecodeError] = []
    decoder = codec.decoder(errors.append)
    records = [record for chunk in chunks for record in decoder.feed(chunk)]
    return records + decoder.end(), errors


@pytest.mark.parametrize("tail", ["", "|crc32", "|zlib"])
@settings(max_examples=12)
@given(sizes=st.lists(st.integers(1, 60), min_size=1, max_size=8))
def test_a_stream_comes_in_chunks_of_any_size(codec, tail, sizes):
    if codec.name.endswith("/pure") and codec.format == "yaml":
        sizes = sizes[:1]
    packed = codec.with_compression(tail[1:] or None)
    data = stream(packed)

    assert (list(packed.load(io.BytesIO(data))), []) == decoded(packed, pieces(data, sizes))


def test_records_are_given_as_soon_as_they_are_whole(codec):
    if codec.format == "yaml":
        return
    decoder = codec.decoder()
    came = [len(list(decoder.feed(stream(codec, [record])))) for record in RECORDS]

    assert [1] * len(RECORDS) == came


def test_a_damaged_line_is_named_and_left_behind():
    decoder = bakeoff.codec("json").decoder()
    records = decoder.feed(b'1\n{"a": \n\n2\n3')

    assert 1 == next(records)
    with pytest.raises(DecodeError, match=r"^json: in the record that starts at byte 2: ") as caught:
        next(records)
    assert 2 == caught.value.offset
    assert isinstance(caught.value.__cause__, ValueError)
    assert [2] == list(decoder.feed(b""))
    assert [34] == list(decoder.feed(b"4\n"))
    assert [] == decoder.end()


def test_several_damaged_lines_at_the_end_lose_no_other():
    decoder = bakeoff.codec("json").decoder()
    decoder.feed(b"1\n?\n2\n?\n3")

    for _ in range(2):
        with pytest.raises(DecodeError):
            decoder.end()
    assert [1, 2, 3] == decoder.end()


@pytest.mark.parametrize("name", ["yaml", "yaml/pure"])
def test_a_damaged_document_is_left_behind(name):
    data = b"a: 1\n---\nb: [\nc: 2\n---\nd: 4\n...\n"
    records, errors = decoded(bakeoff.codec(name), pieces(data, [5]))

    assert [{"a": 1}, {"d": 4}] == records
    assert [5] == [error.offset for error in errors]


@pytest.mark.parametrize(
    ("name", "damage"),
    [("msgpack", b"\xc1"), ("cbor2", b"\xff"), ("bson", b"\1\0\0\0"), ("msgpack|zlib", b"?" * 9)],
)
def test_a_stream_without_marks_ends_with_the_damage(name, damage):
    """The start of the next record is unknown, as the error says; no further chunk is accepted."""
    codec = bakeoff.codec(name)
    good = stream(codec)
    decoder = codec.decoder(pytest.fail)
    records = []

    assert "" == codec.framing.resynchronises
    with pytest.raises(
        DecodeError, match=rf"starts at byte {len(good):,}: .*; the next record cannot be found"
    ) as caught:
        records.extend(decoder.feed(good + damage + good))
    assert RECORDS == records
    assert len(good) == caught.value.offset
    for more in (lambda: decoder.feed(good), decoder.end, lambda: list(decoder)):
        with pytest.raises(DecodeError, match="cannot be found"):
            more()


def test_a_stream_that_ends_within_a_record_says_so(codec):
    if codec.framing.resynchronises:
        return
    data = stream(codec)
    first = len(stream(codec, RECORDS[:-1]))
    decoder = codec.decoder()
    kept = [codec.decode(codec.encode(record)) for record in RECORDS]

    assert kept[:-1] == list(decoder.feed(data[:-1]))
    with pytest.raises(DecodeError, match=r"the stream ends within it$") as caught:
        decoder.end()
    assert first == caught.value.offset


def test_an_ended_stream_takes_no_more():
    decoder = bakeoff.codec("json").decoder()
    with pytest.raises(DecodeError, match="expected bytes, got str"):
        decoder.feed("1\n")
    decoder.end()
    with pytest.raises(DecodeError, match="has ended"):
        decoder.feed(b"1\n")


@pytest.mark.parametrize("name", ["pickle", "marshal"])
def test_a_decoder_wants_trust_before_anything_comes(name):
    with pytest.raises(DecodeError, match="trust"):
        bakeoff.codec(name).decoder()


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("msgpack", b"\xc6\x7f\xff\xff\xff"),
        ("msgpack", b"\xdd\x7f\xff\xff\xff\x91"),
        ("cbor2", b"\x5b" + b"\x7f" * 8),
        ("cbor2", b"\x9a\x7f\xff\xff\xff"),
        ("bson", b"\xff\xff\xff\x7f"),
        ("pickle", b"\x80\x05B\xff\xff\xff\x7f"),
        ("marshal", b"s\xff\xff\xff\x7f"),
        ("json|zlib", b"\x7f\xff\xff\xff"),
        ("json|crc32", MARKED.frame(b"x" * 2000)[:8]),
        ("json", b"x" * 1003),
        ("yaml", b"x" * 1001),
    ],
)
def test_what_claims_too_much_is_refused_at_once(name, claim):
    decoder = bakeoff.codec(name, trusted=True).with_limits(size=1000).decoder()

    with pytest.raises(LimitError, match=r"starts at byte 0: .* 1,000") as caught:
        list(decoder.feed(claim))
    assert 0 == caught.value.offset


@pytest.mark.parametrize(("name", "tail"), [("json", b"\n"), ("yaml", b"\n---\n")])
@pytest.mark.parametrize("step", [7, 100_000])
def test_what_is_too_long_is_dropped_as_it_comes(name, tail, step):
    codec = bakeoff.codec(name).with_limits(size=1000)
    errors: list[DecodeError] = []
    decoder = codec.decoder(errors.append)
    for chunk in pieces(b"1" * 20_000, [step]):
        assert [] == list(decoder.feed(chunk))
        assert len(decoder._pending) < 1010
    records = [*decoder.feed(tail + b"7\n"), *decoder.end()]

    assert [7] == records
    assert [LimitError] == [type(error) for error in errors]


MARKS = [
    *RECORDS,
    {"bytes": MARKED.MARK + b"\0\0\0\4" + MARKED.MARK * 9, "more": list(range(300))},
    {"bytes": random.Random(1).randbytes(900)},
]


@pytest.mark.parametrize("name", ["msgpack", "bson", "json", "pickle"])
@settings(max_examples=100)
@given(data=st.data())
def test_a_changed_byte_loses_one_record_of_a_checksummed_stream(name, data):
    codec = bakeoff.codec(f"{name}|crc32", trusted=True)
    frames = [stream(codec, [record]) for record in MARKS]
    kept = [codec.decode(frame[MARKED.HEAD :]) for frame in frames]
    which = data.draw(st.integers(0, len(frames) - 1))
    at = data.draw(st.integers(0, len(frames[which]) - 1))
    new = data.draw(st.sampled_from(["change", "leave out", "put in"]))
    byte = bytes([data.draw(st.integers(0, 255))])
    whole, frame = list(frames), frames[which]
    whole[which] = frame[:at] + (b"" if new == "leave out" else byte) + frame[at + (new != "put in") :]
    records, errors = decoded(codec, pieces(b"".join(whole), [data.draw(st.integers(1, 500))]))
    if b"".join(whole) == b"".join(frames):
        assert kept == records
        return

    # Bytes inserted or removed before a frame leave the frame intact.
    assert records in (kept[:which] + kept[which + 1 :], kept)
    assert 1 <= len(errors) <= 2
    start = len(b"".join(frames[:which]))
    assert all(start <= error.offset <= start + len(frame) for error in errors)
    if new == "change":
        assert start == errors[0].offset
        assert kept != records


def test_a_frame_that_was_cut_short_takes_no_other_along():
    """As left by a process that died while writing, before another one continued."""
    codec = bakeoff.codec("msgpack|crc32")
    frames = [stream(codec, [record]) for record in RECORDS]
    records, errors = decoded(codec, [frames[0], frames[5][:50], *frames[1:4], frames[4][:-1]])

    assert RECORDS[:4] == records
    last = sum(map(len, frames[:4])) + 50
    assert [len(frames[0]), last] == [error.offset for error in errors]


def test_a_file_with_checksums_is_read_to_its_first_damage():
    codec = bakeoff.codec("json|crc32")
    data = bytearray(stream(codec))
    data[-1] ^= 1
    records = codec.load(io.BytesIO(data))

    assert RECORDS[:-1] == [next(records) for _ in RECORDS[:-1]]
    with pytest.raises(DecodeError, match=r"damaged: the checksum is \w{8}, expected \w{8}"):
        next(records)


def test_a_stream_of_another_schema_is_refused():
    old, new = (bakeoff.codec("arrow", schema=bakeoff.Schema({name: int})) for name in "ab")
    file = io.BytesIO()
    old.dump([{"a": 1}], file)
    file.seek(0)

    with pytest.raises(DecodeError, match="there is no column 'b'"):
        list(new.load(file))


def test_bytes_that_begin_no_message_of_arrow_are_named():
    codec = bakeoff.codec("arrow", schema=bakeoff.Schema({"a": int}))
    file = io.BytesIO()
    codec.dump([{"a": 1}], file)

    with pytest.raises(DecodeError, match="no message of an Arrow stream begins there"):
        list(codec.load(io.BytesIO(b"x" * 16 + file.getvalue())))
