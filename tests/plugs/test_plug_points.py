"""Codecs in the places where message systems take one: the real clients, no stand-ins."""

from __future__ import annotations

import subprocess
import sys
import textwrap

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


def test_itsdangerous_takes_it_as_serializer():
    """Signed payloads, which itsdangerous tries out with an empty dict first."""
    from itsdangerous import Serializer

    signer = Serializer("secret", serializer=bakeoff.codec("msgpack"))

    assert RECORD == signer.loads(signer.dumps(RECORD))


def test_django_takes_the_class_by_dotted_path():
    """Django's signing builds the class without arguments."""
    script = """
        from django.conf import settings
        settings.configure(SECRET_KEY="x")
        from django.core import signing
        from django.utils.module_loading import import_string
        serializer = import_string("bakeoff.codecs.ready.MsgspecMsgpack")
        print(signing.loads(signing.dumps({"a": [1]}, serializer=serializer), serializer=serializer))
    """

    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )

    assert "{'a': [1]}" == done.stdout.strip()


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
