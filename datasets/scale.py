"""Records of a given size, made from a corpus's own: large records are cut, small ones are combined in lists.

A size is that of compact JSON. A record that is too large keeps its first fields up to the size, and the
beginning of the text or list that does not fit; numbers are never cut. A record that is too small becomes a
list of itself, the next records of the sample, and as much of the last one as fits. So small sizes have few
fields, and large ones many records, but the composition of the corpus stays.
"""

from __future__ import annotations

import json
import pickle
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

_FEWEST = 4
"""Minimum number of records, whatever their size."""


def length(record: Any) -> int:
    """Return the bytes of a record as compact JSON, or of its text if JSON has no form for it."""
    return len(json.dumps(record, separators=(",", ":"), ensure_ascii=False, default=str).encode())


def sized(size: int) -> str:
    """Return a size as a whole number of the largest possible unit: "64KiB"."""
    for bits, unit in ((20, "MiB"), (10, "KiB")):
        if size >= 1 << bits and size % (1 << bits) == 0:
            return f"{size >> bits}{unit}"
    return f"{size}B"


def scaled(records: Sequence[Any], size: int, count: int, room: int) -> list[Any]:
    """Return records of about a size.

    Args:
        records: Records of a corpus; at least one. If more are needed, they are repeated as new objects.
        size: Bytes of each, as compact JSON. A record that cannot be made this small is as small as possible.
        count: Most records.
        room: Total bytes after which no more are made, once there are four records.
    """
    kept = [pickle.dumps(record) for record in records]
    found: list[Any] = []
    spent = at = 0
    while len(found) < count and (spent < room or len(found) < _FEWEST):
        made, at = _made(kept, at, size)
        found.append(made)
        spent += length(made)
    return found


def _made(kept: Sequence[bytes], at: int, size: int) -> tuple[Any, int]:
    """Return a record of the given size, and the place in the sample of the next."""
    first = pickle.loads(kept[at % len(kept)])
    have = length(first)
    if have >= size:
        return _cut(first, size), at + 1
    made, have, at = [first], have + 2, at + 1
    while have < size:
        record = pickle.loads(kept[at % len(kept)])
        left = size - have - 1
        at += 1
        if (more := length(record)) > left:
            record = _cut(record, left)
            if (more := length(record)) > left:
                break
        made.append(record)
        have += more + 1
    return made if len(made) > 1 else first, at


def _cut(value: Any, size: int) -> Any:
    """Return as much of a value's beginning as fits, or the value itself if it cannot be cut."""
    if length(value) <= size:
        return value
    if isinstance(value, str):
        return _text(value, size)
    if type(value) is dict:
        return _fields(value, size)
    if type(value) in (list, tuple):
        items: list[Any] = []
        for item in value:
            left = size - length(items) - (1 if items else 0)
            if (part := _fitting(item, left)) is None:
                break
            items.append(part)
        return type(value)(items)
    return value


def _fields(value: dict[Any, Any], size: int) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, item in value.items():
        left = size - length(found) - length(str(key)) - (2 if found else 1)
        if (part := _fitting(item, left)) is not None:
            found[key] = part
    if not found:
        # A record without fields is not a record, so the smallest one has one field.
        key = min(value, key=lambda name: length({str(name): _cut(value[name], 0)}))
        found = {key: _cut(value[key], 0)}
    return found


def _fitting(value: Any, left: int) -> Any:
    """Return a value or its beginning if it fits into the remaining size and is not empty, else None."""
    part = _cut(value, left)
    empty = part in ("", [], (), {}) and part != value
    return None if part is None or empty or length(part) > left else part


def _text(value: str, size: int) -> str:
    """Return the beginning of a text, by bisection: characters take one to six bytes."""
    ends = range(1, len(value) + 1)
    return value[: bisect_right(ends, size, key=lambda end: length(value[:end]))]
