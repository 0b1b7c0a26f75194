"""Hostile MessagePack (msgpack/spec.md)."""

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

_case = partial(Case, "decode", wires=frozenset({"msgpack"}))

ITEMS = {
    "empty-lists": b"\x90",
    "empty-maps": b"\x80",
    "one-item-maps": b"\x81\xa0\x00",
    "short-texts": b"\xa2ab",
    "integers": b"\x01",
    "floats": b"\xca\x3f\x00\x00\x00",
    "moments": b"\xd6\xff\x00\x00\x00\x01",
}
LENGTHS = {
    "str 8": b"\xd9\xff",
    "str 16": b"\xda\xff\xff",
    "str 32": b"\xdb\xff\xff\xff\xff",
    "bin 32": b"\xc6\xff\xff\xff\xff",
    "ext 32": b"\xc9\xff\xff\xff\xff\x05",
    "array 32": b"\xdd\xff\xff\xff\xff",
    "map 32": b"\xdf\xff\xff\xff\xff",
    "array 16": b"\xdc\xff\xff",
}


def _array(item: bytes, count: int) -> bytes:
    return b"\xdd" + struct.pack(">I", count) + item * count


def _many_keys(count: int) -> bytes:
    return (
        b"\xdf"
        + struct.pack(">I", count)
        + b"".join(b"\xce" + struct.pack(">I", number) + b"\x00" for number in range(count))
    )


def _keys_of_one_hash(codec: Codec) -> Iterator[bytes]:
    """Python hashes -1 like -2, and tuples by the hashes of their items."""
    keys = (b"\xdc\x00\x14" + bytes(key) for key in product((0xFF, 0xFE), repeat=20))
    pairs = [key + b"\x00" for key in islice(keys, min(20_000, room(codec) // 30))]
    yield b"\xdf" + struct.pack(">I", len(pairs)) + b"".join(pairs)


CASES: tuple[Case, ...] = (
    *filled("msgpack", ITEMS, _array),
    filled_keys("msgpack", _many_keys, 6),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [
            b"\xdb" + struct.pack(">I", room(codec) - 5) + b"a" * (room(codec) - 9) + "😀".encode()
        ],
    ),
    _case(
        "deep-lists", f"lists nested {DEEP:,} deep", lambda codec: [b"\x91" * DEEP + b"\xc0"], must="limit"
    ),
    _case(
        "deep-maps",
        f"maps nested {DEEP:,} deep",
        lambda codec: [b"\x81\xa1a" * DEEP + b"\xc0"],
        must="limit",
    ),
    _case(
        "deep-keys",
        f"maps in keys, nested {DEEP:,} deep",
        lambda codec: [b"\x81" * DEEP + b"\xc0" * (DEEP + 1)],
        must="refuse",
    ),
    _case(
        "deep-open",
        "lists to the limit of size, none closed",
        lambda codec: [b"\x91" * room(codec)],
        must="refuse",
    ),
    _case(
        "length-claims",
        "lengths of up to 4 GiB, with nothing behind",
        lambda codec: [start + rest for start in LENGTHS.values() for rest in (b"", b"\x01", b"\x91" * 100)],
        must="refuse",
    ),
    _case(
        "nested-claims",
        "arrays that claim 65,535 arrays each, 100 deep",
        lambda codec: [b"\xdc\xff\xff" * 100, b"\xdd\x00\xff\xff\xff" * 100],
        must="refuse",
    ),
    _case(
        "extensions",
        "moments out of range, and extensions of all kinds",
        lambda codec: (
            [
                b"\xc7\x0c\xff" + struct.pack(">Iq", nanoseconds, seconds)
                for nanoseconds in (0, 999_999_999, 2**32 - 1)
                for seconds in (0, -(2**63), 2**63 - 1, 253402300800)
            ]
            + [
                b"\xd7\xff" + b"\xff" * 8,
                b"\xd5\xff\x00\x00",
                b"\xd4\x7fx",
                b"\xc7\x00\x80",
                b"\xd8\x00" + bytes(16),
            ]
        ),
    ),
    _case(
        "odd-keys",
        "keys that are lists, maps, nil, NaN, moments, extensions",
        lambda codec: [
            b"\x81" + key + b"\x01"
            for key in (
                b"\x90",
                b"\x80",
                b"\xc0",
                b"\xcb\x7f\xf8" + bytes(6),
                b"\xd6\xff\0\0\0\1",
                b"\xd4\x05x",
                b"\x91\x90",
            )
        ],
    ),
    _case("same-hash", "20,000 keys of one hash", _keys_of_one_hash),
    _case(
        "no-utf-8",
        "texts that are no UTF-8",
        lambda codec: [b"\xa1\xff", b"\xa2\xc0\x80", b"\x81\xa1\xfe\x01"],
        must="refuse",
    ),
    _case("surrogates", "a lone surrogate as bytes", lambda codec: [b"\xa3\xed\xa0\x80"]),
    _case(
        "malformed",
        "the byte that is never used, too few items",
        lambda codec: [b"\xc1", b"\x92\x01", b"\x82\xa1a\x01", b"\x91\xc1", b"\xcb\x00", b"\xc7\x05"],
        must="refuse",
    ),
    _case(
        "trailing",
        "bytes after the value",
        lambda codec: [b"\x80\x80", b"\x01\x00", b"\x90\xc1"],
        must="refuse",
    ),
    _case(
        "same-keys",
        "one key again and again",
        lambda codec: [b"\xdf" + struct.pack(">I", 100_000) + b"\xa1a\x01" * 100_000],
    ),
)
