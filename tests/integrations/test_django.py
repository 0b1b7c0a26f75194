"""Codecs in Django: caches on Redis, sessions, signing; and in Django REST framework."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterator
from typing import Any

import django
import pytest
from django.conf import settings
from django.core import signing
from django.core.cache import caches

import bakeoff

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"]}
POISON = b"\xc1no payload"
REDIS = "django.core.cache.backends.redis.RedisCache"
SERIALIZERS: dict[str, tuple[str, dict[str, Any]]] = {
    "class": (REDIS, {"serializer": bakeoff.integrations.django(bakeoff.codec("msgpack"))}),
    "path": (REDIS, {"serializer": "bakeoff.codecs.integrations.django.Orjson"}),
    "compressed": (REDIS, {"serializer": bakeoff.integrations.django(bakeoff.codec("msgpack|zlib"))}),
    "django-redis": (
        "django_redis.cache.RedisCache",
        {"SERIALIZER": "bakeoff.codecs.integrations.django.Msgpack"},
    ),
}


@pytest.fixture(scope="session")
def configured(server: Callable[[str], str]) -> None:
    """Django with a cache for each way to name a codec, and sessions in one of them."""
    url = server("redis")
    settings.configure(
        SECRET_KEY="x",
        CACHES={
            name: {
                "BACKEND": backend,
                "LOCATION": url,
                "OPTIONS": options,
                "KEY_PREFIX": f"bakeoff-{os.getpid()}-{name}",
            }
            for name, (backend, options) in {**SERIALIZERS, "default": SERIALIZERS["class"]}.items()
        },
        SESSION_SERIALIZER="bakeoff.codecs.integrations.django.Msgpack",
        REST_FRAMEWORK={"UNAUTHENTICATED_USER": None},
    )
    django.setup()


@pytest.fixture(params=SERIALIZERS)
def cache(request: pytest.FixtureRequest, configured: None) -> Iterator[Any]:
    made = caches[request.param]
    yield made
    made.delete_many(["record", "count", "poison"])
    made.close()


def test_a_cache_keeps_records(cache):
    cache.set("record", RECORD)

    assert RECORD == cache.get("record")
    assert "miss" == cache.get("poison", "miss")
    assert RECORD == cache.get_or_set("count", lambda: RECORD)
    assert {"record": RECORD, "count": RECORD} == cache.get_many(["record", "count", "poison"])
    cache.set_many({"record": None, "count": True})
    assert None is cache.get("record", "miss")
    assert True is cache.get("count")


def test_a_cache_counts(cache):
    """In Redis itself, from any integer; a codec's own bytes would be other numbers."""
    cache.set("count", 52)

    assert 53 == cache.incr("count")
    assert 46 == cache.decr("count", 7)
    assert 46 == cache.get("count")
    for number in (0, -1, 2**63 - 1, -(2**63)):
        cache.set("count", number)
        assert number == cache.get("count")


def test_what_is_written_as_an_integer_comes_back_as_that(cache):
    """A member of an Enum is one byte in MessagePack, which reads as another number."""
    cache.set("count", enum.Enum("Colour", {"RED": 53}).RED)

    assert 53 == cache.get("count")


def test_a_schema_reaches_integers_too():
    colour = enum.Enum("Colour", {"RED": 53})
    serializer = bakeoff.integrations.django(bakeoff.codec("msgpack").with_schema(bakeoff.Schema(colour)))()

    assert b"53" == serializer.dumps(colour.RED)
    assert colour.RED is serializer.loads(b"53")


def test_a_poisoned_value_is_an_error(cache):
    import redis

    cache.set("poison", RECORD)
    with redis.Redis.from_url(settings.CACHES["default"]["LOCATION"]) as client:
        client.set(cache.make_key("poison"), POISON)

    with pytest.raises(bakeoff.DecodeError, match=r"msgpack|orjson"):
        cache.get("poison")
    assert RECORD == cache.get_or_set("record", RECORD)


@pytest.mark.parametrize("engine", ["cache", "signed_cookies"])
def test_sessions(engine, configured):
    from importlib import import_module

    store = import_module(f"django.contrib.sessions.backends.{engine}").SessionStore
    session = store()
    session["cart"] = [RECORD]
    session.save()

    assert [RECORD] == store(session.session_key)["cart"]
    if engine == "signed_cookies":
        foreign = signing.dumps([1], salt=session.key_salt, serializer=signing.JSONSerializer)
        assert {} == dict(store(foreign).items())
    session.delete()


def test_signing(configured):
    from bakeoff.codecs.integrations.django import Msgpack as Counting
    from bakeoff.codecs.ready import Msgpack

    for serializer in (Counting, Msgpack):
        token = signing.dumps(RECORD, serializer=serializer, compress=True)

        assert RECORD == signing.loads(token, serializer=serializer)
        with pytest.raises(bakeoff.DecodeError, match="msgpack"):
            signing.loads(signing.dumps(RECORD), serializer=serializer)
        with pytest.raises(signing.BadSignature):
            signing.loads("x" + token, serializer=serializer)


def test_paths_end_somewhere():
    """An unknown name is an AttributeError, an ImportError in Django; a codec instance is not a class."""
    from django.utils.module_loading import import_string

    for name in ("Nothing", "msgpack"):
        with pytest.raises(ImportError, match=name):
            import_string(f"bakeoff.codecs.integrations.django.{name}")


@pytest.mark.parametrize("name", ["msgpack", "orjson", "orjson|zlib"])
def test_rest_framework(name, configured):
    from rest_framework.response import Response
    from rest_framework.test import APIRequestFactory
    from rest_framework.views import APIView

    codec = bakeoff.codec(name)
    plain = codec.with_compression(None)
    renderer, parser = bakeoff.integrations.drf(codec)

    class Echo(APIView):
        authentication_classes = permission_classes = ()
        renderer_classes, parser_classes = (renderer,), (parser,)

        def post(self, request: Any) -> Response:
            return Response(request.data)

    def post(body: bytes, headers: dict[str, str]) -> Any:
        coding = {"HTTP_CONTENT_ENCODING": headers.get("content-encoding", "identity")}
        request = APIRequestFactory().post("/", body, content_type=headers["content-type"], **coding)
        return Echo.as_view()(request).render()

    answer = post(codec.encode(RECORD), codec.http_headers)
    assert RECORD == codec.decode(answer.content)
    assert codec.http_headers == {key: answer[key] for key in codec.http_headers}
    assert RECORD == codec.decode(post(plain.encode(RECORD), plain.http_headers).content)
    refused = post(POISON, codec.http_headers)
    assert 400 == refused.status_code
    assert codec.name in codec.decode(refused.content)["detail"]
    for headers in ({"content-type": "text/plain"}, {**codec.http_headers, "content-encoding": "br"}):
        assert 415 == post(codec.encode(RECORD), headers).status_code
