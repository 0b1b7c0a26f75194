"""The identity of records: a hash over their canonical bytes."""

from __future__ import annotations

import hashlib
from typing import Any

from ..codecs import CodecError, codec

__all__ = ["Hasher"]


class Hasher:
    """Hashes records as JSON Lines written by the codec ``json``."""

    def __init__(self) -> None:
        self._encode = codec("json").encode
        self._digest = hashlib.sha256()

    def add(self, record: Any) -> None:
        """Take in one record; of what JSON has no convention for, the type only."""
        try:
            payload = self._encode(record)
        except CodecError as error:
            payload = f"{type(record).__qualname__}: {error.reason}".encode()
        self._digest.update(payload + b"\n")

    def hexdigest(self) -> str:
        """Return the hash of all that was taken in."""
        return self._digest.hexdigest()
