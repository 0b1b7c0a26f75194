"""Draw records from a stream of unknown length, in one pass."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any

from .generated._generate import Random

_WEIGHED = 20_000
_SOME = 17
"""After this many records, only one in this many is weighed; a prime, as kinds of records may alternate."""
_HELD = 256 << 20
"""Most bytes of the records in a reservoir, as pickles; it keeps fewer records if they are larger."""


class Reservoir:
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


class MergedSample:
    """A sample of a corpus in parts: the records with the smallest keys, which are random numbers.

    Every record is equally likely, and samples can be merged in any order with the same result (bottom-k
    sampling; Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007).

    Args:
        size: Most records.
        room: Most bytes of payloads.
        cut: Only records with smaller keys are kept.

    Attributes:
        cut: The smallest key that was not kept.
    """

    def __init__(self, size: int, room: int, cut: int = 1 << 64) -> None:
        self._size = size
        self._room = room
        self._held = 0
        self._kept: list[tuple[int, bytes, tuple[int, ...]]] = []
        self.cut = cut if size else 0

    def add(self, key: int, payload: bytes, sizes: tuple[int, ...]) -> None:
        """Add a record whose key is less than `cut`: its payload, and further facts about it."""
        heappush(self._kept, (-key, payload, sizes))
        self._held += len(payload)
        while len(self._kept) > self._size or self._held > self._room:
            largest, dropped, _ = heappop(self._kept)
            self._held -= len(dropped)
            self.cut = -largest

    def merge(self, other: MergedSample) -> None:
        """Add the sample of other records."""
        self.cut = min(self.cut, other.cut)
        kept, self._kept, self._held = self._kept, [], 0
        for key, payload, sizes in (*kept, *other._kept):
            if -key < self.cut:
                self.add(-key, payload, sizes)

    def kept(self) -> list[tuple[int, bytes, tuple[int, ...]]]:
        """Return key, payload and facts of the records, in the random order of the keys."""
        return sorted((-key, payload, sizes) for key, payload, sizes in self._kept)


_WORD = (1 << 64) - 1


def record_keys(seed: int, place: str) -> Callable[[int], int]:
    """Return a function that gives the records of a place keys: random numbers of 64 bits.

    They depend on the seed, the place and the record's number there (SplitMix64; Steele et al., OOPSLA 2014).
    """
    state = int.from_bytes(hashlib.blake2b(f"{seed} {place}".encode(), digest_size=8).digest())

    def key(number: int) -> int:
        mixed = (state + (number + 1) * 0x9E3779B97F4A7C15) & _WORD
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _WORD
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _WORD
        return mixed ^ mixed >> 31

    return key


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
