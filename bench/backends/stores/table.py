"""Stores with one table of keys and payloads, in a database with a DB-API 2.0 driver."""

from __future__ import annotations

from typing import Any

from .base import Pairs, Wire


class SqlTable:
    """One statement, and one transaction, per call.

    A subclass sets the statements that write: `_put`, which replaces the record with the same key, and
    `_insert`.

    Args:
        connection: A connection in autocommit mode.
        cursor: Its only cursor.
        wire: How records are encoded.
        table: Name of the table.
        key: Name of the column of keys; the column of payloads is `payload`.
        mark: Placeholder of a parameter.
    """

    _put: str
    _insert: str

    def __init__(
        self, connection: Any, cursor: Any, wire: Wire, table: str, *, key: str = "key", mark: str = "%s"
    ) -> None:
        self.wire = wire
        self._connection, self._cursor, self._table = connection, cursor, table
        self._get = f"select payload from {table} where {key} = {mark}"
        self._scan = f"select {key}, payload from {table} where {key} > {mark} order by {key} limit {mark}"

    def put(self, key: int, record: Any) -> None:
        self._cursor.execute(self._put, (key, self.wire.encode(record)))

    def get(self, key: int) -> Any:
        self._cursor.execute(self._get, (key,))
        row = self._cursor.fetchone()
        if row is None:
            raise KeyError(key)
        return self.wire.decode(row[0])

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        decode = self.wire.decode
        self._cursor.execute(self._scan, (after, count))
        return [(key, decode(payload)) for key, payload in self._cursor.fetchall()]

    def put_many(self, pairs: Pairs) -> None:
        encode = self.wire.encode
        rows = [(key, encode(record)) for key, record in pairs]
        self._cursor.execute("begin")
        try:
            self._cursor.executemany(self._insert, rows)
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    def close(self) -> None:
        self._connection.close()
