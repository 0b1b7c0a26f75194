"""Hostile payloads for any format, mostly made from the codec's own, and the collection of all others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import compressed, formats
from .build import Repeat, accept, either, limit, refuse, table
from .cases import HostileCase, ordinary

if TYPE_CHECKING:
    from ....codecs import Codec

MUTANTS = 200


def _own(codec: Codec) -> Iterator[bytes]:
    yield codec.encode(ordinary(codec))


def _twice(codec: Codec) -> Iterator[bytes]:
    # YAML continues after a map, so another document has to begin there.
    between = b"---\n" if codec.format == "yaml" and codec.compression is None else b""
    for payload in _own(codec):
        yield payload + between + payload


def _prefixes(codec: Codec) -> Iterator[bytes]:
    for payload in _own(codec):
        for part in range(1, 20):
            yield payload[: len(payload) * part // 20]
        yield payload[:-1]


def _mutants(codec: Codec) -> Iterator[bytes]:
    """Yield payloads with bytes flipped, removed, doubled, or replaced by common forms of a length."""
    digits = random.Random(1)
    payload = next(_own(codec))
    for _ in range(MUTANTS):
        mutant = bytearray(payload)
        for _ in range(digits.randrange(1, 5)):
            place = digits.randrange(len(mutant))
            length = digits.choice((1, 1, 2, 4, 8))
            mutant[place : place + length] = digits.choice(
                (
                    digits.randbytes(length),
                    b"\xff" * length,
                    b"\x00" * length,
                    b"",
                    payload[place : place + length] * 2,
                    bytes([payload[place % len(payload)] ^ 1 << digits.randrange(8)]),
                )
            )
        yield bytes(mutant)


def _noise(codec: Codec) -> Iterator[bytes]:
    digits = random.Random(2)
    for length in (1, 2, 3, 8, 100, 1000, 10_000):
        yield digits.randbytes(length)
        yield bytes(length)
        yield b"\xff" * length


def _odd_views(codec: Codec) -> Iterator[Any]:
    for payload in _own(codec):
        released = memoryview(payload)
        released.release()
        yield from (released, None, 1, [payload], object())


def _spread_view(codec: Codec) -> Iterator[Any]:
    for payload in _own(codec):
        yield memoryview(bytes(byte for byte in payload for _ in "12"))[::2]
        yield memoryview(bytearray(payload))


_UNIVERSAL = (
    *table(("never empty", "compressed"), refuse("empty", "an empty payload", b""), pack=False),
    *table(
        None,
        limit("over-size", "one byte more than the limit of size",
              lambda codec: [b" " * (codec.limits.size + 1)]),
        either("zeros", "NUL bytes to the limit of size", Repeat(b"\0")),
        refuse("twice", "a payload twice", _twice),
        either("truncated", "20 parts of a payload from its start", _prefixes),
        either("mutated", f"a payload with some bytes changed, {MUTANTS} times", _mutants),
        either("noise", "random bytes, NUL bytes, bytes of ones", _noise),
        refuse("odd-views", "released views, and objects other than bytes", _odd_views),
        accept("spread-view", "views with gaps, and of bytearrays", _spread_view),
        pack=False,
    ),
)  # fmt: skip

(UNTRUSTED,) = table(None, refuse("untrusted", "an ordinary payload, without trust", _own), pack=False)
"""The only promise of decoding if payloads can run code."""

PAYLOADS: tuple[HostileCase, ...] = (UNTRUSTED, *_UNIVERSAL, *formats.CASES, *compressed.CASES)
"""All decoding cases."""
