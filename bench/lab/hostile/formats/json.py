"""Hostile JSON."""

from __future__ import annotations

from functools import partial

from ..cases import DEEP, Case, room
from .filled import filled, filled_keys, listed

__all__ = ["CASES", "ITEMS", "many_keys"]

_case = partial(Case, "decode", wires=frozenset({"json"}))

ITEMS = {
    "empty-lists": b"[]",
    "empty-maps": b"{}",
    "one-item-maps": b'{"":0}',
    "short-texts": b'"ab"',
    "integers": b"1",
    "floats": b"0.5",
}


def many_keys(count: int) -> bytes:
    """Return a map of so many keys."""
    return b"{" + b",".join(b'"%07d":0' % number for number in range(count)) + b"}"


CASES: tuple[Case, ...] = (
    *filled("json", ITEMS, listed, apart=1),
    filled_keys("json", many_keys, 12),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [b'"' + b"a" * (room(codec) - 6) + "😀".encode() + b'"'],
    ),
    _case(
        "fill-escapes",
        "one text of escapes to the limit of size",
        lambda codec: [b'"' + rb"\u00e9" * (room(codec) // 6 - 1) + b'"'],
    ),
    _case("fill-spaces", "spaces to the limit of size", lambda codec: [b" " * (room(codec) - 1) + b"1"]),
    _case(
        "deep-lists", f"lists nested {DEEP:,} deep", lambda codec: [b"[" * DEEP + b"]" * DEEP], must="limit"
    ),
    _case(
        "deep-maps",
        f"maps nested {DEEP:,} deep",
        lambda codec: [b'{"a":' * DEEP + b"1" + b"}" * DEEP],
        must="limit",
    ),
    _case(
        "deep-open",
        "brackets to the limit of size, none closed",
        lambda codec: [b"[" * room(codec), b'[{"":' * (room(codec) // 5)],
        must="refuse",
    ),
    _case(
        "long-numbers",
        "numbers of millions of digits",
        lambda codec: [
            b"9" * min(room(codec), 4_000_000),
            b"-0." + b"7" * min(room(codec) - 3, 4_000_000),
            b"1" * min(room(codec) - 4, 4_000_000) + b".5e9",
            b"1e" + b"0" * min(room(codec) - 3, 4_000_000) + b"1",
        ],
    ),
    _case(
        "odd-numbers",
        "numbers beyond all bounds, and what are none",
        lambda codec: [
            b"1e400",
            b"-1e400",
            b"1e-400",
            b"1E999999999999",
            b"NaN",
            b"-Infinity",
            b"-0",
            b"1" * 400,
        ],
    ),
    _case(
        "no-utf-8",
        "texts that are no UTF-8",
        lambda codec: [
            b'"\xff"',
            b'"\xc0\x80"',
            b'"\xe2\x82"',
            b'{"\xf5\x80\x80\x80":1}',
            b'"\xf4\x90\x80\x80"',
        ],
        must="refuse",
    ),
    _case(
        "surrogates",
        "lone surrogates, as escapes and as bytes",
        lambda codec: [rb'"\ud800"', rb'{"\udfff":"\udc00\ud800"}', b'"\xed\xa0\x80"'],
    ),
    _case(
        "other-encodings",
        "UTF-16, UTF-32, a byte order mark",
        lambda codec: ['{"a":1}'.encode(name) for name in ("utf-16", "utf-16-be", "utf-32", "utf-8-sig")],
    ),
    _case(
        "malformed",
        "what is no JSON",
        lambda codec: [
            b"[1,]",
            b"[,1]",
            b'{"a":1,}',
            b'{"a"}',
            b'{"a":}',
            b"{1:2}",
            b"[1 2]",
            b"]",
            b"nul",
            b'"\\x41"',
            b'"a',
            b"'a'",
            b"[1}",
            b'"\\u12"',
            b"/**/1",
            b"",
        ],
        must="refuse",
    ),
    _case(
        "trailing",
        "bytes after the value",
        lambda codec: [b"{}{}", b"{} x", b"{}\0", b"[],", b"1 2", b"{}\xff", b"[]\0[]"],
        must="refuse",
    ),
    _case("nul-in-text", "NUL bytes in texts and keys", lambda codec: [b'"a\0b"', b'{"\0":1}', rb'"\u0000"']),
    _case(
        "same-keys",
        "one key again and again",
        lambda codec: [b'{"a":1' + b',"a":1' * (min(room(codec), 1 << 20) // 6 - 2) + b"}"],
    ),
)
