"""The strict comparison: what differs, what does not, and that nothing can make it hang."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.equality import differences, equal, first_difference

Pair = namedtuple("Pair", "a b")


@dataclass
class Point:
    x: int
    y: float


HALF = timezone(timedelta(hours=5, minutes=30))
MOMENT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (1, True),
        (1, 1.0),
        ((1,), [1]),
        (0.0, -0.0),
        (Decimal("1.10"), Decimal("1.1")),
        (MOMENT, MOMENT.astimezone(HALF)),
        (MOMENT, MOMENT.replace(tzinfo=None)),
        ({1: 2}, {"1": 2}),
        ({1: 2}, {True: 2}),
        ({1}, {True}),
        ({1, 2}, frozenset({1, 2})),
        (Pair(1, 2), (1, 2)),
        (Point(1, 2.0), Point(1, 2)),
        (b"a", bytearray(b"a")),
        ({"a": 1}, {}),
        ({}, {"a": None}),
        ([1, 2], [1]),
        ("a", "b"),
        (complex(0, 0.0), complex(0, -0.0)),
    ],
)
def test_different(expected: Any, found: Any) -> None:
    """Values that Python calls equal, or nearly so, are told apart."""
    assert not equal(expected, found)
    assert not equal({"v": [expected]}, {"v": [found]})


@pytest.mark.parametrize(
    "value",
    [float("nan"), Point(1, 2.0), Pair(1, (2,)), {float("nan")}, Decimal("NaN"), {(1, 2): 3}, MOMENT, ...],
)
def test_same(value: Any) -> None:
    """NaN equals NaN; objects equal themselves."""
    assert equal({"v": value}, {"v": value})


def test_sentence() -> None:
    """A difference says what became what, and where."""
    assert str(first_difference({"tags": (1,)}, {"tags": [1]})) == "`tuple` came back as `list` at `$.tags`"
    assert str(first_difference({"a b": [0, {"c": 1}]}, {"a b": [0, {"c": 2}]})) == (
        "`1` came back as `2` at `$['a b'][1].c`"
    )
    assert str(first_difference({"a": 1, "b": 2}, {"b": 2})) == "`$.a` is missing"
    assert str(first_difference({"b": 2}, {"a": 1, "b": 2})) == "`$.a` was not there before"


def test_order() -> None:
    """The order of keys counts only when asked for."""
    assert equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert str(first_difference({"a": 1, "b": 2}, {"b": 2, "a": 1}, order=True)) == (
        "keys came back in another order at `$`"
    )


def test_limit() -> None:
    """Differences come in record order and stop at the limit."""
    found = differences(list(range(100)), [str(i) for i in range(100)], limit=3)

    assert [d.path for d in found] == ["$[0]", "$[1]", "$[2]"]


def test_deep_shared_and_cyclic() -> None:
    """Depth, doubling references and cycles end in linear time."""
    deep: list[Any] = []
    other: list[Any] = []
    for _ in range(100_000):
        deep, other = [deep], [other]
    laughs: list[Any] = ["ha"]
    more: list[Any] = ["ha"]
    for _ in range(60):
        laughs, more = [laughs, laughs], [more, more]
    cycle: list[Any] = []
    cycle.append(cycle)

    assert equal(laughs, more)
    assert equal(cycle, cycle)
    assert equal(deep, other)
    while deep:  # taken apart by hand: freeing 100,000 levels at once would be left to the interpreter
        deep, other = deep[0], other[0]


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.datetimes()
    | st.uuids(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(ANY)
def test_reflexive(value: Any) -> None:
    """Anything equals itself."""
    assert equal(value, value)
