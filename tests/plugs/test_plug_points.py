"""Codecs in the places where message systems take one: the real clients, no stand-ins."""

from __future__ import annotations

import pytest

import bakeoff

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"]}


@pytest.mark.parametrize("codec", [*map(bakeoff.codec, ("msgpack", "orjson", "bson", "yaml"))], ids=str)
def test_kombu_and_celery_take_its_methods_and_types(codec):
    """A registered codec carries a message under its media type."""
    from kombu import serialization

    serialization.register(
        codec.name, codec.dumps, codec.loads, codec.media_type, content_encoding=codec.content_encoding
    )
    try:
        content_type, encoding, body = serialization.dumps(RECORD, codec.name)

        found = serialization.loads(body, content_type, encoding, accept=[codec.media_type])
    finally:
        serialization.unregister(codec.name)

    assert RECORD["id"] == found["id"]


def test_rq_takes_it_by_dotted_path():
    """RQ checks its serializer protocol at run time."""
    from rq.serializers import resolve_serializer

    serializer = resolve_serializer("bakeoff.codecs.ready.msgpack_tuple")

    assert RECORD["name"] == serializer.loads(serializer.dumps(RECORD))["name"]


def test_a_context_may_follow_the_record():
    """Confluent's Kafka client passes its serialization context."""
    codec = bakeoff.codec("orjson")

    assert RECORD == codec.decode(codec.encode(RECORD, object()), object())


def test_ready_names_end_somewhere():
    """An unknown dotted path is an AttributeError, as modules promise."""
    from bakeoff.codecs import ready

    with pytest.raises(AttributeError):
        _ = ready.nothing_like_it
