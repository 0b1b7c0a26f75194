"""The promise: the schema restores types that a codec does not preserve, and changes nothing else."""

from __future__ import annotations

import copy
import datetime as dt
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import ANYTHING, declared

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs import EncodeError
from bakeoff.schemas import Hint, Schema

LOSSLESS = [name for name in codecs.available() if not codecs.codec(name).losses and "/pure" not in name]


@pytest.mark.parametrize("name", [*LOSSLESS, "json", "simplejson", "msgpack/tuple"])
@given(case=declared())
def test_every_codec_brings_everything_back(name: str, case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    spec, record = case
    schema = Schema(spec)
    codec = codecs.codec(name, trusted=True)
    back = codec.with_schema(schema).decode(codec.encode(record))

    assert first_difference(record, back) is None
    assert schema.advise(back, codec)[1] == []


RAW = b"i\xb7\x1d"
"""In base64 it is hexadecimal as well, of other bytes."""


@pytest.mark.parametrize("name", codecs.available())
@pytest.mark.parametrize("encoding", ["hex", "base64url"])
@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_bytes_are_never_read_as_other_bytes(name: str, encoding: Any, kind: Any) -> None:
    schema = Schema({"raw": [Annotated[kind, Hint(encoding=encoding)] | None]})
    record = {"raw": [kind(RAW)]}
    codec = codecs.codec(name, trusted=True, schema=schema)
    if "bytes" in codec.preserves:
        assert first_difference(record, codec.decode(codec.encode(record))) is None
        return
    for writer in (codec, codec.with_compression("zlib:1")):
        with pytest.raises(
            EncodeError, match=rf"`\$\.raw\[\]` would .* base64 and read as {encoding};.* without"
        ):
            writer.encode(record)
    text = RAW.hex() if encoding == "hex" else "abcd"
    assert first_difference(record, codec.decode(codec.with_schema(None).encode({"raw": [text]}))) is None


@pytest.mark.parametrize("name", codecs.available())
def test_keys_are_never_read_as_other_bytes(name: str) -> None:
    """If keys are text, keys of bytes are base64, even if the format has bytes as values."""
    schema = Schema({"by": dict[Annotated[bytes, Hint(encoding="hex")], int]})
    record = {"by": {RAW: 1}}
    codec = codecs.codec(name, trusted=True, schema=schema)
    try:
        payload = codec.encode(record)
    except EncodeError as error:
        assert "`$.by{key}` would be written as base64" in str(error)  # noqa: PT017
        assert not {"int_keys", "bytes"} <= codec.preserves
    else:
        assert first_difference(record, codec.decode(payload)) is None


@given(declared())
def test_right_data_is_left_alone(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    spec, record = case
    schema = Schema(spec)
    before = {key: id(value) for key, value in record.items()}
    after, advice = schema.advise(record)

    assert advice == []
    assert after is record
    assert {key: id(value) for key, value in schema.apply(record).items()} == before


@pytest.mark.slow
@given(declared(), ANYTHING)
def test_anything_is_survived_and_settled(case: tuple[dict[str, Any], Any], junk: Any) -> None:
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


@pytest.mark.slow
@given(declared(), st.data())
def test_unknown_fields_pass(case: tuple[dict[str, Any], dict[str, Any]], data: st.DataObject) -> None:
    spec, record = case
    extra = data.draw(ANYTHING)
    after = Schema(spec).apply({**record, "unknown": extra})

    assert after["unknown"] is extra


@pytest.mark.parametrize("name", ["bson", "msgpack", "cbor2", "yaml", "json", "plist"])
def test_naive_datetimes_stay_naive(name: str) -> None:
    record = {"at": dt.datetime(2024, 1, 2, 3, 4, 5)}
    codec = bakeoff.codec(name, schema=Schema({"at": Annotated[dt.datetime, Hint(aware=False)]}))

    assert record == codec.decode(codec.encode(record))
    assert codec.decode(codec.encode(record))["at"].tzinfo is None
