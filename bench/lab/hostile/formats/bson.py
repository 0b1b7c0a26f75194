"""Hostile BSON (bsonspec.org)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial

from ..build import DEEP, EMOJI, Fill, either, fills, joined, limit, refuse, table

_ITEMS = {
    "empty-lists": b"\x04\0\x05\0\0\0\0",
    "empty-maps": b"\x03\0\x05\0\0\0\0",
    "one-item-maps": b"\x03\0\x07\0\0\0\x0a\0\0",
    "short-texts": b"\x02\0\x03\0\0\0ab\0",
    "integers": b"\x10\0\x01\0\0\0",
    "floats": b"\x01\0" + struct.pack("<d", 0.5),
    "moments": b"\x09\0" + bytes(8),
}
_KINDS = (b"\x02", b"\x03", b"\x04", b"\x05", b"\x0d", b"\x0f")
"""Types of elements that have a length."""


def _document(body: bytes) -> bytes:
    return _number(len(body) + 5) + body + b"\0"


def _number(value: int) -> bytes:
    return struct.pack("<i", value)


def _array(item: bytes, count: int) -> bytes:
    return _document(b"\x04a\0" + _document(item * count))


def _mapping(count: int) -> bytes:
    return _document(b"".join(b"\x0a%07d\0" % number for number in range(count)))


def _nested(kind: bytes) -> bytes:
    heads = b"".join(_number(5 + 8 * (DEEP - level)) + kind + b"a\0" for level in range(DEEP))
    return heads + b"\5\0\0\0\0" + b"\0" * DEEP


def _text(size: int) -> bytes:
    text = b"a" * (size - 18) + EMOJI + b"\0"
    return _document(b"\x02a\0" + _number(len(text)) + text)


def _lengths() -> Iterator[bytes]:
    claims = map(_number, (-(2**31), -1, 0, 4, 6, 2**31 - 1))
    yield from joined(claims, (b"\0", b"\x0aa\0\0"))
    claims = map(_number, (-(2**31), -1, 100, 2**31 - 1))
    yield from map(_document, joined(_KINDS, [b"a\0"], claims, (b"", b"\0", b"abc\0")))


_PARTS = (
    (b"\x06\0", 1),
    (b"\x07\0" + bytes(12), 1),
    (b"\x0b\0a\0i\0", 1),
    (b"\x0d\0\x02\0\0\0x\0", 1),
    (b"\x0f\0" + _number(16) + b"\x02\0\0\0x\0" + _document(b""), 2),
    (b"\x11\0" + bytes(8), 1),
    (b"\x13\0" + bytes(16), 1),
    (b"\x05\0\x10\0\0\0\x04" + bytes(16), 1),
    (b"\x05\0\0\0\0\0\x80", 1),
    (b"\x03\0" + _document(b"\x02$ref\0\x01\0\0\0\0\x0a$id\0"), 5),
    (b"\x03\0" + _document(b"\x04\0" + _document(b"")), 3),
)
"""Small elements that take a step of their own, each with the number of its values."""

CASES = table(
    "bson",
    *fills(_ITEMS, _array, _mapping, pair=9),
    either("fill-text", "one long text with one emoji to the limit of size", lambda codec: [_text(codec.limits.size)]),
    either("many-parts", "many patterns, pointers, decimals, codes, references, to the limits of items and of size",
           *(Fill(partial(_array, item), len(item), values) for item, values in _PARTS)),
    limit("deep-lists", f"arrays nested {DEEP:,} deep", lambda codec: [_nested(b"\x04")]),
    limit("deep-maps", f"documents nested {DEEP:,} deep", lambda codec: [_nested(b"\x03")]),
    refuse("length-claims", "documents, texts and bytes of wrong length", *_lengths()),
    either("moments", "datetimes out of range",
           *(_document(b"\x09a\0" + struct.pack("<q", value)) for value in (-(2**63), 2**63 - 1, -(10**15)))),
    either("odd-types", "patterns, code, pointers, long decimals, UUIDs of wrong length, unknown types",
           *map(_document, (
               b"\x0ba\0(((((\0zzz\0", b"\x0ba\0" + b"(a+)+" * 50 + b"$\0imsx\0", b"\x0da\0\x02\0\0\0x\0",
               b"\x0fa\0\x0f\0\0\0\x02\0\0\0x\0\x05\0\0\0\0", b"\x0ca\0\x02\0\0\0x\0" + bytes(12),
               b"\x13a\0" + b"\xff" * 16, b"\x13a\0" + bytes(14) + b"\x40\x78", b"\x05a\0\x03\0\0\0\x04abc",
               b"\x05a\0\x03\0\0\0\x03abc", b"\x05a\0\x00\0\0\0\x02", b"\x06a\0", b"\xffa\0", b"\x7fa\0",
               b"\x11a\0" + b"\xff" * 8, b"\x42a\0", b"\x08a\0\x07", b"\x0ea\0\x02\0\0\0x\0",
               b"\x03a\0" + _document(b"\x02$ref\0\x02\0\0\0c\0\x0a$id\0"),
           ))),
    refuse("no-utf-8", "texts and keys with invalid UTF-8",
           *map(_document, (b"\x02a\0\x02\0\0\0\xff\0", b"\x0a\xff\0", b"\x02a\0\x03\0\0\0\xc0\x80\0"))),
    either("surrogates", "a lone surrogate as bytes", _document(b"\x02a\0\x04\0\0\0\xed\xa0\x80\0")),
    refuse("malformed", "keys and documents without an end",
           _document(b"\x0aa"), b"\x05\0\0\0\x01", b"\x04\0\0\0", b"\5\0\0", _document(b"\x01a\0abc")),
    refuse("trailing", "bytes after the document",
           _document(b"") + b"\0", _document(b"") * 2, _document(b"\0") + b"x"),
    either("rare-forms", "unusual but well-formed payloads",
           b"\x16\0\0\0\x05a\0\4\0\0\0\x02\0\0\0\0" + b"ab" + b"\0" * 5,
           b"\x14\0\0\0\x07_id\0" + b"\1" * 10 + b"\0", b"\x12\0\0\0\x0ba\0ab.*\0imx\0\0",
           b"\x10\0\0\0\x11a\0\1\0\0\0\2\0\0\0\0", b"\x18\0\0\0\x13d\0" + b"\x5f" * 16 + b"\0",
           b"\x1d\0\0\0\x0fa\0\x15\0\0\0\5\0\0\0f(x)\0\5\0\0\0\0\0", b"\x08\0\0\0\xffa\0\0",
           b"\x08\0\0\0\x7fa\0\0", b"\x10\0\0\0\x0da\0\4\0\0\0x=1\0\0",
           b"\x1a\0\0\0\x0ca\0\2\0\0\0c\0" + b"\7" * 12 + b"\0",
           b"\x1a\0\0\0\3$ref\0\x0f\0\0\0\2$ref\0\1\0\0\0\0\0\0"),
)  # fmt: skip
