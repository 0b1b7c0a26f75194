"""Hostile payloads of no format in particular, most made of the codec's own; `formats` has the others."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .cases import Case, ordinary, room
from .formats import arrow, avro, bson, cbor, compressed, json, msgpack, plist, protobuf, thrift, yaml

if TYPE_CHECKING:
    from ....codecs import Codec

__all__ = ["PAYLOADS", "UNTRUSTED"]

MUTANTS = 200


def _own(codec: Codec) -> bytes:
    return codec.encode(ordinary(codec))


def _twice(codec: Codec) -> Iterator[bytes]:
    # YAML goes on after a map; there another document has to begin.
    yield (
        _own(codec)
        + (b"---\n" if codec.format == "yaml" and codec.compression is None else b"")
        + _own(codec)
    )


def _prefixes(codec: Codec) -> Iterator[bytes]:
    payload = _own(codec)
    for part in range(1, 20):
        yield payload[: len(payload) * part // 20]
    yield payload[:-1]


def _mutants(codec: Codec) -> Iterator[bytes]:
    """Yield payloads with bytes flipped, lost, doubled, or become what often means a length."""
    digits = random.Random(1)
    payload = _own(codec)
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
    payload = _own(codec)
    released = memoryview(payload)
    released.release()
    yield from (released, None, 1, [payload], object())


def _spread_view(codec: Codec) -> Iterator[memoryview]:
    yield memoryview(bytes(byte for byte in _own(codec) for _ in "12"))[::2]
    yield memoryview(bytearray(_own(codec)))


def _refused(payloads: Iterable[bytes]) -> Callable[[Codec], Iterable[bytes]]:
    return lambda codec: payloads


_UNIVERSAL = (
    Case(
        "decode",
        "empty",
        "no byte at all",
        _refused([b""]),
        must="refuse",
        wires=frozenset({"never empty", "compressed"}),
    ),
    Case(
        "decode",
        "over-size",
        "one byte more than the limit of size",
        lambda codec: [b" " * (room(codec) + 1)],
        must="limit",
    ),
    Case("decode", "zeros", "NUL bytes to the limit of size", lambda codec: [bytes(room(codec))]),
    Case("decode", "twice", "a payload twice", _twice, must="refuse"),
    Case("decode", "truncated", "20 parts of a payload from its start", _prefixes),
    Case("decode", "mutated", f"a payload with some bytes changed, {MUTANTS} times", _mutants),
    Case("decode", "noise", "random bytes, NUL bytes, bytes of ones", _noise),
    Case("decode", "odd-views", "released views, and what are no bytes", _odd_views, must="refuse"),
    Case("decode", "spread-view", "views with gaps, and of bytearrays", _spread_view, must="accept"),
)

UNTRUSTED = Case(
    "decode", "untrusted", "an ordinary payload, without trust", lambda codec: [_own(codec)], must="refuse"
)
"""All that is promised of decoding where payloads can run code."""


def _compressed(case: Case) -> Case:
    """Return a case of a format in the form that applies to compressed payloads as well."""

    def make(codec: Codec) -> Iterator[bytes]:
        for payload in case.make(codec):
            yield payload if codec.compression is None else codec.compression.compress(payload)

    return Case(case.direction, case.name, case.what, make, case.must, case.wires)


_OF_FORMATS = (
    *json.CASES,
    *msgpack.CASES,
    *cbor.CASES,
    *bson.CASES,
    *yaml.CASES,
    *plist.CASES,
    *avro.CASES,
    *protobuf.CASES,
    *thrift.CASES,
    *arrow.CASES,
)

PAYLOADS: tuple[Case, ...] = (
    UNTRUSTED,
    *_UNIVERSAL,
    *(_compressed(case) for case in _OF_FORMATS),
    *compressed.CASES,
)
"""All cases of decoding."""
