"""Hostile payloads of Thrift's compact protocol (doc/specs/thrift-compact-protocol.md).

The schema is that of `RECORD`: 1 id, 2 name, 3 ratio, 4 tags (unions of text and lists), 5 by (name,
age, flags), 6 many (n, square).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ..cases import DEEP, Case, room
from .filled import counts

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"thrift"}))

STOP = b"\x00"
ID = b"\x16\x0e"
NAME = b"\x18\x00"
RATIO = b"\x17" + struct.pack("<d", 0.25)
TAGS = b"\x19\x0c"
BY = b"\x1c\x18\x00\x16\x00\x19\x01\x00"
MANY = b"\x19\x0c"
WHOLE = ID + NAME + RATIO + TAGS + BY + MANY
LENGTHS = (b"\x7f", b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\xff" * 30)
"""The last two are longer than lengths are."""


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


def _list(kind: int, item: bytes, count: int) -> bytes:
    """Return a list as it stands behind the head of its field."""
    return bytes([0xF0 | kind]) + _varint(count) + item * count


def _filled(
    before: bytes, kind: int, item: bytes, values: int, after: bytes
) -> Callable[[Codec], Iterable[bytes]]:
    def payloads(codec: Codec) -> Iterator[bytes]:
        most, fitting = counts(codec, len(item), values)
        # The rest of the record counts, too.
        for count in (most - 30, fitting):
            yield before + _list(kind, item, count) + after

    return payloads


CASES: tuple[Case, ...] = (
    _case(
        "fill-structs",
        "small structs to the limits of items and of size",
        _filled(ID + NAME + RATIO + TAGS + BY + b"\x19", 12, b"\x16\x00\x16\x00\x00", 5, STOP),
    ),
    _case(
        "fill-empty-structs",
        "structs without their fields to the limits of items and of size",
        _filled(ID + NAME + RATIO + TAGS + BY + b"\x19", 12, STOP, 1, STOP),
    ),
    _case(
        "fill-unions",
        "unions of short texts to the limits of items and of size",
        _filled(ID + NAME + RATIO + b"\x19", 12, b"\x18\x01a\x00", 3, BY + MANY + STOP),
    ),
    _case(
        "fill-bools",
        "bools to the limits of items and of size",
        _filled(ID + NAME + RATIO + TAGS + b"\x1c\x18\x00\x16\x00\x19", 1, b"\x01", 1, STOP + MANY + STOP),
    ),
    _case(
        "fill-unknown",
        "empty structs in a field that the schema does not know",
        _filled(WHOLE + b"\x19", 12, STOP, 1, STOP),
    ),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [
            ID + b"\x18" + _varint(room(codec) - 200) + b"a" * (room(codec) - 204) + "😀".encode()
            + RATIO + TAGS + BY + MANY + STOP
        ],
    ),
    _case(
        "deep-structs",
        f"structs that the schema does not know, nested {DEEP:,} deep",
        lambda codec: [WHOLE + b"\x1c" * DEEP + STOP * (DEEP + 1), b"\x7c" * DEEP],
        must="refuse",
    ),
    _case(
        "deep-lists",
        f"lists and maps that the schema does not know, nested {DEEP:,} deep",
        lambda codec: [WHOLE + b"\x19" * DEEP, WHOLE + b"\x1b" + b"\x01\xbb" * DEEP],
        must="refuse",
    ),
    _case(
        "length-claims",
        "lengths of up to 2**63, with little behind, where they are known and where not",
        lambda codec: [
            before + head + length + rest
            for before, heads in (
                (ID, (b"\x18",)),
                (ID + NAME + RATIO, (b"\x19\xfc",)),
                (WHOLE, (b"\x18", b"\x19\xf1", b"\x19\xf8", b"\x1a\xfc", b"\x1b")),
            )
            for head in heads
            for length in LENGTHS
            for rest in (b"", b"\x11", b"\x01" * 100)
        ],
        must="refuse",
    ),
    _case(
        "nested-claims",
        "lists that claim as many lists each as there can be, 60 deep",
        lambda codec: [
            WHOLE + b"\x19" + b"\xf9\xff\xff\xff\xff\x07" * 60, WHOLE + b"\x1b" + b"\x7f\xbb" * 60,
        ],
        must="refuse",
    ),
    _case(
        "no-types",
        "types that there are not",
        lambda codec: [
            b"\x1e\x00", b"\x1f\x00", WHOLE + b"\x19\x10\x00", WHOLE + b"\x19\x1e\x00",
            WHOLE + b"\x1b\x01\x00\x00\x00", WHOLE + b"\x1b\x01\xe8\x00\x00",
            ID + NAME + RATIO + b"\x19\x1e\x00",
        ],
        must="refuse",
    ),
    _case(
        "other-types",
        "each field as each type, and lists of each",
        lambda codec: [
            *(bytes([field << 4 | kind]) + bytes(16) for field in range(1, 7) for kind in range(1, 14)),
            *(bytes([field << 4 | 9, 0x10 | kind]) + bytes(16) for field in (4, 6) for kind in range(1, 14)),
        ],
    ),
    _case(
        "numbers-of-fields",
        "numbers of fields below and above all that there are, and again and again",
        lambda codec: [
            b"\x06\x01\x02" + STOP, b"\x06\xff\xff\x03\x02" + STOP, b"\x06\xfe\xff\x03\x02\xf6\x02" + STOP,
            ID * 40_000 + STOP, b"\x06\x02\x02" * 100_000 + STOP,
        ],
    ),
    _case("no-utf-8", "texts that are no UTF-8", lambda codec: [WHOLE[:3] + b"\x01\xff" + WHOLE[4:] + STOP]),
    _case(
        "malformed",
        "cut short within a number, a list, a field; and what must be there is not",
        lambda codec: [b"\x16\x80", b"\x17\x00", b"\x19", ID, ID + NAME + RATIO + b"\x19\x2c\x18\x00\x00"],
        must="refuse",
    ),
    _case(
        "trailing",
        "bytes after the value",
        lambda codec: [WHOLE + STOP + STOP, WHOLE + STOP + WHOLE + STOP, STOP * 2],
        must="refuse",
    ),
)  # fmt: skip
