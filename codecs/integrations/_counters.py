"""Codecs for caches with counters: integers are stored as digits, as Redis' INCRBY requires."""

from __future__ import annotations

from typing import Any

from ..core.base import CodecBase

_DIGITS = 20
"""Length of the longest number that Redis counts with, -9223372036854775808."""


def _is_number(payload: bytes) -> bool:
    return len(payload) <= _DIGITS and (payload.isdigit() or (payload[:1] == b"-" and payload[1:].isdigit()))


class Counters:
    """A codec's payloads, except that integers of 64 bits are digits.

    Redis only counts with digits. Then all integers must be digits: the byte "5" in MessagePack means 53.

    Args:
        codec: Reads and writes everything else.
    """

    encoding = None
    """Payloads are bytes (aiocache asks)."""

    def __init__(self, codec: CodecBase) -> None:
        self._encode, self._decode = codec.encode, codec.decode
        self._bare = codec if codec.needs_schema else codec.with_schema(None)
        self._fixes = codec.schema is not None and not codec.needs_schema

    def dumps(self, value: Any) -> bytes:
        """Return the bytes to cache.

        Raises:
            EncodeError: As the codec's.
        """
        if type(value) is int and -(2**63) <= value < 2**63:
            return b"%d" % value
        payload = self._encode(value)
        # Other objects that the codec writes as integers: members of an Enum, numbers of other libraries.
        return b"%d" % self._bare.decode(payload) if _is_number(payload) else payload

    def loads(self, data: bytes | None) -> Any:
        """Return the value; None if it is missing.

        Raises:
            DecodeError: As the codec's.
        """
        if data is None:
            return None
        if not _is_number(data):
            return self._decode(data)
        return self._decode(self._bare.encode(int(data))) if self._fixes else int(data)
