"""What a codec's guards cost over its library's own call, where that is more than 3 %.

A guard that costs more is a policy that one asks for, unless it protects from payloads of strangers and
cannot be had for less. Then it is here, the codec's row of every table says so, and a variant without it is
in the same table. Measured on `messages` (some 1,500 bytes, a hundred values), and held to by ``python3
tasks.py targets interface``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["GUARDS", "Guard", "unguarded"]


class Guard(NamedTuple):
    """One guard of one operation.

    Attributes:
        operation: "dump" or "load".
        nanoseconds: What it takes of a call.
        share: The same as a share of the library's own call, at the most.
        what: What it does, as a half sentence.
    """

    operation: str
    nanoseconds: int
    share: float
    what: str

    @property
    def cost(self) -> str:
        """Operation, share and time in a few words."""
        return f"{self.operation} +{self.share:.0%} ({self.nanoseconds:,} ns)"

    def note(self, name: str) -> str:
        """Return what it does and costs a codec, and which one has it not."""
        return f"guarded: {self.what}, at {self.cost} on messages; {unguarded(name)} has no such guard"


GUARDS: Mapping[str, tuple[Guard, ...]] = {
    "ormsgpack": (Guard("load", 350, 0.08, "notices data after the value, which the library does not"),),
    "cbor2": (
        Guard("dump", 450, 0.05, "checks how deep a record is nested, which the library does not survive"),
        Guard("load", 400, 0.05, "notices data after the value, which the library does not"),
    ),
}
"""Codec to what it pays for, beside each one a variant without: `unguarded`."""


def unguarded(name: str) -> str:
    """Return the name of the variant of a codec that has none of its guards."""
    return f"{name}/unguarded"
