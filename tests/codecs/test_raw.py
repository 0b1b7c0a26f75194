"""The libraries' own calls, as they stand beside each codec."""

from __future__ import annotations

import pytest

import bakeoff
from bakeoff import codecs

RECORD = {"id": 2**40, "name": "Zoë / A", "tags": ["a", "b"], "score": 0.25, "deep": {"list": [{"x": [1]}]}}


@pytest.mark.parametrize("name", codecs.names())
def test_raw_calls_speak_the_codecs_format(name):
    """What the library's own call writes the codec reads, and the other way round."""
    codec = bakeoff.codec(name, trusted=True)
    raw = codecs.describe(name).raw()

    assert codec.decode(codec.encode(RECORD)) == codec.decode(raw.encode(RECORD))
    assert codec.decode(codec.encode(RECORD)) == raw.decode(codec.encode(RECORD))


def test_a_codec_that_needs_a_schema_has_no_raw_calls():
    """They would be bound to the schema's types."""
    assert codecs.describe("msgspec-json/struct").raw() is None
