"""Codecs in caches, beyond what the page about caches shows, whose blocks are run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import redis

import bakeoff
from bakeoff.codecs import available, describe

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"]}
POISON = b"\xc1no payload"
MINE = f"bakeoff-{os.getpid()}-"
"""Of keys: other workers use the same server."""
CODEC = bakeoff.codec("msgpack")


@pytest.fixture(scope="module")
def place(server: Callable[[str], str]) -> tuple[int, str]:
    parts = urlsplit(server("redis"))
    return parts.port or 0, unquote(parts.password or "")


@pytest.fixture
def client(place: tuple[int, str]) -> Iterator[redis.Redis]:
    port, password = place
    with redis.Redis(port=port, password=password) as made:
        yield made
        if keys := made.keys(f"*{MINE}*"):
            made.delete(*keys)


@pytest.mark.parametrize("name", [name for name in available() if not describe(name).trusted_only])
def test_no_payload_is_taken_for_a_number(name):
    codec = bakeoff.codec(name)
    counting = bakeoff.integrations.aiocache(codec)
    values = [*range(-300, 300), 2**63, -(2**63) - 1, *range(10**19, 10**19 + 3), 5.0, 1e22, True, False]
    values += list(Enum("Number", {f"of {n}": n for n in range(-40, 140)}))
    texts = ["", "5", "-5", "٥", " 5 ", "5" * 20]
    values += [None, Decimal(5), timedelta(seconds=5), *texts, *map(str.encode, texts), [5], {"5": 5}]

    for value in values:
        try:
            expected = codec.decode(codec.encode(value))
        except bakeoff.CodecError:
            continue  # has no such type, or is in need of a schema
        found = counting.loads(counting.dumps(value))
        assert (type(expected), expected) == (type(found), found)


def test_cachelib_in_files(tmp_path, caplog):
    from cachelib import FileSystemCache

    class Cache(FileSystemCache):
        serializer = bakeoff.integrations.cachelib(CODEC)

    cache = Cache(str(tmp_path))
    cache.set("record", RECORD)
    cache.set("count", 52)

    assert RECORD == cache.get("record")
    assert None is cache.get("miss")
    assert 53 == cache.inc("count")
    assert [] == caplog.messages
    path = Path(cache._get_filename("record"))
    path.write_bytes(path.read_bytes()[:4] + POISON)
    assert None is cache.get("record")
    assert any("msgpack" in said for said in caplog.messages)


def test_dogpile(place, client):
    from dogpile.cache import make_region

    port, password = place
    arguments = {"port": port, "password": password}
    careful, bare = (
        make_region(key_mangler=MINE.__add__, **taken).configure("dogpile.cache.redis", arguments=arguments)
        for taken in (
            bakeoff.integrations.dogpile(CODEC),
            {"serializer": CODEC.encode, "deserializer": CODEC.decode},
        )
    )

    assert RECORD == careful.get_or_create("record", lambda: RECORD)
    assert RECORD == bare.get("record") == careful.get("record")
    client.set(f"{MINE}record", client.get(f"{MINE}record").partition(b"|")[0] + b"|" + POISON)
    with pytest.raises(bakeoff.DecodeError, match="msgpack"):
        bare.get("record")
    assert "anew" == careful.get_or_create("record", lambda: "anew") == bare.get("record")


def test_diskcache(tmp_path):
    from diskcache import Cache

    large = [RECORD] * 5000
    with Cache(tmp_path, disk=bakeoff.integrations.diskcache(CODEC)) as cache:
        cache["record"], cache["order", 1], cache["large"], cache["count"] = RECORD, "x", large, 52
        cache["yes"] = True

        assert (RECORD, "x", large) == (cache["record"], cache["order", 1], cache["large"])
        assert (53, True) == (cache.incr("count"), cache["yes"])
        assert [] == cache.check()
        assert ["order", 1] in list(cache)
        assert [(CODEC.encode(RECORD),)] == cache._sql(
            "SELECT value FROM Cache WHERE key = 'record'"
        ).fetchall()
        cache._sql("UPDATE Cache SET value = ? WHERE key = 'record'", (POISON,))
        with pytest.raises(bakeoff.DecodeError, match="msgpack"):
            cache.get("record")
        assert "x" == cache["order", 1]


def test_joblib(tmp_path):
    from joblib import Memory, register_store_backend
    from joblib._store_backends import CacheWarning

    register_store_backend("bakeoff-msgpack", bakeoff.integrations.joblib(CODEC))
    calls: list[Any] = []

    def work(given: Any) -> Any:
        calls.append(given)
        return given

    cached = Memory(tmp_path, backend="bakeoff-msgpack", verbose=0).cache(work)

    assert [RECORD] * 2 == [cached(RECORD), cached(RECORD)]
    assert [RECORD] == calls
    (path,) = tmp_path.rglob("output.pkl")
    assert RECORD == CODEC.decode(path.read_bytes())
    path.write_bytes(POISON)
    assert [RECORD] * 2 == [cached(RECORD), cached(RECORD)]
    assert [RECORD] * 2 == calls
    with pytest.warns(CacheWarning, match="result not stored: msgpack"):
        cached(object())
