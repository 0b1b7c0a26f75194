"""From the slices of one process to one figure per cell.

Slices of a round share what happens to the machine in that moment. Median polish takes that
part out, round by round: what stays is each cell's level relative to the others, the yardstick
among them, and the ratio of any two cells is paired by round.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Level", "Track", "levels", "median"]

_POLISHING = 3
"""Sweeps of the median polish; it stands still after two or three."""


@dataclass(slots=True)
class Track:
    """The slices of one cell in one process.

    Attributes:
        logs: Natural log of seconds per record, by round; a slow cell skips rounds.
        dirty: Rounds in which the kernel took the processor away during the slice.
        loops: Calls behind all slices.
        duration: Seconds spent in the slices.
    """

    logs: dict[int, float] = field(default_factory=dict)
    dirty: set[int] = field(default_factory=set)
    loops: int = 0
    duration: float = 0.0

    def clean(self) -> Mapping[int, float]:
        """Return the undisturbed slices, or all when less than half are.

        What is disturbed is known from the kernel's counters, never from the value.
        """
        clean = {r: x for r, x in self.logs.items() if r not in self.dirty}
        return clean if 2 * len(clean) >= len(self.logs) else self.logs


@dataclass(frozen=True, slots=True)
class Level:
    """One cell in one process.

    Attributes:
        raw: Plain median, seconds per record.
        polished: Median with the rounds' common part taken out, relative to the other cells.
        drift: Log of the last third over the first third of the process.
    """

    raw: float
    polished: float
    drift: float


def levels(tracks: Sequence[Track]) -> list[Level | None]:
    """Estimate every track; None for a track without slices."""
    slices = [track.clean() for track in tracks]
    level = [median(s.values()) if s else 0.0 for s in slices]
    common: dict[int, float] = {}
    for _ in range(_POLISHING):
        rounds: dict[int, list[float]] = {}
        for own, s in zip(level, slices, strict=True):
            for r, x in s.items():
                rounds.setdefault(r, []).append(x - own)
        common = {r: median(rest) for r, rest in rounds.items()}
        level = [median(x - common[r] for r, x in s.items()) if s else 0.0 for s in slices]
    return [
        Level(math.exp(median(s.values())), math.exp(own), _drift(s, common)) if s else None
        for own, s in zip(level, slices, strict=True)
    ]


def median(values: Iterable[float]) -> float:
    """Return the median; `statistics` takes longer to import than to use here."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _drift(slices: Mapping[int, float], common: Mapping[int, float]) -> float:
    third = len(slices) // 3
    if third == 0:
        return 0.0
    rest = [slices[r] - common[r] for r in sorted(slices)]
    return median(rest[-third:]) - median(rest[:third])
