"""Hostile MessagePack (msgpack/spec.md)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

from ..build import DEEP, EMOJI, Fill, Repeat, either, fills, joined, limit, refuse, table

if TYPE_CHECKING:
    from .....codecs import Codec

_ITEMS = {
    "empty-lists": b"\x90",
    "empty-maps": b"\x80",
    "one-item-maps": b"\x81\xa0\x00",
    "short-texts": b"\xa2ab",
    "integers": b"\x01",
    "floats": b"\xca\x3f\x00\x00\x00",
    "moments": b"\xd6\xff\x00\x00\x00\x01",
}
_LENGTHS = (
    b"\xd9\xff",  # str 8
    b"\xda\xff\xff",  # str 16
    b"\xdb\xff\xff\xff\xff",  # str 32
    b"\xc6\xff\xff\xff\xff",  # bin 32
    b"\xc9\xff\xff\xff\xff\x05",  # ext 32
    b"\xdd\xff\xff\xff\xff",  # array 32
    b"\xdf\xff\xff\xff\xff",  # map 32
    b"\xdc\xff\xff",  # array 16
)
_KEYS = (
    b"\x90",
    b"\x80",
    b"\xc0",
    b"\xcb\x7f\xf8" + bytes(6),
    b"\xd6\xff\0\0\0\1",
    b"\xd4\x05x",
    b"\x91\x90",
)


def _array(item: bytes, count: int) -> bytes:
    return b"\xdd" + struct.pack(">I", count) + item * count


def _mapping(count: int) -> bytes:
    keys = (b"\xce" + struct.pack(">I", number) + b"\x00" for number in range(count))
    return b"\xdf" + struct.pack(">I", count) + b"".join(keys)


def _odd_mapping(count: int) -> bytes:
    keys = (b"\x91\xce" + struct.pack(">I", number) + b"\xc0" for number in range(count))
    return b"\xdf" + struct.pack(">I", count) + b"".join(keys)


def _keys_of_one_hash(codec: Codec) -> Iterator[bytes]:
    """Yield a map whose keys have one hash: -1 and -2 share one, and tuples are hashed by their items."""
    keys = (b"\xdc\x00\x14" + bytes(key) for key in product((0xFF, 0xFE), repeat=20))
    pairs = [key + b"\x00" for key in islice(keys, min(20_000, codec.limits.size // 30))]
    yield b"\xdf" + struct.pack(">I", len(pairs)) + b"".join(pairs)


CASES = table(
    "msgpack",
    *fills(_ITEMS, _array, _mapping, pair=6),
    either("fill-text", "one long text with one emoji to the limit of size",
           Repeat(b"a", head=lambda count: b"\xdb" + struct.pack(">I", count + 4), tail=EMOJI)),
    limit("deep-lists", f"lists nested {DEEP:,} deep", Repeat(b"\x91", DEEP, tail=b"\xc0")),
    limit("deep-maps", f"maps nested {DEEP:,} deep", Repeat(b"\x81\xa1a", DEEP, tail=b"\xc0")),
    refuse("deep-keys", f"maps in keys, nested {DEEP:,} deep", Repeat(b"\x81", DEEP, tail=b"\xc0", closing=b"\xc0")),
    refuse("deep-open", "lists to the limit of size, none closed", Repeat(b"\x91")),
    refuse("length-claims", "lengths of up to 4 GiB, without data",
           *joined(_LENGTHS, (b"", b"\x01", b"\x91" * 100))),
    refuse("nested-claims", "arrays that claim 65,535 arrays each, 100 deep",
           b"\xdc\xff\xff" * 100, b"\xdd\x00\xff\xff\xff" * 100),
    either("extensions", "datetimes out of range, and extensions of all kinds",
           *(b"\xc7\x0c\xff" + struct.pack(">Iq", nanoseconds, seconds)
             for nanoseconds in (0, 999_999_999, 2**32 - 1)
             for seconds in (0, -(2**63), 2**63 - 1, 253402300800)),
           b"\xd7\xff" + b"\xff" * 8, b"\xd5\xff\x00\x00", b"\xd4\x7fx", b"\xc7\x00\x80", b"\xd8\x00" + bytes(16)),
    either("odd-keys", "keys that are lists, maps, nil, NaN, moments, extensions", *joined([b"\x81"], _KEYS, [b"\x01"])),
    either("many-odd-keys", "keys that are lists and moments, in many maps and in one, to the limits of items and of size",
           Fill(partial(_array, b"\x81\x90\xc0"), 3, 3), Fill(partial(_array, b"\x81\xd6\xff\x00\x00\x00\x01\xc0"), 8, 3),
           Fill(_odd_mapping, 7, 3)),
    either("same-hash", "20,000 keys with the same hash", _keys_of_one_hash),
    refuse("no-utf-8", "texts with invalid UTF-8", b"\xa1\xff", b"\xa2\xc0\x80", b"\x81\xa1\xfe\x01"),
    either("surrogates", "a lone surrogate as bytes", b"\xa3\xed\xa0\x80"),
    refuse("malformed", "the byte that is never used, too few items",
           b"\xc1", b"\x92\x01", b"\x82\xa1a\x01", b"\x91\xc1", b"\xcb\x00", b"\xc7\x05"),
    refuse("trailing", "bytes after the value", b"\x80\x80", b"\x01\x00", b"\x90\xc1"),
    either("same-keys", "one key repeated",
           Repeat(b"\xa1a\x01", 100_000, head=b"\xdf" + struct.pack(">I", 100_000))),
    either("rare-forms", "unusual but well-formed payloads",
           b"\xc7\x03\x05abc\xc0", b"\xd6\xff\x5a\x4a\xf6\xa5", b"\xd7\xff\xa1\xdc\xd7\xc8\x5a\x4a\xf6\xa5",
           b"\xc7\x0c\xff\x3b\x9a\xc9\xff" + b"\0" * 8,
           b"\xdf\0\0\0\1\xdb\0\0\0\1a\xdd\0\0\0\1\xc6\0\0\0\1b", b"\x82\x91\x01\xa1a\x81\x01\x02\xa1b",
           b"\x95\xca\x7f\x80\0\0\xcb\x7f\xf8\0\0\0\0\0\0\xd4\x01\x00\xd8\x01" + b"x" * 16 + b"\xc2"),
)  # fmt: skip
