"""The libraries' own calls, as they stand beside each codec."""

from __future__ import annotations

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs.guards import GUARDS
from targets.interface import Figure, limit

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


def test_guards_are_stated_for_codecs_there_are():
    """A codec that is renamed takes its guard along, and its notes say what that costs."""
    assert GUARDS.keys() <= set(codecs.names())
    for name, guards in GUARDS.items():
        assert {guard.operation for guard in guards} <= {"dump", "load"}
        assert all(guard.note in bakeoff.codec(name).notes for guard in guards)


def test_a_stated_guard_is_the_limit_where_it_is_more():
    """For the operation concerned, on the corpus whose target it is above; elsewhere the target holds."""
    cells = [("messages", "load"), ("messages", "dump"), ("movies", "load")]
    stated, *targets = (limit(Figure("ormsgpack", *cell, 1e-6, 1.0)) for cell in cells)

    assert (1 + GUARDS["ormsgpack"][0].share, "stated") == stated
    assert [(1.03, "target"), (1.15, "target")] == targets
