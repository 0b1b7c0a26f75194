"""Names of the Python types that a codec may preserve, as in `Codec.preserves` and ``--needs``.

Most stand for a Python type, some for a part of its values (integers beyond 64 bits, moments with an offset),
and three for properties of dict keys.
"""

from __future__ import annotations

import datetime as dt
import enum
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from .classes import record_class
from .rules import SCALARS

SIGNED = range(-(2**63), 2**63)


class Colour(enum.Enum):
    """Text values."""

    RED = "red"
    GREEN = "green"


@dataclass
class Place:
    """A dataclass with a field that formats lack."""

    name: str
    opened: dt.date


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


class Summer(dt.tzinfo):
    """A zone with summer time, like those of `zoneinfo`, for systems without a database of zones."""

    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta | None:
        """Return the offset on a date."""
        return None if when is None else dt.timedelta(hours=1) + self.dst(when)

    def dst(self, when: dt.datetime | None) -> dt.timedelta:
        """Return the offset that summer time adds."""
        return dt.timedelta(hours=when is not None and 3 < when.month < 11)

    def tzname(self, when: dt.datetime | None) -> str:
        """Return its name."""
        return "summer time"


class Token(NamedTuple):
    """One name.

    Attributes:
        name: As in `Codec.preserves`.
        kind: The type of its values.
        example: One of these values.
        schema_brings: Whether an advisory schema restores it after any codec.
    """

    name: str
    kind: type
    example: Any
    schema_brings: bool = False


_MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 678901)
_HALF_PAST_FIVE = dt.timezone(dt.timedelta(hours=5, minutes=30))

TOKENS: tuple[Token, ...] = (
    Token("none", type(None), None),
    Token("bool", bool, True),
    Token("int", int, -(2**63)),
    Token("bigint", int, 2**70),
    Token("float", float, 0.1),
    Token("nonfinite", float, -math.inf),
    Token("str", str, 'é😀\x00 "yes" 1:30'),
    Token("bytes", bytes, b"\xff\x00", schema_brings=True),
    Token("bytearray", bytearray, bytearray(b"\xff\x00"), schema_brings=True),
    Token("list", list, [1, [2], []], schema_brings=True),
    Token("tuple", tuple, (1, (2,), ()), schema_brings=True),
    Token("set", set, {1, 2, 3}, schema_brings=True),
    Token("frozenset", frozenset, frozenset({1, 2}), schema_brings=True),
    Token("dict", dict, {"a": {"b": {}}}),
    Token("datetime", dt.datetime, _MOMENT, schema_brings=True),
    Token("datetime_aware", dt.datetime, _MOMENT.replace(tzinfo=dt.UTC), schema_brings=True),
    Token("datetime_offset", dt.datetime, _MOMENT.replace(tzinfo=_HALF_PAST_FIVE), schema_brings=True),
    Token("datetime_zone", dt.datetime, _MOMENT.replace(tzinfo=Summer())),
    Token("datetime_fold", dt.datetime, _MOMENT.replace(fold=1)),
    *(Token(each.token, each.type, each.example, schema_brings=True) for each in SCALARS),
    Token("enum", enum.Enum, Colour.RED, schema_brings=True),
    Token("dataclass", Place, Place("x", dt.date(2024, 1, 2)), schema_brings=True),
    Token("namedtuple", Point, Point(1, 2), schema_brings=True),
    Token("complex", complex, 1 + 2j),
    Token("int_keys", dict, {1: "a", -7: "b"}, schema_brings=True),
    Token("any_keys", dict, {(1, 2): "a", None: "b"}),
    Token("key_order", dict, {"b": 1, "a": 2}),
)
"""In the order in which they are listed."""

NAMES = tuple(token.name for token in TOKENS)
SCHEMA_BRINGS = frozenset(token.name for token in TOKENS if token.schema_brings)

_PLAIN: dict[type, str] = {token.kind: token.name for token in reversed(TOKENS)}
"""The first token of each type."""


def token_of(value: object) -> str:
    """Return the token of a value, ignoring its keys; the type's name if there is no token."""
    if isinstance(value, enum.Enum):
        return "enum"
    if type(value) is int and value not in SIGNED:
        return "bigint"
    if type(value) is float and not math.isfinite(value):
        return "nonfinite"
    if isinstance(value, dt.datetime | dt.time):
        if value.fold:
            return "datetime_fold"
        if isinstance(zone(value.tzinfo), tuple):
            return "datetime_zone"
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            return "datetime"
        return "datetime_offset" if value.utcoffset() else "datetime_aware"
    if isinstance(value, tuple) and type(value) is not tuple:
        return "namedtuple"
    if record_class(type(value)) is not None:
        return "dataclass"
    return _PLAIN.get(type(value), type(value).__name__)


def zone(info: dt.tzinfo | None) -> Any:
    """Return the identity of a zone: its offset if that is fixed, else the kind and name of the zone.

    The offset of a named zone changes with the date, so that no fixed offset represents it.
    """
    if info is None:
        return None
    try:
        offset = info.utcoffset(None)
    except Exception:  # noqa: BLE001 - a class of the user's own, which knows no offset without a date
        offset = None
    return (type(info), getattr(info, "key", None)) if offset is None else offset
