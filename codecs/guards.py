"""What a codec's guards cost over its library's own call, where they cost more than the shell of any codec.

Measured on `messages` (some 1,500 bytes, a hundred values), and held to by ``python3 tasks.py
targets interface``; the notes of the codecs, and so the tables, say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from . import notes
from .notes import Note

__all__ = ["GUARDS", "Guard"]


class Guard(NamedTuple):
    """One guard of one operation.

    Attributes:
        operation: "dump" or "load".
        nanoseconds: What it takes of a call.
        share: The same as a share of the library's own call, at the most.
        what: What it does, as a half sentence.
        small: The share on `movies`, records of four fields, where it is more.
    """

    operation: str
    nanoseconds: int
    share: float
    what: str
    small: float = 0.0

    @property
    def cost(self) -> str:
        """Operation, share and time in a few words."""
        return f"{self.operation} +{self.share:.0%} ({self.nanoseconds:,} ns)"

    @property
    def note(self) -> Note:
        """What it does and costs."""
        return Note(f"{self.what}: {self.cost} on messages", about=notes.GUARDS)


_END = "looks for the end of the value, which the library does not"

_DEPTH = "checks how deep a record is nested"

GUARDS: Mapping[str, tuple[Guard, ...]] = {
    "orjson": (Guard("dump", 320, 0.35, _DEPTH, small=0.5),),
    "ormsgpack": (Guard("load", 300, 0.12, _END),),
    "cbor2": (
        Guard("dump", 450, 0.05, _DEPTH),
        Guard("load", 400, 0.06, _END),
    ),
    "pickle/2": (Guard("load", 650, 0.12, _END),),
    "marshal": (Guard("load", 370, 0.1, _END),),
    "bson": (
        Guard("load", 500, 0.11, "makes 64-bit integers plain ones"),
        Guard("load", 600, 0.1, "looks for names and lengths that lead beyond the end"),
    ),
    "yaml": (Guard("load", 11_000, 0.05, "counts what aliases stand for"),),
    "plist": (Guard("load", 22_000, 0.1, "counts values and levels as it reads"),),
    "plist/binary": (Guard("dump", 16_000, 0.14, "writes None as text, as the XML must"),),
}
"""Codec to what it pays for."""
