"""Drawing records from a stream of unknown length, in one pass."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from .generated._generate import Random

__all__ = ["Sampler", "fitting", "pickled", "strata"]

_WEIGHED = 20_000
_SOME = 17
"""After so many records only one in so many is weighed; a prime, as kinds of records may take turns."""
_HELD = 256 << 20
"""Bytes of records, as pickles, that a reservoir holds; of larger ones it holds fewer."""


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
        self._kept: list[tuple[int, Any, int]] = []
        self._held = 0
        self._weight = self._weighed = 0
        self.count = 0

    def take(self, records: Iterable[Any]) -> None:
        """Let all records pass."""
        below = self._random.below
        for record in records:
            size = -1
            if self.count < _WEIGHED or self.count % _SOME == 0:
                size = pickled(record)
                share = 1 if self.count < _WEIGHED else _SOME
                self._weight += share * size
                self._weighed += share
            if self.count < self._size:
                self._keep(len(self._kept), record, size)
            elif (slot := below(self.count + 1)) < self._size:
                self._keep(slot, record, size)
            self.count += 1

    @property
    def size(self) -> float:
        """Mean size of all records, as pickles, in bytes."""
        return self._weight / max(1, self._weighed)

    def _keep(self, slot: int, record: Any, size: int) -> None:
        if size < 0:
            size = pickled(record)
        if slot == len(self._kept):
            self._kept.append((self.count, record, size))
        else:
            self._held -= self._kept[slot][2]
            self._kept[slot] = (self.count, record, size)
        self._held += size
        while self._held > _HELD and len(self._kept) > 1:
            self._halve()

    def _halve(self) -> None:
        """Hold half as many from now on; any half of a random sample is one."""
        self._size = len(self._kept) // 2
        for place in range(self._size):
            other = place + self._random.below(len(self._kept) - place)
            self._kept[place], self._kept[other] = self._kept[other], self._kept[place]
        del self._kept[self._size :]
        self._held = sum(size for _, _, size in self._kept)

    def records(self) -> list[Any]:
        """Return what was kept, in the order of the stream."""
        return [record for _, record, _ in sorted(self._kept, key=itemgetter(0))]


def fitting(drawn: Sequence[Any], n: int, room: int | None, least: int, seed: int) -> list[Any]:
    """Return records from all over those that were drawn, as `Corpus.sample` has it."""
    if room is not None and min(n, len(drawn)) > least:
        mean = sum(map(pickled, drawn)) / max(1, len(drawn))
        n = min(n, max(least, int(room / max(1.0, mean))))
    return [drawn[index] for index in strata(len(drawn), n, seed)]


def pickled(record: Any) -> int:
    """Return the size of a record as a pickle, in bytes; of one that cannot be pickled, none."""
    try:
        return len(pickle.dumps(record, protocol=5))
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        return 0


def strata(count: int, size: int, seed: int) -> Iterator[int]:
    """Iterate over `size` of `count` indices, one out of each of `size` equal parts, ascending."""
    if size >= count:
        yield from range(count)
        return
    random = Random(seed, "sample")
    for part in range(size):
        low, high = part * count // size, (part + 1) * count // size
        yield low + random.below(high - low)
