"""SQLite through the standard library: one table of numbers and blobs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .base import Location, Settings, StoreKind, Wire, folder_bytes
from .table import SqlTable

FILE = "records.sqlite"


def set_up(connection: sqlite3.Connection) -> None:
    """Set the durability of a put.

    It survives the end of the process. The last ones may be lost if the machine fails. SQLite's manual
    recommends this setting for most programs ("Pragma synchronous").
    """
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=normal")


def about(connection: sqlite3.Connection) -> Settings:
    """Return the library's version and these settings."""
    levels = ("off", "normal", "full", "extra")
    (mode,) = connection.execute("pragma journal_mode").fetchone()
    (level,) = connection.execute("pragma synchronous").fetchone()
    return {"version": sqlite3.sqlite_version, "journal_mode": mode, "synchronous": levels[level]}


def size(connection: sqlite3.Connection, file: Path) -> int:
    """Return the bytes of a database, after writing all of it to its file."""
    connection.execute("pragma wal_checkpoint(truncate)")
    return folder_bytes([file])


class _Sqlite(SqlTable):
    """One transaction per put."""

    _put = _insert = "insert or replace into records values (?, ?)"

    def __init__(self, location: Location, wire: Wire) -> None:
        self._file = location.folder / FILE
        connection = sqlite3.connect(self._file, isolation_level=None)
        set_up(connection)
        connection.execute(
            "create table if not exists records (key integer primary key, payload blob not null)"
        )
        super().__init__(connection, connection.cursor(), wire, "records", mark="?")

    @property
    def settings(self) -> Settings:
        return about(self._connection)

    def stored(self) -> int:
        return size(self._connection, self._file)


STORES = (
    StoreKind(
        name="sqlite",
        open=_Sqlite,
    ),
)
