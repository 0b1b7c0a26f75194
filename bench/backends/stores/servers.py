"""What all stores on servers share: how long they may take, and what is said when they cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....escape import without_secrets
from .base import MissingStore, StoreError, Wire

__all__ = ["ANSWER", "CONNECT", "Table", "plain_name", "reaching"]

CONNECT = 3
"""Seconds that a server may take to be reached."""
ANSWER = 10
"""Seconds that it may take to answer a call: one that stands still fails, and the run goes on."""

_UNREACHED: dict[str, str] = {}
"""What went wrong on the way to a URL. It is tried once in a process: every operation asks, and to wait for
each would take the time of the stores that are there."""


def plain_name(name: str) -> str:
    """Return the name of a table or collection, which stands unquoted in statements.

    Raises:
        ValueError: It has something else in it than ASCII letters, digits and underscores.
    """
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"no name of a table: {name!r}")
    return name


class Table:
    """A table of keys and payloads, by one cursor of DB-API 2.0; what inherits it sets the statements."""

    _put: str
    _get: str
    _scan: str

    def __init__(self, connection: Any, cursor: Any, wire: Wire) -> None:
        self.wire = wire
        self._connection, self._cursor = connection, cursor

    def put(self, key: int, record: Any) -> None:
        """Write a record, in a transaction of its own."""
        self._cursor.execute(self._put, (key, self.wire.encode(record)))

    def get(self, key: int) -> Any:
        """Return a record.

        Raises:
            KeyError: There is none of that key.
        """
        self._cursor.execute(self._get, (key,))
        row = self._cursor.fetchone()
        if row is None:
            raise KeyError(key)
        return self.wire.decode(row[0])

    def scan(self, after: int, count: int) -> list[tuple[int, Any]]:
        """Return the next records behind a key, with theirs."""
        decode = self.wire.decode
        self._cursor.execute(self._scan, (after, count))
        return [(key, decode(payload)) for key, payload in self._cursor.fetchall()]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@contextmanager
def reaching(server: str, extra: str, url: str) -> Iterator[None]:
    """Make `StoreError` of what goes wrong on the way to a server; no password of its URL is repeated.

    Raises:
        MissingStore: Its client, the extra of that name, is not installed.
        StoreError: It cannot be reached, or refuses us.
    """
    if url in _UNREACHED:
        raise StoreError(_UNREACHED[url])
    try:
        yield
    except ImportError as error:
        raise MissingStore(f"{extra} is not installed: pip install 'bakeoff[{extra}]'") from error
    except Exception as error:  # noqa: BLE001 - whatever the clients raise
        # Nor is it kept as the cause: clients quote URLs that they cannot read.
        said = " ".join(f"{type(error).__name__}: {error}".split())
        _UNREACHED[url] = f"{server} cannot be reached: {without_secrets(said, url)}"
        raise StoreError(_UNREACHED[url]) from None
