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

from bakeoff.bench.equality.equal import equal
from bakeoff.bench.equality.losses import find_losses

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


TEXTS = {
    True: {"true"},
    False: {"false"},
    None: {"null", "$null"},
    7: {"7"},
    1.5: {"1.5"},
    b"abc": {"YWJj"},
    decimal.Decimal("1.10"): {"1.10"},
    dt.date(2024, 2, 29): {"2024-02-29"},
    dt.time(1, 2, 3): {"01:02:03"},
    WHEN.replace(tzinfo=dt.UTC): {f"{WHEN.isoformat()}Z", f"{WHEN.isoformat()}+00:00"},
    dt.timedelta(days=1, seconds=2): {"P1DT2S"},
    dt.timedelta(days=-1): {"-P1D"},
    uuid.UUID(int=1): {str(uuid.UUID(int=1))},
}
"""Texts that may replace a value in a format without its type; those of the others are wrong."""


@pytest.mark.parametrize("value", TEXTS, ids=repr)
def test_a_value_may_become_its_own_text_only(value: Any) -> None:
    for text in set().union(*TEXTS.values()):
        for before, after in (({"x": value}, {"x": text}), ({value: 1}, {text: 1})):
            assert (text in TEXTS[value]) == (find_losses(before, after, ()).wrong is None), text


def test_each_kind_of_loss_is_shown_once() -> None:
    before = {"a": b"x", "b": WHEN, "c": (1,), "d": b"y", "e": {2}}
    after = {"a": "eA==", "b": WHEN.isoformat(), "c": [1], "d": "eQ==", "e": [2]}

    assert [
        "`bytes` came back as `str` at `$.a`",
        "`datetime` came back as `str` at `$.b`",
        "`tuple` came back as `list` at `$.c`",
        "`set` came back as `list` at `$.e`",
    ] == [*find_losses(before, after, JSON).losses.values()]


@pytest.mark.parametrize("declares", [(), ("something",)])
def test_any_two_values_can_be_compared(declares: tuple[str, ...]) -> None:
    """What a faulty codec makes of a value may have any type."""
    aware = WHEN.replace(tzinfo=dt.UTC)
    values = [*TEXTS, WHEN, aware.timetz(), Colour.RED, Place("x", ()), "text", [1], (1,), {1}, {"a": 1}]
    values += [2**70, 10**400, float("nan"), float("inf")]
    values += [decimal.Decimal(text) for text in ("NaN", "sNaN", "1E+999")]
    for before in values:
        for after in values:
            found = find_losses(before, after, JSON, declares)

            assert (found.wrong is None and not found.losses) == equal(before, after)


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


EAST = dt.timezone(dt.timedelta(hours=2))
ODD = dt.timezone(dt.timedelta(hours=2, seconds=20))
SECOND, MICROSECOND = dt.timedelta(seconds=1), dt.timedelta(microseconds=1)
EASTERN = WHEN.replace(tzinfo=EAST)


@pytest.mark.parametrize(
    ("before", "after", "declared"),
    [
        (WHEN, WHEN - SECOND + MICROSECOND, True),
        (WHEN, WHEN + SECOND, False),
        (WHEN, WHEN - SECOND, False),
        (WHEN, WHEN.replace(tzinfo=dt.UTC), True),
        (WHEN, WHEN.replace(tzinfo=EAST), True),
        (WHEN, WHEN.replace(tzinfo=EAST) + SECOND, False),
        (EASTERN, EASTERN.astimezone(dt.UTC), True),
        (EASTERN, EASTERN.astimezone(dt.UTC).replace(microsecond=0), True),
        (EASTERN, EASTERN.astimezone(dt.UTC) + SECOND, False),
        (EASTERN, EASTERN.astimezone(dt.UTC).replace(tzinfo=None), True),
        (EASTERN, WHEN, True),
        (EASTERN, WHEN.replace(tzinfo=dt.UTC), True),
        (EASTERN, WHEN + SECOND, False),
        (EASTERN, WHEN + dt.timedelta(hours=2), False),
        (WHEN.date(), WHEN, True),
        (WHEN.date(), WHEN + dt.timedelta(days=1), False),
        (WHEN.date(), WHEN.date() + dt.timedelta(days=1), False),
        (WHEN.replace(tzinfo=ODD), EASTERN, True),
        (WHEN.replace(tzinfo=ODD), EASTERN.isoformat(), True),
        (WHEN.replace(tzinfo=ODD), "2011-05-06T07:08:09.123456+02:01", True),
        (WHEN.replace(tzinfo=ODD), "2011-05-06T07:08:09.123456+02:02", False),
        (WHEN.replace(tzinfo=ODD), "2011-05-06T07:08:10.123456+02:00", False),
        (WHEN.replace(tzinfo=ODD), "2011-05-06T07:08:09.123456", False),
        (WHEN.replace(tzinfo=ODD), "soon", False),
        (WHEN.time().replace(tzinfo=ODD), EASTERN.timetz(), True),
        (WHEN.time().replace(tzinfo=ODD), EASTERN.timetz().isoformat(), True),
        (WHEN.time().replace(tzinfo=ODD), WHEN.time(), False),
        (WHEN.time(), WHEN.time().replace(microsecond=0), False),
        (decimal.Decimal("1.10"), decimal.Decimal("1.1"), True),
        (decimal.Decimal("1.10"), decimal.Decimal("1.2"), False),
        (decimal.Decimal("2"), 2, True),
        (decimal.Decimal("2"), 3, False),
        ("a", "b", False),
    ],
)
def test_what_a_declared_loss_may_change(before: Any, after: Any, declared: bool) -> None:
    types = frozenset({"str", "dict"})

    assert find_losses({"x": before}, {"x": after}, types).wrong is not None
    assert declared == (find_losses({"x": before}, {"x": after}, types, ["some loss"]).wrong is None)


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
