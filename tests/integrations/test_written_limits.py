"""Values beyond a codec's limits are refused when they are written, as each framework refuses any other."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest

import bakeoff

DOCS = Path(__file__).parents[2] / "docs"
CODEC = bakeoff.codec("msgpack")
MANY = [None] * 1_000_001
"""More values than the limit of 1,000,000."""
LONG = "x" * (1 << 24)
"""With its header, longer than the limit of 16 MiB."""


class Orders(list):
    """Records that Dask sends."""


def aiocache(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.aiocache(codec).dumps(value)


def aiokafka(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.aiokafka(codec).serialize(value)


def cachelib(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.cachelib(codec).dumps(value)


def channels_redis(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.channels_redis(codec)().serialize(value)


def cloudevents(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.cloudevents(codec).write_data(value, codec.media_type)


def dask(codec: bakeoff.Codec, value: Any) -> None:
    try:
        bakeoff.integrations.dask(codec, Orders).dumps(Orders([value]))
    except NotImplementedError as error:  # then Dask uses pickle
        raise error.__cause__ or error from None


def diskcache(codec: bakeoff.Codec, value: Any) -> None:
    from diskcache import Cache

    with TemporaryDirectory() as folder, Cache(folder, disk=bakeoff.integrations.diskcache(codec)) as cache:
        cache["a"] = [value]


def diskcache_keys(codec: bakeoff.Codec, value: Any) -> None:
    from diskcache import Cache

    with TemporaryDirectory() as folder, Cache(folder, disk=bakeoff.integrations.diskcache(codec)) as cache:
        cache[value, 1] = 1


def django(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.django(codec)().dumps(value)


def dogpile(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.dogpile(codec)["serializer"](value)


def drf(codec: bakeoff.Codec, value: Any) -> None:
    from django.conf import settings

    if not settings.configured:
        settings.configure()
    renderer, _ = bakeoff.integrations.drf(codec)
    renderer().render(value)


def falcon(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.falcon(codec)[codec.media_type].serialize(value, codec.media_type)


def faststream(codec: bakeoff.Codec, value: Any) -> None:
    asyncio.run(bakeoff.integrations.faststream(codec).encode(value))


def flask(codec: bakeoff.Codec, value: Any) -> None:
    from flask import Flask

    bakeoff.integrations.flask(bakeoff.codec("orjson").with_limits(**limits_of(codec)), Flask("shop")).dumps(
        value
    )


def flask_sessions(codec: bakeoff.Codec, value: Any) -> None:
    signer = bakeoff.integrations.flask_sessions(codec).get_signing_serializer(
        SimpleNamespace(secret_key="a", config={"SECRET_KEY_FALLBACKS": None})  # type: ignore[arg-type]
    )
    assert signer is not None
    signer.dumps(value)


def huey(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.huey(codec).serialize(value)


def joblib(codec: bakeoff.Codec, value: Any) -> None:
    """joblib warns that it does not store the result."""
    from joblib._store_backends import CacheWarning

    backend = bakeoff.integrations.joblib(codec)()
    backend.location = "nowhere"
    with pytest.warns(CacheWarning, match="result not stored: .*with_limits") as told:
        backend.dump_item(["a"], value)
    raise bakeoff.EncodeError(codec.name, str(told[0].message))


def kafka_python(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.kafka_python(codec).serialize("orders", None, value)


def litestar(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.litestar(codec)(value).render(value)


def quixstreams(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.quixstreams(codec)["value_serializer"](value, None)


def sqlalchemy(codec: bakeoff.Codec, value: Any) -> None:
    from sqlalchemy.dialects.sqlite import dialect

    bakeoff.integrations.sqlalchemy(codec).process_bind_param(value, dialect())


def starlette(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.starlette(codec)(value)


def temporal(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.temporal(codec).payload_converter.to_payloads([value])


def zmq(codec: bakeoff.Codec, value: Any) -> None:
    bakeoff.integrations.zmq(codec).encode(value)


def zmq_frames(codec: bakeoff.Codec, value: Any) -> None:
    if isinstance(value, list):
        value = LONG  # frames have a limit of bytes
    bakeoff.integrations.zmq(bakeoff.codec("pickle/buffers", trusted=True, **limits_of(codec))).encode(value)


def limits_of(codec: bakeoff.Codec) -> dict[str, int]:
    return {"items": codec.limits.items, "size": codec.limits.size}


FURTHER: list[Callable[..., None]] = [diskcache_keys, zmq_frames]
WRITERS: list[Callable[..., None]] = [*(globals()[name] for name in dir(bakeoff.integrations)), *FURTHER]


@pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning")
@pytest.mark.parametrize("value", [MANY, LONG], ids=["values", "bytes"])
@pytest.mark.parametrize("write", WRITERS)
def test_what_would_not_be_read_is_not_written(write: Callable[..., None], value: Any) -> None:
    with pytest.raises(bakeoff.EncodeError, match="see with_limits"):
        write(CODEC, value)


@pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning")
@pytest.mark.parametrize("write", [each for each in WRITERS if each not in (joblib, sqlalchemy)])
def test_raised_limits_are_the_integrations(write: Callable[..., None]) -> None:
    raised = CODEC.with_limits(items=2_000_000, size=1 << 25)
    for value in (MANY, LONG):
        write(raised, value)


@pytest.mark.parametrize("name", dir(bakeoff.integrations))
def test_an_integration_is_on_a_page(name: str) -> None:
    texts = (page.read_text() for part in ("use", "how-to") for page in (DOCS / part).glob("*.md"))

    assert any(re.search(rf"\bintegrations\.{name}\(", text) for text in texts)


def test_the_overview_of_integrations_names_with_limits() -> None:
    _, limits = (DOCS / "use/index.md").read_text().split("## Limits\n")

    assert "In every integration" in limits
    assert "with_limits" in limits
