"""What a child leaves to its parent in memory that outlives it: its counts, and the case it is at."""

from __future__ import annotations

import mmap
from pathlib import Path

__all__ = ["COUNTS", "LARGEST", "Tally"]

COUNTS = ("runs", "accepted", "refused", "limited", "deaths", "foreign", "broken", "slow", "large", "known")
"""What is counted: runs by their outcome, then faults by their kind."""

LARGEST = 1 << 20
"""Longest case, in bytes."""

_BUSY, _LENGTH = len(COUNTS), len(COUNTS) + 1
_HEAD = 8 * (len(COUNTS) + 2)


class Tally:
    """Counts by name as attributes of a file, shared by a child and its parent.

    Args:
        path: The file; made by `create`.
    """

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _HEAD + LARGEST)
        self._view = memoryview(self._map)
        self._numbers = self._view[:_HEAD].cast("q")

    @classmethod
    def create(cls, path: Path) -> Tally:
        """Make the file, with nothing counted."""
        path.write_bytes(bytes(_HEAD + LARGEST))
        return cls(path)

    def start(self, case: bytes) -> None:
        """Write a case down before it is tried, since nobody may be left to do it afterwards."""
        size = len(case)
        self._map[_HEAD : _HEAD + size] = case
        self._numbers[_LENGTH] = size
        self._numbers[_BUSY] = 1
        self._numbers[0] += 1

    def stop(self) -> None:
        """Say that the case was survived."""
        self._numbers[_BUSY] = 0

    def add(self, count: str) -> None:
        """Count one more."""
        self._numbers[COUNTS.index(count)] += 1

    @property
    def busy(self) -> bool:
        """Whether a case is being tried."""
        return bool(self._numbers[_BUSY])

    @property
    def case(self) -> bytes:
        """The last case that was tried."""
        return self._map[_HEAD : _HEAD + self._numbers[_LENGTH]]

    def counts(self) -> dict[str, int]:
        """Return all counts by name."""
        return dict(zip(COUNTS, self._numbers, strict=False))
