"""SQLite, as the standard library has it: one table of numbers and blobs."""

from __future__ import annotations

import sqlite3
from typing import Any

from .base import Location, Pairs, Settings, StoreKind, Wire, folder_bytes

__all__ = ["FILE", "STORES", "about", "set_up"]

FILE = "records.sqlite"


def set_up(connection: sqlite3.Connection) -> None:
    """Set what a put is sure of: it outlives the process, the last ones not always the machine.

    It is what SQLite's manual calls best for most ("Pragma synchronous").
    """
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=normal")


def about(connection: sqlite3.Connection) -> Settings:
    """Return what it says of that."""
    levels = ("off", "normal", "full", "extra")
    (mode,) = connection.execute("pragma journal_mode").fetchone()
    (level,) = connection.execute("pragma synchronous").fetchone()
    return {"version": sqlite3.sqlite_version, "journal_mode": mode, "synchronous": levels[level]}


class _Sqlite:
    """A transaction a put."""

    def __init__(self, location: Location, wire: Wire) -> None:
        self.wire = wire
        self._file = location.folder / FILE
        self._connection = sqlite3.connect(self._file, isolation_level=None)
        self._do = self._connection.execute
        set_up(self._connection)
        self._do("create table if not exists records (key integer primary key, payload blob not null)")

    @property
    def settings(self) -> Settings:
        return about(self._connection)

    def put(self, key: int, record: Any) -> None:
        self._do("insert or replace into records values (?, ?)", (key, self.wire.encode(record)))

    def get(self, key: int) -> Any:
        row = self._do("select payload from records where key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return self.wire.decode(row[0])

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        decode = self.wire.decode
        rows = self._do("select key, payload from records where key > ? order by key limit ?", (after, count))
        return [(key, decode(payload)) for key, payload in rows]

    def put_many(self, pairs: Pairs) -> None:
        encode = self.wire.encode
        rows = [(key, encode(record)) for key, record in pairs]
        self._do("begin")
        try:
            self._connection.executemany("insert or replace into records values (?, ?)", rows)
        except BaseException:
            self._connection.rollback()
            raise
        self._do("commit")

    def stored(self) -> int:
        self._do("pragma wal_checkpoint(truncate)")
        return folder_bytes([self._file])

    def close(self) -> None:
        self._connection.close()


STORES = (
    StoreKind(
        name="sqlite",
        summary="SQLite in a file: write-ahead log, synchronous=normal",
        open=_Sqlite,
    ),
)
