"""The identity of records: a hash over their canonical bytes."""

from __future__ import annotations

import hashlib
from typing import Any

from ..codecs import CodecError, codec


class Hasher:
    """Hashes records as JSON Lines written by the codec ``json``."""

    def __init__(self) -> None:
        self._encode = codec("json").encode
        self._digest = hashlib.sha256()

    def add(self, record: Any) -> None:
        """Add one record; of a value that JSON has no convention for, only its type."""
        try:
            payload = self._encode(record)
        except CodecError as error:
            payload = f"{type(record).__qualname__}: {error.reason}".encode()
        self._digest.update(payload + b"\n")

    def hexdigest(self) -> str:
        """Return the hash of all added records."""
        return self._digest.hexdigest()
