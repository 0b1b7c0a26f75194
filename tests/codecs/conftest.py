"""Every registered codec, and values by the token that says who carries them."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
from collections import namedtuple
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs.conventions import RULES

STAMP = dt.datetime(2020, 1, 2, 3, 4, 5, 678901)
NAMES = codecs.names()


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int = 1
    y: int = 2


Pair = namedtuple("Pair", "left right")

VALUES: dict[str, Any] = {
    "none": None,
    "bool": True,
    "int": -(2**63),
    "bigint": 2**70,
    "float": 0.1,
    "nonfinite": float("-inf"),
    "str": 'é😀\x00 "yes" 1:30',
    "bytes": b"\xff\x00",
    "bytearray": bytearray(b"\xff\x00"),
    "list": [1, [2], []],
    "tuple": (1, (2,), ()),
    "set": {1, 2, 3},
    "frozenset": frozenset({1, 2}),
    "dict": {"a": {"b": {}}},
    "datetime": STAMP,
    "datetime_aware": STAMP.replace(tzinfo=dt.UTC),
    "datetime_offset": STAMP.replace(tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30))),
    "datetime_zone": STAMP.replace(tzinfo=ZoneInfo("Europe/Berlin")),
    "datetime_fold": STAMP.replace(fold=1),
    "date": STAMP.date(),
    "time": STAMP.time(),
    "timedelta": dt.timedelta(days=-1, microseconds=3),
    "decimal": decimal.Decimal("1.10"),
    "uuid": uuid.UUID(int=2**127 + 5),
    "enum": Colour.RED,
    "dataclass": Point(),
    "namedtuple": Pair(1, "x"),
    "complex": 1 + 2j,
    "int_keys": {1: "a", -7: "b"},
    "any_keys": {(1, 2): "a", None: "b"},
    "key_order": {"b": 1, "a": 2},
}

SUBCLASSED = (
    "int", "float", "str", "bytes", "bytearray", "list", "tuple", "set", "frozenset", "dict", "datetime",
    "datetime_aware", "datetime_offset", "date", "time", "timedelta", "decimal", "uuid",
)  # fmt: skip


def as_subclass(value: Any) -> Any:
    """Return an equal value of a subclass, whose text is of no use."""
    kind: Any = type("Own", (type(value),), dict.fromkeys(("__repr__", "__str__"), lambda self: "own"))
    if isinstance(value, (dt.date, dt.time)):
        return kind.fromisoformat(value.isoformat())
    if isinstance(value, dt.timedelta):
        return kind(value.days, value.seconds, value.microseconds)
    return kind(str(value)) if isinstance(value, uuid.UUID) else kind(value)


# XML 1.0 has no NUL, so property lists carry text without control characters only.
PLAIN_TEXT = 'é😀 "yes" 1:30'


@pytest.fixture(params=NAMES)
def codec(request: pytest.FixtureRequest) -> codecs.Codec:
    """Return each codec in turn; the test environment installs all of them."""
    return bakeoff.codec(request.param, trusted=True)


@pytest.fixture
def carried_values(codec: codecs.Codec) -> dict[str, Any]:
    """Return a value for each type that the codec says it carries."""
    values = VALUES | ({"str": PLAIN_TEXT} if codec.name == "plist" else {})
    return {token: values[token] for token in codec.carries}


@pytest.fixture
def foreign_values(codec: codecs.Codec) -> dict[str, Any]:
    """Return a value for each type that has a convention and that the codec does not carry."""
    return {rule.token: VALUES[rule.token] for rule in RULES if rule.token not in codec.carries}


@pytest.fixture(params=SUBCLASSED)
def value_and_subclass(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """Return a value of a built-in type, and an equal one of a subclass."""
    value = PLAIN_TEXT if request.param == "str" else VALUES[request.param]
    return value, as_subclass(value)
