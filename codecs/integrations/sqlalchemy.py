"""Codecs as types of SQLAlchemy's columns."""

from __future__ import annotations

from typing import Any, Protocol

from sqlalchemy import Dialect, LargeBinary, TypeDecorator
from sqlalchemy.dialects.mysql import LONGBLOB
from sqlalchemy.types import TypeEngine

__all__ = ["Both", "Encoded", "integration"]

_LONG = frozenset({"mysql", "mariadb"})
"""Whose plain BLOB ends at 65,535 bytes (MariaDB's manual, "BLOB")."""


class Both(Protocol):
    """The two directions of a codec."""

    def encode(self, obj: Any, /) -> bytes: ...
    def decode(self, data: bytes, /) -> Any: ...


class Encoded(TypeDecorator[Any]):
    """A column of records, stored as a codec's payloads: BLOB, BYTEA or LONGBLOB.

    None is NULL. Records are compared in the database by their payloads (``table.c.record == {...}``), which
    finds equal ones where the codec writes equal records alike: not where keys stand in another order.
    A change within a record is not seen: assign another one, or wrap the type by
    ``sqlalchemy.ext.mutable.MutableDict.as_mutable``, which sees changes of the outermost keys.

    Args:
        codec: A `Codec`, or what has both directions of one. SQLAlchemy wraps an `EncodeError` into a
            ``StatementError``, a `DecodeError` comes as it is.
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
        """Whether a record need not be written in the place of another: 1 is no True."""
        if x is None or y is None:
            return x is y
        return bool(x == y) and self.codec.encode(x) == self.codec.encode(y)


integration = Encoded
