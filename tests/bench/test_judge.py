"""Which differences are declared, and which are wrong."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bakeoff.bench.lab.fidelity.losses import find_losses

JSON = frozenset({"none", "bool", "int", "float", "str", "list", "dict"})


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Place:
    name: str
    tags: tuple[str, ...]


WHEN = dt.datetime(2011, 5, 6, 7, 8, 9, 123456)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((1, 2), [1, 2]),
        ({1, 2}, [1, 2]),
        (WHEN, WHEN.isoformat()),
        (WHEN.replace(tzinfo=dt.UTC), WHEN.isoformat() + "Z"),
        (dt.timedelta(days=1, seconds=2), "P1DT2S"),
        (decimal.Decimal("1.10"), "1.10"),
        (decimal.Decimal("1.5"), 1.5),
        (uuid.UUID(int=1), str(uuid.UUID(int=1))),
        (b"abc", "YWJj"),
        (bytearray(b"abc"), "YWJj"),
        (Colour.RED, "red"),
        (Place("x", ("a",)), {"name": "x", "tags": ["a"]}),
        ({1: "a"}, {"1": "a"}),
        ({2**70: "a"}, {str(2**70): "a"}),
        (2**70, str(2**70)),
        (float("nan"), None),
        ({"deep": [(1, WHEN)]}, {"deep": [[1, WHEN.isoformat()]]}),
    ],
)
def test_the_conventions_are_declared(before: Any, after: Any) -> None:
    found = find_losses({"x": before}, {"x": after}, JSON)

    assert found.wrong is None
    assert found.losses


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1, 2),
        (1, True),
        (1, 1.0),
        ("a", "b"),
        ((1, 2), [1, 3]),
        ([1, 2], [1]),
        ([1], (1,)),
        (WHEN, "2011-05-06"),
        (decimal.Decimal("1.10"), "1.1"),
        (b"abc", "YWJk"),
        ({"a": 1}, {}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({1: "a"}, {"2": "a"}),
        ({1, 2}, [1, 3]),
        (None, "null"),
        (0.0, -0.0),
    ],
)
def test_everything_else_is_wrong(before: Any, after: Any) -> None:
    found = find_losses({"x": before}, {"x": after}, JSON)

    assert found.wrong is not None
    assert "$" in found.wrong


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ({"a": 1}, {}, "`int` came back as `nothing` at `$.a`"),
        ({}, {"a": 1}, "`nothing` came back as `int` at `$.a`"),
    ],
)
def test_a_field_that_one_side_lacks_is_named(before: Any, after: Any, text: str) -> None:
    assert find_losses(before, after, JSON).wrong == text


def test_a_type_that_the_codec_carries_must_come_back() -> None:
    assert find_losses((1,), [1], JSON | {"tuple"}).wrong == "`tuple` came back as `list` at `$`"


def test_a_coarser_moment_needs_a_declared_loss() -> None:
    cut = WHEN.replace(microsecond=123000)

    assert find_losses(WHEN, cut, JSON).wrong is not None
    assert list(find_losses(WHEN, cut, JSON, ["datetimes lose their microseconds"]).losses.values()) == [
        "`2011-05-06T07:08:09.123456` came back as `2011-05-06T07:08:09.123000` at `$`"
    ]
    assert (
        find_losses(WHEN, cut.replace(hour=8), JSON, ["datetimes lose their microseconds"]).wrong is not None
    )


BERLIN = WHEN.replace(tzinfo=ZoneInfo("Europe/Berlin"))
HERE = dt.timezone(dt.timedelta(hours=2))
REPEATED = dt.datetime(2024, 10, 27, 2, 30, fold=1)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (BERLIN, BERLIN.replace(tzinfo=HERE), "`Europe/Berlin` came back as `UTC+02:00`"),
        (REPEATED, REPEATED.replace(fold=0), "`fold=1` came back as `fold=0`"),
        (BERLIN.timetz(), BERLIN.time(), "`Europe/Berlin` came back as `None`"),
        (
            REPEATED.replace(tzinfo=ZoneInfo("Europe/Berlin")),
            REPEATED.replace(tzinfo=ZoneInfo("Europe/Berlin"), fold=0),
            "`fold=1` came back as `fold=0`",
        ),
    ],
)
def test_zone_and_fold_are_lost_by_declaration(before: Any, after: Any, text: str) -> None:
    offsets = JSON | {"datetime", "datetime_aware", "datetime_offset", "time"}
    found = find_losses({"at": before}, {"at": after}, offsets)

    assert (found.wrong, list(found.losses.values())) == (None, [f"{text} at `$.at`"])
    assert find_losses(before, after, offsets | {"datetime_zone", "datetime_fold"}).wrong is not None
    assert find_losses(before, after.replace(minute=1), offsets).wrong is not None
    assert (
        find_losses(after, after.replace(fold=not after.fold), offsets | {"datetime_fold"}).wrong is not None
    )


def test_a_claimed_order_of_keys_must_come_back() -> None:
    before, after = {"x": {"a": (1,), "_id": 2}}, {"x": {"_id": 2, "a": [1]}}

    assert find_losses(before, after, JSON | {"key_order"}).wrong == (
        "`['a', '_id']` came back as `['_id', 'a']` at `keys of $.x`"
    )
    assert find_losses(before, after, JSON).wrong is None
    assert find_losses({"a": 1, "_id": 2}, {"_id": 2, "a": 1}, JSON | {"key_order"}).wrong is not None


def test_keys_that_are_nan_are_found() -> None:
    nan = float("nan")
    before, after = ({nan: of(1), float("nan"): of(2), 1.5: of(3)} for of in (lambda x: (x,), lambda x: [x]))

    assert find_losses(before, after, JSON | {"any_keys"}).wrong is None


def test_equal_records_have_nothing_to_judge() -> None:
    found = find_losses({"a": [1, None]}, {"a": [1, None]}, JSON)

    assert (found.losses, found.wrong) == ({}, None)


@pytest.mark.parametrize(
    ("preserves", "wrong"),
    [
        (set(), False),
        ({"int_keys"}, False),
        ({"bigint"}, False),
        ({"int_keys", "bigint"}, True),
        ({"any_keys"}, True),
    ],
)
def test_a_large_int_as_a_key_needs_both(preserves: set[str], wrong: bool) -> None:
    """MessagePack has int keys and no such ints, JSON such ints and no int keys: both write text."""
    found = find_losses({2**64: 1}, {str(2**64): 1}, JSON | preserves)

    assert wrong == (found.wrong is not None)
