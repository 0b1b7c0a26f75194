"""PostgreSQL, through psycopg: one table of numbers and `bytea`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reaching import ANSWER, CONNECT, imported, reaching
from .base import Location, MissingStore, Pairs, Settings, StoreError, StoreKind, Wire
from .table import SqlTable

if TYPE_CHECKING:
    from psycopg import Connection

OPTIONS = {
    "connect_timeout": CONNECT,
    "options": f"-c statement_timeout={ANSWER}s",
    "tcp_user_timeout": 1000 * ANSWER,
}
"""Options of a connection."""


def about(connection: Connection[Any]) -> Settings:
    """Return what a server reports about itself."""
    # The last one is the method that compresses values of more than 2 KB.
    asked = ("server_version", "fsync", "synchronous_commit", "default_toast_compression")
    told = connection.execute(f"select {', '.join(f'current_setting({name!r}, true)' for name in asked)}")
    version, *rest = map(str, told.fetchone() or ())
    return {"postgresql": version, **dict(zip(asked[1:], rest, strict=True))}


def size(connection: Connection[Any], table: str) -> int:
    """Return the bytes of a table, including its index and auxiliary storage."""
    row = connection.execute("select pg_total_relation_size(%s::regclass)", [table]).fetchone()
    return int(row[0])  # type: ignore[index]


class _Postgresql(SqlTable):
    """Values are sent and received in binary form, not as text."""

    def __init__(self, location: Location, wire: Wire) -> None:
        connection, table = _connect(location), location.name
        super().__init__(connection, connection.cursor(binary=True), wire, table)
        connection.execute(
            f"create table if not exists {table} (key bigint primary key, payload bytea not null)"
        )
        self._put = (
            f"insert into {table} values (%s, %s) on conflict (key) do update set payload = excluded.payload"
        )

    @property
    def settings(self) -> Settings:
        return about(self._connection)

    def put_many(self, pairs: Pairs) -> None:
        # Recommended by PostgreSQL's manual ("Populating a Database").
        encode = self.wire.encode
        with self._cursor.copy(f"copy {self._table} from stdin (format binary)") as rows:
            rows.set_types(["int8", "bytea"])
            for key, record in pairs:
                rows.write_row((key, encode(record)))

    def stored(self) -> int:
        return size(self._connection, self._table)


def _connect(location: Location) -> Connection[Any]:
    psycopg = imported("psycopg", MissingStore)
    with reaching("postgresql", location.url, StoreError):
        connection: Connection[Any] = psycopg.connect(location.url, autocommit=True, **OPTIONS)
        return connection


def _forget(location: Location) -> None:
    with _connect(location) as connection:
        connection.execute(f"drop table if exists {location.name}")


STORES = (
    StoreKind(
        name="postgresql",
        open=_Postgresql,
        schemes=("postgresql", "postgres"),
        waits=True,
        forget=_forget,
    ),
)
