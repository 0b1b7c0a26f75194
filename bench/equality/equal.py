"""Strict, typed comparison of encoded and decoded records.

``1``, ``True`` and ``1.0`` differ, a tuple is not a list, NaN equals NaN, ``-0.0`` is not ``0.0``,
``Decimal("1.10")`` is not ``Decimal("1.1")``, and two datetimes must agree in UTC offset, in time zone, and
in `fold`. Arrays and frames are compared by `arrays`. Deep, cyclic and massively shared records are compared
in linear time without recursion.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import Any
from uuid import UUID

from ...codecs import CodecError
from ...codecs.conventions.arrays import kind_of
from ...codecs.conventions.classes import fields_of, record_class
from ...codecs.conventions.tokens import zone
from ...codecs.paths import abridged, brief, join
from ...codecs.safety._walk import Rules, check_record
from . import arrays

MISSING = object()
"""Marks a missing value."""
_SAME = frozenset({str, int, bool, bytes, bytearray, type(None), date, timedelta, UUID, range})
"""Types whose ``==`` is exact if the types agree."""


_MARSHALLED = 2
"""The last version that writes the same bytes whether values are shared or not."""
_MOST = 50_000_000
"""Most values of a record, counting shared ones each time, to serialize for a comparison."""


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """One place where the decoded record differs from the encoded one.

    Attributes:
        path: Place, for instance ``$.items[3].tags``.
        expected: The type, or the value if the types agree, in short.
        found: The decoded one, in the same short form.
        kind: ``"type"``, ``"value"``, ``"length"``, ``"missing"``, ``"extra"`` or ``"order"``.
        steps: Keys, indices and names of fields that lead to the place.
        before: The encoded value; None if there was none.
        after: The decoded value; None if there is none.
    """

    path: str
    expected: str
    found: str
    kind: str
    steps: tuple[object, ...] = ()
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        where = abridged(self.path)
        if self.kind == "missing":
            return f"`{where}` is missing"
        if self.kind == "extra":
            return f"`{where}` was added"
        if self.kind == "order":
            return f"keys are in another order at `{where}`"
        return f"`{self.expected}` came back as `{self.found}` at `{where}`"


def equal(expected: object, found: object, *, order: bool = False) -> bool:
    """Return whether two records are the same; see `differences`."""
    return first_difference(expected, found, order=order) is None


def first_difference(expected: object, found: object, *, order: bool = False) -> ValueDifference | None:
    """Return the first place where `found` differs from `expected`, or None; see `differences`."""
    if (text := written(expected)) is not None and text == written(found):
        return None
    return next(_walk(expected, found, order), None)


def written(record: Any) -> bytes | None:
    """Return bytes that identify a record, about thirty times as fast as comparing it.

    The same record may give different bytes, for instance with its keys in another order. For values that are
    not plain, return None. `marshal` distinguishes types and writes floats exactly.
    """
    try:
        check_record(record, _PLAIN)
        return marshal.dumps(record, _MARSHALLED)
    except (CodecError, ValueError, RecursionError, MemoryError):
        return None


def _other(value: object) -> None:
    # For bytes-like values `marshal` writes the bytes and not the type.
    raise ValueError(f"`{type(value).__name__}` is written as another type")


_PLAIN = Rules(max_items=_MOST, inside=_other)


def differences(
    expected: object, found: object, limit: int = 10, *, order: bool = False
) -> list[ValueDifference]:
    """Return at most `limit` places where `found` differs from `expected`.

    Args:
        expected: The encoded record.
        found: The decoded record.
        limit: Most differences to return.
        order: Whether the order of dict keys counts.
    """
    return list(islice(_walk(expected, found, order), limit))


class _Place:
    """A place as a linked list, rendered only if there is a difference."""

    __slots__ = ("key", "up")

    def __init__(self, up: _Place | None, key: object) -> None:
        self.up, self.key = up, key

    def steps(self) -> tuple[object, ...]:
        keys = []
        place: _Place | None = self
        while place is not None and place.up is not None:
            keys.append(place.key)
            place = place.up
        return tuple(reversed(keys))

    def difference(self, kind: str, expected: str, found: str, before: Any, after: Any) -> ValueDifference:
        """Return a difference at this place."""
        steps = self.steps()
        return ValueDifference(join(steps), expected, found, kind, steps, before, after)


def _walk(expected: Any, found: Any, order: bool) -> Iterator[ValueDifference]:
    stack: list[tuple[Any, Any, _Place]] = [(expected, found, _Place(None, None))]
    seen: set[tuple[int, int]] = set()
    while stack:
        a, b, place = stack.pop()
        kind = type(a)
        if kind is not type(b):
            yield place.difference("type", type_name(a), type_name(b), a, b)
        elif kind in _SAME:
            if a is not b and a != b:
                yield place.difference("value", brief(a), brief(b), a, b)
        elif isinstance(a, dict | list | tuple) or record_class(kind) is not None:
            pair = (id(a), id(b))
            if pair not in seen:
                seen.add(pair)
                children: list[tuple[Any, Any, _Place]] = []
                yield from _open(a, b, place, order, children)
                stack.extend(reversed(children))
        elif kind_of(kind):
            if (gap := arrays.gap(a, b, equal)) is not None:
                for key in gap.steps:
                    place = _Place(place, key)
                yield place.difference("value", gap.expected, gap.found, a, b)
        elif not _same_leaf(a, b):
            yield place.difference("value", brief(a), brief(b), a, b)


def _open(
    a: Any, b: Any, place: _Place, order: bool, children: list[tuple[Any, Any, _Place]]
) -> Iterator[ValueDifference]:
    """Yield the differences of a container itself, and append the pairs of its elements to compare."""
    if isinstance(a, dict):
        yield from _open_dict(a, b, place, order, children)
    elif isinstance(a, list | tuple):
        if len(a) != len(b):
            name = type_name(a)
            yield place.difference("length", f"{name} of {len(a)}", f"{name} of {len(b)}", a, b)
        children.extend(
            (x, y, _Place(place, i)) for i, (x, y) in enumerate(zip(a, b, strict=False)) if not _settled(x, y)
        )
    else:
        mine, theirs = fields_of(a) or {}, fields_of(b) or {}
        children.extend(
            (mine.get(name, MISSING), theirs.get(name, MISSING), _Place(place, name))
            for name in {**mine, **theirs}
        )


def _open_dict(
    a: dict[Any, Any], b: dict[Any, Any], place: _Place, order: bool, children: list[tuple[Any, Any, _Place]]
) -> Iterator[ValueDifference]:
    plain = all(type(key) is str for key in a) and all(type(key) is str for key in b)
    mine = a if plain else _by_exact_key(a)
    theirs = b if plain else _by_exact_key(b)
    common = 0
    for key, exact in zip(a, mine, strict=True):
        value, other = mine[exact], theirs.get(exact, MISSING)
        if other is MISSING:
            yield _Place(place, key).difference("missing", brief(value), "", value, None)
            continue
        common += 1
        if not _settled(value, other):
            children.append((value, other, _Place(place, key)))
    if common != len(b):
        for key, exact in zip(b, theirs, strict=True):
            if exact not in mine:
                yield _Place(place, key).difference("extra", "", brief(b[key]), None, b[key])
    if order and common == len(a) == len(b) and list(mine) != list(theirs):
        yield place.difference("order", "", "", a, b)


def _by_exact_key(items: dict[Any, Any]) -> dict[Any, Any]:
    """Return the values by exact key, counted: a dict can have NaN as a key twice."""
    counts: Counter[Any] = Counter()
    found = {}
    for key, value in items.items():
        exact = _exact(key)
        found[exact, counts[exact]] = value
        counts[exact] += 1
    return found


def _settled(a: Any, b: Any) -> bool:
    """Return whether a cheap test shows that two values are the same."""
    kind = type(a)
    if a is b:
        return True
    return kind is type(b) and (kind in _SAME or (kind is float and a != 0.0)) and bool(a == b)


def _same_leaf(a: Any, b: Any) -> bool:
    """Compare two values of one type that hold no further records."""
    if isinstance(a, float | complex):
        return repr(a) == repr(b)
    if isinstance(a, datetime | time):
        return bool(_clock(a) == _clock(b) and a.replace(tzinfo=None) == b.replace(tzinfo=None))
    if isinstance(a, Decimal):
        return bool(a.as_tuple() == b.as_tuple())
    if isinstance(a, set | frozenset):
        return Counter(map(_exact, a)) == Counter(map(_exact, b))
    if isinstance(a, Enum):
        return a is b
    try:
        return bool(a == b)
    except Exception:  # noqa: BLE001 - a failed comparison does not show equality
        return False


def _clock(value: datetime | time) -> tuple[Any, ...]:
    """Return the properties of a moment besides date and time."""
    return value.utcoffset(), zone(value.tzinfo), value.fold


def _exact(value: Any) -> Any:
    """Return a hashable key that is equal only for values of the same types throughout."""
    kind = type(value)
    if kind is str or kind is bytes:
        return value
    if isinstance(value, list | tuple):
        return kind, tuple(map(_exact, value))
    if isinstance(value, set | frozenset):
        return kind, frozenset(Counter(map(_exact, value)).items())
    if isinstance(value, dict):
        return kind, frozenset((exact, _exact(item)) for exact, item in _by_exact_key(value).items())
    if kind_of(kind):
        return kind, arrays.stand_in(value)
    if (fields := fields_of(value)) is not None:
        return kind, tuple((name, _exact(held)) for name, held in fields.items())
    if isinstance(value, datetime | time):
        return kind, value.isoformat(), _clock(value)
    if isinstance(value, float | complex):
        return kind, repr(value)
    if isinstance(value, Decimal):
        return kind, value.as_tuple()
    # A frozen dataclass may exclude a field from its hash.
    return kind, value if isinstance(value, Hashable) else repr(value)


def type_name(value: object) -> str:
    """Return the type of a value for messages; "nothing" for `MISSING`."""
    return type(value).__name__ if value is not MISSING else "nothing"
