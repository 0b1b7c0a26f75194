"""Codecs in the places where message systems take one: the real clients, no stand-ins."""

from __future__ import annotations

import pytest

import bakeoff

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"]}


def test_a_context_may_follow_the_record():
    """Confluent's Kafka client passes its serialization context."""
    codec = bakeoff.codec("orjson")

    assert RECORD == codec.decode(codec.encode(RECORD, object()), object())


def test_ready_names_end_somewhere():
    """An unknown dotted path is an AttributeError, as modules promise."""
    from bakeoff.codecs import ready

    with pytest.raises(AttributeError):
        _ = ready.nothing_like_it
