"""Redis: PUBLISH and SUBSCRIBE on one channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reaching import CONNECT, imported, reaching
from .base import MissingTransport, Publisher, Route, Sleeping, TransportKind


def _client(url: str) -> Any:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # A broker that goes away is an error; do not wait for it.
    return redis.Redis.from_url(url, socket_connect_timeout=CONNECT, retry=Retry(NoBackoff(), 0))


class _Publisher(Sleeping):
    def __init__(self, route: Route) -> None:
        self._client, self._name = _client(route.url), route.name

    def send(self, message: bytes) -> None:
        self._client.publish(self._name, message)

    def close(self) -> None:
        self._client.close()


class _PubSub:
    def __init__(self, route: Route) -> None:
        imported("redis", MissingTransport)
        with reaching("Redis", route.url, MissingTransport), _client(route.url) as client:
            client.ping()
        self._route = route

    def publisher(self) -> Publisher:
        return _Publisher(self._route)

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        heard = _client(self._route.url).pubsub(ignore_subscribe_messages=True)
        heard.subscribe(self._route.name)
        for message in heard.listen():
            take(message["data"])


TRANSPORTS = (
    TransportKind(
        name="redis",
        open=_PubSub,
        schemes=("redis", "rediss"),
        module="redis",
    ),
)
