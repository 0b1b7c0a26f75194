"""Third-party stores: one that works, one that mixes up records, one that is full."""

from __future__ import annotations

import os
from typing import Any

from bakeoff.bench.backends.stores.base import Location, Pairs, Settings, StoreKind, Wire

_HELD: dict[str, dict[int, bytes]] = {}


class Held:
    """Payloads in memory, by the name of their folder."""

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._held = _HELD.setdefault(str(location.folder), {})

    @property
    def settings(self) -> Settings:
        return {"kept": "in memory"}

    def put(self, key: int, record: Any) -> None:
        self._held[key] = self.wire.encode(record)

    def get(self, key: int) -> Any:
        return self.wire.decode(self._held[key])

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        keys = sorted(key for key in self._held if key > after)
        return [(key, self.get(key)) for key in keys[:count]]

    def put_many(self, pairs: Pairs) -> None:
        for key, record in pairs:
            self.put(key, record)

    def stored(self) -> int:
        return sum(map(len, self._held.values()))

    def close(self) -> None:
        pass


class Forgetful(Held):
    """A store that returns the payload of another key."""

    def get(self, key: int) -> Any:
        return super().get(key - (key % 50 == 0))


class Full(Held):
    """A store that is too small for the records."""

    def put(self, key: int, record: Any) -> None:
        if key > 40:
            raise OSError(28, os.strerror(28))
        super().put(key, record)


HELD = StoreKind(name="held", open=Held)
FORGETFUL = StoreKind(name="forgetful", open=Forgetful)
FULL = StoreKind(name="full", open=Full)
