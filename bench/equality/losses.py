"""Classification of differences: declared (lossy) or not (wrong).

A codec declares which Python types it preserves (`Codec.preserves`). A value of another type may be decoded
as the form that the conventions write for it: text, a list, a dict, a coarser time. Any other difference is
wrong, as is any difference in a type that the codec preserves.
"""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import enum
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...codecs.conventions.arrays import convention, kind_of
from ...codecs.conventions.classes import fields_of, opened
from ...codecs.conventions.rules import duration_text
from ...codecs.conventions.tokens import SIGNED, token_of, zone
from ...codecs.paths import abridged, brief, join, step
from . import arrays
from .equal import MISSING, differences, equal, type_name

_COARSE = dt.timedelta(seconds=1)
"""Precision that a format without a native type may cut from a moment."""
_MOST = 20
_KEYS = 5


@dataclass(slots=True)
class FidelityJudgement:
    """The differences between a record and its decoded form.

    Attributes:
        losses: Declared differences, one text each.
        wrong: The first undeclared difference, or None.
    """

    losses: dict[str, str] = field(default_factory=dict)
    wrong: str | None = None

    def merge(self, other: FidelityJudgement) -> None:
        """Add the differences of another record; the first example of each kind of loss is kept."""
        for kind, text in other.losses.items():
            if kind in self.losses or len(self.losses) < _MOST:
                self.losses.setdefault(kind, text)
        self.wrong = self.wrong or other.wrong


def find_losses(
    expected: Any, found: Any, preserves: Iterable[str], losses: Sequence[str] = ()
) -> FidelityJudgement:
    """Compare strictly, then classify each difference as declared or not.

    Args:
        expected: The record that was encoded.
        found: The decoded record.
        preserves: The types in `Codec.preserves`.
        losses: Further losses that the codec declares.
    """
    judgement = FidelityJudgement()
    carried = frozenset(preserves)
    first = differences(expected, found, 1, order="key_order" in carried)
    if not first:
        return judgement
    for path, before, after, declared in _walk(expected, found, "$", carried, bool(losses)):
        text = _text(path, before, after)
        if not declared:
            judgement.wrong = text
            return judgement
        judgement.merge(FidelityJudgement({_kind(before, after): text}))
    if not judgement.losses:
        judgement.wrong = str(first[0])
    return judgement


def _kind(before: Any, after: Any) -> str:
    return "zone" if _differs_in_zone(before, after) else f"{type(before).__name__} {type(after).__name__}"


def _text(path: str, before: Any, after: Any) -> str:
    where = abridged(path)
    if type(before) is not type(after):
        name = type_name(before)
        if name == type_name(after):  # numpy's own bool
            name = f"{type(before).__module__}.{name}"
        return f"`{name}` came back as `{type_name(after)}` at `{where}`"
    if _differs_in_zone(before, after):
        return f"`{_zone_of(before, after)}` came back as `{_zone_of(after, before)}` at `{where}`"
    return f"`{_brief(before)}` came back as `{_brief(after)}` at `{where}`"


class _Words(str):
    """A text that replaces a value in a message."""

    __slots__ = ()


def _brief(value: Any) -> str:
    if isinstance(value, _Words):
        return str(value)
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, list):  # keys in their order
        return f"[{', '.join([*map(brief, value[:_KEYS]), *['…'] * (len(value) > _KEYS)])}]"
    return brief(value)


_Found = Iterator[tuple[str, Any, Any, bool]]


def _walk(a: Any, b: Any, path: str, carried: frozenset[str], declares: bool) -> _Found:
    """Yield path, expected, found, and whether it is declared, for every difference."""
    if equal(a, b, order="key_order" in carried):
        return
    if type(a) is dict and type(b) is dict:
        yield from _walk_dict(a, b, path, carried, declares)
    elif isinstance(a, enum.Enum):
        declared = "enum" not in carried
        yield path, a, b, declared
        if declared:
            yield from _walk(a.value, b, path, carried, declares)
    elif type(a) is not type(b) and (plain := opened(a)) is not None:
        declared = "dataclass" not in carried and isinstance(b, type(plain))
        yield path, a, b, declared
        if declared and type(plain) is dict:
            yield from _walk_dict(plain, b, path, carried, declares, ordered=False)
        elif declared:
            yield from _walk(plain, b, path, carried, declares)
    elif kind_of(type(a)):
        yield from _walk_array(a, b, path, carried, declares)
    elif type(a) is type(b) and not isinstance(a, tuple) and (fields := fields_of(a)) is not None:
        yield from _walk_dict(fields, fields_of(b) or {}, path, carried, declares, ordered=False)
    elif isinstance(a, list | tuple | set | frozenset) and isinstance(b, list | tuple | set | frozenset):
        yield from _walk_sequence(a, b, path, carried, declares)
    else:
        token = token_of(a)
        yield path, a, b, token not in carried and _is_written_form(a, b, declares)


def _walk_array(a: Any, b: Any, path: str, carried: frozenset[str], declares: bool) -> _Found:
    """Yield the differences of an array, a frame or an item of one, which may be decoded as plain values."""
    if type(a) is type(b):
        if (gap := arrays.gap(a, b, equal)) is not None:
            yield path + join(gap.steps)[1:], _Words(gap.expected), _Words(gap.found), False
        return
    if kind_of(type(a)) == "pandas.Timestamp" and isinstance(b, dt.datetime) and a.nanosecond:
        yield path, a, b, declares and _is_coarser(a.to_pydatetime(warn=False), b)
        return
    held = arrays.plain(a, b, equal, nulls="nonfinite" not in carried)
    inner = list(_walk(held, b, path, carried, declares))
    yield path, a, b, all(declared or place != path for place, *_, declared in inner)
    yield from (each for each in inner if each[0] != path)


def _walk_dict(
    a: dict[Any, Any],
    b: dict[Any, Any],
    path: str,
    carried: frozenset[str],
    declares: bool,
    *,
    ordered: bool = True,
) -> _Found:
    rest = dict(b)
    order = []
    for key, value in a.items():
        found = _find(key, rest)
        place = path + step(key)
        if found is MISSING:
            yield place, value, MISSING, False
            continue
        order.append(found)
        if type(found) is not type(key):
            yield f"key of {path}", key, found, not _carries_key(key, carried)
        yield from _walk(value, rest.pop(found), place, carried, declares)
    for key in rest:
        yield path + step(key), MISSING, rest[key], False
    if ordered and "key_order" in carried and (came := [key for key in b if key not in rest]) != order:
        yield f"keys of {path}", order, came, False


def _carries_key(key: Any, carried: frozenset[str]) -> bool:
    """Return whether a key that is not text is preserved."""
    if kind_of(type(key)):
        return False
    if type(key) is int and "int_keys" in carried:
        return key in SIGNED or "bigint" in carried
    return "any_keys" in carried


def _find(key: Any, there: dict[Any, Any]) -> Any:
    """Find the key that corresponds to `key`: the same one with the same type, or its text."""
    held = key if (write := convention(type(key))) is None else write(key)
    for candidate in (key, held, *_texts(held), str(key)):
        if candidate in there or candidate != candidate:
            exact = next((k for k in there if equal(k, candidate)), MISSING)
            if exact is not MISSING:
                return exact
    return MISSING


def _walk_sequence(a: Any, b: Any, path: str, carried: frozenset[str], declares: bool) -> _Found:
    if type(a) is not type(b):
        token = token_of(a)
        declared = token not in carried
        yield path, a, b, declared
        if not declared:
            return
    if len(a) != len(b):
        yield path, f"{type(a).__name__} of {len(a)}", f"{type(b).__name__} of {len(b)}", False
        return
    if isinstance(a, set | frozenset):
        rest = list(b)
        for item in a:
            match = next(
                (x for x in rest if not any(not d for *_, d in _walk(item, x, path, carried, declares))),
                MISSING,
            )
            if match is MISSING:
                yield path, item, MISSING, False
                return
            rest.remove(match)
        return
    for index, (x, y) in enumerate(zip(a, b, strict=True)):
        yield from _walk(x, y, f"{path}[{index}]", carried, declares)


def _texts(value: Any) -> list[str]:
    """Return the texts that the conventions write for a value."""
    if isinstance(value, enum.Enum):
        return _texts(value.value)
    if value is None:
        return ["null", "$null"]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, bytes | bytearray):
        return [base64.b64encode(value).decode("ascii")]
    if isinstance(value, dt.datetime | dt.date | dt.time):
        text = value.isoformat()
        return [text, text.replace("+00:00", "Z")]
    if isinstance(value, dt.timedelta):
        return [duration_text(value)]
    return [str(value), repr(value)]


def _is_written_form(a: Any, b: Any, declares: bool) -> bool:
    """Return whether `b` is a form that a format without the type of `a` may write."""
    if isinstance(b, str):
        return b in _texts(a) or (declares and isinstance(a, dt.datetime | dt.time) and _is_rounded(a, b))
    if _differs_in_zone(a, b):
        return b.fold <= a.fold and token_of(a) in ("datetime_zone", "datetime_fold")
    if isinstance(a, bytearray):
        return isinstance(b, bytes) and bytes(a) == b
    if isinstance(a, float) and not math.isfinite(a):
        return b is None
    if isinstance(a, int | decimal.Decimal) and isinstance(b, float):
        return _is_same_number(a, b)
    if isinstance(a, decimal.Decimal) and isinstance(b, decimal.Decimal | int):
        return declares and _is_same_number(a, b)
    if isinstance(b, type(a)) and a == b:
        return declares
    return declares and (_is_coarser(a, b) or _is_rounded(a, b))


def _is_same_number(a: Any, b: Any) -> bool:
    """Return whether `b` is the number `a`, or the float closest to it."""
    try:
        return bool((float(a) if isinstance(b, float) else a) == b)
    except (ArithmeticError, ValueError):  # an int beyond all floats; a signaling NaN
        return False


def _is_rounded(a: Any, b: Any) -> bool:
    """Return whether `b`, or the moment that it is the text of, is `a` with its offset in whole minutes."""
    kind = dt.datetime if isinstance(a, dt.datetime) else dt.time
    try:
        found = kind.fromisoformat(b) if isinstance(b, str) else b
    except ValueError:
        return False
    if not isinstance(a, kind) or not isinstance(found, kind):
        return False
    offset, other = a.utcoffset(), found.utcoffset()
    if offset is None or other is None or abs(offset - other) >= dt.timedelta(minutes=1):
        return False
    return a.replace(tzinfo=None) == found.replace(tzinfo=None)


def _differs_in_zone(a: Any, b: Any) -> bool:
    """Return whether two moments differ only in the name of the zone and fold, which no format writes."""
    kind = dt.datetime if isinstance(a, dt.datetime) else dt.time
    if not isinstance(a, kind) or not isinstance(b, kind):
        return False
    if a.replace(tzinfo=None) != b.replace(tzinfo=None):
        return False
    return a.utcoffset() == b.utcoffset() or (a.fold != b.fold and zone(a.tzinfo) == zone(b.tzinfo))


def _zone_of(value: Any, other: Any) -> str:
    """Return the name of the zone and fold of a moment if another one differs in them."""
    words = [str(value.tzinfo)] if zone(value.tzinfo) != zone(other.tzinfo) else []
    return ", ".join(words + [f"fold={value.fold}"] * (value.fold != other.fold))


def _is_coarser(a: Any, b: Any) -> bool:
    """Return whether `b` is the moment `a` without its smallest part or its zone."""
    if isinstance(a, dt.datetime) and isinstance(b, dt.datetime):
        for zone in (dt.UTC, a.tzinfo, b.tzinfo):
            x = a if a.tzinfo else a.replace(tzinfo=zone or dt.UTC)
            y = b if b.tzinfo else b.replace(tzinfo=zone or dt.UTC)
            if abs(x - y) < _COARSE:
                return True
        return abs(a.replace(tzinfo=None) - b.replace(tzinfo=None)) < _COARSE
    if isinstance(a, dt.date) and isinstance(b, dt.datetime):
        return b.date() == a
    return False
