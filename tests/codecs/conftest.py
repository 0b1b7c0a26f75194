"""Every registered codec, and values by the token that says who carries them."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs.conventions.rules import RULES
from bakeoff.codecs.conventions.tokens import TOKENS

# Those without a guard promise less: tests/codecs/test_raw.py.
NAMES = [name for name in codecs.names() if not codecs.describe(name).unguarded]


VALUES = {token.name: token.example for token in TOKENS}

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
    return {token: values[token] for token in codec.preserves}


@pytest.fixture
def foreign_values(codec: codecs.Codec) -> dict[str, Any]:
    """Return a value for each type that has a convention and that the codec does not carry."""
    return {rule.token: VALUES[rule.token] for rule in RULES if rule.token not in codec.preserves}


@pytest.fixture(scope="session")
def subclassed_values() -> list[tuple[Any, Any]]:
    """Return a value of each built-in type, and an equal one of a subclass."""
    values = VALUES | {"str": PLAIN_TEXT}
    return [(values[name], as_subclass(values[name])) for name in SUBCLASSED]
