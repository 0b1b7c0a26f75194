"""Random records of every kind of value, each compared with what the conventions say of it."""

from __future__ import annotations

from random import Random
from typing import Any

import seeds
from findings import Broken

from bakeoff.codecs import Codec
from oracle.compose import record
from oracle.values import Value, is_tried
from oracle.ways import Way, bound, called, given, taken, typed, unexplained


class Values:
    """Records come back as the conventions and the losses of a codec say, or are refused.

    A codec that needs a schema gets one value, key, or item of a set for each record.

    Args:
        name: Name of the codec.
    """

    def __init__(self, name: str) -> None:
        self._codec = seeds.bare(name)
        self._bound: dict[Any, Codec | None] = {}

    def case(self, random: Random) -> bytes:
        """Return the seed of the record."""
        return random.randbytes(8)

    def _made(self, case: bytes) -> tuple[Value, Way | None]:
        """Return the record, and how it is written and read; None if the codec refuses to be bound."""
        random = Random(int.from_bytes(case))
        if not self._codec.needs_schema:
            return record(random), called(self._codec)
        kind, value = random.choice(typed())
        if kind not in self._bound:
            self._bound[kind] = bound(self._codec, kind)
        made = self._bound[kind]
        return value, None if made is None else random.choice((taken, given))(made)

    def show(self, case: bytes) -> str:
        """Return the kinds of values in the record, and the plain values that it means."""
        value, _ = self._made(case)
        return f"{value.kind}: {value.meant!r}"

    def run(self, case: bytes) -> str:
        """Encode, decode and compare."""
        value, way = self._made(case)
        if way is None or not is_tried(self._codec, value):
            return "refused"
        outcome = "refused"

        def write(given: Any) -> bytes:
            nonlocal outcome
            payload = way.write(given)
            outcome = "accepted"
            return payload

        observed = way._replace(write=write)
        if words := unexplained(self._codec, observed, value, schema=self._codec.needs_schema):
            raise Broken(words)
        return outcome
