"""Hostile CBOR (RFC 8949)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

from ..cases import DEEP, Case, room
from .filled import filled, filled_keys

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"cbor"}))

ITEMS = {
    "empty-lists": b"\x80",
    "empty-maps": b"\xa0",
    "one-item-maps": b"\xa1\x60\x00",
    "short-texts": b"\x62ab",
    "integers": b"\x01",
    "floats": b"\xf9\x38\x00",
    "tagged-moments": b"\xc1\x01",
}
LONG = 200_000
MODULUS = 2**61 - 1
"""Of Python's hashes of numbers."""


def _head(major: int, count: int) -> bytes:
    return bytes([major << 5 | 27]) + struct.pack(">Q", count)


def _array(item: bytes, count: int) -> bytes:
    return _head(4, count) + item * count


def _bignum(value: int) -> bytes:
    data = value.to_bytes((value.bit_length() + 7) // 8)
    return b"\xc2" + _head(2, len(data)) + data


def _many_keys(count: int) -> bytes:
    return _head(5, count) + b"".join(b"\x1a" + struct.pack(">I", n) + b"\x00" for n in range(count))


def _same_hash(codec: Codec) -> Iterator[bytes]:
    count = min(20_000, room(codec) // 30)
    numbers = [_bignum((number + 16) * MODULUS) for number in range(count)]
    # Python hashes -1 like -2, and tuples by the hashes of their items.
    tuples = [b"\x94" + bytes(key) for key in islice(product((0x20, 0x21), repeat=20), count)]
    for keys in (numbers, tuples):
        yield _head(5, count) + b"".join(key + b"\x00" for key in keys)
        yield b"\xd9\x01\x02" + _head(4, count) + b"".join(keys)


def _long_numbers(codec: Codec) -> Iterator[bytes]:
    digits = _bignum(10 ** min(LONG, room(codec) // 2))
    long = _bignum((1 << min(8 * LONG, 4 * room(codec))) - 1)
    for number in (digits, long):
        yield number
        for tag in (b"\xc4", b"\xc5"):
            for exponent in (b"\x01", b"\x20", b"\x3b" + b"\xff" * 8, b"\x1b" + b"\x7f" * 8):
                yield tag + b"\x82" + exponent + number
        yield b"\xd8\x1e\x82" + number + b"\x03"
        yield b"\xd8\x1e\x82\x03" + number
        yield b"\xc1" + number


def _laughs() -> bytes:
    levels = [b"\xd8\x1c\x80"]
    levels += [b"\xd8\x1c\x8a" + (b"\xd8\x1d" + bytes([level])) * 10 for level in range(20)]
    return b"\x95" + b"".join(levels)


def _tag(number: int, content: bytes) -> bytes:
    return b"\xd9" + struct.pack(">H", number) + content


def _text(text: str) -> bytes:
    data = text.encode()
    return _head(3, len(data)) + data


_CONTENTS = (
    b"\x00",
    b"\x3b" + b"\xff" * 8,
    b"\xf6",
    b"\xf9\x7e\x00",
    b"\xfb\x7f\xe0" + bytes(6),
    b"\x40",
    b"\x43abc",
    b"\x60",
    b"\x63abc",
    b"\x80",
    b"\x82\x01\x02",
    b"\x82\x00\x00",
    b"\x82\x1b" + b"\xff" * 8 + b"\x01",
    b"\xa0",
    b"\xa1\x01\x01",
    b"\x82\x60\x60",
    b"\x81\x80",
    _text("2001-99-99T99:99:99Z"),
    _text("0000-00-00"),
)
_TAGS = (
    0,
    1,
    2,
    3,
    4,
    5,
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
    32,
    33,
    34,
    35,
    36,
    37,
    52,
    54,
    63,
    64,
    100,
    256,
    257,
    258,
    260,
    261,
    1004,
    43000,
    55799,
)


CASES: tuple[Case, ...] = (
    *filled("cbor", ITEMS, _array),
    filled_keys("cbor", _many_keys, 6),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [_head(3, room(codec) - 9) + b"a" * (room(codec) - 13) + "😀".encode()],
    ),
    _case(
        "fill-chunks",
        "a text of one-byte pieces to the limit of size",
        lambda codec: [
            b"\x7f" + b"\x61a" * ((room(codec) - 2) // 2) + b"\xff",
            b"\x5f" + b"\x41a" * ((room(codec) - 2) // 2) + b"\xff",
        ],
    ),
    _case(
        "deep-lists", f"lists nested {DEEP:,} deep", lambda codec: [b"\x81" * DEEP + b"\xf6"], must="limit"
    ),
    _case(
        "deep-maps", f"maps nested {DEEP:,} deep", lambda codec: [b"\xa1\x00" * DEEP + b"\xf6"], must="limit"
    ),
    _case(
        "deep-keys",
        f"maps in keys, nested {DEEP:,} deep",
        lambda codec: [b"\xa1" * DEEP + b"\xf6" * (DEEP + 1)],
        must="refuse",
    ),
    _case(
        "deep-unending",
        f"lists without a length, nested {DEEP:,} deep",
        lambda codec: [b"\x9f" * DEEP + b"\xff" * DEEP],
        must="limit",
    ),
    _case(
        "deep-tags",
        f"tags nested {DEEP:,} deep",
        lambda codec: [
            tag * DEEP + b"\x00" for tag in (b"\xc6", b"\xc1", b"\xd8\x1c", b"\xd9\x01\x02", b"\xd9\xd9\xf7")
        ],
        must="refuse",
    ),
    _case(
        "deep-open",
        "lists to the limit of size, none closed",
        lambda codec: [b"\x9f" * room(codec)],
        must="refuse",
    ),
    _case(
        "length-claims",
        "lengths of up to 2^64, with nothing behind",
        lambda codec: [
            _head(major, count) + rest
            for major in (2, 3, 4, 5)
            for count in (2**64 - 1, 2**63, 2**62, 2**32, 10**9)
            for rest in (b"", b"\x00", b"\x80" * 100)
        ],
        must="refuse",
    ),
    _case("long-numbers", "long numbers, alone and as decimals, floats and fractions", _long_numbers),
    _case(
        "decimals",
        "decimals and fractions with exponents and denominators beyond all bounds",
        lambda codec: [
            tag + b"\x82" + first + second
            for tag in (b"\xc4", b"\xc5", b"\xd8\x1e")
            for first in (b"\x00", b"\x1b" + b"\xff" * 8, b"\x3b" + b"\xff" * 8, b"\x1a\x00\x0f\xff\xff")
            for second in (b"\x00", b"\x01", b"\x3b" + b"\xff" * 8, b"\xf9\x7e\x00", b"\x61x")
        ],
    ),
    _case("same-hash", "20,000 keys, or items of a set, of one hash", _same_hash),
    _case(
        "tags",
        "every tag that libraries know on content that it is not for",
        lambda codec: [_tag(number, content) for number in _TAGS for content in _CONTENTS],
    ),
    _case(
        "patterns",
        "patterns that are long, or take long, and MIME messages",
        lambda codec: [
            _tag(35, _text("(a+)+$" * 1000)),
            _tag(35, _text("x" * min(1_000_000, room(codec) - 20))),
            _tag(35, _text("(" * 5000 + ")" * 5000)),
            _tag(36, _text("A: b\n" * 20_000)),
        ],
    ),
    _case(
        "shared",
        "values that hold themselves, references to nothing",
        lambda codec: [
            b"\xd8\x1c\x81\xd8\x1d\x00",
            b"\xd8\x1c\xa1\x00\xd8\x1d\x00",
            b"\xd8\x1d\x00",
            b"\xd8\x1d\x1b" + b"\xff" * 8,
            b"\xd8\x1c\xd8\x1d\x00",
            b"\xd9\x01\x00\x81\xd8\x19\x00",
            b"\xd9\x01\x02\x81\xd8\x1c\x81\xd8\x1d\x00",
        ],
    ),
    _case("laughs", "lists of the list before, ten times, 20 deep", lambda codec: [_laughs()]),
    _case(
        "no-utf-8",
        "texts that are no UTF-8",
        lambda codec: [b"\x61\xff", b"\x62\xc0\x80", b"\xa1\x61\xfe\x01"],
        must="refuse",
    ),
    _case("surrogates", "a lone surrogate as bytes", lambda codec: [b"\x63\xed\xa0\x80"]),
    _case(
        "malformed",
        "reserved heads, breaks at the wrong place, pieces of another kind",
        lambda codec: [
            b"\x1c",
            b"\x1d",
            b"\x1e",
            b"\x1f",
            b"\xff",
            b"\x81\xff",
            b"\xa1\x00\xff",
            b"\xbf\x00\xff",
            b"\x5f\x61a\xff",
            b"\x7f\x41a\xff",
            b"\x7f\x7f\x61a\xff\xff",
            b"\xc1",
            b"\x82\x01",
            b"\xfb\x00",
        ],
        must="refuse",
    ),
    _case(
        "trailing",
        "bytes after the value",
        lambda codec: [b"\xa0\xa0", b"\x01\x00", b"\x80\xff"],
        must="refuse",
    ),
    _case(
        "odd-keys",
        "keys that are lists, maps, NaN, undefined, tags",
        lambda codec: [
            b"\xa1" + key + b"\x01"
            for key in (
                b"\x80",
                b"\xa0",
                b"\xf9\x7e\x00",
                b"\xf7",
                b"\xc1\x00",
                b"\xd9\x01\x02\x80",
                b"\x81\xa0",
            )
        ],
    ),
)
