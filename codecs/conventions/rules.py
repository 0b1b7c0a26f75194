"""Rules for writing Python types that formats may lack, one for each type.

`SCALARS` are types without parts, written as text. Codecs, tokens, schemas, definitions, bindings and
synthetic records all derive from a type's row.

Sources: ISO 8601 as written by `datetime.isoformat`; RFC 4648 (base64); RFC 4122 text (UUID).
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ._forms import base64_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The written form of one Python type.

    Attributes:
        token: The type's name in `Codec.preserves`.
        type: The Python type; subclasses follow it.
        form: Machine name of the written form, for schemas.
        words: Description of the written form, for the documentation.
        write: The conversion; nested values are converted in turn.
    """

    token: str
    type: type
    form: str
    words: str
    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar(Rule):
    """A type without parts that is written as text.

    Attributes:
        read: ``(text) -> value``; it drops nothing and raises ValueError for other text. None if the type has
            a separate class in `bakeoff.schemas.tree.types`, and a separate step in plans.
        exact: ``(value) -> value``; converts a value of a subclass to the type itself.
        draw: ``(Random) -> value`` for generated records.
        example: A value with all parts that a text could lose.
    """

    form: str = "text"
    write: Callable[[Any], str] = str
    read: Callable[[str], Any] | None = None
    exact: Callable[[Any], Any]
    draw: Callable[[Random], Any]
    example: Any


def duration_text(value: dt.timedelta) -> str:
    """Return a duration as ISO 8601 text: ``P1DT2.000003S``, negative ones with a leading minus."""
    sign = "-" if value < dt.timedelta(0) else ""
    value = abs(value)
    seconds = f"{value.seconds}.{value.microseconds:06d}".rstrip("0").rstrip(".")
    days = f"{value.days}D" if value.days else ""
    if seconds == "0":
        return f"{sign}P{days or '0D'}"
    return f"{sign}P{days}T{seconds}S"


_FINER = re.compile(r"[.,]\d{6}\d*[1-9]")


def _time_of(text: str) -> dt.time:
    if _FINER.search(text):
        raise ValueError("finer than a microsecond")
    return dt.time.fromisoformat(text)


def _exact_time(value: dt.time) -> dt.time:
    return dt.datetime.combine(dt.date.min, value).timetz()


SCALARS = (
    Scalar(
        token="date",
        type=dt.date,
        form="iso",
        words="ISO 8601 text",
        write=dt.date.isoformat,
        exact=lambda value: dt.date.fromordinal(dt.date.toordinal(value)),
        draw=lambda random: dt.date(2026, 1, 1) + dt.timedelta(days=random.randrange(365)),
        example=dt.date(2020, 1, 2),
    ),
    Scalar(
        token="time",
        type=dt.time,
        form="iso",
        words="ISO 8601 text",
        write=dt.time.isoformat,
        read=_time_of,
        exact=_exact_time,
        draw=lambda random: dt.time(random.randrange(24), random.randrange(60), 7, 123456),
        example=dt.time(3, 4, 5, 678901),
    ),
    Scalar(
        token="timedelta",
        type=dt.timedelta,
        form="iso",
        words="ISO 8601 duration text",
        write=duration_text,
        exact=lambda value: dt.timedelta(value.days, value.seconds, value.microseconds),
        draw=lambda random: dt.timedelta(seconds=random.randrange(10**6), microseconds=5),
        example=dt.timedelta(days=-1, microseconds=3),
    ),
    Scalar(
        token="decimal",
        type=decimal.Decimal,
        words="decimal text",
        exact=decimal.Decimal,
        draw=lambda random: decimal.Decimal(random.randrange(10**6)).scaleb(-2),
        example=decimal.Decimal("1.10"),
    ),
    Scalar(
        token="uuid",
        type=uuid.UUID,
        words="UUID text",
        exact=lambda value: uuid.UUID(int=value.int),
        draw=lambda random: uuid.UUID(int=random.getrandbits(128)),
        example=uuid.UUID(int=2**127 + 5),
    ),
)
"""Types without parts that are written as text, in the order in which they are listed."""
SCALAR_OF: Mapping[type, Scalar] = {scalar.type: scalar for scalar in SCALARS}


_ORDERED = frozenset({str, bytes, dt.date, dt.timedelta, uuid.UUID})
"""Types whose values have one order."""


def _order(item: Any) -> tuple[str, Any]:
    """Return what items of any types are sorted by, the same in every process."""
    if isinstance(item, frozenset):
        return type(item).__qualname__, sorted(map(_order, item))
    if isinstance(item, tuple):
        return type(item).__qualname__, list(map(_order, item))
    return type(item).__qualname__, repr(item)


def _plain_set(value: set[Any] | frozenset[Any]) -> list[Any]:
    """Sort the items if possible, so that equal sets have equal payloads."""
    try:
        items = sorted(value)
    except (TypeError, ArithmeticError):
        return sorted(value, key=_order)
    # Sets compare as subsets, and NaN with nothing: then the order depends on that of the hashes.
    if len(items) < 2 or type(items[0]) in _ORDERED or {int} == set(map(type, items)):
        return items
    return sorted(items, key=_order) if any(map(_has_no_order, items)) else items


def _has_no_order(item: Any) -> bool:
    return item != item or isinstance(item, frozenset | tuple)


def _base64(token: str, kind: type) -> Rule:
    return Rule(token=token, type=kind, form="base64", words="base64 text", write=base64_text)


def _list(kind: type, words: str, write: Callable[[Any], list[Any]]) -> Rule:
    return Rule(token=kind.__name__, type=kind, form="list", words=words, write=write)


RULES: tuple[Rule, ...] = (
    Rule(token="enum", type=enum.Enum, form="value", words="its value", write=lambda v: v.value),
    Rule(token="datetime", type=dt.datetime, form="iso", words="ISO 8601 text", write=dt.datetime.isoformat),
    *SCALARS,
    _base64("bytes", bytes),
    _base64("bytearray", bytearray),
    _base64("bytearray", memoryview),
    _list(set, "list, sorted where possible", _plain_set),
    _list(frozenset, "list, sorted where possible", _plain_set),
    _list(tuple, "list", list),
)
"""In order of precedence; objects of classes with fields become dicts, see `classes`."""
RULE_OF: Mapping[type, Rule] = {rule.type: rule for rule in RULES}
