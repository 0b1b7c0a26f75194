"""What mutation starts from: payloads of each format, and the words that its parsers know."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import marshal
import pickle
import plistlib
import uuid
from collections.abc import Iterator
from typing import Any, NotRequired, TypedDict

from bakeoff import codecs
from bakeoff.codecs import Codec, EncodeError
from bakeoff.datasets import corpus
from bakeoff.schemas import Schema, SchemaError

__all__ = ["NESTS", "TOKENS", "bare", "bound", "payloads", "schemas", "stream"]

CORPORA = ("movies", "messages", "types")
"""Whose schemas are tried."""

_MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 678901)
_SMALL: tuple[Any, ...] = (
    {"a": 1, "b": [True, None, 2.5], "c": "é😀", "d": {"e": {}}},
    {"a": [[[[1]]], {"b": -(2**63)}], "x" * 40: 2**63 - 1},
    [1, 300, 70_000, 2**40, -5, -(2**50), 0.1, 1e300],
    {"id": 7, "at": _MOMENT, "aware": _MOMENT.replace(tzinfo=dt.UTC), "day": _MOMENT.date()},
    {"raw": b"\xff\x00", "n": decimal.Decimal("1.10"), "u": uuid.UUID(int=5), "s": {1, 2, 3}, "t": (1, (2,))},
    {1: "a", -7: "b"},
    {"text": 'a "quoted" \\ text\n\t: - # & *', "yes": "no", "1:30": "0x1f", "~": "null"},
    {"f": [float("inf"), float("-inf"), float("nan")]},
    [{"k": n, "v": str(n)} for n in range(20)],
    "text",
    5,
    -1.5,
    None,
    True,
    [],
    {},
    2**64 - 1,
)

_MORE: dict[str, tuple[bytes, ...]] = {
    "json": (
        b' { "a" : [ 1.5e-7 , true , false , null , "\\ud83d\\ude00\\n" ] } ',
        b'{"a":1,"a":2,"\\u0061":3}',
        b"[NaN,Infinity,-Infinity,-0,-0.0,1E400,123456789012345678901234567890]",
        b"\xef\xbb\xbf[]",
    ),
    "msgpack": (
        b"\xc7\x03\x05abc\xc0",
        b"\xd6\xff\x5a\x4a\xf6\xa5",
        b"\xd7\xff\xa1\xdc\xd7\xc8\x5a\x4a\xf6\xa5",
        b"\xc7\x0c\xff\x3b\x9a\xc9\xff" + b"\0" * 8,
        b"\xdf\0\0\0\1\xdb\0\0\0\1a\xdd\0\0\0\1\xc6\0\0\0\1b",
        b"\x82\x91\x01\xa1a\x81\x01\x02\xa1b",
        b"\x95\xca\x7f\x80\0\0\xcb\x7f\xf8\0\0\0\0\0\0\xd4\x01\x00\xd8\x01" + b"x" * 16 + b"\xc2",
    ),
    "bson": (
        b"\x16\0\0\0\x05a\0\4\0\0\0\x02\0\0\0\0" + b"ab" + b"\0" * 5,
        b"\x14\0\0\0\x07_id\0" + b"\1" * 10 + b"\0",
        b"\x12\0\0\0\x0ba\0ab.*\0imx\0\0",
        b"\x10\0\0\0\x11a\0\1\0\0\0\2\0\0\0\0",
        b"\x18\0\0\0\x13d\0" + b"\x5f" * 16 + b"\0",
        b"\x1d\0\0\0\x0fa\0\x15\0\0\0\5\0\0\0f(x)\0\5\0\0\0\0\0",
        b"\x08\0\0\0\xffa\0\0",
        b"\x08\0\0\0\x7fa\0\0",
        b"\x10\0\0\0\x0da\0\4\0\0\0x=1\0\0",
        b"\x1a\0\0\0\x0ca\0\2\0\0\0c\0" + b"\7" * 12 + b"\0",
        b"\x1a\0\0\0\3$ref\0\x0f\0\0\0\2$ref\0\1\0\0\0\0\0\0",
    ),
    "yaml": (
        b"a: &x [1, 2]\nb: *x\nc: {<<: {d: 1}, e: ~}\n",
        b"--- !!map\n? [a, b]\n: - c\n  - d\n...\n",
        b"- !!binary aGk=\n- !!set {a, b}\n- !!omap [a: 1]\n- !!pairs [a: 1]\n- !!timestamp 2001-12-14t21:59:43.10-05:00\n",
        b"- 1:30:45.5\n- 0x1F\n- 0o17\n- 017\n- 0b1_0\n- +1_000\n- .inf\n- -.INF\n- .nan\n- 2001-01-01\n- =\n- <<\n",
        b"a: |\n  x\n   y\nb: >-\n  z\nc: \"\\u00e9\\x41\\\n  d\"\nd: 'it''s'\n",
        b"%YAML 1.1\n%TAG ! tag:x,2000:\n--- !foo {a: 1}\n",
        b"&a [*a, *a]\n",
        b"? a\n? b\n",
        b"- &a {x: 1}\n- <<: [*a, {y: 2}]\n",
        b"!!python/object/apply:os.getcwd []\n",
    ),
    "cbor": tuple(
        map(
            bytes.fromhex,
            (
                "9f018202039f5f42010243030405ff7f657374726561ffbf616101ffffff",
                "83f97e00f818c074323031332d30332d32315432303a30343a30305a",
                "c11a514b67b0",
                "c1fb41d452d9ec200000",
                "c48221196ab3",
                "c5822003",
                "d81e820103",
                "d81c82d81d0001",
                "d9010083010203",
                "d82550" + "01" * 16,
                "d8641903e8",
                "d903ec6a323031332d30332d3231",
                "d90100a0",
                "c249010000000000000000",
                "c349010000000000000000",
                "d9d9f783f6f5f7",
                "d82376612e2a",
                "d8184101",
                "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
                "d9010482d8250102",
                "d90100826161d81901",
                "d9a7f88201fb3ff8000000000000",
                "d90104443fffffff",
                "d90105a144c0a800001818",
            ),
        )
    ),
    "plist": (
        b'<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">'
        b'<plist version="1.0"><dict><key>a</key><array><true/><integer>0x1f</integer><real>1e3</real>'
        b"<date>2020-01-02T03:04:05Z</date><data>aGk=</data><string>&lt;&#233;</string></array></dict></plist>",
        b'<!DOCTYPE p [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]><plist><string>&a;</string></plist>',
        b"<plist><dict><key>CF$UID</key><integer>1</integer></dict></plist>",
        b'<?xml version="1.0" encoding="UTF-16"?><plist><true/></plist>',
        b"<!-- x --><plist><![CDATA[x]]><?pi y?><false/></plist>",
        plistlib.dumps([plistlib.UID(5), {"a": plistlib.UID(70_000)}], fmt=plistlib.FMT_BINARY),
    ),
    "marshal": (
        marshal.dumps(compile("a = 1", "x", "exec")),
        *(
            marshal.dumps(value, version)
            for value in ({"a": [1, 2.5]}, {1, 2}, frozenset([1]), -(2**100), 1 + 2j, ("a", "a"), {(1, 2): 3})
            for version in range(5)
        ),
    ),
    "pickle": tuple(
        pickle.dumps(value, protocol)
        for value in ({"a": [1, 2.5, None, True]}, 2**100, ["x", b"y", ("z",)], {"s": {1, 2}})
        for protocol in range(6)
    ),
}

_JSON = (b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\\u0000", b"null", b"true", b"false",
         b"NaN", b"Infinity", b"-", b"-0", b"1e400", b"1E-400", b".5", b"0.", b"01", b" ", b"\n", b"\t", b"\0", b"\xff",
         b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"//", b"/**/", b"'", b"9" * 400, b"9" * 5000)  # fmt: skip
_TAGS = tuple(bytes((head,)) for head in range(256))
TOKENS: dict[str, tuple[bytes, ...]] = {
    "json": _JSON,
    "msgpack": (*_TAGS[0x80:0xE0:3], *_TAGS[0xC0:0xE0], b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff",
                b"\xdb\x7f\xff\xff\xff", b"\xc6\x7f\xff\xff\xff", b"\xc9\0\0\0\4\xff", b"\xd6\xff", b"\xd7\xff",
                b"\xc7\x0c\xff", b"\xd7\xff" + b"\xff" * 8),
    "bson": (*_TAGS[:0x20], b"\x7f", b"\xff", b"\0", b"_id\0", b"$ref\0", b"$id\0", b"bakeoff.value\0",
             b"\5\0\0\0\0", b"\3a\0\5\0\0\0\0", b"\4a\0\5\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"),
    "yaml": (b"- ", b"? ", b": ", b", ", b"[", b"]", b"{", b"}", b"&a ", b"*a ", b"!", b"!!", b"!!int ", b"!!float ",
             b"!!binary ", b"!!timestamp ", b"!!set ", b"!!omap ", b"!!pairs ", b"!!str ", b"!!null ", b"!!bool ",
             b"!!merge ", b"!!value ", b"!!map ", b"!!seq ", b"!!python/name:os.system ", b"!<tag:yaml.org,2002:int> ",
             b"<<: ", b"=", b"|\n", b">\n", b"|+2\n", b"'", b'"', b"\\x41", b"\\U0010ffff", b"%YAML 1.1\n", b"%TAG ! x\n",
             b"---\n", b"...\n", b"\n", b"\n  ", b"\t", b"#", b"~", b"yes", b"off", b"0x", b"0b", b"0o7", b"1:59", b":59",
             b".inf", b".nan", b"1_0", b"2001-12-14", b"T21:59:43.1-05:00", b"9999-99-99", b"\xc2\x85", b"\xe2\x80\xa8",
             b"\xef\xbb\xbf", b"\0", b"\x7f", b"\xff\xfe"),
    "cbor": (*_TAGS[0x18:0x20], *_TAGS[0x38:0x40], *_TAGS[0x58:0x60], *_TAGS[0x78:0xA8], *_TAGS[0xB8:0xE0], *_TAGS[0xE0:],
             b"\xd8\x1c", b"\xd8\x1d", b"\xd8\x1e", b"\xd8\x23", b"\xd8\x24", b"\xd8\x25", b"\xd9\x01\x00",
             b"\xd9\x01\x04", b"\xd9\x03\xec", b"\xd8\x64", b"\xd9\xd9\xf7", b"\xc4\x82", b"\xc5\x82", b"\x9f", b"\xff",
             b"\x9b\x7f\xff\xff\xff\xff\xff\xff\xff", b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", b"\x5b\0\0\0\0\xff\xff\xff\xff"),
    "arrow": (b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\0\0\0\0", b"\0" * 8, b"\1" + b"\0" * 7, b"\xff" * 8, b"\x7f" + b"\xff" * 7,
              b"\xff\xff\xff\x7f", b"\0\0\0\x10", b"\xff" * 7 + b"\x7f", b"ARROW1\0\0", b"ARROW:extension:name", b"\4\0",
              b"\x06\0", b"\x08\0", b"\x0c\0", b"\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"),
    "plist": (b"<plist>", b"</plist>", b"<dict>", b"</dict>", b"<key>", b"</key>", b"<array>", b"</array>", b"<true/>",
              b"<false/>", b"<integer>", b"</integer>", b"<real>", b"</real>", b"<date>", b"</date>", b"<data>", b"</data>",
              b"<string>", b"</string>", b"&lt;", b"&#0;", b"&#xD800;", b"&a;", b"<!--", b"-->", b"<![CDATA[", b"]]>",
              b"<?x?>", b"<!DOCTYPE p [", b"]>", b'<!ENTITY a "b">', b"0x", b"-", b"nan", b"inf", b"\0", b"\xff",
              b'encoding="UTF-16"', b"bplist00", *_TAGS[:0x20], *_TAGS[0x20:0xE0:5]),
    "pickle": (b"(", b".", b"0", b"1", b"2", b"F1.5\n", b"I01\n", b"I1\n", b"K\1", b"L1L\n", b"M\1\0", b"N", b"]", b"}",
               b")", b"a", b"e", b"l", b"d", b"t", b"u", b"s", b"q\0", b"h\0", b"p0\n", b"g0\n", b"\x80\5", b"\x85", b"\x86",
               b"\x87", b"\x88", b"\x89", b"\x8a\1\1", b"\x8c\1a", b"\x8f", b"\x90", b"\x91", b"\x94", b"\x95" + b"\0" * 8,
               b"R", b"b", b"o", b"\x81", b"\x92", b"Q", b"P", b"\x97", b"\x98", b"X\1\0\0\0a", b"B\1\0\0\0a"),
    "marshal": (*(bytes((c,)) for c in b"0NFTSiIfglxystRuaAzZ()[{<>?r"), *(bytes((c | 0x80,)) for c in b"ilsu()[{<>azZr"),
                b"r\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\1\0\0\0"),
    "avro": (b"\0", b"\1", b"\2", b"\3", b"\4", b"\x7f", b"\x80", b"\xff", b"\xff" * 9 + b"\1", b"\xfe" + b"\xff" * 8 + b"\1",
             b"\x80\x80\x80\x80\x10", b"\xff\xff\xff\xff\x0f", b"\x80" * 10, b"\xc2\x84=", b"\xc3\1", b"Obj\1",
             b"\x14avro.codec", b"\x0edeflate", b"\x08null", b"\x16avro.schema", b'"null"', b'"type":'),
    "protobuf": (*(bytes((c,)) for c in range(0x08, 0x40)), b"\0", b"\1", b"\x7a\0", b"\x7f", b"\x80", b"\xff", b"\xff" * 9 + b"\1",
                 b"\xff\xff\xff\xff\x0f", b"\x80\x01", b"\x0a\0", b"\x12\0", b"\xf8\xff\xff\xff\x0f\0", b"\xed\xa0\x80"),
    "thrift": (*(bytes((c,)) for c in range(0x10, 0x20)), *(bytes((c,)) for c in b"\0\1\2\x80\xff\x29\x39\x3c\x4b\xf1\xf8\xf9\xfb\xfc"),
               b"\x19\xfc\xff\xff\xff\xff\7", b"\x1b\xff\xff\xff\xff\7\x88", b"\x18\xff\xff\xff\xff\x0f", b"\x1b\0", b"\x1c\0",
               b"\6\xff\xff\3", b"\6\xfe\xff\3", b"\xff" * 9 + b"\1"),
}  # fmt: skip
"""Words by format."""

NESTS: dict[str, tuple[tuple[bytes, bytes], ...]] = {
    "json": ((b"[", b"]"), (b'{"a":', b"}"), (b"[1,", b"]")),
    "msgpack": ((b"\x91", b""), (b"\x81\xa1a", b""), (b"\x81", b"\xc0"), (b"\xdc\0\1", b"")),
    "bson": ((b"\3a\0", b"\0"), (b"\4\x30\0", b"\0")),
    "yaml": ((b"[", b"]"), (b"{a: ", b"}"), (b"- ", b""), (b"? ", b""), (b"&a [", b"]")),
    "cbor": ((b"\x81", b""), (b"\xa1\1", b""), (b"\x9f", b"\xff"), (b"\xbf\1", b"\xff"), (b"\xc6", b""),
             (b"\xd8\x1c\x81", b""), (b"\xd9\x01\x00\x81", b"")),
    "plist": ((b"<array>", b"</array>"), (b"<dict><key>a</key>", b"</dict>"), (b"\xa1\1", b"")),
    "pickle": ((b"]", b"a"), (b"(", b"t"), (b"]q\0", b"a"), (b"", b"\x85")),
    "marshal": ((b"(\1\0\0\0", b""), (b"[\1\0\0\0", b""), (b"{N", b"0"), (b"<\1\0\0\0", b"")),
    "protobuf": ((b"\x7b", b"\x7c"), (b"\x0b", b"\x0c"), (b"\x0a\x7f", b"")),
    "thrift": ((b"\x1c", b"\0"), (b"\x19\x19", b""), (b"\x1b\1\xbb", b""), (b"\x1a\x1c", b"\0")),
}  # fmt: skip
"""What nests, by format."""


def _records() -> Iterator[Any]:
    yield from _SMALL
    for name in (*CORPORA, "numbers", "text"):
        # The least of a few, since a mutant costs what its seed does.
        yield from sorted(corpus(name, 40).records(), key=lambda record: len(repr(record)))[:3]


def payloads(codec: Codec) -> list[bytes]:
    """Return well-formed payloads of a codec's format, a kilobyte long at the most where there are such."""
    found = list(_MORE.get(codec.format, ()))
    for record in _records():
        try:
            found.append(codec.encode(record))
        except EncodeError:
            continue  # not every format has a place for every record
    return [payload for payload in found if len(payload) < 3000]


def stream(codec: Codec, parts: list[bytes]) -> list[bytes]:
    """Return files of a few records each, framed as the codec frames them."""
    frame = codec.framing.frame
    return [b"".join(map(frame, parts[start : start + 3])) for start in range(0, len(parts), 2)]


class Hole(TypedDict):
    """A record with next to nothing in it."""

    nothing: None
    note: NotRequired[int | None]


class Shapes(TypedDict):
    """What formats that need a schema have most different forms for."""

    one: int | str | None
    at: dt.date | int | str
    many: list[int | str | bytes]
    years: dict[int, float]
    names: dict[str, Hole]
    holes: list[Hole]
    nulls: list[None]
    rows: list[list[int]]
    some: set[int]
    pair: tuple[int, str]
    price: decimal.Decimal
    key: uuid.UUID
    any: Any
    hole: NotRequired[Hole]


_SHAPES: tuple[Shapes, ...] = (
    {
        "one": None, "at": dt.date(2024, 2, 29), "many": [], "years": {}, "names": {}, "holes": [], "nulls": [],
        "rows": [], "some": set(), "pair": (0, ""), "price": decimal.Decimal(0), "key": uuid.UUID(int=0), "any": None,
    },
    {
        "one": "text", "at": -5, "many": [1, "a", b"b"], "years": {2024: 0.5, -1: 2.0}, "names": {"a": {"nothing": None}},
        "holes": [{"nothing": None, "note": None}, {"nothing": None, "note": 7}, {"nothing": None}], "nulls": [None] * 5,
        "rows": [[1, 2], [], [2**40]], "some": {1, 2, 3}, "pair": (-(2**63), "é😀"), "price": decimal.Decimal("1.10"),
        "key": uuid.UUID(int=5), "any": {"a": [1, None, b"x"]}, "hole": {"nothing": None, "note": 1},
    },
)  # fmt: skip


def bound(codec: Codec) -> Iterator[tuple[str, Codec, list[bytes], list[bytes]]]:
    """Yield a codec that needs a schema with each of several, with payloads and files; and their names."""
    given: list[tuple[str, Any, list[Any]]] = [("shapes", Shapes, list(_SHAPES))]
    given += [(name, (made := corpus(name, 3)).schema, list(made.records())) for name in CORPORA]
    for name, kind, records in given:
        try:
            typed = codec.with_schema(Schema(kind))
        except SchemaError:
            continue  # not every library has a form of every type
        assert typed.bound is not None
        taken = [typed.bound.take(record) if typed.bound.take else record for record in records]
        files = []
        for some in (taken, taken[:1]):
            file = io.BytesIO()
            typed.dump(some, file)
            files.append(file.getvalue())
        yield name, typed, [typed.encode(record) for record in taken], files


def schemas() -> dict[str, Schema]:
    """Return the schemas of the corpora by name."""
    return {name: Schema(corpus(name, 1).schema) for name in CORPORA}


def bare(name: str) -> Codec:
    """Return a codec that decodes whatever there is, and notices what follows it."""
    made = codecs.codec(name, trusted=True)
    # Those of trusted payloads have to be asked: a length beyond the payload takes marshal seconds.
    return made.with_policies(trailing="reject") if made.trusted_only else made
