"""Codecs instead of pickle in diskcache."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from diskcache import UNKNOWN, Disk
from diskcache.core import MODE_PICKLE

from ..core.base import CodecBase
from ..core.classes import class_of
from ..ready import of_class
from ._keys import Keys


class Encoded(Disk):  # type: ignore[misc] # no types
    """A ``diskcache.Disk`` that uses a codec instead of pickle, also for keys.

    Text, bytes, floats and integers of 64 bits are stored unchanged, so that ``incr`` works.
    """

    codec: CodecBase
    _keys: Keys

    @staticmethod
    def attributes(codec: CodecBase) -> dict[str, Any]:
        """Return the attributes of the class of a codec."""
        return {"_keys": Keys(codec)}

    def put(self, key: Any) -> tuple[Any, bool]:
        """Return a key for the database, and whether it is stored unchanged.

        Raises:
            EncodeError: The codec cannot write it.
        """
        return super().put(key) if _is_plain(key) else (sqlite3.Binary(self._keys.encode(key)), False)

    def get(self, key: Any, raw: bool) -> Any:
        """Return a key of the database.

        Raises:
            DecodeError: As the codec's.
        """
        return super().get(key, raw) if raw else self._keys.decode(key)

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, str | None, Any]:
        """Store a value; see diskcache.

        Raises:
            EncodeError: As the codec's.
        """
        if read or _is_plain(value):
            return super().store(value, read, key)  # type: ignore[no-any-return]
        size, _, filename, kept = super().store(self.codec.encode(value), False, key)
        return size, MODE_PICKLE, filename, kept

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """Return a value; see diskcache.

        Raises:
            DecodeError: As the codec's.
        """
        if mode != MODE_PICKLE:
            return super().fetch(mode, filename, value, read)
        return self.codec.decode(value if filename is None else Path(self._directory, filename).read_bytes())


def integration(codec: CodecBase) -> type[Encoded]:
    """Return a class of disks."""
    return class_of(Encoded, codec)


def __getattr__(name: str) -> type[Encoded]:
    return integration(of_class(__name__, name))


def _is_plain(value: Any) -> bool:
    """Whether diskcache stores a value unchanged."""
    kind = type(value)
    return kind in (str, bytes, float) or (kind is int and -(2**63) <= value < 2**63)
