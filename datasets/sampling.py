"""Draw records from a stream of unknown length, in one pass."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from .generated._generate import Random

_WEIGHED = 20_000
_SOME = 17
"""After this many records, only one in this many is weighed; a prime, as kinds of records may alternate."""
_HELD = 256 << 20
"""Most bytes of the records in a reservoir, as pickles; it keeps fewer records if they are larger."""


class Sampler:
    """Keeps `size` records of a stream, each with the same probability.

    The choice depends only on the seed, the size and the number of records (Vitter's algorithm R, "Random
    sampling with a reservoir", ACM TOMS 11, 1985).

    Attributes:
        count: Number of records so far.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = Random(seed, "sample")
        self._kept: list[tuple[int, Any, int]] = []
        self._held = 0
        self._weight = self._weighed = 0
        self.count = 0

    def take(self, records: Iterable[Any]) -> None:
        """Pass all records through."""
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
        """Keep half as many from now on; any half of a random sample is one."""
        self._size = len(self._kept) // 2
        for place in range(self._size):
            other = place + self._random.below(len(self._kept) - place)
            self._kept[place], self._kept[other] = self._kept[other], self._kept[place]
        del self._kept[self._size :]
        self._held = sum(size for _, _, size in self._kept)

    def records(self) -> list[Any]:
        """Return the kept records, in the order of the stream."""
        return [record for _, record, _ in sorted(self._kept, key=itemgetter(0))]


def fitting(drawn: Sequence[Any], n: int, room: int | None, least: int, seed: int) -> list[Any]:
    """Return a spread selection of the drawn records, as described in `Corpus.sample`."""
    if room is not None and min(n, len(drawn)) > least:
        mean = sum(map(pickled, drawn)) / max(1, len(drawn))
        n = min(n, max(least, int(room / max(1.0, mean))))
    return [drawn[index] for index in strata(len(drawn), n, seed)]


def pickled(record: Any) -> int:
    """Return the size of a record as a pickle, in bytes; 0 if it cannot be pickled."""
    try:
        return len(pickle.dumps(record, protocol=5))
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        return 0


def strata(count: int, size: int, seed: int) -> Iterator[int]:
    """Iterate over `size` of `count` indices in ascending order, one from each of `size` equal parts."""
    if size >= count:
        yield from range(count)
        return
    random = Random(seed, "sample")
    for part in range(size):
        low, high = part * count // size, (part + 1) * count // size
        yield low + random.below(high - low)
