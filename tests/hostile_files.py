"""Files that commands read, as a stranger may write them, for tests and for the fuzzer."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import madeup
from bakeoff.bench.ledger import encode
from bakeoff.bench.results import from_suite, read, to_suite
from bakeoff.bench.results.watched import WATCH_KEY
from bakeoff.bench.run.journal import stored
from bakeoff.bench.run.releases import Releases
from bakeoff.bench.run.state import State, entries
from bakeoff.datasets.synthetic import write as write_profile
from bakeoff.datasets.synthetic.fit import fit_records

RESULT = Path(__file__).parent / "data" / "results" / "version-1.json"

Place = tuple[str | int, ...]

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2, 2.5, -2.5, 1e-320, -1e-320, 5e-324, 1e-100, 1e-59, 1e59, 1e100, 1e300, 1e308,
    -1e308, 2**63, 2**64, -(2**63), float("nan"), float("inf"), -float("inf"), 10**400, "", "x", "0",
    "1e-320", "\ud800", "a/b/c", "a\nb", [], [[]], [1], ["x"], [None], {}, {"a": 1}, {"": []},
    {"kind": "growth"},
)  # fmt: skip
"""Values of all types and sizes."""
RAW = (
    b"[" * 100_000,
    b'{"a":' * 20_000,
    b"1" * 5_000,
    b"-",
    b"1e999",
    b'"\x1b[2J"',
    b"\xff\xfe",
    b"NaN",
    b"",
)
"""Texts that take the place of a value in a file."""
_MARK = "the place of a raw text"


def steering(output: str) -> list[str]:
    """Return the characters of an output that control a terminal or reverse its text."""
    return _STEERING.findall(output.replace("\r\n", "\n"))


def places(plain: Any, at: Place = (), *, all_items: bool = False) -> Iterator[Place]:
    """Iterate over all places in plain values; of a list only the first item, unless asked."""
    yield at
    if isinstance(plain, dict):
        for key in plain:
            yield from places(plain[key], (*at, key), all_items=all_items)
    elif isinstance(plain, list):
        for index, item in enumerate(plain if all_items else plain[:1]):
            yield from places(item, (*at, index), all_items=all_items)


def changed(plain: Any, at: Place, value: Any) -> Any:
    """Return plain values with another one in a place; they share everything else."""
    if not at:
        return value
    copied = plain.copy()
    copied[at[0]] = changed(plain[at[0]], at[1:], value)
    return copied


def texts(plain: Any, change: Callable[[Place, str], str], at: Place = ()) -> Any:
    """Return plain values with other texts."""
    if isinstance(plain, str):
        return change(at, plain)
    if isinstance(plain, dict):
        return {key: texts(value, change, (*at, key)) for key, value in plain.items()}
    if isinstance(plain, list):
        return [texts(value, change, (*at, index)) for index, value in enumerate(plain)]
    return plain


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of files.

    Attributes:
        name: Its name.
        file: Name of the file.
        make: Function that returns the plain values of a good one.
        encode: Function that returns the bytes of plain values.
        lines: Command lines that read it.
        also: Function that reads it, where a command would measure.
    """

    name: str
    file: str
    make: Callable[[], Any]
    encode: Callable[[Any], bytes]
    lines: Sequence[str]
    also: Callable[[Path], object] = bool

    def write(self, folder: Path, content: bytes) -> None:
        """Write a file, next to good ones of other kinds."""
        for name, good in _beside().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(good)
        if self.name == "cache":
            _folders(folder / "cache", content)
        else:
            (folder / self.file).write_bytes(content)

    def mutated(self, random: random.Random) -> bytes:
        """Return the bytes of a file with a few other values, or with a text that is none."""
        plain = self.make()
        found = [at for at in places(plain, all_items=True) if at]
        raw = b""
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            at = random.choice(found)
            value: Any = random.choice(VALUES)
            kind = random.random()
            if kind > 0.4:
                value = random.choice(_alike(_got(plain, at)))
            if kind < 0.1:
                value, raw = _MARK, random.choice(RAW)
            elif kind < 0.2:
                value = _got(plain, random.choice(found))
            try:
                plain = changed(plain, at, value)
            except (KeyError, IndexError, TypeError, AttributeError):
                continue  # an earlier change has removed the place
        content = self.encode(plain)
        content = content.replace(json.dumps(json.dumps(_MARK))[1:-1].encode(), raw)
        content = content.replace(json.dumps(_MARK).encode(), raw)
        if random.random() < 0.05:
            cut = random.randrange(len(content) + 1)
            content = content[:cut] + content[cut + random.choice((1, 100, 1 << 30)) :]
        return content


def _alike(value: Any) -> Sequence[Any]:
    """Return values of the type of another one."""
    types = (int, float) if type(value) in (int, float) else (type(value),)
    return VALUES if value is None else [each for each in VALUES if type(each) in types]


def _got(plain: Any, at: Place) -> Any:
    for step in at:
        try:
            plain = plain[step]
        except (KeyError, IndexError, TypeError):
            return None
    return plain


def _json(plain: Any) -> bytes:
    return json.dumps(plain).encode()


def _lines(plain: Any) -> bytes:
    """Return a JSON line for each item."""
    return b"".join(_json(item) + b"\n" for item in (plain if isinstance(plain, list) else [plain]))


def _texts(plain: Any) -> bytes:
    """Return each text as a line."""
    items = plain if isinstance(plain, list) else [plain]
    return "\n".join(item if isinstance(item, str) else json.dumps(item) for item in items).encode(
        errors="replace"
    )


def _toml(plain: Any) -> bytes:
    def value(each: Any) -> str:
        if isinstance(each, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {value(item)}" for key, item in each.items()) + "}"
        if isinstance(each, list):
            return "[" + ", ".join(map(value, each)) + "]"
        return "nan" if each is None else json.dumps(each).replace("NaN", "nan").replace("Infinity", "inf")

    if not isinstance(plain, dict):
        return value(plain).encode()
    return "".join(f"{json.dumps(key)} = {value(item)}\n" for key, item in plain.items()).encode()


def _suite(plain: Any) -> bytes:
    """Return a pyperf suite from itself and the document in it."""
    if not isinstance(plain, dict) or "suite" not in plain:
        return _json(plain)
    text = json.dumps(json.dumps(plain.get("document")))
    return json.dumps(plain["suite"]).replace('"the document"', text).encode()


@cache
def _result() -> Any:
    suite = json.loads(RESULT.read_text())
    holder = suite["benchmarks"][0]["metadata"]
    document, holder["bakeoff_document"] = json.loads(holder["bakeoff_document"]), "the document"
    # With the fields that are left out where they are empty.
    cells = [dataclasses.asdict(dataclasses.replace(cell, samples=())) for cell in read(RESULT).cells]
    document["cells"] = json.loads(json.dumps(cells))
    return {"suite": suite, "document": document}


@cache
def _watch() -> Any:
    return json.loads(json.dumps({WATCH_KEY: 1} | dataclasses.asdict(madeup.watch())))


@cache
def _journal() -> Any:
    import pyperf

    result = from_suite(RESULT, pyperf.BenchmarkSuite.loads(RESULT.read_text()))
    return [json.loads(encode(entry)) for entry in entries(result)]


def _lock() -> Any:
    import tomllib

    return tomllib.loads((RESULT.parent.parent / "locks" / "format-1.lock").read_text())


@cache
def _profile() -> Any:
    records = [
        {"id": number, "name": f"name {number}", "tags": ["a", "b"][: number % 3], "x": number / 3, "n": None}
        for number in range(20)
    ]
    return json.loads(write_profile(fit_records(records, len(records))))


_AVSC = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "doc": "An order.",
    "fields": [
        {"name": "id", "type": "long", "doc": "its number"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}, "default": []},
    ],
}
_JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Order",
    "type": "object",
    "properties": {
        "id": {"type": "integer", "description": "its number"},
        "at": {"type": "string", "format": "date-time"},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
    },
    "required": ["id"],
    "$defs": {"tag": {"type": "string", "enum": ["a", "b"]}},
}
_PROTO = [
    'syntax = "proto3";',
    "package shop;",
    "message Order {",
    "int64 id = 1;",
    "repeated string tags = 2;",
    "}",
]
_RECORDS = [{"id": 1, "name": "a", "tags": ["x"], "at": "2026-01-01"}, {"id": 2, "name": "b", "x": 1.5}]
_PINNED = ["# pinned", "orjson==3.11.6", "msgspec==0.20.0 ; python_version > '3'", "cbor2>=5"]

_TABLES = ("text", "md", "csv", "json", "latex", "rst", "html", "svg")
_RESULT_LINES = (
    *(f"report new.json -f {form}" for form in _TABLES),
    *(f"report new.json -f svg --chart {kind}" for kind in ("bars", "memory", "sizes")),
    "report new.json -f bencher",
    "report new.json -f pyperf -o suites",
    "report new.json old.json --columns codec,dump,load,bytes,cost:x",
    *(f"report new.json --layout {name}" for name in ("stores", "pipeline", "stats", "acidstate", "kyoto")),
    *(f"compare old.json new.json --force -f {form}" for form in ("text", "md", "json")),
    "compare new.json old.json --force --fail-above 5%",
    "pick new.json --trusted --allow-loss --explain",
    "pick new.json --trusted --allow-loss --core-year 100 --gigabyte 0.1 --rate 100/s",
    *(f"history . -f {form}" for form in ("text", "md", "csv", "json", "html")),
    "run --resume new.json --dry-run",
)
_SCHEMA_LINES = ("schema show {}", "schema export {} -f avro", "schema validate rows.jsonl {}")
_RECORD_LINES = (
    "corpora new.jsonl",
    "corpora new.jsonl -f json",
    "schema infer new.jsonl",
    "schema validate new.jsonl good.avsc",
    "convert new.jsonl out.csv",
    "generate --like new.jsonl -n 2",
)


def _resumed(path: Path) -> None:
    """Read a journal and make the result of it, as a resumed run does at its end."""
    state = State()
    for entry in stored(path.with_suffix(""))[0]:
        state.apply(entry)
    from_suite(path, to_suite(state.result(duration=1.0, complete=True)))


def _schema_lines(file: str) -> tuple[str, ...]:
    return tuple(line.format(file) for line in _SCHEMA_LINES)


KINDS = {
    kind.name: kind
    for kind in (
        FileKind("result", "new.json", _result, _suite, _RESULT_LINES),
        FileKind(
            "watch",
            "new.json",
            _watch,
            _json,
            (
                *(f"report new.json -f {form}" for form in ("text", "md", "csv", "json", "html")),
                "compare new.json watch.json",
                "compare watch.json new.json -f json",
                "compare watch.json new.json -f md --fail-above 5%",
                "compare new.json new.json",
            ),
        ),
        FileKind("journal", "new.json.journal", _journal, _lines, (), _resumed),
        FileKind(
            "lock",
            "new.lock",
            _lock,
            _toml,
            ("pick --check --lock new.lock", "pick old.json --trusted --allow-loss --write --lock new.lock"),
        ),
        FileKind("profile", "new.json", _profile, _json, ("generate --profile new.json -n 2",)),
        FileKind("avsc", "new.avsc", lambda: _AVSC, _json, _schema_lines("new.avsc")),
        FileKind("schema", "new.json", lambda: _JSON_SCHEMA, _json, _schema_lines("new.json")),
        FileKind("proto", "new.proto", lambda: _PROTO, _texts, _schema_lines("new.proto")),
        FileKind("records", "new.jsonl", lambda: _RECORDS, _lines, _RECORD_LINES),
        FileKind(
            "requirements",
            "new.txt",
            lambda: _PINNED,
            _texts,
            (
                "upgrade new.txt --to new.txt missing.jsonl --offline",
                "upgrade new.txt --to good.txt missing.jsonl --offline",
            ),
        ),
        FileKind(
            "cache",
            "",
            lambda: ["orjson-3.10.0", "orjson-3.11.6", "other"],
            _texts,
            ("releases orjson --offline missing.jsonl -n 2",),
            lambda _: Releases().cached("orjson"),
        ),
    )
}
"""All kinds by name."""


def _folders(cache_folder: Path, content: bytes) -> None:
    """Create the folders of releases, one for each line."""
    import shutil
    import sys
    import sysconfig

    place = (
        cache_folder / "releases" / (sysconfig.get_config_var("SOABI") or str(sys.implementation.cache_tag))
    )
    shutil.rmtree(cache_folder, ignore_errors=True)
    place.mkdir(parents=True)
    for line in content.split(b"\n"):
        name = line.replace(b"/", b"_").replace(b"\0", b"")[:200]
        if name.strip(b"."):
            os.makedirs(os.path.join(os.fsencode(place), name), exist_ok=True)  # noqa: PTH103, PTH118 - bytes


@cache
def _beside() -> dict[str, bytes]:
    return {
        "old.json": RESULT.read_bytes(),
        "later.json": _suite(changed(_result(), ("document", "started"), "2027-01-01T00:00:00+00:00")),
        "watch.json": _json(_watch()),
        "good.avsc": _json(_AVSC),
        "good.txt": b"orjson==3.11.6\n",
        "rows.jsonl": _lines(_RECORDS),
        "new.json": RESULT.read_bytes(),
    }
