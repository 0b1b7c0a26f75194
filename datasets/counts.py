"""Counts that can be merged, in bounded space: of lengths, and of distinct keys."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

_DIGITS = 9
"""Binary digits of a length that are kept for quantiles: exact below 512, then up to 0.4 % too low."""
_FRESH = 1 << 16
"""Different lengths that are kept exactly before they are rounded."""
MOST_KEYS = 4_096
"""Distinct keys up to which their number is exact; beyond that, its standard error is 1.6 %."""


def whole(value: Any) -> int:
    """Return a count that may come from another machine.

    Raises:
        ValueError: It is not a whole number from 0.
    """
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r:.40} is not a count")
    return value


def counter(plain: Mapping[str, Any]) -> Counter[str]:
    """Return counts by name that may come from another machine.

    Raises:
        ValueError: One is not a count.
    """
    return Counter({str(key): whole(count) for key, count in plain.items()})


class Lengths:
    """Lengths of many things: their number, sum, spread and range exactly, and quantiles.

    Attributes:
        fresh: Counts of lengths; add to them directly.
    """

    def __init__(self) -> None:
        self.fresh: Counter[int] = Counter()
        self._rounded: Counter[int] = Counter()
        self._sums = [0, 0, 0]
        self._ends: tuple[int, int] | None = None

    def fold(self, most: int = _FRESH) -> None:
        """Bound the space: round the lengths if there are more than `most` different ones."""
        if len(self.fresh) <= most:
            return
        for length, count in self.fresh.items():
            excess = max(0, length.bit_length() - _DIGITS)
            self._rounded[length >> excess << excess] += count
            self._add_sums(count, count * length, count * length * length)
        self._add_ends(min(self.fresh), max(self.fresh))
        self.fresh.clear()

    def _add_sums(self, *sums: int) -> None:
        self._sums = [one + other for one, other in zip(self._sums, sums, strict=True)]

    def _add_ends(self, least: int, most: int) -> None:
        before = self._ends or (least, most)
        self._ends = min(least, before[0]), max(most, before[1])

    def merge(self, other: Lengths) -> None:
        """Add the lengths of other things."""
        self.fold(0)
        other.fold(0)
        self._rounded.update(other._rounded)
        self._add_sums(*other._sums)
        if other._ends is not None:
            self._add_ends(*other._ends)

    def plain(self) -> dict[str, Any]:
        """Return the counts as JSON types."""
        self.fold(0)
        return {"sums": self._sums, "ends": self._ends, "counts": sorted(self._rounded.items())}

    @classmethod
    def of(cls, plain: Any) -> Lengths:
        """Return the counts of `plain`, which may come from another machine."""
        made = cls()
        made._add_sums(*map(whole, plain["sums"]))
        if plain["ends"] is not None:
            made._add_ends(*map(whole, plain["ends"]))
        made._rounded = Counter({whole(length): whole(count) for length, count in plain["counts"]})
        return made

    @property
    def number(self) -> int:
        """How many there are."""
        return self._sums[0] + self.fresh.total()

    @property
    def total(self) -> int:
        """Their sum."""
        return self._sums[1] + sum(length * count for length, count in self.fresh.items())

    @property
    def mean(self) -> float:
        """Their mean; 0 if there are none."""
        return self.total / max(1, self.number)

    @property
    def deviation(self) -> float:
        """Their standard deviation, as of a whole population."""
        self.fold(0)
        number, total, squares = self._sums
        return math.sqrt(squares * number - total * total) / max(1, number)

    @property
    def least(self) -> int:
        """The shortest; there must be one."""
        return min(self.fresh) if self._ends is None else min([self._ends[0], *self.fresh])

    @property
    def most(self) -> int:
        """The longest; 0 if there are none."""
        return max([0 if self._ends is None else self._ends[1], *self.fresh])

    def quantile(self, share: float) -> float:
        """Return the length that this share of all does not exceed; between two, their mean.

        It is up to 0.4 % too low, but never below the shortest.
        """
        return max(self._rounded_quantile(share), self.least)

    def _rounded_quantile(self, share: float) -> float:
        counts = self.fresh + self._rounded
        wanted, seen = share * counts.total(), 0
        ordered = sorted(counts)
        for place, length in enumerate(ordered[:-1]):
            seen += counts[length]
            if seen > wanted:
                return length
            if seen == wanted:
                return (length + ordered[place + 1]) / 2
        return ordered[-1]

    @property
    def median(self) -> float:
        """Their median, as `statistics.median` returns it; there must be one."""
        found = self.quantile(0.5)
        return found if self.number % 2 else float(found)


class DistinctKeys:
    """The number of distinct keys, from the smallest of their hashes (Bar-Yossef et al., RANDOM 2002).

    Attributes:
        hashes: The smallest ones.
    """

    def __init__(self, hashes: Iterable[int] = ()) -> None:
        self.hashes = set(hashes)

    def add(self, keys: Iterable[Any]) -> None:
        """Add keys."""
        texts = (f"{type(key).__name__} {key}".encode(errors="surrogatepass") for key in keys)
        digests = (hashlib.blake2b(text, digest_size=8).digest() for text in texts)
        self.merge(DistinctKeys(int.from_bytes(digest) for digest in digests))

    def merge(self, other: DistinctKeys) -> None:
        """Add other keys."""
        self.hashes = set(sorted(self.hashes | other.hashes)[:MOST_KEYS])

    @property
    def count(self) -> int:
        """The number, estimated if there are as many as `MOST_KEYS`."""
        if len(self.hashes) < MOST_KEYS:
            return len(self.hashes)
        return round((MOST_KEYS - 1) / (max(self.hashes) / 2**64))
