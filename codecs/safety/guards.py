"""The cost of a codec's guards relative to its library's own call, if it is more than 3 %.

A guard that costs more is an optional policy, unless it protects against untrusted payloads and no cheaper
one exists. Such guards are listed here. The codec's row says so in every table, and a variant without the
guard is in the same table. Costs are for `messages` (about 1,500 bytes, a hundred values); ``python3 tasks.py
benchmarks interface`` checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Guard(NamedTuple):
    """One guard of one operation.

    Attributes:
        operation: "dump" or "load".
        nanoseconds: Its time in a call.
        share: The same as a share of the library's own call, an upper bound.
        what: Description of the check, as a half sentence.
    """

    operation: str
    nanoseconds: int
    share: float
    what: str

    @property
    def cost(self) -> str:
        """Its operation, share and time in a few words."""
        return f"{self.operation} +{self.share:.0%} ({self.nanoseconds:,} ns)"

    def note(self, name: str) -> str:
        """Return its description, its cost, and the variant without it."""
        return f"guarded: {self.what}; costs {self.cost} on messages; {unguarded(name)} has no guard"


GUARDS: Mapping[str, tuple[Guard, ...]] = {
    "ormsgpack": (Guard("load", 350, 0.08, "detects trailing data, which the library does not"),),
    "cbor2": (
        Guard("dump", 450, 0.05, "checks nesting, as a deep record crashes the library"),
        Guard("load", 400, 0.05, "detects trailing data, which the library does not"),
    ),
}
"""The guards of each codec that has any; `unguarded` names its variant without them."""


def unguarded(name: str) -> str:
    """Return the name of the variant of a codec that has none of its guards."""
    return f"{name}/unguarded"
