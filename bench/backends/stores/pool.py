"""Filled stores, shared by all cells of a process that measure one: filling takes longer than measuring."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...disk_space import held
from .base import Location, Store, StoreKind, Wire

GROWTH = 10_000
"""Records by which a store may grow before it is replaced: so many puts in sequence show deferred work."""
LARGE = 50_000
"""Stores with more records than this may grow by half."""
_BATCH = 1000
"""Records per batch when a store is filled."""
_AHEAD = 1000
"""Most puts before timing starts: SQLite writes its log back every N pages, and each put adds at least one.
"""
_AHEAD_SECONDS = 0.1
"""Most seconds for these puts."""


@dataclass(frozen=True, slots=True)
class Filling:
    """The content of a filled store: the records of a sample in order, repeated from the first.

    Attributes:
        records: The records as the codec decodes them.
        payloads: The payloads of the records.
        count: Number of records in the store, under the keys from 1 on.
    """

    records: Sequence[Any]
    payloads: Sequence[bytes]
    count: int

    def index(self, key: int) -> int:
        """Return the index in the sample of the record with a key."""
        return (key - 1) % len(self.records)

    def into(self, store: Store) -> None:
        """Put all records without calling the codec."""
        with self._payloads(store):
            for start in range(1, self.count + 1, _BATCH):
                keys = range(start, min(start + _BATCH, self.count + 1))
                store.put_many([(key, self.records[self.index(key)]) for key in keys])

    def further(self, store: Store) -> int:
        """Put some more records, one at a time, and return how many: a random number up to `_AHEAD`.

        A store that defers work, as SQLite does with its log, does it every N puts. If it were filled in the
        same way each time, this work would always fall on the same timed calls, or after all of them.
        """
        end = time.monotonic() + _AHEAD_SECONDS
        wanted = random.randrange(_AHEAD)
        with self._payloads(store):
            for done in range(wanted):
                if time.monotonic() > end:
                    return done
                key = self.count + done + 1
                store.put(key, self.records[self.index(key)])
        return wanted

    @contextlib.contextmanager
    def _payloads(self, store: Store) -> Iterator[None]:
        """Let a store take existing payloads."""
        payload_of = dict(zip(map(id, self.records), self.payloads, strict=True))
        before = store.wire
        store.wire = Wire(lambda record: payload_of[id(record)], before.decode, before.format)
        yield
        store.wire = before


@dataclass(slots=True)
class Filled:
    """A filled store. One that is written to grows until `renew` replaces it.

    Attributes:
        store: The open store; `renew` replaces it.
        closed: The store is measured by opening it.
        more: Records that were put after the filling, under the keys that follow.
    """

    kind: StoreKind
    location: Location
    filling: Filling
    store: Store
    closed: bool = False
    more: int = 0
    users: int = 0

    def renew(self) -> None:
        """Replace the store by a new one if it has grown too much.

        Records are never removed instead: that would do the deferred work of puts outside the timing, and
        leave free space that the next puts would reuse.
        """
        if self.more <= (self.filling.count // 2 if self.filling.count >= LARGE else GROWTH):
            return
        wire = self.store.wire
        self.store.close()
        if self.location.url:
            self.kind.forget(self.location)
        else:
            remove_location(self.kind, self.location)
            self.location = make_location()
        self.store = self.kind.open(self.location, wire)
        self.filling.into(self.store)
        self.more = 0
        self.run_in()

    def run_in(self) -> None:
        """Bring a store to a random moment between two rounds of its deferred work.

        A server has served other puts before, so it is at a random moment already.
        """
        if not self.location.url:
            self.more += self.filling.further(self.store)

    def new_keys(self, count: int) -> range:
        """Return the next unused keys."""
        start = self.filling.count + self.more + 1
        self.more += count
        return range(start, start + count)


class StorePool:
    """The filled stores of this process, by kind and content."""

    def __init__(self) -> None:
        self._filled: dict[object, Filled] = {}
        held(self.clear)

    def take(
        self,
        name: object,
        kind: StoreKind,
        url: str,
        wire: Wire,
        fill: Callable[[], Filling],
        *,
        closed: bool = False,
        grows: bool = False,
    ) -> Filled:
        """Return the store of that name, made and filled if it does not exist; `give` returns it to the pool.

        Errors of opening and filling propagate, and nothing is left over.

        Args:
            name: Identifies kind and content; a cell that writes to a store shares it with no reader.
            kind: Kind of the store.
            url: URL of the server, empty for embedded stores.
            wire: How records are encoded.
            fill: Makes the content.
            closed: The store is measured by opening it.
            grows: The store is written to.
        """
        if name not in self._filled:
            self._filled[name] = _made(kind, url, wire, fill, closed=closed, grows=grows)
        found = self._filled[name]
        found.users += 1
        return found

    def give(self, name: object) -> None:
        """Return a store to the pool. An embedded one is kept for the next user until the process ends."""
        found = self._filled[name]
        found.users -= 1
        if not found.users and found.location.url:
            self._remove(name)

    def clear(self) -> None:
        """Close and remove all stores."""
        for name in list(self._filled):
            self._remove(name)

    def _remove(self, name: object) -> None:
        found = self._filled.pop(name)
        if not found.closed:
            with contextlib.suppress(Exception):
                found.store.close()
        remove_location(found.kind, found.location)


def _made(
    kind: StoreKind, url: str, wire: Wire, fill: Callable[[], Filling], *, closed: bool, grows: bool
) -> Filled:
    location = make_location(url)
    try:
        store = kind.open(location, wire)
        try:
            made = Filled(kind, location, fill(), store, closed)
            made.filling.into(store)
            if grows:
                made.run_in()
        except BaseException:
            with contextlib.suppress(Exception):
                store.close()
            raise
        if closed:
            store.close()
    except BaseException:
        remove_location(kind, location)
        raise
    return made


def make_location(url: str = "") -> Location:
    """Return a new, empty location."""
    import tempfile
    from uuid import uuid4

    return Location(Path(tempfile.mkdtemp(prefix="bakeoff-store-")), url, f"bakeoff_{uuid4().hex[:12]}")


def remove_location(kind: StoreKind, location: Location) -> None:
    """Remove a location; if its server has gone away, its data stay there."""
    import shutil

    if location.url:
        with contextlib.suppress(Exception):
            kind.forget(location)
    shutil.rmtree(location.folder, ignore_errors=True)
