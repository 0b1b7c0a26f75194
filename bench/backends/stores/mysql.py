"""MariaDB and MySQL, through PyMySQL: one table of numbers and blobs."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ..reaching import ANSWER, CONNECT, imported, reaching
from .base import Location, MissingStore, Settings, StoreError, StoreKind, Wire
from .table import SqlTable

OPTIONS = {"connect_timeout": CONNECT, "read_timeout": ANSWER, "write_timeout": ANSWER, "binary_prefix": True}
"""Options of a connection."""


def about(connection: Any) -> Settings:
    """Return what a server reports about itself."""
    with connection.cursor() as cursor:
        cursor.execute("select version(), @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog")
        version, flush, log, sync = map(str, cursor.fetchone())
    binlog = f"sync_binlog={sync}" if log == "1" else "off"
    return {"mysql": version, "innodb_flush_log_at_trx_commit": flush, "binlog": binlog}


def size(connection: Any, table: str) -> int:
    """Return the bytes of a table's pages from the server's statistics, after refreshing them."""
    with connection.cursor() as cursor:
        cursor.execute(f"analyze table {table}")
        cursor.fetchall()
        cursor.execute(
            "select data_length + index_length from information_schema.tables"
            " where table_schema = database() and table_name = %s",
            [table],
        )
        (found,) = cursor.fetchone()
    return int(found)


class _Mysql(SqlTable):
    """A store through PyMySQL, which writes values into the text of statements."""

    def __init__(self, location: Location, wire: Wire) -> None:
        connection, table = _connect(location), location.name
        # Not `key`, which is a reserved word.
        super().__init__(connection, connection.cursor(), wire, table, key="id")
        self._cursor.execute(
            f"create table if not exists {table}"
            " (id bigint unsigned primary key, payload longblob not null) engine=InnoDB"
        )
        self._insert = f"insert into {table} (id, payload) values (%s, %s)"
        self._put = f"{self._insert} on duplicate key update payload = values(payload)"

    @property
    def settings(self) -> Settings:
        return about(self._connection)

    def stored(self) -> int:
        return size(self._connection, self._table)


def _connect(location: Location) -> Any:
    pymysql = imported("pymysql", MissingStore)
    with reaching("mysql", location.url, StoreError):
        url = urlsplit(location.url)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        return pymysql.connect(
            host=url.hostname or "localhost",
            port=url.port or 3306,
            user=unquote(url.username or ""),
            password=unquote(url.password or ""),
            database=unquote(url.path.lstrip("/")) or None,
            unix_socket=query.get("unix_socket"),
            autocommit=True,
            **OPTIONS,
        )


def _forget(location: Location) -> None:
    with _connect(location) as connection, connection.cursor() as cursor:
        cursor.execute(f"drop table if exists {location.name}")


STORES = (
    StoreKind(
        name="mysql",
        open=_Mysql,
        schemes=("mysql+pymysql",),
        waits=True,
        forget=_forget,
    ),
)
