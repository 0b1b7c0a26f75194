"""Random records of every kind of value, each compared with what the conventions say of it."""

from __future__ import annotations

from random import Random

import seeds
from findings import Broken

from bakeoff.codecs import DecodeError, EncodeError
from oracle.compose import record
from oracle.judge import wrong
from oracle.values import Value, is_tried


class Values:
    """A codec without a schema: records come back as the conventions and its losses say, or are refused.

    Args:
        name: Name of the codec.
    """

    def __init__(self, name: str) -> None:
        self._codec = seeds.bare(name)

    def case(self, random: Random) -> bytes:
        """Return the seed of the record."""
        return random.randbytes(8)

    def _made(self, case: bytes) -> Value:
        return record(Random(int.from_bytes(case)))

    def show(self, case: bytes) -> str:
        """Return the kinds of values in the record, and the plain values that it means."""
        value = self._made(case)
        return f"{value.kind}: {value.meant!r}"

    def run(self, case: bytes) -> str:
        """Encode, decode and compare."""
        value = self._made(case)
        if not is_tried(self._codec, value):
            return "refused"
        try:
            payload = self._codec.encode(value.given)
        except EncodeError:
            return "refused"
        try:
            found = self._codec.decode(payload)
        except DecodeError as error:
            raise Broken(f"what was written is not read: {error.reason}") from error
        if words := wrong(self._codec, value, found):
            raise Broken(words)
        return "accepted"
