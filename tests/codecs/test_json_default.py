"""`json/default`: what most programs call, compared with `json`, which is what the library can do."""

from __future__ import annotations

import datetime as dt
import json

import pytest

import bakeoff
from bakeoff.codecs import DecodeError
from bakeoff.codecs.registry import default_set

CODEC = bakeoff.codec("json/default")
UTF8 = '{"a":"é€😀","b":[1,2.5,null]}'


@pytest.mark.parametrize("corpus", ["movies", "messages", "text", "numbers"])
def test_it_writes_and_reads_as_the_library_does_by_default(corpus: str) -> None:
    for record in bakeoff.corpus(corpus).sample(20):
        payload = json.dumps(record).encode()

        assert payload == CODEC.encode(record)
        assert record == CODEC.decode(payload) == bakeoff.codec("json").decode(payload)
        assert record == CODEC.decode(bakeoff.codec("json").encode(record))


def test_it_is_measured_by_default_next_to_json() -> None:
    assert {"json", "json/default"} <= set(default_set())


def test_types_that_json_lacks_follow_the_conventions() -> None:
    assert b'{"at": "2024-01-02T00:00:00"}' == CODEC.encode({"at": dt.datetime(2024, 1, 2)})


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]
)
def test_other_encodings_are_refused(kind: type, encoding: str) -> None:
    """The library detects them, and their bytes can hide brackets from the guards."""
    assert json.loads(UTF8.encode(encoding)) == json.loads(UTF8)
    for text in (UTF8, "1", "[]", '"≢[[["'):
        with pytest.raises(DecodeError, match="is not UTF-8 without a byte order mark"):
            CODEC.decode(kind(text.encode(encoding)))
    assert json.loads(UTF8) == CODEC.decode(kind(UTF8.encode()))
