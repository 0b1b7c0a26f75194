"""Redis: one key per record, with a prefix that separates it from the keys of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..reaching import ANSWER, CONNECT, imported, reaching
from .base import Location, MissingStore, Pairs, Settings, StoreError, StoreKind, Wire

_MANY = 1000
"""Keys per command."""
_ASKED = ("appendonly", "appendfsync", "save")


class _Redis:
    """One command per call. Redis keeps keys unordered: a scan asks for the next numbers in turn."""

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._client = client = _client(location)
        self._name = f"{location.name}:"
        self._highest = max((int(key[len(self._name) :]) for key in _keys(client, location)), default=0)

    @property
    def settings(self) -> Settings:
        found = {"redis": self._told(self._client.info, "server", "redis_version")}
        return found | {name: self._told(self._client.config_get, name, name) for name in _ASKED}

    def _told(self, ask: Callable[[str], Mapping[str, object]], about: str, name: str) -> str:
        """Return the server's settings; most hosted servers refuse the question."""
        from redis.exceptions import ResponseError

        try:
            return str(ask(about).get(name, "")) or "none"
        except ResponseError:
            return "unknown"

    def put(self, key: int, record: Any) -> None:
        self._client.set(f"{self._name}{key}", self.wire.encode(record))
        self._highest = max(key, self._highest)

    def get(self, key: int) -> Any:
        payload = self._client.get(f"{self._name}{key}")
        if payload is None:
            raise KeyError(key)
        return self.wire.decode(payload)

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        found: list[tuple[int, Any]] = []
        decode = self.wire.decode
        while after < self._highest and len(found) < count:
            keys = range(after + 1, min(after + count - len(found), self._highest) + 1)
            payloads = self._client.mget([f"{self._name}{key}" for key in keys])
            found += [(key, decode(p)) for key, p in zip(keys, payloads, strict=True) if p is not None]
            after = keys[-1]
        return found

    def put_many(self, pairs: Pairs) -> None:
        encode, name = self.wire.encode, self._name
        for some in _slices(pairs):
            self._client.mset({f"{name}{key}": encode(record) for key, record in some})
        self._highest = max(self._highest, max((key for key, _ in pairs), default=0))

    def stored(self) -> int:
        total = 0
        for some in _slices(range(1, self._highest + 1)):
            with self._client.pipeline(transaction=False) as asking:
                for key in some:
                    asking.memory_usage(f"{self._name}{key}", samples=0)
                total += sum(found or 0 for found in asking.execute())
        return total

    def close(self) -> None:
        self._client.close()


def _keys(client: Any, location: Location) -> Iterator[bytes]:
    yield from client.scan_iter(match=f"{location.name}:*", count=_MANY)


def _slices(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[start : start + _MANY] for start in range(0, len(items), _MANY))


def _client(location: Location) -> Any:
    """Return a client that does not retry and has timeouts."""
    redis = imported("redis", MissingStore)
    with reaching("redis", location.url, StoreError):
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        client = redis.Redis.from_url(
            location.url,
            socket_connect_timeout=CONNECT,
            socket_timeout=ANSWER,
            retry=Retry(NoBackoff(), 0),
        )
        client.ping()
        return client


def _forget(location: Location) -> None:
    with _client(location) as client:
        for some in _slices(list(_keys(client, location))):
            client.delete(*some)


STORES = (
    StoreKind(
        name="redis",
        open=_Redis,
        schemes=("redis", "rediss"),
        waits=True,
        forget=_forget,
    ),
)
