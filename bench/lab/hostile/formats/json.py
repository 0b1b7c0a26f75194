"""Hostile JSON."""

from __future__ import annotations

from functools import partial

from ..build import DEEP, EMOJI, Fill, Repeat, either, fills, limit, refuse, table

ITEMS = {
    "empty-lists": b"[]",
    "empty-maps": b"{}",
    "one-item-maps": b'{"":0}',
    "short-texts": b'"ab"',
    "integers": b"1",
    "floats": b"0.5",
}
_LONG = 4_000_000
"""Digits of long numbers."""


def array(item: bytes, count: int) -> bytes:
    """Return a list."""
    return b"[" + (item + b",") * (count - 1) + item + b"]"


def mapping(count: int) -> bytes:
    """Return a map of different keys."""
    return b"{" + b",".join(b'"%07d":0' % number for number in range(count)) + b"}"


_PARTS = (
    (rb'"\ud83d\ude00"', 1),
    (rb'{"\u0061":"\n"}', 3),
    (b'{"":0,"":0}', 5),
    (b"[[[[]]]]", 4),
    (b"12345678901234567890", 1),
    (b"1" * 4_000, 1),
    (b"0." + b"7" * 800 + b"e-300", 1),
    (b"-0.0", 1),
)
"""Small parts that take a step of their own, each with the number of its values."""

CASES = table(
    "json",
    *fills(ITEMS, array, mapping, pair=12, apart=1),
    either("fill-text", "one long text with one emoji to the limit of size",
           Repeat(b"a", head=b'"', tail=EMOJI + b'"')),
    either("fill-escapes", "one text of escapes to the limit of size", Repeat(rb"\u00e9", head=b'"', tail=b'"')),
    either("many-parts", "many escapes, repeated keys, nested lists, and long numbers, to the limits of items and of size",
           *(Fill(partial(array, item), len(item) + 1, values) for item, values in _PARTS)),
    either("fill-spaces", "spaces to the limit of size", Repeat(b" ", tail=b"1")),
    limit("deep-lists", f"lists nested {DEEP:,} deep", Repeat(b"[", DEEP, closing=b"]")),
    limit("deep-maps", f"maps nested {DEEP:,} deep", Repeat(b'{"a":', DEEP, tail=b"1", closing=b"}")),
    refuse("deep-open", "brackets to the limit of size, none closed", Repeat(b"["), Repeat(b'[{"":')),
    either("long-numbers", "numbers of millions of digits",
           Repeat(b"9", most=_LONG), Repeat(b"7", head=b"-0.", most=_LONG), Repeat(b"1", tail=b".5e9", most=_LONG),
           Repeat(b"0", head=b"1e", tail=b"1", most=_LONG)),
    either("odd-numbers", "out-of-range and malformed numbers",
           b"1e400", b"-1e400", b"1e-400", b"1E999999999999", b"NaN", b"-Infinity", b"-0", b"1" * 400),
    refuse("no-utf-8", "texts with invalid UTF-8",
           b'"\xff"', b'"\xc0\x80"', b'"\xe2\x82"', b'{"\xf5\x80\x80\x80":1}', b'"\xf4\x90\x80\x80"'),
    either("surrogates", "lone surrogates, as escapes and as bytes",
           rb'"\ud800"', rb'{"\udfff":"\udc00\ud800"}', b'"\xed\xa0\x80"'),
    either("other-encodings", "UTF-16, UTF-32, a byte order mark",
           *('{"a":1}'.encode(name) for name in ("utf-16", "utf-16-be", "utf-32", "utf-8-sig"))),
    refuse("malformed", "invalid JSON",
           b"[1,]", b"[,1]", b'{"a":1,}', b'{"a"}', b'{"a":}', b"{1:2}", b"[1 2]", b"]", b"nul", b'"\\x41"', b'"a',
           b"'a'", b"[1}", b'"\\u12"', b"/**/1", b""),
    refuse("trailing", "bytes after the value",
           b"{}{}", b"{} x", b"{}\0", b"[],", b"1 2", b"{}\xff", b"[]\0[]"),
    either("nul-in-text", "NUL bytes in texts and keys", b'"a\0b"', b'{"\0":1}', rb'"\u0000"'),
    either("same-keys", "one key repeated",
           Repeat(b',"a":1', head=b'{"a":1', tail=b"}", most=1 << 20)),
    either("rare-forms", "unusual but well-formed payloads",
           b' { "a" : [ 1.5e-7 , true , false , null , "\\ud83d\\ude00\\n" ] } ',
           b'{"a":1,"a":2,"\\u0061":3}',
           b"[NaN,Infinity,-Infinity,-0,-0.0,1E400,123456789012345678901234567890]", b"\xef\xbb\xbf[]"),
)  # fmt: skip
