"""What a child leaves to its parent in memory that outlives it: its counts, and the case it is at."""

from __future__ import annotations

from multiprocessing.sharedctypes import RawArray, RawValue

__all__ = ["COUNTS", "Tally"]

COUNTS = ("runs", "accepted", "refused", "limited", "deaths", "foreign", "broken", "slow", "large", "known")
"""What is counted: runs by their outcome, then faults by their kind."""
_LARGEST = 1 << 20
"""Longest case, in bytes."""


class Tally:
    """Counts by name, shared by a child and its parent."""

    def __init__(self) -> None:
        self._counts = RawArray("q", len(COUNTS))
        self._busy, self._length = RawValue("b"), RawValue("q")
        self._case = RawArray("c", _LARGEST)

    def start(self, case: bytes) -> None:
        """Write a case down before it is tried, since nobody may be left to do it afterwards."""
        memoryview(self._case).cast("B")[: len(case)] = case
        self._length.value = len(case)
        self._busy.value = 1
        self.add("runs")

    def stop(self) -> None:
        """Say that the case was survived."""
        self._busy.value = 0

    def add(self, count: str) -> None:
        """Count one more."""
        self._counts[COUNTS.index(count)] += 1

    @property
    def busy(self) -> bool:
        """Whether a case is being tried."""
        return bool(self._busy.value)

    @property
    def case(self) -> bytes:
        """The last case that was tried."""
        return self._case[: self._length.value]

    def counts(self) -> dict[str, int]:
        """Return all counts by name."""
        return dict(zip(COUNTS, self._counts, strict=True))
