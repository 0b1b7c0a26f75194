"""Canonical text: the value that a library of any language read, and its difference from the value written.

The text is JSON. Each value is an array: a tag, and what belongs to it (docs/reference/worker.md).
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import re
import struct
import uuid
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from ...escape import shortened

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_HEX = re.compile("[0-9a-f]*")
_DOUBLE = re.compile("[0-9a-f]{16}")
_STRINGS: Mapping[str, re.Pattern[str] | None] = {
    "int": re.compile(r"0|-?[1-9]\d*", re.ASCII),
    "text": None,
    "raw text": _HEX,
    "bytes": _HEX,
    "time": _TIME,
    "date": None,
    "decimal": None,
    "uuid": None,
    "float": _DOUBLE,
    "number": _DOUBLE,
}
"""Tags with a text, and its pattern if any text will not do."""
_PLAIN = frozenset({"null", "bool", "int", "text", "bytes"})
"""Tags of forms that mean the same only if they are equal."""
_TAG = re.compile(r"-?\d{1,20}")
_EXTENSIONS = ("msgpack.ext.ExtType", "msgspec.msgpack.Ext")
_LONGEST = 40
_DEEPEST = 200
"""Most levels of a value; comparing takes several calls per level."""
_TOO_DEEP = f"more than {_DEEPEST} levels"
_MOST = 250_000
"""Most forms of a value: its scalars, lists, sets and maps."""
_TOO_MANY = f"more than {_MOST:,} values"
_MARKS = 4 * _MOST
"""Most brackets and commas of a text: a form has one bracket and up to two commas, a pair another of both."""
_STRUCTURE = (b"[", b"{", b",")
_QUOTES = 4 * _MOST
"""Most quotes of a text: a form has up to two strings."""


class CanonicalError(ValueError):
    """Text that is not canonical, or a value that has no canonical text."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A place where a value arrived otherwise.

    Attributes:
        path: Place in the record, such as ``$.id``.
        wrote: The value there before, in short.
        became: The value that arrived, in short.
    """

    path: str
    wrote: str
    became: str

    def __str__(self) -> str:
        """Return it as text, such as ``$.id: int 1 became float 1.0``."""
        return f"{self.path}: {self.wrote} became {self.became}"


def canonical(value: Any) -> list[Any]:
    """Return the canonical form of a Python value.

    Subclasses are written as their base. Types that no other language has get the tag ``other``.

    Raises:
        CanonicalError: It has more levels or values than the canonical form, or a longer int than Python
            prints.
    """
    return _canonical(value, 0, count())


def _canonical(value: Any, depth: int, made: Iterator[int]) -> list[Any]:
    if depth > _DEEPEST:
        raise CanonicalError(_TOO_DEEP)
    if next(made) >= _MOST:
        raise CanonicalError(_TOO_MANY)
    deeper = depth + 1
    match value:
        case None:
            return ["null"]
        case bool():
            return ["bool", value]
        case int():
            return ["int", _digits(value)]
        case float():
            return ["float", struct.pack(">d", value).hex()]
        case str():
            return ["text", str.__str__(value)]
        case bytes() | bytearray() | memoryview():
            return ["bytes", bytes(value).hex()]
        case _ if f"{type(value).__module__}.{type(value).__name__}" in _EXTENSIONS:
            return ["tag", str(value.code), _canonical(value.data, deeper, made)]
        case list() | tuple():
            return ["list", [_canonical(each, deeper, made) for each in value]]
        case set() | frozenset():
            return ["set", [_canonical(each, deeper, made) for each in value]]
        case dict():
            return [
                "map",
                [
                    [_canonical(key, deeper, made), _canonical(each, deeper, made)]
                    for key, each in value.items()
                ],
            ]
        case dt.datetime():
            return ["time", re.sub(r"\+00:00$", "Z", value.isoformat(timespec="microseconds"))]
        case dt.date() | decimal.Decimal() | uuid.UUID():
            return [type(value).__name__.lower(), str(value)]
    return ["other", type(value).__name__, repr(value)]


def _digits(value: int) -> str:
    try:
        return str(int(value))
    except ValueError as error:
        raise CanonicalError(f"an int of {value.bit_length():,} bits") from error


def parse(text: bytes) -> list[Any]:
    """Return the canonical form from its text.

    Raises:
        CanonicalError: The text is not canonical.
    """
    if not _is_small(text):
        raise CanonicalError(f"it sent a value of {_TOO_MANY}")
    try:
        found = json.loads(text)
        _check(found)
    except (ValueError, TypeError, RecursionError) as error:
        raise CanonicalError(f"it sent a value that is not canonical text: {error}"[:200]) from error
    return list(found)


def _is_small(text: bytes) -> bool:
    """Return whether a JSON text can be parsed with little memory: strings may have any content."""
    if sum(map(text.count, _STRUCTURE)) <= _MARKS:
        return True
    bare = text.replace(rb"\\", b"").replace(rb"\"", b"")
    if bare.count(b'"') > _QUOTES:
        return False
    outside = b"".join(bare.split(b'"')[::2])
    return sum(map(outside.count, _STRUCTURE)) <= _MARKS


def first_change(wrote: list[Any], became: list[Any]) -> ChangedValue | None:
    """Return the first difference between two canonical forms; None if they mean the same."""
    return next(changes(wrote, became), None)


def changes(wrote: list[Any], became: list[Any], path: str = "$") -> Iterator[ChangedValue]:
    """Yield the differences between two canonical forms.

    Args:
        wrote: What was encoded, from `canonical`.
        became: What a library read, from `parse`.
        path: Place of both in the record.
    """
    if wrote == became:
        return
    kinds = wrote[0], became[0]
    if kinds == ("map", "map"):
        yield from _of_maps(wrote[1], became[1], path)
    elif kinds == ("list", "list"):
        if len(wrote[1]) != len(became[1]):
            yield ChangedValue(path, f"{len(wrote[1])} items", f"{len(became[1])} items")
            return
        for index, (old, new) in enumerate(zip(wrote[1], became[1], strict=True)):
            yield from changes(old, new, f"{path}[{index}]")
    elif kinds == ("set", "set"):
        old_keys, new_keys = ([[each, ["null"]] for each in form[1]] for form in (wrote, became))
        yield from _of_maps(old_keys, new_keys, path)
    elif (kinds[0] in _PLAIN and kinds[1] in _PLAIN) or (
        not _same_number(wrote, became) and _meaning(wrote) != _meaning(became)
    ):
        yield ChangedValue(path, shown(wrote), shown(became))


def shown(form: list[Any]) -> str:
    """Return a value in short, with its type, such as ``int 5`` or ``text 'a'``."""
    tag, *rest = form
    if tag in ("float", "number"):
        text = f"{tag} {_float(rest[0])!r}"
    elif tag in ("map", "set", "list"):
        text = f"{tag} of {len(rest[0])}"
    elif tag == "tag":
        text = f"tag {rest[0]} of {shown(rest[1])}"
    elif tag == "text":
        text = f"text {rest[0]!r}"
    else:
        text = " ".join([tag, *map(str, rest)]).removeprefix("bool ").removeprefix("other ")
    return shortened(text, _LONGEST)


def _of_maps(wrote: list[Any], became: list[Any], path: str) -> Iterator[ChangedValue]:
    old, new = _by_key(wrote), _by_key(became)
    others = _Others(pairs[0][0] for name, pairs in new.items() if name not in old)
    for name, pairs in old.items():
        key, found = pairs[0][0], new.get(name, [])
        place = path + _step(key)
        if len(pairs) == len(found):
            for pair, arrived in _matched(pairs, found):
                yield from _of_pairs(pair, arrived, place)
        elif found:
            yield ChangedValue(place, f"{len(pairs)} of this key", f"{len(found)} of this key")
        else:
            other = others.take(key)
            yield ChangedValue(place, f"key {shown(key)}", f"key {shown(other)}" if other else "no key")
    while other := others.take():
        yield ChangedValue(path, "no key", f"key {shown(other)}")


class _Others:
    """The keys that only what became of a map has, each to be taken once."""

    def __init__(self, keys: Iterable[list[Any]]) -> None:
        # The first is the last of its list, from where it is taken.
        self._keys = sorted(keys, key=shown, reverse=True)
        self._by_text: dict[str, list[list[Any]]] = defaultdict(list)
        for key in self._keys:
            if isinstance(key[-1], str):
                self._by_text[key[-1]].append(key)
        self._taken: set[int] = set()

    def take(self, like: list[Any] | None = None) -> list[Any] | None:
        """Return a key, if possible with the same text; None if there is none left."""
        same = self._by_text.get(like[-1], []) if like and isinstance(like[-1], str) else []
        for keys in (same, self._keys):
            while keys:
                key = keys.pop()
                if id(key) not in self._taken:
                    self._taken.add(id(key))
                    return key
        return None


def _of_pairs(wrote: list[Any], became: list[Any], path: str) -> Iterator[ChangedValue]:
    if first_change(wrote[0], became[0]) is None:
        yield from changes(wrote[1], became[1], path)
    else:
        yield ChangedValue(path, f"key {shown(wrote[0])}", f"key {shown(became[0])}")


def _by_key(pairs: list[Any]) -> dict[Hashable, list[Any]]:
    """Return the pairs of a map by key, with numbers of all types alike; a key may repeat."""
    found = defaultdict(list)
    for pair in pairs:
        found[_meaning(pair[0], numeric=True)].append(pair)
    return found


def _matched(wrote: list[Any], became: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each written pair of a key with one that arrived, if possible of the same value."""
    if len(wrote) == 1:
        yield wrote[0], became[0]
        return
    values: dict[Hashable, deque[int]] = defaultdict(deque)
    for index, pair in enumerate(became):
        values[_meaning(pair[1], numeric=True)].append(index)
    rest, left = [], set(range(len(became)))
    for pair in wrote:
        if same := values.get(_meaning(pair[1], numeric=True)):
            left.remove(index := same.popleft())
            yield pair, became[index]
        else:
            rest.append(pair)
    yield from zip(rest, (became[index] for index in sorted(left)), strict=True)


def _step(key: list[Any]) -> str:
    return f".{key[1]}" if key[0] == "text" else f"[{shown(key)}]"


def _meaning(form: list[Any], *, numeric: bool = False) -> Hashable:
    """Return what two forms share if they mean the same.

    It leaves out trailing zeros, the bits of a NaN, and the order of a map.

    Args:
        form: The form.
        numeric: Numbers have one type, unless no double is the same number.
    """
    tag, *rest = form
    if tag in ("float", "number"):
        bits = "nan" if math.isnan(_float(rest[0])) else rest[0].lower()
        return "number" if numeric else tag, bits
    if tag == "int" and numeric and (bits := _bits(rest[0])):
        return "number", bits
    if tag == "time":
        found = _TIME.fullmatch(rest[0])
        assert found is not None  # `_check` has matched it
        return tag, found[1], (found[2] or "").rstrip("0"), (found[3] or "").replace("+00:00", "Z")
    if tag == "list":
        return tag, tuple([_meaning(each, numeric=numeric) for each in rest[0]])
    if tag == "set":
        return tag, _unordered([_meaning(each, numeric=numeric) for each in rest[0]])
    if tag == "map":
        return tag, _unordered(
            [tuple([_meaning(each, numeric=numeric) for each in pair]) for pair in rest[0]]
        )
    return (tag, rest[0], _meaning(rest[1], numeric=numeric)) if tag == "tag" else tuple(form)


def _unordered(parts: list[Hashable]) -> Hashable:
    found = frozenset(parts)
    return found if len(found) == len(parts) else frozenset(Counter(parts).items())


def _bits(digits: str) -> str:
    """Return the bits of the double that is this int; empty if there is none."""
    try:
        value = float(int(digits))
    except (OverflowError, ValueError):
        return ""
    return struct.pack(">d", value).hex() if str(int(value)) == digits else ""


def _same_number(wrote: list[Any], became: list[Any]) -> bool:
    """Return whether a language without ints got the number, whichever it was."""
    if became[0] != "number" or wrote[0] not in ("int", "float"):
        return False
    if wrote[0] == "float":
        return _meaning(["number", wrote[1]]) == _meaning(became)
    value = _float(became[1])
    return math.isfinite(value) and int(wrote[1]) == value


def _float(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def _check(form: Any, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise ValueError(_TOO_DEEP)
    _require_list(form)
    tag, *rest = form
    if tag in _STRINGS:
        (text,), pattern = rest, _STRINGS[tag]
        good = isinstance(text, str) and (pattern is None or pattern.fullmatch(text) is not None)
        good = good and (pattern is not _HEX or len(text) % 2 == 0)
    elif tag in ("list", "set"):
        (parts,), good = rest, True
        _require_list(parts)
        for each in parts:
            _check(each, depth + 1)
    elif tag == "map":
        (parts,), good = rest, True
        _require_list(parts)
        for pair in parts:
            _require_list(pair)
            key, value = pair
            _check(key, depth + 1)
            _check(value, depth + 1)
    elif tag in ("null", "undefined"):
        good = not rest
    elif tag == "bool":
        good = len(rest) == 1 and isinstance(rest[0], bool)
    elif tag == "tag":
        number, inner = rest
        good = _TAG.fullmatch(number) is not None
        _check(inner, depth + 1)
    else:
        good = tag == "other" and len(rest) == 2 and all(isinstance(each, str) for each in rest)
    if not good:
        raise ValueError(f"{form!r}"[:100])


def _require_list(part: Any) -> None:
    if not isinstance(part, list):
        raise ValueError(f"{part!r}"[:100])
