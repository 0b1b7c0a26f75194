"""Codecs as types of SQLAlchemy's columns."""

from __future__ import annotations

from typing import Any, Protocol

from sqlalchemy import Dialect, LargeBinary, TypeDecorator
from sqlalchemy.dialects.mysql import LONGBLOB
from sqlalchemy.types import TypeEngine

_LONG = frozenset({"mysql", "mariadb"})
"""Databases whose plain BLOB is limited to 65,535 bytes (MariaDB's manual, "BLOB")."""


class Both(Protocol):
    """An object with `encode` and `decode`."""

    def encode(self, obj: Any, /) -> bytes: ...
    def decode(self, data: bytes, /) -> Any: ...


class Encoded(TypeDecorator[Any]):
    """A column of records, stored as a codec's payloads: BLOB, BYTEA or LONGBLOB.

    None is NULL. The database compares records by their payloads (``table.c.record == {...}``), which
    finds equal records if the codec writes them identically: not if their keys have another order.
    A change within a record is not detected: assign another one, or wrap the type by
    ``sqlalchemy.ext.mutable.MutableDict.as_mutable``, which detects changes of the outermost keys.

    Args:
        codec: A `Codec`, or an object with both directions. SQLAlchemy wraps an `EncodeError` into a
            ``StatementError``, but not a `DecodeError`.
    """

    impl = LargeBinary
    cache_ok = True

    def __init__(self, codec: Both) -> None:
        super().__init__()
        self.codec = codec

    @property
    def python_type(self) -> type[Any]:
        """Any type of record."""
        return object

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return a type that holds payloads of any length."""
        return dialect.type_descriptor(LONGBLOB() if dialect.name in _LONG else LargeBinary())

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> bytes | None:
        """Return the payload of a record."""
        return None if value is None else self.codec.encode(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any | None:
        """Return the record of a payload."""
        return None if value is None else self.codec.decode(value)

    def compare_values(self, x: Any, y: Any) -> bool:
        """Whether two records are equal, so that no update is needed; 1 and True are not equal."""
        if x is None or y is None:
            return x is y
        return bool(x == y) and self.codec.encode(x) == self.codec.encode(y)


integration = Encoded
