"""The strict comparison: what differs, what does not, and that nothing can make it hang."""

from __future__ import annotations

import pickle
from collections import namedtuple
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.equality.equal import differences, equal, first_difference
from bakeoff.bench.equality.losses import find_losses

Pair = namedtuple("Pair", "a b")


@dataclass
class Point:
    x: int
    y: float


@dataclass(frozen=True)
class Fixed:
    x: Any
    tags: Any = field(default=(), hash=False)


class Guess(tzinfo):
    """A zone of the user's own, which knows no offset without a date."""

    def utcoffset(self, when: datetime | None) -> timedelta:
        assert when is not None
        return timedelta(hours=1 + (3 < when.month < 11))


HALF = timezone(timedelta(hours=5, minutes=30))
MOMENT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
NAN, OTHER_NAN = float("nan"), float("nan")
BERLIN = ZoneInfo("Europe/Berlin")
SUMMER = datetime(2024, 6, 1, tzinfo=BERLIN)


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
        (SUMMER, SUMMER.replace(tzinfo=timezone(timedelta(hours=2)))),
        (SUMMER, SUMMER.replace(tzinfo=ZoneInfo("Europe/Paris"))),
        ({SUMMER}, {SUMMER.replace(tzinfo=timezone(timedelta(hours=2)))}),
        (time(1, tzinfo=BERLIN), time(1)),
        (datetime(2024, 10, 27, 2, 30, fold=1), datetime(2024, 10, 27, 2, 30)),
        (time(2, 30, fold=1), time(2, 30)),
        ({NAN: 1, OTHER_NAN: 2}, {NAN: 1, OTHER_NAN: 3}),
        ({NAN: 1, OTHER_NAN: 2}, {NAN: 1}),
        ({NAN, OTHER_NAN, 1.0}, {NAN, 1.0, 2.0}),
        ({Fixed(1)}, {Fixed(True)}),
        ({Fixed(Fixed(1)): 1}, {Fixed(Fixed(1.0)): 1}),
        ({Fixed(1, [1])}, {Fixed(1, [True])}),
    ],
)
def test_different(expected: Any, found: Any) -> None:
    assert not equal(expected, found)
    assert not equal({"v": [expected]}, {"v": [found]})


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        Point(1, 2.0),
        Pair(1, (2,)),
        {float("nan")},
        Decimal("NaN"),
        {(1, 2): 3},
        MOMENT,
        {NAN: 1, OTHER_NAN: 2},
        {NAN, OTHER_NAN},
        {Fixed(1, [{"a": {1}}]), Fixed(True, bytearray(b"x"))},
        {Fixed(MOMENT): 1},
        datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=BERLIN),
        datetime(2024, 6, 1, tzinfo=Guess()),
    ],
)
def test_same(value: Any) -> None:
    assert equal({"v": value}, {"v": value})
    assert equal({"v": value}, {"v": pickle.loads(pickle.dumps(value))}, order=True)


@pytest.mark.parametrize("tz", [ZoneInfo("UTC"), ZoneInfo("Etc/GMT-2"), timezone(timedelta(hours=2), "CEST")])
def test_a_zone_of_one_offset_is_that_offset(tz: tzinfo) -> None:
    """Nothing is computed otherwise with it, whatever its class and name."""
    offset = timezone(datetime(2024, 1, 1, tzinfo=tz).utcoffset() or timedelta(0))

    assert equal(SUMMER.replace(tzinfo=tz), SUMMER.replace(tzinfo=offset))


def test_sentence() -> None:
    assert str(first_difference({"tags": (1,)}, {"tags": [1]})) == "`tuple` came back as `list` at `$.tags`"
    assert str(first_difference({"a b": [0, {"c": 1}]}, {"a b": [0, {"c": 2}]})) == (
        "`1` came back as `2` at `$['a b'][1].c`"
    )
    assert str(first_difference({"a": 1, "b": 2}, {"b": 2})) == "`$.a` is missing"
    assert str(first_difference({"b": 2}, {"a": 1, "b": 2})) == "`$.a` was added"


@pytest.mark.parametrize("change", [{"key": 2}, {}, {"key": "1"}, {"key": 1, "more": 1}])
def test_the_path_to_a_deep_difference_is_short(change: dict[str, object]) -> None:
    before, after = {"key": 1}, change
    for _ in range(100):
        before, after = {"some": [before]}, {"some": [after]}
    found = str(first_difference(before, after))

    assert "`$.some[0].some[0]" in found
    assert len(found) < 150
    assert all(len(loss) < 150 for loss in find_losses(before, after, frozenset()).losses)


def test_order() -> None:
    assert equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert str(first_difference({"a": 1, "b": 2}, {"b": 2, "a": 1}, order=True)) == (
        "keys are in another order at `$`"
    )


def test_limit() -> None:
    found = differences(list(range(100)), [str(i) for i in range(100)], limit=3)

    assert [d.path for d in found] == ["$[0]", "$[1]", "$[2]"]


@pytest.mark.slow
def test_deep_shared_and_cyclic() -> None:
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
    assert equal(value, value)
