"""The interface of a store: records under integer keys, encoded by a codec.

A file of this folder, or of a package that publishes one through the entry-point group ``bakeoff.stores``,
makes a `StoreKind`: a name and a function that opens a store. The store itself calls the codec, through its
`Wire`, like the column types of an object mapper or the replay of a journal. So the codec can be clocked
wherever a store calls it, and a store that keeps records in memory need not encode them only to count bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Pairs = Sequence[tuple[int, Any]]
"""Keys and records."""
Settings = Mapping[str, str]
"""Facts that are shown with the figures: the library, its version, and how durable a write is."""


class StoreError(Exception):
    """A store failed or does not support a request; the message says why."""


class MissingStore(StoreError):  # noqa: N818 - says what is wrong
    """A library that a store needs is not installed; the message says how to install it."""


def _as_it_is(payload: bytes, /) -> bytes:
    return payload


@dataclass(frozen=True, slots=True)
class Wire:
    """The conversion between a record and its stored form.

    Attributes:
        encode: Makes the payload of a record.
        decode: Makes the record of a payload; a store passes `bytes`.
        format: The codec's format, for stores with special columns or documents for it; empty for opaque
            bytes.
    """

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    format: str = ""


def opaque(written: str = "") -> Wire:
    """Return a wire whose records are payloads already: only the store's own time remains, the baseline.

    A store filled through it holds the same content as with a codec of the format `written`.
    """
    return Wire(_as_it_is, _as_it_is, written)


@dataclass(frozen=True, slots=True)
class Location:
    """The exclusive location of a store's records.

    Attributes:
        folder: Folder of an embedded store; it exists, and its creator removes it.
        url: URL of a server; empty for embedded stores. It may hold a password and is never shown.
        name: Name of a table or collection on a server, or the prefix of its keys.
    """

    folder: Path
    url: str = ""
    name: str = "bakeoff"


class Store(Protocol):
    """An open store, used by one thread.

    Keys are integers from 1 on that fit into 8 bytes. When a call returns, the record is as durable as
    `settings` say. Errors of the store's library may propagate.

    Attributes:
        wire: How records are encoded. A measurement replaces it between two calls, so a store must read it at
            each call and cache nothing of it.
        settings: What the store reports about itself.
    """

    wire: Wire

    @property
    def settings(self) -> Settings: ...

    def put(self, key: int, record: Any) -> None:
        """Store a record durably, replacing the one with this key."""
        ...

    def get(self, key: int) -> Any:
        """Return a record.

        Raises:
            KeyError: No record has this key.
        """
        ...

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        """Return at most `count` keys and decoded records, by ascending key, starting after `after`."""
        ...

    def put_many(self, pairs: Pairs) -> None:
        """Store new records in one batch, in the store's native way: one transaction, one packet.

        None of the keys exists yet.
        """
        ...

    def stored(self) -> int:
        """Return the bytes that all records take, including the store's own overhead.

        Pending writes are flushed first.
        """
        ...

    def close(self) -> None:
        """Close the store and keep its records. It is called once."""
        ...


def nothing_left(location: Location) -> None:
    """Remove nothing: an embedded store is removed with its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """A kind of store.

    Attributes:
        name: The name for ``--store`` and after the @ of an operation's name.
        open: Opens the store at a location, creates it if it does not exist, and reads all that a service
            needs to answer its first request. Raises `MissingStore` if its library is missing and
            `StoreError` for known failures; other exceptions propagate.
        schemes: Schemes of its URLs, without ``://``; none for embedded stores.
        waits: Calls spend part of their time waiting for a server or a disk.
        forget: Removes from a server what `open` created there, after the store is closed.
        live: It keeps records in memory as objects: only put and open call the codec.
    """

    name: str
    open: Callable[[Location, Wire], Store]
    schemes: tuple[str, ...] = ()
    waits: bool = False
    forget: Callable[[Location], None] = nothing_left
    live: bool = False


def folder_bytes(paths: Iterable[Path]) -> int:
    """Return the bytes that files take, including files in folders; without holes, where the system says."""
    total = 0
    for path in paths:
        if path.is_dir():
            total += folder_bytes(path.iterdir())
        else:
            found = path.stat()
            held = 512 * found.st_blocks if hasattr(found, "st_blocks") else found.st_size
            total += min(found.st_size, held)
    return total
