"""Drawing records from a stream of unknown length, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from ._generate import Random

__all__ = ["Sampler", "strata"]


class Sampler:
    """Keeps `size` records of those that pass through, each with the same probability.

    Which ones depends on the seed, the size and the number of records only (Vitter's algorithm R,
    "Random sampling with a reservoir", ACM TOMS 11, 1985).

    Attributes:
        count: Records that have passed.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = Random(seed, "sample")
        self._kept: list[tuple[int, Any]] = []
        self.count = 0

    def take(self, records: Iterable[Any]) -> None:
        """Let all records pass."""
        below, size, kept = self._random.below, self._size, self._kept
        count = self.count
        for record in records:
            if count < size:
                kept.append((count, record))
            elif (slot := below(count + 1)) < size:
                kept[slot] = (count, record)
            count += 1
        self.count = count

    def records(self) -> list[Any]:
        """Return what was kept, in the order of the stream."""
        return [record for _, record in sorted(self._kept, key=itemgetter(0))]


def strata(count: int, size: int, seed: int) -> Iterator[int]:
    """Iterate over `size` of `count` indices, one out of each of `size` equal parts, ascending."""
    if size >= count:
        yield from range(count)
        return
    random = Random(seed, "sample")
    for part in range(size):
        low, high = part * count // size, (part + 1) * count // size
        yield low + random.below(high - low)
