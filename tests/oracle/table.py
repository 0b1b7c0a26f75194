"""The table of what each codec does with each kind of value, made by trying all of them."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import Codec, EncodeError
from bakeoff.codecs.conventions.tokens import token_of
from bakeoff.codecs.registry import formats
from bakeoff.grid import draw

from .compose import catalog, key_catalog
from .judge import loss_of
from .values import Value, is_tried
from .ways import Way, bound, called, declared, taken

KINDS: Mapping[str, str] = {
    r"subclass of (\w+).*": r"subclass of \1",
    r"OrderedDict|Counter|defaultdict": "subclass of dict",
    r"numpy\.(u?int|float|longdouble|bool)\w*": "NumPy number",
    r"numpy\.(str_|bytes_)": "NumPy text, bytes",
    r"numpy\.(datetime|timedelta)64": "NumPy moment, duration",
    r"numpy\.ndarray|array\.array|memoryview of integers": "array",
    r"pandas\.(Timestamp|Timedelta)": "pandas moment, duration",
    r"pandas\.(NaTType|NAType)": "NaT, NA",
    r"(pandas|polars)\.(\w*Series|Index|\w+Array)": "Series, Index",
    r"(pandas|polars)\.DataFrame": "DataFrame",
    r"enum .*": "enum",
    r"(empty |frozen )?dataclass.*|slots below slots": "dataclass",
    r"(frozen )?attrs.*": "attrs class",
    r"Struct as an array|root model": "Struct as an array, root model",
    r"(tagged )?Struct.*": "Struct",
    r"model.*": "pydantic model",
    r"named ?tuple.*": "named tuple",
    r"mapping .*": "other mapping",
    r"no convention: (IPv.*)": "IP address, network",
    r"no convention: (range|deque|UserList)": "range, deque, UserList",
    r"no convention: (Fraction|Pattern)": r"\1",
    r"no convention: .*": "other object",
    r"time with an offset|time": "time",
}
"""Rows of the table, by what the catalog calls their values."""
_TYPES = {"NoneType": "None", "str": "text"}


def _row(kind: str) -> str:
    for pattern, row in KINDS.items():
        if (found := re.fullmatch(pattern, kind, re.IGNORECASE)) is not None:
            return found.expand(row)
    return kind


def _name(value: Any) -> str:
    name = type(value).__name__
    return _TYPES.get(name, name)


def _changes(codec: Codec, a: Any, b: Any) -> Iterator[str]:
    """Yield how a plain value differs from what was decoded: a loss, or another type, also of keys."""
    if (loss := loss_of(codec, a, b)) is not None:
        yield loss
    elif type(a) is not type(b):
        yield _name(b)
    elif isinstance(a, dt.datetime | dt.time):
        yield "no zone or fold"
    elif type(a) is dict and not all(map(equal, a, b)):
        yield f"keys of {_name(next(iter(b)))}"


def outcome(codec: Codec, way: Way, value: Value) -> list[str]:
    """Return what a codec does with a value: "exact", "refused", or types and losses of what comes back."""
    try:
        payload = way.write(value.given)
    except EncodeError:
        return ["refused"]
    found = way.read(payload)
    if equal(value.given, found):
        return ["exact"]
    changes = () if equal(value.meant, found) else _changes(codec, value.meant["v"], found["v"])
    kinds = type(value.given["v"]), type(found["v"])
    extends = kinds[0] is not kinds[1] and issubclass(*kinds)
    return [*changes] or ["base type" if extends else _name(found["v"])]


def _records() -> Iterator[tuple[str, Any, Value]]:
    """Yield the row, the type to declare, and the record of each value."""
    for value in catalog():
        yield _row(value.kind), declared(value), _record(value)
    for key in key_catalog():
        if key.kind == "key":
            record = _record(Value("key", {key.given: 1}, {key.meant: 1}))
            yield f"key: {token_of(key.given)}", dict[declared(key), int], record  # type: ignore[misc]


def _record(value: Value) -> Value:
    return Value(value.kind, {"v": value.given, "z": 1}, {"v": value.meant, "z": 1})


def column(codec: Codec, *, schema: bool) -> dict[str, tuple[str, ...]]:
    """Return the outcomes of one codec by row."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row, kind, value in _records():
        outcomes = found[row]
        if not is_tried(codec, value):
            continue
        made = bound(codec, ("v", kind)) if schema else codec
        words = ["refused"] if made is None else outcome(made, taken(made) if schema else called(made), value)
        outcomes.update(dict.fromkeys(words))
    rank = {"exact": 0, "refused": 2}
    return {row: tuple(sorted(words, key=lambda word: rank.get(word, 1))) for row, words in found.items()}


def _folded(columns: Mapping[str, Mapping[str, tuple[str, ...]]]) -> str:
    """Return columns as a table with a list of losses, alike columns and rows once each."""
    names: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for name, cells in columns.items():
        names[tuple(cells.items())].append(name)
    losses: dict[str, str] = {}

    def word(text: str) -> str:
        known = any(text in bakeoff.codec(name, trusted=True).losses for name in columns)
        return losses.setdefault(text, f"[{len(losses) + 1}]") if known else text

    rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
    shown = [dict(cells) for cells in names]
    for row in shown[0]:
        rows[tuple(", ".join(map(word, cells[row])) or "–" for cells in shown)].append(row)
    headers = ["value", *(", ".join(f"`{name}`" for name in alike) for alike in names.values())]
    table = draw("markdown", headers, [[", ".join(kinds), *cells] for cells, kinds in rows.items()])
    return "\n\n".join(
        [table, *("\n".join(f"- {mark}: {text}" for text, mark in losses.items()),) * bool(losses)]
    )


def markdown(selection: Sequence[str] | None = None) -> str:
    """Return the tables of all formats, each without and with a schema.

    Args:
        selection: Names of codecs; None for all whose library is installed.
    """
    names = [name for name in codecs.names(needs_schema=True) if codecs.missing(name) is None]
    parts = []
    for form in formats():
        made = [bakeoff.codec(name, trusted=True) for name in selection or names]
        made = [codec for codec in made if codec.format == form]
        for title, schema in ((form, False), (f"{form}, with a schema", True)):
            columns = {c.name: column(c, schema=schema) for c in made if schema or not c.needs_schema}
            if columns:
                parts.append(f"## {title}\n\n{_folded(columns)}\n")
    return "\n".join(parts)
