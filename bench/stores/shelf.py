"""Filled stores, shared by all who measure one in this process: filling takes longer than measuring."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..room import held
from .base import Kind, Location, Store, Wire

__all__ = ["Filled", "Filling", "Shelf", "make_location", "remove_location"]

_BATCH = 1000
"""Records that are put at a time when a store is filled."""


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
        """Put all records; payloads are there already, so that no codec is called for it."""
        payload_of = dict(zip(map(id, self.records), self.payloads, strict=True))
        before = store.wire
        store.wire = Wire(lambda record: payload_of[id(record)], before.decode, before.format)
        for start in range(1, self.count + 1, _BATCH):
            keys = range(start, min(start + _BATCH, self.count + 1))
            store.put_many([(key, self.records[self.index(key)]) for key in keys])
        store.wire = before


@dataclass(slots=True)
class Filled:
    """A store that holds what it was filled with, and for a moment what was put since.

    Attributes:
        closed: It is there to be opened.
        more: Keys that were put beyond the filling.
    """

    kind: Kind
    location: Location
    filling: Filling
    store: Store
    closed: bool = False
    more: list[int] = field(default_factory=list)
    users: int = 0

    def clean(self) -> None:
        """Take away what was put beyond the filling."""
        if self.more:
            self.store.remove_many(self.more)
            self.more.clear()

    def new_keys(self, count: int) -> list[int]:
        """Return keys that are not there yet, the next ones; `clean` removes what is put there."""
        start = self.filling.count + len(self.more) + 1
        keys = list(range(start, start + count))
        self.more += keys
        return keys


class Shelf:
    """The filled stores of this process, by what they are and hold."""

    def __init__(self) -> None:
        self._filled: dict[object, Filled] = {}
        held(self.clear)

    def take(
        self,
        name: object,
        kind: Kind,
        url: str,
        wire: Wire,
        fill: Callable[[], Filling],
        *,
        closed: bool = False,
    ) -> Filled:
        """Return the store of that name, made and filled if it is not there yet; `give` it back.

        Whatever opening and filling raise comes through, and nothing is left behind.
        """
        if name not in self._filled:
            self._filled[name] = _made(kind, url, wire, fill, closed=closed)
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


def _made(kind: Kind, url: str, wire: Wire, fill: Callable[[], Filling], *, closed: bool) -> Filled:
    location = make_location(url)
    try:
        filling = fill()
        store = kind.open(location, wire)
        try:
            filling.into(store)
        except BaseException:
            with contextlib.suppress(Exception):
                store.close()
            raise
        if closed:
            store.close()
    except BaseException:
        remove_location(kind, location)
        raise
    return Filled(kind, location, filling, store, closed)


def make_location(url: str = "") -> Location:
    """Return a place where nothing is yet."""
    import tempfile
    from uuid import uuid4

    return Location(Path(tempfile.mkdtemp(prefix="bakeoff-store-")), url, f"bakeoff_{uuid4().hex[:12]}")


def remove_location(kind: Kind, location: Location) -> None:
    """Remove what is there; a server that went away keeps it, and nothing can be done about it."""
    import shutil

    if location.url:
        with contextlib.suppress(Exception):
            kind.forget(location)
    shutil.rmtree(location.folder, ignore_errors=True)
