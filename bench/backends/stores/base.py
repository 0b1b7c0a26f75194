"""What a store is: records under numbers, kept as a codec writes them.

A file of this folder, or of a package that publishes one through the entry-point group ``bakeoff.stores``,
makes a `StoreKind`: a name and a function that opens one. The store itself calls the codec, through its
`Wire`, as the object mapper's column types and the journal's replay do: so the codec can be clocked wherever
a store calls it, and records that a store keeps in memory are never encoded only to be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

__all__ = [
    "Location",
    "MissingStore",
    "Pairs",
    "Settings",
    "Store",
    "StoreError",
    "StoreKind",
    "Wire",
    "folder_bytes",
    "nothing_left",
    "opaque",
]

Pairs = Sequence[tuple[int, Any]]
"""Keys and records."""
Settings = Mapping[str, str]
"""Facts that stand beside the figures: what stores, its version, and when a record is sure to survive."""


class StoreError(Exception):
    """A store cannot do what it was asked to; says why."""


class MissingStore(StoreError):  # noqa: N818 - says what is wrong
    """What a store needs is not installed; says how to install it."""


def _as_it_is(payload: bytes, /) -> bytes:
    return payload


@dataclass(frozen=True, slots=True)
class Wire:
    """The way between a record and what is stored of it.

    Attributes:
        encode: Makes the payload of a record.
        decode: Makes the record of a payload; a store hands it `bytes`.
        format: The codec's, for stores that have columns or documents of their own for it; empty for bytes
            of which nobody knows more.
    """

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    format: str = ""


def opaque(written: str = "") -> Wire:
    """Return a wire on which records are payloads already: that leaves the store's own time, the baseline.

    A store filled through it holds what a codec of the format `written` would have left there.
    """
    return Wire(_as_it_is, _as_it_is, written)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a store keeps its records, which nobody else does.

    Attributes:
        folder: Of an embedded one; it exists, and who made it removes it.
        url: Of a server; empty for embedded ones. It may hold a password and is never shown.
        name: Of what is made on a server: a table, a collection, the beginning of keys.
    """

    folder: Path
    url: str = ""
    name: str = "bakeoff"


class Store(Protocol):
    """An open store. One thread uses it.

    Keys are whole numbers from 1 on that 8 bytes hold. What is put is safe as far as `settings` say when the
    call returns. Whatever the store's library raises may come through.

    Attributes:
        wire: How records are written; who measures puts others in its place between two calls, so it is
            asked for at each call and nothing of it is kept.
        settings: What the store says of itself.
    """

    wire: Wire

    @property
    def settings(self) -> Settings: ...

    def put(self, key: int, record: Any) -> None:
        """Store a record, in the place of one that has this key, and make it safe."""
        ...

    def get(self, key: int) -> Any:
        """Return a record.

        Raises:
            KeyError: There is none.
        """
        ...

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        """Return at most `count` keys and records, by ascending keys above `after`, all decoded."""
        ...

    def put_many(self, pairs: Pairs) -> None:
        """Store new records in one batch, the way the store has for many: one transaction, one packet.

        None of the keys is there yet.
        """
        ...

    def stored(self) -> int:
        """Return the bytes that all records take, with whatever the store keeps beside them.

        What is still to be written is written first.
        """
        ...

    def close(self) -> None:
        """Let go of it; what is stored stays. It is called once."""
        ...


def nothing_left(location: Location) -> None:
    """Remove nothing: an embedded store goes with its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKind:
    """A kind of stores.

    Attributes:
        name: As ``--store`` has it, and behind the @ of an operation's name.
        summary: One line for help and documentation.
        open: Opens the store at a location, new where nothing is there, and reads what a service would need
            to answer its first request. Raises `MissingStore` where its library is missing, `StoreError` for
            what else is known; other exceptions come through.
        schemes: Of the URLs that lead to it, without ``://``; none for embedded ones.
        waits: Part of a call is spent waiting for others: a server, a disk.
        forget: Removes from a server what `open` made there, the store being closed.
        live: It keeps records themselves in memory: only put and open call the codec.
    """

    name: str
    summary: str
    open: Callable[[Location, Wire], Store]
    schemes: tuple[str, ...] = ()
    waits: bool = False
    forget: Callable[[Location], None] = nothing_left
    live: bool = False


def folder_bytes(paths: Iterable[Path]) -> int:
    """Return the bytes that files take, those in folders included: what was written, holes left out."""
    total = 0
    for path in paths:
        if path.is_dir():
            total += folder_bytes(path.iterdir())
        else:
            found = path.stat()
            total += min(found.st_size, 512 * found.st_blocks)
    return total
