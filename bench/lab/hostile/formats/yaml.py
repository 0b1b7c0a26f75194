"""Hostile YAML."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from ..cases import DEEP, Case, room
from .filled import filled, filled_keys, listed
from .json import ITEMS, many_keys

if TYPE_CHECKING:
    from .....codecs import Codec

__all__ = ["CASES"]

_case = partial(Case, "decode", wires=frozenset({"yaml"}))

MODULUS = 2**61 - 1
"""Of Python's hashes of numbers."""


def _laughs(item: str, levels: int) -> bytes:
    lines = ["a0: &a0 [x, x]"]
    for level in range(1, levels):
        items = ", ".join([item.format(level - 1)] * 10)
        lines.append(f"a{level}: &a{level} [{items}]")
    return "\n".join(lines).encode()


def _merges(levels: int) -> bytes:
    lines = ["a0: &a0 {x: 1, y: 2}"]
    for level in range(1, levels):
        anchors = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} {{<<: [{anchors}]}}")
    return "\n".join(lines).encode()


def _wide_merges(codec: Codec) -> Iterator[bytes]:
    """Many maps that each merge one large one."""
    large = ", ".join(f"k{number}: 0" for number in range(1000))
    yield f"a: &a {{{large}}}\nb:\n".encode() + b"- {<<: *a}\n" * min(10_000, room(codec) // 20)


def _indented(levels: int) -> bytes:
    return b"\n".join(b" " * level + b"a:" for level in range(levels))


def _same_hash(codec: Codec) -> Iterator[bytes]:
    count = min(20_000, room(codec) // 40)
    keys = [str(number * MODULUS) for number in range(count)]
    yield ("{" + ", ".join(f"{key}: 0" for key in keys) + "}").encode()
    yield ("!!set {" + ", ".join(keys) + "}").encode()


_SHORT = 400_000
"""Bytes of what a loader might read over and over again."""

CASES: tuple[Case, ...] = (
    *filled("yaml", ITEMS, listed, apart=1),
    _case(
        "fill-items",
        "items on lines of their own to the limit of size",
        lambda codec: [b"- a\n" * (room(codec) // 4)],
    ),
    filled_keys("yaml", many_keys, 12),
    _case(
        "fill-text",
        "one long text with one emoji to the limit of size",
        lambda codec: [b'"' + b"a" * (room(codec) - 6) + "😀".encode() + b'"'],
    ),
    _case(
        "fill-escapes",
        "one text of escapes to the limit of size",
        lambda codec: [b'"' + rb"\xe9" * (room(codec) // 4 - 1) + b'"'],
    ),
    _case(
        "fill-lines",
        "one plain text over many lines to the limit of size",
        lambda codec: [b"a\n" * (room(codec) // 2)],
    ),
    _case(
        "fill-comment", "one comment to the limit of size", lambda codec: [b"#" * (room(codec) - 2) + b"\n1"]
    ),
    _case(
        "fill-spaces", "empty lines to the limit of size", lambda codec: [b"\n" * (room(codec) - 1) + b"1"]
    ),
    _case(
        "deep-lists", f"lists nested {DEEP:,} deep", lambda codec: [b"[" * DEEP + b"]" * DEEP], must="limit"
    ),
    _case(
        "deep-maps",
        f"maps nested {DEEP:,} deep",
        lambda codec: [b"{a: " * DEEP + b"1" + b"}" * DEEP],
        must="limit",
    ),
    _case(
        "deep-blocks",
        "lists and keys in block style, one after another",
        lambda codec: [
            b"- " * DEEP + b"1",
            b"? " * DEEP + b"1",
            _indented(min(2000, int(room(codec) ** 0.5))),
        ],
        must="limit",
    ),
    _case(
        "deep-open",
        "brackets to the limit of size, none closed",
        lambda codec: [b"[" * room(codec), b"{a: " * (room(codec) // 4)],
        must="refuse",
    ),
    _case(
        "deep-lines",
        "many lists, each 190 deep",
        lambda codec: [(b"- " + b"[" * 190 + b"]" * 190 + b"\n") * (min(_SHORT, room(codec)) // 383)],
    ),
    _case(
        "brackets-in-texts",
        "brackets in texts",
        lambda codec: [
            b'"' + b"[ " * (min(_SHORT, room(codec)) // 2 - 1) + b'"',
            b"- see [1]\n- 'a {b'\n" * 10_000,
        ],
    ),
    _case("laughs", "lists of the list before, ten times, 10 deep", lambda codec: [_laughs("*a{}", 10)]),
    _case(
        "laughs-as-keys",
        "keys that hold laughs",
        lambda codec: [b"? &a [x, x]\n: 1\n? [*a, *a]\n: 2", _laughs("{{*a{} : 1}}", 6)],
    ),
    _case(
        "cycles",
        "a list and a map that hold themselves",
        lambda codec: [b"&a [*a]", b"&a {b: *a}", b"&a {? *a : 1}"],
    ),
    _case(
        "merges",
        "merge keys that multiply",
        lambda codec: [_merges(10), b"&a {<<: *a}", b"<<: 1", b"<<: [1, 2]"],
    ),
    _case("merges-of-one", "many maps that each merge a large one", _wide_merges),
    _case(
        "aliases",
        "hundreds of thousands of aliases, and of anchors",
        lambda codec: [
            b"- &a [x]\n" + b"- *a\n" * (min(_SHORT, room(codec)) // 5 - 2),
            b"- &a x\n" * (min(_SHORT, room(codec)) // 7),
        ],
    ),
    _case(
        "sexagesimals",
        "numbers in base 60 of many places, with a point and without",
        lambda codec: [
            b"1" + b":1" * (min(_SHORT, room(codec)) // 2 - 2),
            b"1" + b":1" * (min(_SHORT, room(codec)) // 2 - 2) + b".5",
            b"1" + b":1" * 2000,
            b"[" + (b"1" + b":1" * 2000 + b", ") * 100 + b"]",
            b"[" + (b"1" + b":1" * 2000 + b".5, ") * 100 + b"]",
        ],
    ),
    _case(
        "long-numbers",
        "numbers of a million digits, in every base",
        lambda codec: [
            start + digit * min(1_000_000, room(codec) - 3) + end
            for start, digit, end in (
                (b"", b"9", b""),
                (b"0x", b"f", b""),
                (b"0b", b"1", b""),
                (b"0", b"7", b""),
                (b"1.", b"7", b""),
                (b"1", b"_", b""),
                (b"", b"1", b".5e+9"),
                (b"", b"1", b"x"),
            )
        ],
    ),
    _case(
        "odd-scalars",
        "moments, numbers, bytes and sets that are none",
        lambda codec: [
            b"2001-99-99",
            b"2001-01-01T99:99:99Z",
            b"0000-00-00",
            b"9999-12-31T23:59:59-23:59",
            b"2001-01-01 00:00:00 +99:99",
            b"!!int x",
            b"!!int ''",
            b"!!float x",
            b"!!float ''",
            b"!!bool x",
            b"!!null x",
            b"!!timestamp x",
            b"!!binary '='",
            b"!!binary '\xc3\xa9'",
            b"!!set [a]",
            b"!!omap {a: 1}",
            b"!!pairs [a]",
            b"!!str [a]",
            b"!!seq a",
            b"!!map a",
            b".inf",
            b"1e400",
            b"0b",
            b"0x_",
            b"+.",
            b"=",
            b"<<",
            b"!!int 0o8",
            b"!!int 1:99:x",
            b"[!!float .nan, .NaN]",
            b"!<tag:yaml.org,2002:int> _",
        ],
    ),
    _case(
        "python-objects",
        "tags that would run code",
        lambda codec: [
            b"!!python/object/apply:os.system ['exit 7']",
            b"!!python/name:os.system",
            b"!!python/object/new:os.system [x]",
            b"!!python/module:os",
            b"!!python/tuple [1]",
            b"!!python/object:collections.deque {}",
        ],
        must="refuse",
    ),
    _case("same-hash", "20,000 keys, or items of a set, of one hash", _same_hash),
    _case(
        "odd-keys",
        "keys that are lists, maps and sets",
        lambda codec: [b"? [a]\n: 1", b"{{a: 1}: 1}", b"? !!set {a}\n: 1", b"{.nan: 1, .nan: 2}"],
    ),
    _case(
        "no-utf-8",
        "texts that are no UTF-8",
        lambda codec: [b'"\xff"', b"a: \xc0\x80", b"\xe2\x82", b"# \xfe\n1"],
        must="refuse",
    ),
    _case(
        "surrogates",
        "lone surrogates, as escapes and as bytes",
        lambda codec: [
            rb'"\ud800"',
            rb'"\udfff": "\udc00\ud800"',
            rb'"\U0000d800"',
            rb'"\U00110000"',
            b'"\xed\xa0\x80"',
        ],
    ),
    _case(
        "other-encodings",
        "UTF-16, UTF-32, a byte order mark, control characters",
        lambda codec: [
            *("a: 1".encode(name) for name in ("utf-16", "utf-16-be", "utf-32", "utf-8-sig")),
            b"a: \0",
            b"\x07",
            b"a: \x1b[0m",
        ],
    ),
    _case(
        "malformed",
        "what is no YAML",
        lambda codec: [
            b"[a",
            b"{a: 1",
            b'"a',
            b"a: b: c",
            b"*a",
            b"a: [",
            b"&",
            b"- a\nb",
            b"%YAML 9.9\n--- a",
            b"? a\n? [",
            b"\t- a",
            b"@",
            b"!<",
            b'"\\q"',
            b"a: |9x",
            b"{]",
            b"'",
        ],
        must="refuse",
    ),
    _case(
        "trailing",
        "a second document",
        lambda codec: [b"--- a\n--- b\n", b"a\n...\nb\n", b"{} {}"],
        must="refuse",
    ),
    _case(
        "directives",
        "many directives and documents",
        lambda codec: [b"%TAG ! x\n" * 10_000 + b"--- a", b"---\n" * 100_000],
    ),
    _case(
        "tags",
        "tags and anchors that are long",
        lambda codec: [
            b"!" + b"x" * min(_SHORT, room(codec) - 9) + b" a",
            b"&" + b"x" * min(_SHORT, room(codec) - 9) + b" a",
            b"!!%ff a",
        ],
    ),
)
