"""Mutations of payloads that break parsers, at random and with the tokens of each format."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random

MOST = 1 << 16
"""Longest mutant, in bytes."""
POOL = 600
"""Limit for seeds; new learned seeds replace older ones."""

_EDGES = (
    0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 64, 100, 127, 128, 200, 201, 254, 255, 256, 1000, 1024, 32767, 32768,
    65535, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
)  # fmt: skip
_NUMBERS = tuple(
    struct.pack(f"{order}{size}", number & (1 << 8 * struct.calcsize(size)) - 1)
    for number in _EDGES
    for order in "<>"
    for size in "BHIQ"
)
_COUNTS = (2, 3, 10, 50, 51, 199, 201, 255, 300, 1030, 2100)


class Mutator:
    """Makes mutants of seeds, and learns mutants with new results as seeds.

    Args:
        seeds: Well-formed payloads.
        tokens: Tokens of the format: heads, marks, keywords.
        nests: Pairs of bytes that nest, such as ``(b"[", b"]")``.
    """

    def __init__(
        self, seeds: Sequence[bytes], tokens: Sequence[bytes], nests: Sequence[tuple[bytes, bytes]]
    ) -> None:
        self._seeds = list(seeds)
        self._given = len(self._seeds)
        self._tokens = (*tokens, *_NUMBERS)
        self._own = tuple(tokens) or _NUMBERS
        self._nests = tuple(nests)
        self._ways: tuple[Callable[[Random, bytearray], None], ...] = (
            self._flip, self._flip, self._set, self._set, self._number, self._number, self._word, self._word,
            self._word_over, self._insert, self._drop, self._double, self._move, self._splice, self._splice,
            self._cut, self._grow, self._nest, self._digits,
        )  # fmt: skip

    def mutant(self, random: Random) -> bytes:
        """Return a payload that is a few steps away from a seed."""
        data = bytearray(self._seeds[int(random.random() * len(self._seeds))])
        steps = 1
        while steps < 12 and random.random() < 0.45:
            steps += 1
        ways = self._ways
        for _ in range(steps):
            if not data:
                data += self._own[int(random.random() * len(self._own))]
            ways[int(random.random() * len(ways))](random, data)
        return bytes(data[:MOST])

    def learn(self, payload: bytes) -> None:
        """Add a payload to the seeds."""
        if len(payload) > 4096:
            return
        if len(self._seeds) < POOL:
            self._seeds.append(payload)
        else:
            # Deterministic, and never replaces the initial seeds.
            self._seeds[self._given + len(payload) * 7919 % max(1, POOL - self._given)] = payload

    def _flip(self, random: Random, data: bytearray) -> None:
        data[int(random.random() * len(data))] ^= 1 << int(random.random() * 8)

    def _set(self, random: Random, data: bytearray) -> None:
        data[int(random.random() * len(data))] = int(random.random() * 256)

    def _number(self, random: Random, data: bytearray) -> None:
        self._over(random, data, _NUMBERS)

    def _word_over(self, random: Random, data: bytearray) -> None:
        self._over(random, data, self._own)

    @staticmethod
    def _over(random: Random, data: bytearray, words: Sequence[bytes]) -> None:
        word = words[int(random.random() * len(words))]
        at = int(random.random() * len(data))
        data[at : at + len(word)] = word

    def _word(self, random: Random, data: bytearray) -> None:
        at = int(random.random() * (len(data) + 1))
        data[at:at] = self._tokens[int(random.random() * len(self._tokens))]

    def _insert(self, random: Random, data: bytearray) -> None:
        at = int(random.random() * (len(data) + 1))
        data[at:at] = random.randbytes(1 + int(random.random() * 8))

    @staticmethod
    def _part(random: Random, data: bytearray, most: int = 64) -> tuple[int, int]:
        start = int(random.random() * len(data))
        return start, start + 1 + int(random.random() * min(most, len(data) - start))

    def _drop(self, random: Random, data: bytearray) -> None:
        start, end = self._part(random, data)
        del data[start:end]

    def _double(self, random: Random, data: bytearray) -> None:
        start, end = self._part(random, data, 400)
        data[end:end] = data[start:end]

    def _move(self, random: Random, data: bytearray) -> None:
        start, end = self._part(random, data)
        part = data[start:end]
        del data[start:end]
        at = int(random.random() * (len(data) + 1))
        data[at:at] = part

    def _splice(self, random: Random, data: bytearray) -> None:
        other = self._seeds[int(random.random() * len(self._seeds))]
        if not other:
            return
        start = int(random.random() * len(other))
        part = other[start : start + 1 + int(random.random() * 100)]
        at = int(random.random() * (len(data) + 1))
        end = at + int(random.random() * len(part)) if random.random() < 0.5 else at
        data[at:end] = part

    def _cut(self, random: Random, data: bytearray) -> None:
        del data[int(random.random() * len(data)) :]

    def _grow(self, random: Random, data: bytearray) -> None:
        start, end = self._part(random, data, 8)
        data[end:end] = data[start:end] * _COUNTS[int(random.random() * len(_COUNTS))]

    def _nest(self, random: Random, data: bytearray) -> None:
        if not self._nests:
            return
        head, tail = self._nests[int(random.random() * len(self._nests))]
        count = _COUNTS[int(random.random() * len(_COUNTS))] if random.random() < 0.3 else 1
        start, end = self._part(random, data, 400)
        if random.random() < 0.4:
            start, end = 0, len(data)
        data[end:end] = tail * count
        data[start:start] = head * count

    def _digits(self, random: Random, data: bytearray) -> None:
        """Replace a number in text by another one."""
        start = int(random.random() * len(data))
        while start < len(data) and not 48 <= data[start] <= 57:
            start += 1
        end = start
        while end < len(data) and 48 <= data[end] <= 57:
            end += 1
        if start < end:
            edge = _EDGES[int(random.random() * len(_EDGES))]
            data[start:end] = b"%d" % (edge if random.random() < 0.9 else edge**9)
