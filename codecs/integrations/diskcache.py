"""Codecs instead of pickle in diskcache."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from diskcache import UNKNOWN, Disk
from diskcache.core import MODE_PICKLE

from ..core.base import CodecBase


def integration(codec: CodecBase) -> type[Any]:
    """Return a subclass of ``diskcache.Disk`` that uses the codec instead of pickle, also for keys.

    Text, bytes, floats and integers of 64 bits are stored unchanged, so that ``incr`` works.
    """

    class Encoded(Disk):  # type: ignore[misc] # no types
        def put(self, key: Any) -> tuple[Any, bool]:
            return super().put(key) if _is_plain(key) else (sqlite3.Binary(codec.encode(key)), False)

        def get(self, key: Any, raw: bool) -> Any:
            return super().get(key, raw) if raw else codec.decode(key)

        def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, str | None, Any]:
            if read or _is_plain(value):
                return super().store(value, read, key)  # type: ignore[no-any-return]
            size, _, filename, kept = super().store(codec.encode(value), False, key)
            return size, MODE_PICKLE, filename, kept

        def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
            if mode != MODE_PICKLE:
                return super().fetch(mode, filename, value, read)
            return codec.decode(value if filename is None else Path(self._directory, filename).read_bytes())

    return Encoded


def _is_plain(value: Any) -> bool:
    """Whether diskcache stores a value unchanged."""
    kind = type(value)
    return kind in (str, bytes, float) or (kind is int and -(2**63) <= value < 2**63)
