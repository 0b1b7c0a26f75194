"""Seeds for mutation: payloads of each format, and the tokens of its parsers."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import marshal
import pickle
import uuid
from collections.abc import Iterator
from typing import Any, NotRequired, TypedDict

from bakeoff import codecs
from bakeoff.bench.lab.hostile.build import DEEP, Repeat
from bakeoff.bench.lab.hostile.formats import CASES
from bakeoff.bench.versions.records import Maker
from bakeoff.codecs import Codec, EncodeError
from bakeoff.datasets import corpus
from bakeoff.schemas import Schema, SchemaError

CORPORA = ("movies", "messages", "types")
"""Corpora whose schemas are tried."""

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

# The lab has no cases for codecs of trusted payloads.
_TRUSTED: dict[str, tuple[bytes, ...]] = {
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

_TOKENS: dict[str, tuple[bytes, ...]] = {
    "arrow": (b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\0\0\0\0", b"\0" * 8, b"\1" + b"\0" * 7, b"\xff" * 8, b"\x7f" + b"\xff" * 7,
              b"\xff\xff\xff\x7f", b"\0\0\0\x10", b"\xff" * 7 + b"\x7f", b"ARROW1\0\0", b"ARROW:extension:name", b"\4\0",
              b"\x06\0", b"\x08\0", b"\x0c\0", b"\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"),
    "pickle": (b"(", b".", b"0", b"1", b"2", b"F1.5\n", b"I01\n", b"I1\n", b"K\1", b"L1L\n", b"M\1\0", b"N", b"]", b"}",
               b")", b"a", b"e", b"l", b"d", b"t", b"u", b"s", b"q\0", b"h\0", b"p0\n", b"g0\n", b"\x80\5", b"\x85", b"\x86",
               b"\x87", b"\x88", b"\x89", b"\x8a\1\1", b"\x8c\1a", b"\x8f", b"\x90", b"\x91", b"\x94", b"\x95" + b"\0" * 8,
               b"R", b"b", b"o", b"\x81", b"\x92", b"Q", b"P", b"\x97", b"\x98", b"X\1\0\0\0a", b"B\1\0\0\0a"),
    "marshal": (*(bytes((c,)) for c in b"0NFTSiIfglxystRuaAzZ()[{<>?r"), *(bytes((c | 0x80,)) for c in b"ilsu()[{<>azZr"),
                b"r\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\1\0\0\0"),
    "avro": (b"\0", b"\1", b"\2", b"\3", b"\4", b"\x7f", b"\x80", b"\xff", b"\xff" * 9 + b"\1", b"\xfe" + b"\xff" * 8 + b"\1",
             b"\x80\x80\x80\x80\x10", b"\xff\xff\xff\xff\x0f", b"\x80" * 10, b"\xc2\x84=", b"\xc3\1", b"Obj\1",
             b"\x14avro.codec", b"\x0edeflate", b"\x08null", b"\x16avro.schema", b'"null"', b'"type":'),
}  # fmt: skip
"""Tokens of formats without tokens in their cases."""
_NESTS: dict[str, tuple[tuple[bytes, bytes], ...]] = {
    "bson": ((b"\3a\0", b"\0"), (b"\4\x30\0", b"\0")),
    "pickle": ((b"]", b"a"), (b"(", b"t"), (b"]q\0", b"a"), (b"", b"\x85")),
    "marshal": ((b"(\1\0\0\0", b""), (b"[\1\0\0\0", b""), (b"{N", b"0"), (b"<\1\0\0\0", b"")),
}
"""Nesting bytes of formats whose cases do not repeat them."""
_TAGS = tuple(bytes((head,)) for head in range(256))
_MOST = 150
"""Limit for seeds from the lab; with more, records would rarely be drawn."""
_WORD = 24
"""Bytes of the longest token."""


def _of_the_lab(wire: str) -> list[tuple[str, Any]]:
    """Return the parts of the cases of a format, each with the expected outcome."""
    return [
        (case.must, payload)
        for case in CASES
        if any(each.partition("/")[0] == wire for each in case.wires or ())
        for payload in case.payloads
    ]


def words(wire: str) -> tuple[tuple[bytes, ...], tuple[tuple[bytes, bytes], ...]]:
    """Return the tokens of a format, and the pairs of bytes that nest in it."""
    parts = [payload for _, payload in _of_the_lab(wire)]
    repeats = [part for part in parts if isinstance(part, Repeat)]
    known = [part for part in (*parts, *(part.item for part in repeats)) if isinstance(part, bytes)]
    nests = dict.fromkeys((part.item, part.closing) for part in repeats if part.count == DEEP)
    return (
        (*_TOKENS.get(wire, _TAGS), *(word for word in known if 0 < len(word) <= _WORD)),
        (*_NESTS.get(wire, ()), *nests),
    )


def _records() -> Iterator[Any]:
    yield from _SMALL
    for name in (*CORPORA, "numbers", "text"):
        # The smallest of a few, since a mutant takes as long as its seed.
        yield from sorted(corpus(name, 40).records(), key=lambda record: len(repr(record)))[:3]


def payloads(codec: Codec) -> list[bytes]:
    """Return payloads of a codec's format, of at most a few kilobytes."""
    lab = [payload for must, payload in _of_the_lab(codec.format) if must in ("accept", "either")]
    known = [payload for payload in lab if isinstance(payload, bytes)]
    found = [*_TRUSTED.get(codec.format, ()), *known[:: 1 + len(known) // _MOST]]
    for record in _records():
        try:
            found.append(codec.encode(record))
        except EncodeError:
            continue  # not every format can hold every record
    return [payload for payload in found if len(payload) < 3000]


def stream(codec: Codec, parts: list[bytes]) -> list[bytes]:
    """Return files of a few records each, framed as the codec frames them."""
    frame = codec.framing.frame
    return [b"".join(map(frame, parts[start : start + 3])) for start in range(0, len(parts), 2)]


class Hole(TypedDict):
    """A record with few fields."""

    nothing: None
    note: NotRequired[int | None]


class Shapes(TypedDict):
    """A record of the types whose forms differ most between formats with a schema."""

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


def bound(codec: Codec) -> Iterator[tuple[str, Codec, list[bytes], list[bytes]]]:
    """Yield a codec bound to each of several schemas, with the schema's name, payloads and files."""
    shapes = Schema(Shapes)
    given = [("shapes", shapes, [Maker(seed).make(shapes.layout.root) for seed in range(4)])]
    given += [(name, Schema((made := corpus(name, 3)).schema), list(made.records())) for name in CORPORA]
    for name, schema, records in given:
        try:
            typed = codec.with_schema(schema)
        except SchemaError:
            continue  # not every library supports every type
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
    """Return a codec that decodes anything, and detects trailing data."""
    made = codecs.codec(name, trusted=True)
    # Those of trusted payloads have to be asked: a length beyond the payload takes marshal seconds.
    return made.with_policies(trailing="reject") if made.trusted_only else made
