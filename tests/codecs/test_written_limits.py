"""A codec refuses to write what it refuses to read: limits apply in both directions."""

from __future__ import annotations

import io
from typing import Any

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs import Codec, EncodeError, LimitError

RECORDS: dict[str, Any] = {
    "rows": [{"a": n, "b": str(n), "c": [n, None]} for n in range(60)],
    "numbers": list(range(400)),
    "texts": {"k": ["x" * 40] * 30},
    "one text": "y" * 3_000,
    "keys": {f"key {n}": n for n in range(200)},
    "brackets in a text": ["[{,:" * 300],
}
LIMITS = ({"items": 50}, {"items": 399}, {"items": 401}, {"items": 1_000}, {"size": 500}, {"size": 2_990})


def refused(codec: Codec, record: Any) -> str:
    try:
        codec.encode(record)
    except EncodeError as error:
        return str(error)
    return ""


def unread(codec: Codec, payload: bytes) -> bool:
    try:
        codec.decode(payload)
    except LimitError:
        return True
    return False


@pytest.mark.parametrize("kind", RECORDS)
def test_what_is_written_is_within_the_limits_of_reading(codec: Codec, kind: str) -> None:
    record = RECORDS[kind]
    payload = codec.encode(record)
    for limits in LIMITS:
        limited = codec.with_limits(**limits)
        words = refused(limited, record)
        assert unread(limited, payload) == bool(words), (limits, words)
        assert not words or "see with_limits" in words


@pytest.mark.parametrize("compression", ["zlib", "gzip:9", "zstd"])
def test_compressed_payloads_are_within_the_limits(compression: str) -> None:
    codec = bakeoff.codec("msgpack").with_compression(compression)
    flat, random = ["a" * 50] * 40_000, [str(n * 7919 % 10**9) for n in range(3_000)]

    assert "ratio" in refused(codec, flat)
    assert flat == (free := codec.with_limits(ratio=10_000)).decode(free.encode(flat))
    assert "more than the limit of 20,000" in refused(codec.with_limits(decompressed=20_000), random)
    assert "values" in refused(codec.with_limits(items=100), random)
    assert "more than the limit of 500" in refused(codec.with_limits(size=500, decompressed=10**6), random)


def test_the_sentence_says_what_to_do() -> None:
    codec = bakeoff.codec("orjson").with_limits(items=100)

    with pytest.raises(
        EncodeError,
        match=r"orjson: holds 201 values, more than the limit of 100 for reading \(see with_limits\)",
    ):
        codec.encode([1] * 200)
    assert b"[1,1]" == codec.encode([1, 1])


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2", "bson", "yaml"])
def test_a_stream_refuses_the_record_that_is_too_large(name: str) -> None:
    codec = bakeoff.codec(name).with_limits(items=100)

    with pytest.raises(EncodeError, match="with_limits"):
        codec.dump([{"a": 1}, {"a": [1] * 200}], io.BytesIO())


@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2", "bson"])
def test_a_payload_does_not_grow_beyond_the_limits(name: str) -> None:
    codec = bakeoff.codec(name).with_limits(items=100)
    payload = codec.encode({"a": list(range(80)), "b": 1})

    assert 81 == len(codec.decode(codec.append(payload, "a", 5))["a"])
    with pytest.raises(EncodeError, match="with_limits"):
        codec.append(payload, "a", list(range(40)))
    with pytest.raises(EncodeError, match="with_limits"):
        codec.replace(payload, "b", list(range(40)))


@pytest.mark.slow
def test_a_million_values_are_refused_by_default() -> None:
    """What one process writes, another one with the same program reads."""
    records = [{"id": n, "name": "x", "tags": [1, 2]} for n in range(200_000)]
    for name in ("orjson", "msgpack", "cbor2"):
        codec = bakeoff.codec(name)
        assert "see with_limits" in refused(codec, records)
        raised = codec.with_limits(items=10**7, size=1 << 27)
        assert len(records) == len(raised.decode(raised.encode(records)))


@pytest.mark.parametrize("name", codecs.names(needs_schema=True))
def test_codecs_with_a_schema_are_limited_alike(name: str) -> None:
    if codecs.missing(name) is not None or not codecs.describe(name).needs_schema:
        pytest.skip("needs no schema, or is not installed")
    codec = bakeoff.codec(name).with_schema(bakeoff.Schema({"a": list[int], "b": str}))
    take = codec.bound.take or (lambda record: record)  # type: ignore[union-attr]
    record = take({"a": list(range(300)), "b": "x" * 900})
    payload = codec.encode(record)
    for limits in ({"items": 50}, {"items": 1_000}, {"size": 500}, {"size": 100_000}):
        limited = codec.with_limits(**limits)
        assert unread(limited, payload) == bool(refused(limited, record)), limits
