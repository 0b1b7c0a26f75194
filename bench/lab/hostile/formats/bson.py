"""Hostile BSON (bsonspec.org)."""

from __future__ import annotations

import struct
from functools import partial

from ..cases import DEEP, Case, room
from .filled import filled, filled_keys

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"bson"}))

ITEMS = {
    "empty-lists": b"\x04\0\x05\0\0\0\0",
    "empty-maps": b"\x03\0\x05\0\0\0\0",
    "one-item-maps": b"\x03\0\x07\0\0\0\x0a\0\0",
    "short-texts": b"\x02\0\x03\0\0\0ab\0",
    "integers": b"\x10\0\x01\0\0\0",
    "floats": b"\x01\0" + struct.pack("<d", 0.5),
    "moments": b"\x09\0" + bytes(8),
}


def document(body: bytes) -> bytes:
    """Return a document of elements."""
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def _array(item: bytes, count: int) -> bytes:
    return document(b"\x04a\0" + document(item * count))


def _many_keys(count: int) -> bytes:
    return document(b"".join(b"\x0a%07d\0" % number for number in range(count)))


def _nested(kind: bytes, levels: int) -> bytes:
    heads = b"".join(struct.pack("<i", 5 + 8 * (levels - n)) + kind + b"a\0" for n in range(levels))
    return heads + b"\5\0\0\0\0" + b"\0" * levels


def _text(size: int) -> bytes:
    text = b"a" * (size - 18) + "😀".encode() + b"\0"
    return document(b"\x02a\0" + struct.pack("<i", len(text)) + text)


CASES: tuple[Case, ...] = (
    *filled("bson", ITEMS, _array),
    filled_keys("bson", _many_keys, 9),
    _case(
        "fill-text", "one long text with one emoji to the limit of size", lambda codec: [_text(room(codec))]
    ),
    _case("deep-lists", f"arrays nested {DEEP:,} deep", lambda codec: [_nested(b"\x04", DEEP)], must="limit"),
    _case(
        "deep-maps", f"documents nested {DEEP:,} deep", lambda codec: [_nested(b"\x03", DEEP)], must="limit"
    ),
    _case(
        "length-claims",
        "documents, texts and bytes of wrong length",
        lambda codec: (
            [
                struct.pack("<i", claim) + body + b"\0"
                for claim in (-(2**31), -1, 0, 4, 6, 2**31 - 1)
                for body in (b"", b"\x0aa\0")
            ]
            + [
                document(kind + b"a\0" + struct.pack("<i", claim) + rest)
                for kind in (b"\x02", b"\x03", b"\x04", b"\x05", b"\x0d", b"\x0f")
                for claim in (-(2**31), -1, 100, 2**31 - 1)
                for rest in (b"", b"\0", b"abc\0")
            ]
        ),
        must="refuse",
    ),
    _case(
        "moments",
        "moments out of range",
        lambda codec: [
            document(b"\x09a\0" + struct.pack("<q", value)) for value in (-(2**63), 2**63 - 1, -(10**15))
        ],
    ),
    _case(
        "odd-types",
        "patterns, code, pointers, long decimals, UUIDs of wrong length, unknown types",
        lambda codec: [
            document(body)
            for body in (
                b"\x0ba\0(((((\0zzz\0",
                b"\x0ba\0" + b"(a+)+" * 50 + b"$\0imsx\0",
                b"\x0da\0\x02\0\0\0x\0",
                b"\x0fa\0\x0f\0\0\0\x02\0\0\0x\0\x05\0\0\0\0",
                b"\x0ca\0\x02\0\0\0x\0" + bytes(12),
                b"\x13a\0" + b"\xff" * 16,
                b"\x13a\0" + bytes(14) + b"\x40\x78",
                b"\x05a\0\x03\0\0\0\x04abc",
                b"\x05a\0\x03\0\0\0\x03abc",
                b"\x05a\0\x00\0\0\0\x02",
                b"\x06a\0",
                b"\xffa\0",
                b"\x7fa\0",
                b"\x11a\0" + b"\xff" * 8,
                b"\x42a\0",
                b"\x08a\0\x07",
                b"\x0ea\0\x02\0\0\0x\0",
                b"\x03a\0" + document(b"\x02$ref\0\x02\0\0\0c\0\x0a$id\0"),
            )
        ],
    ),
    _case(
        "no-utf-8",
        "texts and keys that are no UTF-8",
        lambda codec: [
            document(b"\x02a\0\x02\0\0\0\xff\0"),
            document(b"\x0a\xff\0"),
            document(b"\x02a\0\x03\0\0\0\xc0\x80\0"),
        ],
        must="refuse",
    ),
    _case(
        "surrogates",
        "a lone surrogate as bytes",
        lambda codec: [document(b"\x02a\0\x04\0\0\0\xed\xa0\x80\0")],
    ),
    _case(
        "malformed",
        "keys and documents without an end",
        lambda codec: [
            document(b"\x0aa"),
            b"\x05\0\0\0\x01",
            b"\x04\0\0\0",
            b"\5\0\0",
            document(b"\x01a\0abc"),
        ],
        must="refuse",
    ),
    _case(
        "trailing",
        "bytes after the document",
        lambda codec: [document(b"") + b"\0", document(b"") * 2, document(b"\0") + b"x"],
        must="refuse",
    ),
)
