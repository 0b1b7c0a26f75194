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
from dataclasses import dataclass
from typing import Any

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d(?::\d\d)?)?")
_STRINGS = ("int", "text", "raw text", "bytes", "time", "date", "decimal", "uuid", "float", "number")
_LONGEST = 40
_DEEPEST = 200
"""Most levels of a value; comparing takes several calls per level."""


class CanonicalError(ValueError):
    """Text that is not canonical."""


@dataclass(frozen=True, slots=True)
class Change:
    """The first place where a value arrived otherwise.

    Attributes:
        path: Place in the record, such as ``$.id``.
        wrote: The value there before, in short.
        became: The value that arrived, in short.
    """

    path: str
    wrote: str
    became: str


def canonical(value: Any) -> list[Any]:
    """Return the canonical form of a Python value.

    Subclasses are written as their base. Types that no other language has get the tag ``other``.
    """
    match value:
        case None:
            return ["null"]
        case bool():
            return ["bool", value]
        case int():
            return ["int", str(int(value))]
        case float():
            return ["float", struct.pack(">d", value).hex()]
        case str():
            return ["text", str.__str__(value)]
        case bytes() | bytearray() | memoryview():
            return ["bytes", bytes(value).hex()]
        case list() | tuple():
            return ["list", [canonical(each) for each in value]]
        case dict():
            return ["map", [[canonical(key), canonical(each)] for key, each in value.items()]]
        case dt.datetime():
            return ["time", re.sub(r"\+00:00$", "Z", value.isoformat(timespec="microseconds"))]
        case dt.date() | decimal.Decimal() | uuid.UUID():
            return [type(value).__name__.lower(), str(value)]
    return ["other", type(value).__name__, repr(value)]


def parse(text: bytes) -> list[Any]:
    """Return the canonical form from its text.

    Raises:
        CanonicalError: The text is not canonical.
    """
    try:
        found = json.loads(text)
        _check(found)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise CanonicalError(f"it sent a value that is not canonical text: {error}"[:200]) from error
    return list(found)


def first_change(wrote: list[Any], became: list[Any], path: str = "$") -> Change | None:
    """Return the first difference between two canonical forms; None if they mean the same."""
    kinds = wrote[0], became[0]
    if kinds == ("map", "map"):
        return _map_change(wrote, became, path)
    if kinds == ("list", "list"):
        if len(wrote[1]) != len(became[1]):
            return Change(path, f"{len(wrote[1])} items", f"{len(became[1])} items")
        pairs = enumerate(zip(wrote[1], became[1], strict=True))
        found = (first_change(old, new, f"{path}[{index}]") for index, (old, new) in pairs)
        return next(filter(None, found), None)
    if _meaning(wrote) == _meaning(became) or _same_number(wrote, became):
        return None
    return Change(path, shown(wrote), shown(became))


def shown(form: list[Any]) -> str:
    """Return a value in short, with its type, such as ``int 5`` or ``text 'a'``."""
    tag, *rest = form
    if tag in ("float", "number"):
        text = f"{tag} {_float(rest[0])!r}"
    elif tag in ("map", "list"):
        text = f"{tag} of {len(rest[0])}"
    elif tag == "tag":
        text = f"tag {rest[0]} of {shown(rest[1])}"
    elif tag == "text":
        text = f"text {rest[0]!r}"
    else:
        text = " ".join([tag, *map(str, rest)]).removeprefix("bool ").removeprefix("other ")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _map_change(wrote: list[Any], became: list[Any], path: str) -> Change | None:
    old, new = ({_key(key): (key, value) for key, value in form[1]} for form in (wrote, became))
    for key, (written, value) in old.items():
        if key in new:
            change = first_change(value, new[key][1], path + _step(written))
            if change is not None:
                return change
            continue
        others = [shown(new[each][0]) for each in new if each not in old]
        return Change(
            path + _step(written), f"key {shown(written)}", f"key {others[0]}" if others else "no key"
        )
    more = [shown(key) for name, (key, _) in new.items() if name not in old]
    return Change(path, "no key", f"key {more[0]}") if more else None


def _step(key: list[Any]) -> str:
    return f".{key[1]}" if key[0] == "text" else f"[{shown(key)}]"


def _key(form: list[Any]) -> str:
    return json.dumps(_meaning(form))


def _meaning(form: list[Any]) -> list[Any]:
    """Return the form without what carries no meaning: trailing zeros, bits of a NaN, order of a map."""
    tag, *rest = form
    if tag in ("float", "number"):
        value = _float(rest[0])
        return [tag, "nan" if math.isnan(value) else rest[0].lower()]
    if tag == "time":
        found = _TIME.fullmatch(rest[0])
        assert found is not None  # `_check` has matched it
        return [tag, found[1], (found[2] or "").rstrip("0"), (found[3] or "").replace("+00:00", "Z")]
    if tag == "list":
        return [tag, [_meaning(each) for each in rest[0]]]
    if tag == "map":
        return [tag, sorted(([_meaning(key), _meaning(value)] for key, value in rest[0]), key=json.dumps)]
    return [tag, rest[0], _meaning(rest[1])] if tag == "tag" else form


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
        raise ValueError(f"more than {_DEEPEST} levels")
    tag, *rest = form
    if tag in ("list", "map"):
        (parts,) = rest
        for each in parts:
            for part in [each] if tag == "list" else _pair(each):
                _check(part, depth + 1)
        return
    good = {"null": not rest, "undefined": not rest, "bool": len(rest) == 1 and isinstance(rest[0], bool)}
    if tag in _STRINGS:
        good[tag] = len(rest) == 1 and isinstance(rest[0], str) and _right(tag, rest[0])
    elif tag == "other":
        good[tag] = len(rest) == 2 and all(isinstance(each, str) for each in rest)
    elif tag == "tag":
        good[tag] = len(rest) == 2 and re.fullmatch(r"-?\d{1,20}", rest[0]) is not None
        _check(rest[1], depth + 1)
    if not good.get(tag, False):
        raise ValueError(f"{form!r}"[:100])


def _pair(each: Any) -> Any:
    key, value = each
    return key, value


def _right(tag: str, text: str) -> bool:
    patterns = {
        "int": r"0|-?[1-9]\d*",
        "float": "[0-9a-f]{16}",
        "number": "[0-9a-f]{16}",
        "bytes": "([0-9a-f]{2})*",
        "raw text": "([0-9a-f]{2})*",
        "time": _TIME.pattern,
    }
    return tag not in patterns or re.fullmatch(patterns[tag], text, re.ASCII) is not None
