"""Hostile YAML."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from ..build import DEEP, EMOJI, Fill, Repeat, either, fills, limit, refuse, table
from .json import ITEMS, array, mapping

if TYPE_CHECKING:
    from .....codecs import Codec

_MODULUS = 2**61 - 1
"""The modulus of Python's hashes of numbers."""
_SHORT = 400_000
"""Bytes of a text that a loader might read repeatedly."""
_LONG = 1_000_000
"""Digits of long numbers."""


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
    large = ", ".join(f"k{number}: 0" for number in range(1000))
    yield f"a: &a {{{large}}}\nb:\n".encode() + b"- {<<: *a}\n" * min(10_000, codec.limits.size // 20)


def _indented(codec: Codec) -> Iterator[bytes]:
    yield b"\n".join(b" " * level + b"a:" for level in range(min(2000, int(codec.limits.size**0.5))))


def _same_hash(codec: Codec) -> Iterator[bytes]:
    keys = [str(number * _MODULUS) for number in range(min(20_000, codec.limits.size // 40))]
    yield ("{" + ", ".join(f"{key}: 0" for key in keys) + "}").encode()
    yield ("!!set {" + ", ".join(keys) + "}").encode()


_PARTS = (
    b"&a ~", b"! a", b"!!str a", b"!!binary aGk=", b"!!set {a}", b"!!omap [a: 1]", b"2001-01-01T00:00:00.5+01:00",
    b"1:30:45.5", b"0b1_0", b"{? [] : }", b"{a: 1, a: 2}", b"{<<: {}}", b"'it''s'", rb'"\U0001f600"', b"{&b ? &c : &d }",
)  # fmt: skip
"""Small values that take a step of their own."""

CASES = table(
    "yaml",
    *fills(ITEMS, array, mapping, pair=12, apart=1),
    either("fill-items", "items on separate lines to the limit of size", Repeat(b"- a\n")),
    either("fill-text", "one long text with one emoji to the limit of size",
           Repeat(b"a", head=b'"', tail=EMOJI + b'"')),
    either("fill-escapes", "one text of escapes to the limit of size", Repeat(rb"\xe9", head=b'"', tail=b'"')),
    either("fill-lines", "one plain text over many lines to the limit of size", Repeat(b"a\n")),
    either("fill-comment", "one comment to the limit of size", Repeat(b"#", tail=b"\n1")),
    either("fill-spaces", "empty lines to the limit of size", Repeat(b"\n", tail=b"1")),
    either("many-parts", "many anchors, aliases, tags, sets, merge keys, dates, to the limits of items and of size",
           *(Fill(partial(array, item), len(item) + 1) for item in _PARTS),
           Fill(partial(array, b"*a"), 3, other=20), Repeat(b",*a", head=b"[&a ~", tail=b"]"),
           Repeat(b"- &a !!str a\n"), Repeat(b"? &a a\n: *a\n")),
    limit("deep-lists", f"lists nested {DEEP:,} deep", Repeat(b"[", DEEP, closing=b"]")),
    limit("deep-maps", f"maps nested {DEEP:,} deep", Repeat(b"{a: ", DEEP, tail=b"1", closing=b"}")),
    limit("deep-blocks", "lists and keys in block style, one after another",
          Repeat(b"- ", DEEP, tail=b"1"), Repeat(b"? ", DEEP, tail=b"1"), _indented),
    refuse("deep-open", "brackets to the limit of size, none closed", Repeat(b"["), Repeat(b"{a: ")),
    either("deep-lines", "many lists, each 190 deep", Repeat(b"- " + b"[" * 190 + b"]" * 190 + b"\n", most=_SHORT)),
    either("brackets-in-texts", "brackets in texts",
           Repeat(b"[ ", head=b'"', tail=b'"', most=_SHORT), b"- see [1]\n- 'a {b'\n" * 10_000),
    limit("laughs", "lists of the list before, ten times, 10 deep", _laughs("*a{}", 10)),
    either("laughs-as-keys", "keys that hold laughs",
           b"? &a [x, x]\n: 1\n? [*a, *a]\n: 2", _laughs("{{*a{} : 1}}", 6)),
    either("cycles", "a list and a map that contain themselves", b"&a [*a]", b"&a {b: *a}", b"&a {? *a : 1}"),
    either("merges", "merge keys that multiply", _merges(10), b"&a {<<: *a}", b"<<: 1", b"<<: [1, 2]"),
    either("merges-of-one", "many maps that each merge a large one", _wide_merges),
    either("aliases", "hundreds of thousands of aliases, and of anchors",
           Repeat(b"- *a\n", head=b"- &a [x]\n", most=_SHORT), Repeat(b"- &a x\n", most=_SHORT)),
    either("sexagesimals", "numbers in base 60 of many places, with a point and without",
           Repeat(b":1", head=b"1", most=_SHORT), Repeat(b":1", head=b"1", tail=b".5", most=_SHORT),
           Repeat(b":1", 2000, head=b"1"), Repeat(b"1" + b":1" * 2000 + b", ", 100, head=b"[", tail=b"]"),
           Repeat(b"1" + b":1" * 2000 + b".5, ", 100, head=b"[", tail=b"]")),
    either("long-numbers", "numbers of a million digits, in every base",
           Repeat(b"9", most=_LONG), Repeat(b"f", head=b"0x", most=_LONG), Repeat(b"1", head=b"0b", most=_LONG),
           Repeat(b"7", head=b"0", most=_LONG), Repeat(b"7", head=b"1.", most=_LONG),
           Repeat(b"_", head=b"1", most=_LONG), Repeat(b"1", tail=b".5e+9", most=_LONG),
           Repeat(b"1", tail=b"x", most=_LONG)),
    either("odd-scalars", "malformed datetimes, numbers, bytes and sets",
           b"2001-99-99", b"2001-01-01T99:99:99Z", b"0000-00-00", b"9999-12-31T23:59:59-23:59",
           b"2001-01-01 00:00:00 +99:99", b"!!int x", b"!!int ''", b"!!float x", b"!!float ''", b"!!bool x",
           b"!!null x", b"!!timestamp x", b"!!binary '='", b"!!binary '\xc3\xa9'", b"!!set [a]", b"!!omap {a: 1}",
           b"!!pairs [a]", b"!!str [a]", b"!!seq a", b"!!map a", b".inf", b"1e400", b"0b", b"0x_", b"+.", b"=", b"<<",
           b"!!int 0o8", b"!!int 1:99:x", b"[!!float .nan, .NaN]", b"!<tag:yaml.org,2002:int> _"),
    refuse("python-objects", "tags that would run code",
           b"!!python/object/apply:os.system ['exit 7']", b"!!python/name:os.system",
           b"!!python/object/new:os.system [x]", b"!!python/module:os", b"!!python/tuple [1]",
           b"!!python/object:collections.deque {}"),
    either("same-hash", "20,000 keys, or items of a set, of one hash", _same_hash),
    either("odd-keys", "keys that are lists, maps and sets",
           b"? [a]\n: 1", b"{{a: 1}: 1}", b"? !!set {a}\n: 1", b"{.nan: 1, .nan: 2}"),
    refuse("no-utf-8", "texts with invalid UTF-8", b'"\xff"', b"a: \xc0\x80", b"\xe2\x82", b"# \xfe\n1"),
    either("surrogates", "lone surrogates, as escapes and as bytes",
           rb'"\ud800"', rb'"\udfff": "\udc00\ud800"', rb'"\U0000d800"', rb'"\U00110000"', b'"\xed\xa0\x80"'),
    either("other-encodings", "UTF-16, UTF-32, a byte order mark, control characters",
           *("a: 1".encode(name) for name in ("utf-16", "utf-16-be", "utf-32", "utf-8-sig")),
           b"a: \0", b"\x07", b"a: \x1b[0m"),
    refuse("malformed", "invalid YAML",
           b"[a", b"{a: 1", b'"a', b"a: b: c", b"*a", b"a: [", b"&", b"- a\nb", b"%YAML 9.9\n--- a", b"? a\n? [",
           b"\t- a", b"@", b"!<", b'"\\q"', b"a: |9x", b"{]", b"'"),
    refuse("trailing", "a second document", b"--- a\n--- b\n", b"a\n...\nb\n", b"{} {}"),
    either("directives", "many directives and documents",
           Repeat(b"%TAG ! x\n", 10_000, tail=b"--- a"), Repeat(b"---\n", 100_000)),
    either("tags", "tags and anchors that are long",
           Repeat(b"x", head=b"!", tail=b" a", most=_SHORT), Repeat(b"x", head=b"&", tail=b" a", most=_SHORT),
           b"!!%ff a"),
    either("rare-forms", "unusual but well-formed payloads",
           b"a: &x [1, 2]\nb: *x\nc: {<<: {d: 1}, e: ~}\n", b"--- !!map\n? [a, b]\n: - c\n  - d\n...\n",
           b"- !!binary aGk=\n- !!set {a, b}\n- !!omap [a: 1]\n- !!pairs [a: 1]\n- !!timestamp 2001-12-14t21:59:43.10-05:00\n",
           b"- 1:30:45.5\n- 0x1F\n- 0o17\n- 017\n- 0b1_0\n- +1_000\n- .inf\n- -.INF\n- .nan\n- 2001-01-01\n- =\n- <<\n",
           b"a: |\n  x\n   y\nb: >-\n  z\nc: \"\\u00e9\\x41\\\n  d\"\nd: 'it''s'\n",
           b"%YAML 1.1\n%TAG ! tag:x,2000:\n--- !foo {a: 1}\n", b"&a [*a, *a]\n", b"? a\n? b\n",
           b"- &a {x: 1}\n- <<: [*a, {y: 2}]\n"),
)  # fmt: skip
