"""Filled stores, shared by all who measure one in this process: filling takes longer than measuring."""

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

__all__ = ["GROWTH", "LARGE", "Filled", "Filling", "StorePool", "make_location", "remove_location"]

GROWTH = 10_000
"""Records by which a store may grow before another takes its place: so many puts in a row show what a store
puts off."""
LARGE = 50_000
"""Records of a store that may grow by half."""
_BATCH = 1000
"""Records that are put at a time when a store is filled."""
_AHEAD = 1000
"""Puts before anything counts, at most: SQLite writes its log back after so many pages, and each put adds one
at least."""
_AHEAD_SECONDS = 0.1
"""What these may take."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What a store is filled with: the records of a sample in their order, and again from the first.

    Attributes:
        records: As the codec gives them back.
        payloads: Theirs.
        count: How many there are in the store, under the keys from 1 on.
    """

    records: Sequence[Any]
    payloads: Sequence[bytes]
    count: int

    def index(self, key: int) -> int:
        """Return which record of the sample has a key."""
        return (key - 1) % len(self.records)

    def into(self, store: Store) -> None:
        """Put all records; no codec is called for it."""
        with self._payloads(store):
            for start in range(1, self.count + 1, _BATCH):
                keys = range(start, min(start + _BATCH, self.count + 1))
                store.put_many([(key, self.records[self.index(key)]) for key in keys])

    def further(self, store: Store) -> int:
        """Put some more, one by one, and return how many: any number up to `_AHEAD`.

        A store that puts work off, as SQLite does what its log holds, does it every so many puts. Filled in
        the same way each time, it would do so at the same of the calls that are timed, or after all of them.
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
        """Let a store take payloads that are there already."""
        payload_of = dict(zip(map(id, self.records), self.payloads, strict=True))
        before = store.wire
        store.wire = Wire(lambda record: payload_of[id(record)], before.decode, before.format)
        yield
        store.wire = before


@dataclass(slots=True)
class Filled:
    """A filled store. One that is written to grows until `renew` replaces it.

    Attributes:
        store: Another one each time that `renew` is called.
        closed: It is there to be opened.
        more: Records that were put beyond the filling, under the keys behind it.
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

        Nothing is ever removed from one: that would do, untimed, the work that puts have put off, and leave
        room behind which the next puts need not make.
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
        """Bring a store to some moment between two in which it does what it has put off.

        A server has had others' puts before and is at any of them already.
        """
        if not self.location.url:
            self.more += self.filling.further(self.store)

    def new_keys(self, count: int) -> range:
        """Return keys that are not there yet, the next ones."""
        start = self.filling.count + self.more + 1
        self.more += count
        return range(start, start + count)


class StorePool:
    """The filled stores of this process, by what they are and hold."""

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
        """Return the store of that name, made and filled if it is not there yet; `give` it back.

        Whatever opening and filling raise comes through, and nothing is left behind.

        Args:
            name: What it is and holds; who writes to one shares it with nobody who only reads.
            kind: Of the store.
            url: Of the server, empty for embedded ones.
            wire: How records are written.
            fill: Makes what it is filled with.
            closed: It is there to be opened.
            grows: It is there to be written to.
        """
        if name not in self._filled:
            self._filled[name] = _made(kind, url, wire, fill, closed=closed, grows=grows)
        found = self._filled[name]
        found.users += 1
        return found

    def give(self, name: object) -> None:
        """Give a store back. An embedded one is kept for who asks next: it goes with the process."""
        found = self._filled[name]
        found.users -= 1
        if not found.users and found.location.url:
            self._remove(name)

    def clear(self) -> None:
        """Close and remove all."""
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
    """Return a place where nothing is yet."""
    import tempfile
    from uuid import uuid4

    return Location(Path(tempfile.mkdtemp(prefix="bakeoff-store-")), url, f"bakeoff_{uuid4().hex[:12]}")


def remove_location(kind: StoreKind, location: Location) -> None:
    """Remove what is there; a server that went away keeps it, and nothing can be done about it."""
    import shutil

    if location.url:
        with contextlib.suppress(Exception):
            kind.forget(location)
    shutil.rmtree(location.folder, ignore_errors=True)
