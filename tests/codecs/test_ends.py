"""The end of a payload's value, found without decoding it, compared with the libraries."""

from __future__ import annotations

import io
import marshal
import pickle
import struct
from collections.abc import Callable
from typing import Any

import bson
import cbor2
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff.codecs import DecodeError
from bakeoff.codecs.safety._scan import StreamBuffer, end_of, kinds, values_in

VALUES = (
    {"a": [1, 300, 70_000, 2**40, -5, -(2**50), 2.5, None, True], "k" * 40: {"b": {}}, "x" * 300: b"y" * 300},
    [[[[]]], list(range(20)), {str(n): n for n in range(20)}, "é" * 70_000],
    "text",
    5,
    # Most of one length, which are gone past eight at a time, and some of others among them.
    [*range(70_000, 70_040), 1, *range(2**40, 2**40 + 17), *["abcd"] * 30, "e", *[0.5] * 16, [None] * 9],
)


class Unpickler(pickle.Unpickler):
    """Runs no code: mutants name any function."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(name)


def msgpack_end(data: bytes) -> int:
    unpacker = msgpack.Unpacker()
    unpacker.feed(data)
    unpacker.skip()
    return unpacker.tell()  # type: ignore[no-any-return]


def end_in_file(read: Callable[[io.BytesIO], object]) -> Callable[[bytes], int]:
    def end(data: bytes) -> int:
        file = io.BytesIO(data)
        read(file)
        return file.tell()

    return end


LIBRARIES = {
    "msgpack": msgpack_end,
    "cbor": end_in_file(lambda file: cbor2.CBORDecoder(file, read_size=1).decode()),
    "pickle": end_in_file(lambda file: Unpickler(file).load()),
    "marshal": end_in_file(marshal.load),
}
SEEDS = {
    "msgpack": [
        *map(msgpack.packb, VALUES),
        msgpack.packb([msgpack.ExtType(5, b"x" * size) for size in (1, 2, 3, 4, 8, 16, 300, 70_000)]),
        b"\x92\xca\x00\x00\x00\x00\xd4\x01\x00",
    ],
    "cbor": [
        *map(cbor2.dumps, VALUES),
        *(cbor2.dumps(value, indefinite_containers=True) for value in VALUES),
        cbor2.dumps([2**100, {1, 2}, 1.5]),
        bytes.fromhex("9f018202039f5f42010243030405ff7f657374726561ffbf616101ffffff"),
        bytes.fromhex("83f97e00f818c074323031332d30332d32315432303a30343a30305a"),
    ],
    "pickle": [pickle.dumps(value, protocol) for value in (*VALUES, {1, 2}, 2**100) for protocol in range(6)],
    "marshal": [
        marshal.dumps(value, version)
        for value in (*VALUES, {1, 2}, frozenset([1]), -(2**100), 1 + 2j, ("a", "a"), {(1, 2): 3})
        for version in range(5)
    ],
}
KINDS = pytest.mark.parametrize("kind", SEEDS)


def test_each_kind_that_is_read_from_streams_has_seeds():
    assert SEEDS.keys() == {kind for kind, functions in kinds().items() if "resume" in functions}


@KINDS
def test_a_value_ends_where_it_ends(kind):
    """All of the payload, or less where something follows; -1 where it is cut short."""
    for payload in SEEDS[kind]:
        size = len(payload)

        assert size == end_of(kind, payload)
        assert {size} == {end_of(kind, payload + tail) for tail in (b"\x00", b"0", b"\xff", payload)}
        assert {-1} == {end_of(kind, payload[:cut]) for cut in {0, 1, size // 2, size - 1} - {size}}


@pytest.mark.parametrize("kind", ["msgpack", "cbor"])
@given(
    items=st.lists(
        st.tuples(st.sampled_from([1, 200, 70_000, 2**40, 0.5, "", "abc", "x" * 40, [1]]), st.integers(1, 30))
    )
)
def test_lists_of_one_length_are_gone_through_as_others(kind, items):
    values = [value for value, times in items for _ in range(times)]
    payload = {"msgpack": msgpack.packb, "cbor": cbor2.dumps}[kind]([values, 7])
    count = 3 + len(values) + sum(value == [1] for value in values)

    assert len(payload) == end_of(kind, payload + b"\x01" * 400)
    assert (count, False) == values_in(kind, payload)
    assert {-1} == {end_of(kind, payload[:-cut]) for cut in range(1, min(60, len(payload)))}


@KINDS
@given(data=st.data())
def test_the_library_ends_there_too(kind, data):
    mutant = bytearray(data.draw(st.sampled_from([seed for seed in SEEDS[kind] if len(seed) < 2000])))
    for _ in range(data.draw(st.integers(0, 3))):
        mutant[data.draw(st.integers(0, len(mutant) - 1))] = data.draw(st.integers(0, 255))
    payload = bytes(mutant[: data.draw(st.integers(0, len(mutant)))] + data.draw(st.binary(max_size=3)))
    found = end_of(kind, payload)

    assert -1 <= found <= len(payload)
    if kind == "marshal" and found == -1:
        return  # it lets NULL end a dict in odd places, and allocates whatever a length claims
    try:
        taken = LIBRARIES[kind](payload)
    except Exception:  # noqa: BLE001 - refused, in any of the libraries' ways
        return
    if kind == "pickle" and end_of(kind, payload[:taken]) == taken:
        return  # its one frame continues after the STOP
    assert taken == found


@KINDS
def test_lengths_that_overflow_are_no_value(kind):
    heads = {
        "msgpack": (b"\xc6", b"\xc9", b"\xdb", b"\xdd", b"\xdf", b"\xdf\x7f\xff\xff\xff" * 9 + b"\xdf"),
        "cbor": (b"\x5b", b"\x7b", b"\x9b", b"\xbb", b"\x9b\x00\x00\x00\x00" * 9 + b"\xbb"),
        "pickle": (b"\x8d", b"\x8e", b"\x96", b"X", b"B", b"T", b"\x8b"),
        "marshal": (b"s", b"u", b"(", b"[", b"<", b"a"),
    }[kind]

    assert {-1} == {end_of(kind, head + fill * 8) for head in heads for fill in (b"\xff", b"\x7f", b"\x80")}


@KINDS
def test_nesting_takes_no_stack(kind):
    level = {"msgpack": b"\x91", "cbor": b"\x9f", "pickle": b"(", "marshal": b"{"}[kind]

    assert -1 == end_of(kind, level * 1_000_000)
    assert 1_000_001 == end_of("msgpack", b"\x91" * 1_000_000 + b"\xc0")


def test_there_is_no_finder_for_every_name():
    with pytest.raises(ValueError, match="finder"):
        bakeoff.Codec("x", "x", repr, repr, whole="xml")


@pytest.mark.parametrize("name", ["ormsgpack", "cbor2", "pickle", "pickle/2", "marshal", "rapidjson"])
def test_what_follows_is_named_with_its_place(name):
    codec = bakeoff.codec(name, trusted=True).with_policies(trailing="reject")
    payload = codec.encode({"a": 1})

    with pytest.raises(DecodeError, match=rf"at byte {len(payload)}\b"):
        codec.decode(payload + b"\x00")


@pytest.mark.parametrize("record", [{1: "a"}, {"a": {-7: "b"}}, {"a": 2**63}, {"a": {"b": {2: [2**70]}}}])
def test_ormsgpack_uses_options_where_they_are_needed(record):
    ours, other = bakeoff.codec("ormsgpack"), bakeoff.codec("msgpack")

    assert other.encode(record) == ours.encode(record)
    assert other.decode(other.encode(record)) == ours.decode(ours.encode(record))


def test_bson_gives_plain_ints_everywhere():
    big = 2**40
    found = bakeoff.codec("bson").decode(
        bakeoff.codec("bson").encode({"a": big, "b": {"c": [big, [big], {"d": big}]}})
    )

    assert {"a": big, "b": {"c": [big, [big], {"d": big}]}} == found
    assert {int} == {
        type(found["a"]),
        *map(type, (found["b"]["c"][0], found["b"]["c"][1][0], found["b"]["c"][2]["d"])),
    }
    assert int is type(bakeoff.codec("bson").decode(bakeoff.codec("bson").encode(big)))


BSON = bson.encode(
    {"a": {"b": [1.5, {"c": "text"}], "d": b"x"}, "e": bson.Code("x", {"y": 1}), "f": bson.Regex("a", "i")}
)


def test_a_document_ends_where_it_says():
    assert len(BSON) == end_of("bson", BSON) == end_of("bson", BSON + b"more")


@pytest.mark.parametrize(
    "payload",
    [
        BSON[:-1],
        BSON[:-1] + b"x",
        struct.pack("<i", 40)
        + b"\x03a\x00"
        + struct.pack("<i", 13)
        + b"\x01b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        struct.pack("<i", 17) + b"\x03a\x00" + struct.pack("<i", 9) + b"\x0abbbbb\x00",
        struct.pack("<i", 9) + b"\x0aaaa\x00",
        struct.pack("<i", 9) + b"\x20aa\x00\x00",
        struct.pack("<i", 4),
    ],
    ids=["cut", "no end", "lengths", "ends elsewhere", "name", "unknown type", "no document"],
)
def test_a_document_that_leads_beyond_its_end_never_reaches_the_library(payload):
    """PyMongo's C decoder reads on in search of the end of a name."""
    assert -2 == end_of("bson", payload)
    with pytest.raises(DecodeError, match="beyond the end of its document"):
        bakeoff.codec("bson").decode(payload)


@given(st.integers(0, len(BSON) - 1), st.integers(0, 255))
def test_what_is_refused_before_is_refused_by_the_library(at, byte):
    payload = BSON[:at] + bytes([byte]) + BSON[at + 1 :]
    try:
        record = bakeoff.codec("bson/pure").decode(payload)
    except DecodeError:
        return

    assert len(payload) == end_of("bson", payload)
    assert bson.encode(record) == bson.encode(bakeoff.codec("bson").decode(payload))


@KINDS
@given(data=st.data())
def test_in_a_stream_a_value_ends_where_it_ends(kind, data):
    mutant = bytearray(data.draw(st.sampled_from([seed for seed in SEEDS[kind] if len(seed) < 2000])))
    for _ in range(data.draw(st.integers(0, 3))):
        mutant[data.draw(st.integers(0, len(mutant) - 1))] = data.draw(st.integers(0, 255))
    step = data.draw(st.integers(1, 50))
    end, pending, found = end_of(kind, bytes(mutant)), StreamBuffer(), None
    for at in range(0, len(mutant), step):
        pending.feed(bytes(mutant[at : at + step]))
        try:
            found = pending.value(kind, 1 << 20)
        except ValueError:
            break
        if found is not None:
            assert at < end <= at + step
            break

    # Of a pickle that says to be one frame the finder believes that.
    if not (kind == "pickle" and found is None and end == len(mutant)):
        assert (mutant[:end] if end >= 0 else None) == found


def test_what_has_come_is_taken_in_parts():
    pending = StreamBuffer()
    pending.feed(b"ab--cd\n")

    assert [b"ab--cd\n", b"", b"a"] == [pending.peek(size) for size in (100, -1, 1)]
    assert (True, 0) == (pending.skip_to(b""), pending.position)
    assert (True, 2) == (pending.skip_to(b"--"), pending.position)
    assert (2, 4) == (pending.drop(2), pending.position)
    assert (b"cd\n", 4, 7, 0) == (pending.line(), pending.start, pending.position, len(pending))
    assert (None, False) == (pending.line(), pending.skip_to(b"--"))
    pending.feed(memoryview(b"-")[::1])
    assert (False, 1) == (pending.skip_to(b"--"), len(pending))
    pending.end()
    assert (b"-", b"", 0) == (pending.line(), pending.take(5), pending.drop(5))
