"""Hostile CBOR (RFC 8949)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

from ..build import DEEP, EMOJI, Fill, Repeat, either, fills, joined, limit, refuse, table

if TYPE_CHECKING:
    from .....codecs import Codec

_ITEMS = {
    "empty-lists": b"\x80",
    "empty-maps": b"\xa0",
    "one-item-maps": b"\xa1\x60\x00",
    "short-texts": b"\x62ab",
    "integers": b"\x01",
    "floats": b"\xf9\x38\x00",
    "tagged-moments": b"\xc1\x01",
}
_LONG = 200_000
"""Digits of long numbers."""
_MODULUS = 2**61 - 1
"""The modulus of Python's hashes of numbers."""


def _head(major: int, count: int) -> bytes:
    return bytes([major << 5 | 27]) + struct.pack(">Q", count)


def _array(item: bytes, count: int) -> bytes:
    return _head(4, count) + item * count


def _mapping(count: int) -> bytes:
    return _head(5, count) + b"".join(b"\x1a" + struct.pack(">I", n) + b"\x00" for n in range(count))


def _odd_mapping(key: Callable[[int], bytes], count: int) -> bytes:
    return _head(5, count) + b"".join(key(number) + b"\xf6" for number in range(count))


def _list_of(number: int) -> bytes:
    return b"\x81\x1a" + struct.pack(">I", number)


def _crowded(number: int) -> bytes:
    """Return a number of which a hundred in a row have the same hash."""
    return _bignum(number // 100 + (number % 100 + 16) * _MODULUS)


def _bignum(value: int) -> bytes:
    data = value.to_bytes((value.bit_length() + 7) // 8)
    return b"\xc2" + _head(2, len(data)) + data


def _same_hash(codec: Codec) -> Iterator[bytes]:
    count = min(20_000, codec.limits.size // 30)
    numbers = [_bignum((number + 16) * _MODULUS) for number in range(count)]
    # Python gives -1 and -2 the same hash, and hashes tuples by their items.
    tuples = [b"\x94" + bytes(key) for key in islice(product((0x20, 0x21), repeat=20), count)]
    for keys in (numbers, tuples):
        yield _head(5, count) + b"".join(key + b"\x00" for key in keys)
        yield b"\xd9\x01\x02" + _head(4, count) + b"".join(keys)


def _long_numbers(codec: Codec) -> Iterator[bytes]:
    size = codec.limits.size
    for number in (_bignum(10 ** min(_LONG, size // 2)), _bignum((1 << min(8 * _LONG, 4 * size)) - 1)):
        yield number
        exponents = (b"\x01", b"\x20", b"\x3b" + b"\xff" * 8, b"\x1b" + b"\x7f" * 8)
        yield from joined((b"\xc4\x82", b"\xc5\x82"), exponents, [number])
        yield b"\xd8\x1e\x82" + number + b"\x03"
        yield b"\xd8\x1e\x82\x03" + number
        yield b"\xc1" + number


def _laughs() -> bytes:
    levels = [b"\xd8\x1c\x80"]
    levels += [b"\xd8\x1c\x8a" + (b"\xd8\x1d" + bytes([level])) * 10 for level in range(20)]
    return b"\x95" + b"".join(levels)


def _tag(number: int, content: bytes = b"") -> bytes:
    return b"\xd9" + struct.pack(">H", number) + content


def _text(text: str) -> bytes:
    return _head(3, len(text)) + text.encode()


_TAGS = (
    0, 1, 2, 3, 4, 5, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, 33, 34, 35, 36, 37, 52, 54, 63, 64, 100, 256, 257,
    258, 260, 261, 1004, 43000, 55799,
)  # fmt: skip
_CONTENTS = (
    b"\x00", b"\x3b" + b"\xff" * 8, b"\xf6", b"\xf9\x7e\x00", b"\xfb\x7f\xe0" + bytes(6), b"\x40", b"\x43abc",
    b"\x60", b"\x63abc", b"\x80", b"\x82\x01\x02", b"\x82\x00\x00", b"\x82\x1b" + b"\xff" * 8 + b"\x01", b"\xa0",
    b"\xa1\x01\x01", b"\x82\x60\x60", b"\x81\x80", _text("2001-99-99T99:99:99Z"), _text("0000-00-00"),
)  # fmt: skip
_NUMERATORS = (b"\x00", b"\x1b" + b"\xff" * 8, b"\x3b" + b"\xff" * 8, b"\x1a\x00\x0f\xff\xff")
_DENOMINATORS = (b"\x00", b"\x01", b"\x3b" + b"\xff" * 8, b"\xf9\x7e\x00", b"\x61x")


_PARTS = (
    (b"\xc0\x74" + b"2001-01-01T00:00:00Z", 2),
    (b"\xc1\x00", 2),
    (b"\xc2\x41\x01", 2),
    (b"\xc2\x40", 2),
    (b"\xc4\x82\x00\x01", 4),
    (b"\xc5\x82\x00\x01", 4),
    (b"\xd8\x1e\x82\x01\x02", 4),
    (b"\xd8\x1c\x80", 2),
    (b"\xd8\x23\x61a", 2),
    (b"\xd8\x25\x50" + bytes(16), 2),
    (b"\xd8\x34\x44" + bytes(4), 2),
    (b"\xd8\x64\x00", 2),
    (b"\xd9\x01\x02\x80", 2),
    (b"\xd9\x01\x02\x81\x80", 3),
    (b"\xda\x00\x01\x00\x00\x00", 2),
    (b"\x9f\xff", 1),
    (b"\x7f\xff", 1),
    (b"\xbf\xff", 1),
    (b"\xf8\xff", 1),
)
"""Small values that take a step of their own, each with the number of its values."""

CASES = table(
    "cbor",
    *fills(_ITEMS, _array, _mapping, pair=6),
    either("fill-text", "one long text with one emoji to the limit of size",
           Repeat(b"a", head=lambda count: _head(3, count + 4), tail=EMOJI)),
    either("fill-chunks", "a text of one-byte pieces to the limit of size",
           Repeat(b"\x61a", head=b"\x7f", tail=b"\xff"), Repeat(b"\x41a", head=b"\x5f", tail=b"\xff")),
    either("many-parts", "many values of each tag, and values without a length, to the limits of items and of size",
           *(Fill(partial(_array, item), len(item), values) for item, values in _PARTS)),
    limit("deep-lists", f"lists nested {DEEP:,} deep", Repeat(b"\x81", DEEP, tail=b"\xf6")),
    limit("deep-maps", f"maps nested {DEEP:,} deep", Repeat(b"\xa1\x00", DEEP, tail=b"\xf6")),
    refuse("deep-keys", f"maps in keys, nested {DEEP:,} deep", Repeat(b"\xa1", DEEP, tail=b"\xf6", closing=b"\xf6")),
    limit("deep-unending", f"lists without a length, nested {DEEP:,} deep", Repeat(b"\x9f", DEEP, closing=b"\xff")),
    refuse("deep-tags", f"tags nested {DEEP:,} deep",
           *(Repeat(tag, DEEP, tail=b"\x00")
             for tag in (b"\xc6", b"\xc1", b"\xd8\x1c", b"\xd9\x01\x02", b"\xd9\xd9\xf7"))),
    refuse("deep-open", "lists to the limit of size, none closed", Repeat(b"\x9f")),
    refuse("length-claims", "lengths of up to 2^64, without data",
           *joined((_head(major, count) for major in (2, 3, 4, 5) for count in (2**64 - 1, 2**63, 2**62, 2**32, 10**9)),
                   (b"", b"\x00", b"\x80" * 100))),
    either("long-numbers", "long numbers, alone and as decimals, floats and fractions", _long_numbers),
    either("decimals", "decimals and fractions with out-of-range exponents and denominators",
           *joined((b"\xc4\x82", b"\xc5\x82", b"\xd8\x1e\x82"), _NUMERATORS, _DENOMINATORS)),
    either("same-hash", "20,000 keys, or items of a set, of one hash", _same_hash),
    either("tags", "every tag that libraries know on content that it is not for",
           *joined(map(_tag, _TAGS), _CONTENTS)),
    either("patterns", "patterns that are long, or take long, and MIME messages",
           _tag(35, _text("(a+)+$" * 1000)),
           Repeat(b"x", head=lambda count: _tag(35, _head(3, count)), most=1_000_000),
           _tag(35, _text("(" * 5000 + ")" * 5000)), _tag(36, _text("A: b\n" * 20_000))),
    either("shared", "values that contain themselves, dangling references",
           b"\xd8\x1c\x81\xd8\x1d\x00", b"\xd8\x1c\xa1\x00\xd8\x1d\x00", b"\xd8\x1d\x00", b"\xd8\x1d\x1b" + b"\xff" * 8,
           b"\xd8\x1c\xd8\x1d\x00", b"\xd9\x01\x00\x81\xd8\x19\x00", b"\xd9\x01\x02\x81\xd8\x1c\x81\xd8\x1d\x00"),
    limit("laughs", "lists of the list before, ten times, 20 deep", _laughs()),
    refuse("no-utf-8", "texts with invalid UTF-8", b"\x61\xff", b"\x62\xc0\x80", b"\xa1\x61\xfe\x01"),
    either("surrogates", "a lone surrogate as bytes", b"\x63\xed\xa0\x80"),
    refuse("malformed", "reserved heads, breaks at the wrong place, pieces of another kind",
           b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\xff", b"\x81\xff", b"\xa1\x00\xff", b"\xbf\x00\xff", b"\x5f\x61a\xff",
           b"\x7f\x41a\xff", b"\x7f\x7f\x61a\xff\xff", b"\xc1", b"\x82\x01", b"\xfb\x00"),
    refuse("trailing", "bytes after the value", b"\xa0\xa0", b"\x01\x00", b"\x80\xff"),
    either("odd-keys", "keys that are lists, maps, NaN, undefined, tags",
           *joined([b"\xa1"], (b"\x80", b"\xa0", b"\xf9\x7e\x00", b"\xf7", b"\xc1\x00", b"\xd9\x01\x02\x80", b"\x81\xa0"),
                   [b"\x01"])),
    either("many-odd-keys", "keys that are lists, maps and tags, in many maps and in one, to the limits of items and of size",
           *(Fill(partial(_array, b"\xa1" + key + b"\xf6"), 2 + len(key), 3) for key in (b"\x80", b"\xa0")),
           Fill(partial(_array, b"\xa1\xc1\x01\xf6"), 4, 3),
           Fill(partial(_odd_mapping, _list_of), 7, 3), Fill(partial(_odd_mapping, _crowded), 20, 2)),
    either("rare-forms", "unusual but well-formed payloads",
           *map(bytes.fromhex, (
               "9f018202039f5f42010243030405ff7f657374726561ffbf616101ffffff",
               "83f97e00f818c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0",
               "c1fb41d452d9ec200000", "c48221196ab3", "c5822003", "d81e820103", "d81c82d81d0001",
               "d9010083010203", "d8255001010101010101010101010101010101", "d8641903e8",
               "d903ec6a323031332d30332d3231", "d90100a0", "c249010000000000000000",
               "c349010000000000000000", "d9d9f783f6f5f7", "d82376612e2a", "d8184101",
               "d82076687474703a2f2f7777772e6578616d706c652e636f6d", "d9010482d8250102",
               "d90100826161d81901", "d9a7f88201fb3ff8000000000000", "d90104443fffffff",
               "d90105a144c0a800001818",
           ))),
)  # fmt: skip
