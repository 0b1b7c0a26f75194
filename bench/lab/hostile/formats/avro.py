"""Hostile Avro (specification 1.12), as records of the schema that the ordinary record gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ..cases import RECORD, Case, room
from .filled import AROUND

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"avro"}))

MOST = 2**63 - 1
LEAST = -(2**63)
ITEMS = {
    "short-texts": (b"\x00\x02a", 2, "texts of one letter"),
    "empty-lists": (b"\x02\x00", 2, "lists of nothing"),
}
"""Items of `tags`: as written, as how many values they count, and words for them."""


def _number(value: int) -> bytes:
    """Return a number as Avro writes it: zigzag, seven bits a byte."""
    value, made = (value << 1) ^ (value >> 63), bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*made, value))


def _head(codec: Codec) -> bytes:
    """Return what stands before the first field."""
    return codec.encode(RECORD).partition(b"\x0e\x18Gr")[0]


def _record(
    codec: Codec, name: bytes = b"\0", tags: bytes = b"\0", flags: bytes = b"\0", many: bytes = b"\0"
) -> bytes:
    return _head(codec) + b"\x0e" + name + bytes(8) + tags + b"\0\0" + flags + many


def _filled(item: bytes, values: int) -> Callable[[Codec], Iterator[bytes]]:
    def make(codec: Codec) -> Iterator[bytes]:
        fitting = (room(codec) - AROUND) // len(item)
        for count in (min(fitting, (codec.limits.items - 30) // values), fitting):
            yield _record(codec, tags=_number(count) + item * count + b"\0")

    return make


def _claims(codec: Codec) -> Iterator[bytes]:
    for claim in (2**20, 2**31, MOST, -(2**20), LEAST):
        number = _number(claim)
        yield _record(codec, name=number)
        yield _record(codec, flags=number)
        for size in (b"", _number(0), _number(-1), _number(2), _number(MOST)):
            yield _record(codec, tags=number + size)
            yield _record(codec, many=number + size)


def _numbers(codec: Codec) -> Iterator[bytes]:
    for number in (b"\xff" * 9 + b"\x02", b"\x80" * 10 + b"\0", b"\x80" * 1000, b"\xff" * room(codec)):
        yield _head(codec) + number[: room(codec) - AROUND]
        yield _record(codec, tags=number[: room(codec) - AROUND])


def _branches(codec: Codec) -> Iterator[bytes]:
    for branch in (-1, -2, 2, 3, 127, MOST, LEAST):
        yield _record(codec, tags=b"\x02" + _number(branch) + b"\x02a\0")


def _blocks(codec: Codec) -> Iterator[bytes]:
    for size in (1, 2, 4, 100, -1, MOST, LEAST):
        yield _record(codec, tags=_number(-1) + _number(size) + b"\0\x02a\0")


CASES: tuple[Case, ...] = (
    *(
        _case(f"fill-{name}", f"{words} to the limits of items and of size", _filled(item, values))
        for name, (item, values, words) in ITEMS.items()
    ),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [
            _record(
                codec, name=_number(room(codec) - AROUND) + b"a" * (room(codec) - AROUND - 4) + "😀".encode()
            )
        ],
        must="accept",
    ),
    _case(
        "fill-blocks",
        "a list in blocks of one item each to the limit of size",
        lambda codec: [_record(codec, tags=b"\x02\0\0" * ((room(codec) - AROUND) // 3) + b"\0")],
    ),
    _case("length-claims", "lengths and counts of up to 2^63, with nothing behind", _claims, must="refuse"),
    _case("long-numbers", "numbers of more than 64 bits, and without an end", _numbers, must="refuse"),
    _case(
        "branches",
        "branches that a union does not have, counted from its end as well",
        _branches,
        must="refuse",
    ),
    _case("block-lengths", "blocks of other lengths than they say", _blocks, must="refuse"),
    _case(
        "other-booleans",
        "booleans that are neither 0 nor 1",
        lambda codec: [_record(codec, flags=b"\x02" + byte + b"\0") for byte in (b"\x02", b"\x80", b"\xff")],
        must="refuse",
    ),
    _case(
        "bad-text",
        "text that is no UTF-8",
        lambda codec: [
            _record(codec, name=b"\x06" + text) for text in (b"\xff\xfe\xfd", b"\xed\xa0\x80", b"a\xc3\x28")
        ],
        must="refuse",
    ),
)
