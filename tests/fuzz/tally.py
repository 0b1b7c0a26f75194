"""Memory that a child shares with its parent, and that outlives it: its counts, and its current case."""

from __future__ import annotations

from multiprocessing.sharedctypes import RawArray, RawValue

COUNTS = ("runs", "accepted", "refused", "limited", "deaths", "foreign", "broken", "slow", "large", "known")
"""Names of counts: runs by outcome, then faults by kind."""
_LARGEST = 1 << 20
"""Length of the longest case, in bytes."""


class Tally:
    """Counts by name, shared between a child and its parent."""

    def __init__(self) -> None:
        self._counts = RawArray("q", len(COUNTS))
        self._busy, self._length = RawValue("b"), RawValue("q")
        self._case = RawArray("c", _LARGEST)

    def start(self, case: bytes) -> None:
        """Store a case before it is tried, since the process may crash."""
        memoryview(self._case).cast("B")[: len(case)] = case
        self._length.value = len(case)
        self._busy.value = 1
        self.add("runs")

    def stop(self) -> None:
        """Mark the case as survived."""
        self._busy.value = 0

    def add(self, count: str) -> None:
        """Increment a count."""
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
