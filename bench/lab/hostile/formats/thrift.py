"""Hostile payloads of Thrift's compact protocol (doc/specs/thrift-compact-protocol.md).

The schema is that of `RECORD`: 1 id, 2 name, 3 ratio, 4 tags (unions of text and lists), 5 by (name,
age, flags), 6 many (n, square).
"""

from __future__ import annotations

import struct

from .....codecs.streams.framing import varint
from ..build import DEEP, EMOJI, Fill, Repeat, either, joined, refuse, table
from .protobuf import LENGTHS

_STOP = b"\x00"
_ID = b"\x16\x0e"
_NAME = b"\x18\x00"
_RATIO = b"\x17" + struct.pack("<d", 0.25)
_TAGS = b"\x19\x0c"
_BY = b"\x1c\x18\x00\x16\x00\x19\x01\x00"
_MANY = b"\x19\x0c"
_TO_TAGS = _ID + _NAME + _RATIO
_TO_MANY = _TO_TAGS + _TAGS + _BY
_WHOLE = _TO_MANY + _MANY
_FIELDS = (b"\x11", b"\x18\x00", b"\x19\x0c", b"\x1b\x00", b"\x1c\x00")
"""Small fields that the schema does not know."""


def _filled(before: bytes, kind: int, item: bytes, values: int, after: bytes) -> Fill:
    """Return a list of as many items as fit, between the fields before and after it."""
    head = before + bytes([0xF0 | kind])
    return Fill(lambda count: head + varint(count) + item * count + after, len(item), values, other=34)


CASES = table(
    "thrift",
    either("fill-structs", "small structs to the limits of items and of size",
           _filled(_TO_MANY + b"\x19", 12, b"\x16\x00\x16\x00\x00", 5, _STOP)),
    either("fill-empty-structs", "structs without their fields to the limits of items and of size",
           _filled(_TO_MANY + b"\x19", 12, _STOP, 1, _STOP)),
    either("fill-unions", "unions of short texts to the limits of items and of size",
           _filled(_TO_TAGS + b"\x19", 12, b"\x18\x01a\x00", 3, _BY + _MANY + _STOP)),
    either("fill-bools", "bools to the limits of items and of size",
           _filled(_TO_TAGS + _TAGS + b"\x1c\x18\x00\x16\x00\x19", 1, b"\x01", 1, _STOP + _MANY + _STOP)),
    either("fill-unknown", "empty structs in a field that the schema does not know",
           _filled(_WHOLE + b"\x19", 12, _STOP, 1, _STOP)),
    either("many-parts", "empty lists, maps, texts and bools in fields that the schema does not know, and in lists of them",
           *(Repeat(item, head=_WHOLE, tail=_STOP) for item in _FIELDS),
           *(_filled(_WHOLE + b"\x19", kind, b"\x00", 1, _STOP) for kind in (1, 3, 4, 5, 6, 8, 9, 10, 11)),
           _filled(_WHOLE + b"\x19", 12, b"\x11\x00", 2, _STOP), _filled(_TO_TAGS + b"\x19", 12, b"\x29\x0c\x00", 2, _BY + _MANY + _STOP)),
    either("fill-text", "one long text with one emoji to the limit of size",
           Repeat(b"a", head=lambda count: _ID + b"\x18" + varint(count + 4),
                  tail=EMOJI + _RATIO + _TAGS + _BY + _MANY + _STOP)),
    refuse("deep-structs", f"structs that the schema does not know, nested {DEEP:,} deep",
           Repeat(b"\x1c", DEEP, head=_WHOLE, tail=_STOP, closing=_STOP), Repeat(b"\x7c", DEEP)),
    refuse("deep-lists", f"lists and maps that the schema does not know, nested {DEEP:,} deep",
           Repeat(b"\x19", DEEP, head=_WHOLE), Repeat(b"\x01\xbb", DEEP, head=_WHOLE + b"\x1b")),
    refuse("length-claims", "lengths of up to 2**63, with little data, in known and unknown fields",
           *joined((_ID + b"\x18", _TO_TAGS + b"\x19\xfc", _WHOLE + b"\x18", _WHOLE + b"\x19\xf1", _WHOLE + b"\x19\xf8",
                    _WHOLE + b"\x1a\xfc", _WHOLE + b"\x1b"), LENGTHS, (b"", b"\x11", b"\x01" * 100))),
    refuse("nested-claims", "lists that claim as many lists each as there can be, 60 deep",
           _WHOLE + b"\x19" + b"\xf9\xff\xff\xff\xff\x07" * 60, _WHOLE + b"\x1b" + b"\x7f\xbb" * 60),
    refuse("no-types", "unknown types",
           b"\x1e\x00", b"\x1f\x00", _WHOLE + b"\x19\x10\x00", _WHOLE + b"\x19\x1e\x00",
           _WHOLE + b"\x1b\x01\x00\x00\x00", _WHOLE + b"\x1b\x01\xe8\x00\x00", _TO_TAGS + b"\x19\x1e\x00"),
    either("other-types", "each field as each type, and lists of each",
           *(bytes([field << 4 | kind]) + bytes(16) for field in range(1, 7) for kind in range(1, 14)),
           *(bytes([field << 4 | 9, 0x10 | kind]) + bytes(16) for field in (4, 6) for kind in range(1, 14))),
    either("numbers-of-fields", "numbers of fields out of range, and repeated",
           b"\x06\x01\x02" + _STOP, b"\x06\xff\xff\x03\x02" + _STOP, b"\x06\xfe\xff\x03\x02\xf6\x02" + _STOP,
           _ID * 40_000 + _STOP, b"\x06\x02\x02" * 100_000 + _STOP),
    either("no-utf-8", "texts with invalid UTF-8", _WHOLE[:3] + b"\x01\xff" + _WHOLE[4:] + _STOP),
    refuse("malformed", "cut within a number, a list, a field; without a required field",
           b"\x16\x80", b"\x17\x00", b"\x19", _ID, _TO_TAGS + b"\x19\x2c\x18\x00\x00"),
    refuse("trailing", "bytes after the value",
           _WHOLE + _STOP + _STOP, _WHOLE + _STOP + _WHOLE + _STOP, _STOP * 2),
)  # fmt: skip
