"""Corrections, the advice about them, and values that are not changed."""

from __future__ import annotations

import datetime as dt
import enum
import math
import pickle
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import msgspec
import pytest
from kinds import Access, Colour, Level, Odd

from bakeoff import codecs
from bakeoff.bench.equality.equal import first_difference
from bakeoff.schemas import Advice, AdviceCounter, AdviceError, Hint, Schema
from bakeoff.schemas.tree.types import Type


class Item(TypedDict):
    created: dt.datetime
    price: Decimal


class Order(TypedDict):
    id: UUID
    items: list[Item]
    note: NotRequired[str]


class Weekday(enum.Enum):
    MONDAY = 1


class Mixed(enum.Enum):
    WORD = "x"
    NUMBER = 1
    SHARE = 0.5
    TRUTH = True


class Huge(enum.Enum):
    ATOMS = 10**80


class Rights(enum.IntFlag):
    READ = 1
    RUN = 4


class Corner(enum.Enum):
    TOP = (0, Decimal("1.0"))
    NONE = None


KEY = UUID("12345678-1234-5678-1234-567812345678")
MOMENT = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
AWARE = Annotated[dt.datetime, Hint(aware=True)]


def said(spec: Any, record: Any) -> list[str]:
    return [str(advice) for advice in Schema(spec).advise(record)[1]]


def test_keys_are_turned_in_the_order_that_a_dict_keeps() -> None:
    """An OrderedDict knows its order better than the dict that it is."""
    record = OrderedDict([("1", "a"), ("2", "b")])
    record.move_to_end("1")

    assert list(Schema(dict[int, str]).apply(record).items()) == [(2, "b"), (1, "a")]
    assert list(reversed(record)) == [1, 2]


def test_a_midnight_that_is_more_is_no_date() -> None:
    class Finer(dt.datetime):
        pass

    for moment in (dt.datetime(2024, 1, 2, fold=1), Finer(2024, 1, 2)):
        assert Schema({"d": dt.date}).apply({"d": moment})["d"] is moment


def test_the_sentence() -> None:
    record = {"id": str(KEY), "items": [{"created": dt.datetime(2024, 1, 1), "price": Decimal(1)}] * 3}
    record["items"].append({"created": 17, "price": Decimal(1)})

    assert said(Order, record) == [
        "Expected `UUID`, got `str` - at `$.id`",
        "Expected `datetime`, got `int` - at `$.items[3].created`",
    ]


CASES: list[tuple[Any, Any, Any, str]] = [
    # type, what came, what it becomes, outcome
    (int, "12", 12, "fixed"),
    (int, "012", "012", "could not"),
    (int, 3.0, 3, "fixed"),
    (int, 3.5, 3.5, "could not"),
    (int, True, True, "kept"),
    (int, -0.0, -0.0, "could not"),
    (float, 3, 3.0, "fixed"),
    (float, 2**60 + 1, 2**60 + 1, "could not"),
    (float, "1.5", 1.5, "fixed"),
    (float, None, None, "kept"),
    (bool, "true", True, "fixed"),
    (bool, 1, 1, "kept"),
    (str, b"abc", "abc", "fixed"),
    (str, b"\xff", b"\xff", "could not"),
    (str, 5, 5, "kept"),
    (bytes, "aGk=", b"hi", "fixed"),
    (bytes, "aGk", "aGk", "could not"),
    (bytes, "aGl=", "aGl=", "could not"),
    (bytes, "aGk==", "aGk==", "could not"),
    (bytes, bytearray(b"x"), b"x", "fixed"),
    (bytearray, b"x", bytearray(b"x"), "fixed"),
    (Annotated[bytes, Hint(encoding="base64url")], "-_8", b"\xfb\xff", "fixed"),
    (dt.datetime, "2024-01-02T03:04:05Z", dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC), "fixed"),
    (dt.datetime, "2024-01-02T03:04:05.1234567", "2024-01-02T03:04:05.1234567", "could not"),
    (dt.datetime, "2024-01-02T03:04:05.123456000", dt.datetime(2024, 1, 2, 3, 4, 5, 123456), "fixed"),
    (dt.datetime, "20240102T030405.123456", dt.datetime(2024, 1, 2, 3, 4, 5, 123456), "fixed"),
    (dt.datetime, "20240102T030405,123456000Z", dt.datetime(2024, 1, 2, 3, 4, 5, 123456, dt.UTC), "fixed"),
    (dt.datetime, "20240102T030405.1234567", "20240102T030405.1234567", "could not"),
    (dt.datetime, "20240102T030405.123456789+00:00", "20240102T030405.123456789+00:00", "could not"),
    (dt.datetime, "2024-01-02T030405.123456789", "2024-01-02T030405.123456789", "could not"),
    (dt.datetime, "2024-W01-2T03:04:05,1234567Z", "2024-W01-2T03:04:05,1234567Z", "could not"),
    (dt.datetime, "2024-01-02.030405.1234567", "2024-01-02.030405.1234567", "could not"),
    (dt.datetime, "2024-02-30T00:00:00", "2024-02-30T00:00:00", "could not"),
    (dt.datetime, dt.date(2024, 1, 2), dt.datetime(2024, 1, 2), "fixed"),
    (dt.datetime, 1_700_000_000, 1_700_000_000, "kept"),
    (dt.date, dt.datetime(2024, 1, 2), dt.date(2024, 1, 2), "fixed"),
    (dt.date, dt.datetime(2024, 1, 2, 1), dt.datetime(2024, 1, 2, 1), "could not"),
    (dt.date, dt.datetime(2024, 1, 2, tzinfo=dt.UTC), dt.datetime(2024, 1, 2, tzinfo=dt.UTC), "could not"),
    (dt.date, "2024-13-01", "2024-13-01", "could not"),
    (dt.time, "01:02:03.000004", dt.time(1, 2, 3, 4), "fixed"),
    (dt.time, "010203,123456789", "010203,123456789", "could not"),
    (dt.timedelta, "-P1DT0.5S", -dt.timedelta(days=1, seconds=0.5), "fixed"),
    (dt.timedelta, "P", "P", "could not"),
    (Annotated[dt.timedelta, Hint(epoch="ms")], 1500, dt.timedelta(seconds=1.5), "fixed"),
    (Annotated[dt.timedelta, Hint(epoch="s")], 0.1, dt.timedelta(seconds=0.1), "fixed"),
    (Annotated[dt.timedelta, Hint(epoch="s")], -1.000001, dt.timedelta(seconds=-1, microseconds=-1), "fixed"),
    (Annotated[dt.timedelta, Hint(epoch="s")], 0.12345678, 0.12345678, "could not"),
    (Annotated[dt.timedelta, Hint(epoch="ms")], 1e-9, 1e-9, "could not"),
    (Annotated[dt.timedelta, Hint(epoch="s")], math.inf, math.inf, "could not"),
    (Annotated[dt.datetime, Hint(epoch="ns")], 1, 1, "could not"),
    (Annotated[dt.datetime, Hint(epoch="ns")], 1.5, 1.5, "could not"),
    (Annotated[dt.datetime, Hint(epoch="ns")], 2e3, dt.datetime(1970, 1, 1, 0, 0, 0, 2, dt.UTC), "fixed"),
    (
        Annotated[dt.datetime, Hint(epoch="s")],
        1704164645.123456,
        dt.datetime(2024, 1, 2, 3, 4, 5, 123456, dt.UTC),
        "fixed",
    ),
    (Decimal, "1.10", Decimal("1.10"), "fixed"),
    (Decimal, 1.1, Decimal("1.1"), "fixed"),
    (Decimal, "1,1", "1,1", "could not"),
    (Decimal, "٣", "٣", "could not"),
    (UUID, str(KEY), KEY, "fixed"),
    (UUID, KEY.bytes, KEY, "fixed"),
    (UUID, "12345678123456781234567812345678", KEY, "fixed"),
    (UUID, "1234567-81234-5678-1234-567812345678", "1234567-81234-5678-1234-567812345678", "could not"),
    (Colour, "red", Colour.RED, "fixed"),
    (Colour, "RED", "RED", "could not"),
    (Corner, [0, "1.0"], Corner.TOP, "fixed"),
    (Level, "1", "1", "could not"),
    (Access, 3, Access.READ | Access.WRITE, "fixed"),
    (Access, 0, Access(0), "fixed"),
    (Access, 7, 7, "could not"),
    (Access, -1, -1, "could not"),
    (Access, "3", "3", "could not"),
    (Access, str(2**70 + 1), Access.FAR | Access.READ, "fixed"),
    (Rights, 5, Rights.READ | Rights.RUN, "fixed"),
    (dict[Rights, str], {"5": "a", "8": "b"}, {Rights.READ | Rights.RUN: "a", "8": "b"}, "fixed"),
    (Odd, "/w==", Odd.MARK, "fixed"),
    (Odd, "P1DT0.000001S", Odd.SPAN, "fixed"),
    (Odd, str(2**70), Odd.BIG, "fixed"),
    (Odd, "1.10", Odd.PRICE, "fixed"),
    (Literal["a", 1], True, True, "could not"),
    (Literal["a", 1], "1", "1", "could not"),
    (list[int], (1, 2), [1, 2], "fixed"),
    (list[int], "12", "12", "kept"),
    (tuple[int, str], [1, "a"], (1, "a"), "fixed"),
    (set[int], [2, 1], {1, 2}, "fixed"),
    (set[int], [1, 1], [1, 1], "could not"),
    (set[int], [[]], [[]], "could not"),
    (frozenset[int], {1}, frozenset({1}), "fixed"),
    (dict[int, str], {"1": "a", "02": "b"}, {1: "a", "02": "b"}, "fixed"),
    (dict[int, str], {"1": "a", 1: "b"}, {"1": "a", 1: "b"}, "kept"),
    (dict[Level, str], {"1": "a", 2: "b", "3": "c"}, {Level.LOW: "a", Level.HIGH: "b", "3": "c"}, "fixed"),
    (dict[Level, str], {"1": "a", 1: "b"}, {"1": "a", Level.LOW: "b"}, "kept"),
    (dict[Odd, str], {"P1DT0.000001S": "a"}, {Odd.SPAN: "a"}, "fixed"),
    (dict[Literal[1, "2"], str], {"1": "a", "2": "b", "3": "c"}, {1: "a", "2": "b", "3": "c"}, "fixed"),
    (int | None, "5", 5, "fixed"),
    (dt.date | dt.datetime, "2024-01-02", dt.date(2024, 1, 2), "fixed"),
    (dt.date | dt.datetime, "2024-01-02T00:00:00", dt.datetime(2024, 1, 2), "fixed"),
    (list[int] | dict[str, Decimal], {"a": "1"}, {"a": Decimal(1)}, "fixed"),
    (str | int, 1.5, 1.5, "kept"),
]


@pytest.mark.parametrize(("kind", "came", "becomes", "outcome"), CASES)
def test_conversions(kind: Any, came: Any, becomes: Any, outcome: str) -> None:
    record, advice = Schema({"v": kind}).advise({"v": came})

    assert first_difference({"v": becomes}, record) is None
    assert advice[0].outcome == outcome
    assert advice[0].value is not None or came is None


def test_missing_and_wrong_at_the_top() -> None:
    assert said(Order, {"items": []}) == ["Expected `UUID`, got nothing - at `$.id`"]
    assert said(Order, [1, 2]) == ["Expected `Order`, got `list` - at `$`"]
    assert said(Order, None) == ["Expected `Order`, got `None` - at `$`"]
    assert said(list[int], {"a": 1}) == ["Expected `list`, got `dict` - at `$`"]


def test_a_codecs_own_forms_are_expected() -> None:
    schema = Schema({"at": dt.datetime, "n": int})
    assert schema.advise({"at": "2024-01-01T00:00:00", "n": 1}, "json")[1] == []
    assert len(schema.advise({"at": "2024-01-01T00:00:00", "n": "1"}, "json")[1]) == 1
    # YAML has datetimes, so text in their place is not what it should be.
    assert len(schema.advise({"at": "2024-01-01T00:00:00", "n": 1}, "yaml")[1]) == 1


@pytest.mark.parametrize("name", ["plist", "json", "bson", "msgpack", "msgpack/tuple"])
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Corner, Corner.NONE),
        (Literal["a", None], None),
        (dict[Level, int], {Level.LOW: 1, Level.HIGH: 2}),
        (dict[Odd, int], dict.fromkeys(Odd, 1)),
        (dict[Corner, int], {Corner.NONE: 1}),
        (dict[Literal[1, True, "x"], int], {True: 1, "x": 2}),
        (dict[Literal[1, None], int], {1: 1, None: 2}),
        (str | int | None, None),
        (Literal["a", None] | str, None),
        (dict[int | None, str], {1: "a", None: "b"}),
        (dict[str, dt.date] | Item, {"created": MOMENT, "price": Decimal(1)}),
        (tuple[int, dt.date] | tuple[dt.date], (dt.date(2024, 1, 2),)),
    ],
)
def test_closed_tables_and_unions_know_what_a_codec_writes(name: str, kind: Any, value: Any) -> None:
    """Members and Literals come back as values and keys, None from its text where there is no null.

    Of a union None is turned back before text can stand for itself, and the more particular option is taken.
    """
    schema = Schema({"v": kind})
    codec = codecs.codec(name)
    back = codec.with_schema(schema).decode(codec.encode({"v": value}))

    assert first_difference({"v": value}, back) is None
    assert schema.advise(back, codec)[1] == []


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("json", dt.datetime | str, []),
        ("json", list[dt.datetime | str | None], []),
        ("json", list[int] | tuple[int, ...], []),
        ("json", list[int] | tuple[dt.date, ...], ["from list", "from ISO 8601 text"]),
        ("json", tuple[dt.date, ...] | int, ["from list", "from ISO 8601 text"]),
        ("msgpack/tuple", list[int] | tuple[int, ...], []),
        ("json", Colour | str, []),
        ("json", Colour | int, ["from its value"]),
        ("json", Weekday | int, []),
        ("json", Weekday | str, ["from its value"]),
        ("json", Mixed | int, ["from its value"]),
        ("json", Mixed | int | str | float | bool, []),
        ("json", Huge | int, ["from its value"]),
        ("json", Annotated[dt.datetime, Hint(epoch="s")] | int, ["from a number of s since 1970"]),
        ("json", dict[dt.date | str, int], []),
        ("yaml", bytearray | bytes, []),
        ("cbor2", frozenset[int] | set[int], []),
        ("yaml", dt.datetime | str, []),
        ("plist", str | int | None, ["from the text '$null'"]),
        ("ujson", Decimal | str, ["from float"]),
    ],
)
def test_the_plan_knows_what_a_union_takes_as_it_is(name: str, kind: Any, words: list[str]) -> None:
    schema = Schema({"v": kind})
    rows = schema.plan(name).splitlines()[1:]

    assert len(rows) == len(words)
    assert all(row.endswith(end) for row, end in zip(rows, words, strict=True))
    assert (schema.fixer(name) is None) == (not words)


@pytest.mark.parametrize(
    ("kind", "value"), [(Weekday | int, 1), (Weekday | str, "1"), (Mixed | int | str | float | bool, 0.5)]
)
def test_values_of_members_stay_where_they_fit(kind: Any, value: Any) -> None:
    assert Schema({"v": kind}).advise({"v": value}, "json") == ({"v": value}, [])


def test_strict_raises_all_at_once() -> None:
    schema = Schema({"a": int, "b": Decimal, "c": Annotated[str, Hint(severity="note")]}, strict=True)
    record = {"a": "x", "b": 1.5, "c": "fine"}
    with pytest.raises(AdviceError) as caught:
        schema.advise(record)

    assert [a.path for a in caught.value.advice] == ["$.a", "$.b"]
    assert record["b"] == Decimal("1.5")
    assert "Expected `int`, got `str 'x'` - at `$.a` (could not)" in str(caught.value)
    assert schema.advise({"a": 1, "b": Decimal(1), "c": 1})[1][0].severity == "note"
    with pytest.raises(AdviceError):
        codecs.codec("json").with_schema(schema).decode(b'{"a":"x","b":"1","c":""}')
    pickled = pickle.loads(pickle.dumps(caught.value))
    assert pickled.advice == caught.value.advice


@pytest.mark.parametrize(
    ("hint", "came", "becomes", "outcomes"),
    [
        (Hint(aware=True), MOMENT, MOMENT, []),
        (Hint(aware=True), MOMENT.replace(tzinfo=None), MOMENT.replace(tzinfo=None), ["kept"]),
        (Hint(aware=True), "2024-01-02T00:00:00", MOMENT.replace(tzinfo=None), ["fixed", "kept"]),
        (Hint(aware=False), MOMENT, MOMENT, ["kept"]),
        (Hint(aware=False), "2024-01-02T00:00:00", MOMENT.replace(tzinfo=None), ["fixed"]),
        (Hint(aware=False, epoch="s"), 1704153600, MOMENT.replace(tzinfo=None), ["fixed"]),
        (Hint(aware=True, epoch="s"), 1704153600, MOMENT, ["fixed"]),
    ],
)
@pytest.mark.parametrize("other", [None, list[int] | None])
def test_offsets(hint: Hint, came: Any, becomes: Any, outcomes: list[str], other: Any) -> None:
    record, advice = Schema({"at": Annotated[dt.datetime, hint] | other}).advise({"at": came})

    assert record == {"at": becomes}
    assert [a.outcome for a in advice] == outcomes
    if outcomes[-1:] == ["kept"]:
        assert advice[-1].expected == ("datetime with an offset" if hint.aware else "datetime without offset")


@pytest.mark.parametrize("key", [AWARE, AWARE | int, AWARE | None])
def test_keys_are_advised_like_values(key: Any) -> None:
    naive = MOMENT.replace(tzinfo=None)
    schema = Schema({"at": dict[key, int]})

    assert [] == schema.advise({"at": {MOMENT: 1}})[1]
    for keys, codes in (({naive: 1, MOMENT: 2}, ["value"]), ({naive.isoformat(): 1}, ["key", "value"])):
        record, advice = schema.advise({"at": keys})
        assert naive in record["at"]
        assert codes == [piece.code for piece in advice]


def test_ignored_fields_are_corrected_silently() -> None:
    schema = Schema({"a": Annotated[Decimal, Hint(severity="ignore")]})

    assert schema.advise({"a": "1"}) == ({"a": Decimal(1)}, [])
    assert schema.advise({}) == ({}, [])


def test_sampling_counts_one_in_n() -> None:
    counter = AdviceCounter()
    codec = codecs.codec("json").with_schema(Schema({"a": Decimal, "b": int}, every=3, counter=counter))
    records = [codec.decode(b'{"a":"1","b":"x"}') for _ in range(9)]

    assert all(record["a"] == Decimal(1) for record in records)
    assert (counter.records, counter.advised, counter.total) == (3, 3, 3)


def test_the_counter_is_bounded_and_sorted() -> None:
    counter = AdviceCounter()
    schema = Schema({"m": dict[str, int], "l": list[int]})
    for number in range(3_000):
        counter.add(schema.advise({"m": {f"k{number}": "x"}, "l": ["a", f"b{number}"]})[1])
    tallies = list(counter)

    assert len(tallies) <= 1_001
    assert (tallies[0].path, tallies[0].count) == ("$.l[]", 6_000)
    assert tallies[0].examples == ["'a'", "'b0'", "'b1'"]
    assert counter.errors == counter.total == 9_000


@pytest.mark.slow
def test_advice_beyond_the_cap_is_counted() -> None:
    counter = AdviceCounter()
    schema = Schema(list[int])
    for number in range(1, 1_101):
        counter.add(schema.advise(["x"] * (100 + number))[1])
    tallies = {tally.code: tally for tally in counter}

    assert set(tallies) == {"value", "more"}
    assert (tallies["more"].count, tallies["more"].found) == (sum(range(1, 1_101)), "more")
    assert counter.total == counter.errors == 110_000 + sum(range(1, 1_101))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("places", [0, 1_100])
def test_an_error_does_not_hide_among_notes(turned: bool, places: int) -> None:
    counter = AdviceCounter()
    others = Schema({"m": Annotated[dict[str, int], Hint(severity="note")]})
    for number in range(places):
        counter.add(others.advise({"m": {f"k{number}": "x"}})[1])
    schema = Schema({"n": Annotated[list[int], Hint(severity="note")], "z": int})
    records = [{"n": ["x"] * 102, "z": 1}, {"n": ["x"] * 100, "z": "x"}]
    for record in reversed(records) if turned else records:
        counter.add(schema.advise(record)[1])

    assert counter.errors == 1
    assert counter.total == places + 102 + 101


@pytest.mark.parametrize("options", [{"counter": AdviceCounter()}, {"strict": True, "every": 5}])
def test_a_counter_that_nothing_counts_in(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="every"):
        Schema(Order, **options)


def test_long_keys_are_cut_in_paths() -> None:
    """A hundred faults in the value of a huge key do not make a hundred copies of the key."""
    key = "k" * 1_000_000
    advice = Schema(dict[str, list[int]]).advise({key: ["x"] * 100})[1]

    assert len(advice) == 100
    assert max(len(item.path) for item in advice) < 100
    assert advice[0].path.startswith("$['kkk")
    assert Schema(dict[str, int]).advise({"k" * 60: "x"})[1][0].path == f"$.{'k' * 60}"


@dataclass
class Place:
    name: str
    opened: dt.date


class Point(NamedTuple):
    x: int
    y: Decimal


class Event(msgspec.Struct, rename="camel"):
    made_at: dt.datetime
    place: Place


def test_objects_are_built() -> None:
    schema = Schema({"e": Event, "p": list[Point]}, as_objects=True)
    wire = {
        "e": {"madeAt": "2024-01-02T00:00:00", "place": {"name": "x", "opened": "2024-01-02"}},
        "p": [[1, "2.5"], (3, "4")],
    }
    record, _ = schema.advise(wire)

    assert record == {
        "e": Event(dt.datetime(2024, 1, 2), Place("x", dt.date(2024, 1, 2))),
        "p": [Point(1, Decimal("2.5")), Point(3, Decimal(4))],
    }
    assert type(record["p"][0]) is Point
    assert schema.advise(record) == (record, [])
    assert Schema(Point, as_objects=True).apply(OrderedDict(x=1, y="2.5")) == Point(1, Decimal("2.5"))


class Get(msgspec.Struct, tag=True, rename="camel"):
    the_key: dt.date


class Put(msgspec.Struct, tag=2, tag_field="op", array_like=True):
    key: str
    at: dt.date | None = None


class Drop(Put, tag=3, tag_field="op", array_like=True):
    pass


@pytest.mark.parametrize("name", ["json", "msgpack"])
def test_tagged_structs_are_built(name: str) -> None:
    schema = Schema({"get": list[Get], "one": Put | Drop | None}, as_objects=True)
    record = {"get": [Get(dt.date(2024, 1, 2))], "one": Drop("x", dt.date(2024, 1, 2))}
    payload = getattr(msgspec, name).encode(record)
    after, advice = schema.advise(codecs.codec(name).decode(payload), name)

    assert advice == []
    assert after == record
    assert schema.advise(after, name) == (record, [])


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"op": 3, "at": None}, [("$.key", "missing")]),
        ([3, 5], [("$[1]", "type")]),
        ({"op": 4, "key": "x"}, [("$.op", "value")]),
        ([1], [("$[0]", "value")]),
    ],
)
def test_the_tag_of_a_union_decides(record: Any, said: list[tuple[str, str]]) -> None:
    assert [(a.path, a.code) for a in Schema(Put | Drop | int).advise(record)[1]][: len(said)] == said


def test_a_struct_is_not_built_of_another_tag() -> None:
    """A tag that the class would not write again is not dropped."""
    record = {"type": "Set", "theKey": dt.date(2024, 1, 2)}
    after, advice = Schema(Get, as_objects=True).advise(record)

    assert after is record
    assert [(a.path, a.code) for a in advice] == [("$.type", "value"), ("$", "build")]


def test_nothing_is_dropped_to_build_an_object() -> None:
    schema = Schema(Place, as_objects=True)
    more = {"name": "x", "opened": "2024-01-02", "new": 1}
    record, advice = schema.advise(more, "json")

    assert record == {"name": "x", "opened": dt.date(2024, 1, 2), "new": 1}
    assert [a.code for a in advice] == ["unknown"]
    assert [a.code for a in schema.advise({"name": "x"})[1]] == ["missing", "build"]


def test_records_stay_dicts_unless_asked() -> None:
    """Without as_objects a dataclass only describes, and an instance is right, whatever it holds."""
    place = Place("x", "no date")  # type: ignore[arg-type]
    record = {"name": "x", "opened": "2024-01-02"}

    assert Schema(Place).advise(place) == (place, [])
    assert Schema(Place).apply(record) == {"name": "x", "opened": dt.date(2024, 1, 2)}


def test_in_place_and_order() -> None:
    inner = {"b": 1, "2": 2, "1": 3}
    record = {"m": inner, "z": 1, "d": "1.5"}
    after = Schema({"d": Decimal, "m": dict[str, int]}).apply(record)

    assert after is record
    assert after["m"] is inner
    assert list(after) == ["m", "z", "d"]
    keyed = {"3": 1, "x": 2, "1": 3}
    assert list(Schema(dict[int, int]).apply(keyed)) == [3, "x", 1]
    assert keyed == {3: 1, "x": 2, 1: 3}


def test_nothing_to_do() -> None:
    schema = Schema({"at": dt.datetime, "t": tuple[int, ...]})

    assert schema.fixer("pickle") is None
    assert schema.plan("pickle") == "Record after pickle: nothing to do"
    assert Schema(Any).apply("x") == "x"
    assert Schema(Any).advise("x") == ("x", [])


def test_the_plan_in_words() -> None:
    assert Schema(Order).plan("msgpack/tuple") == (
        "Order after msgpack/tuple: 4 places\n"
        "  $.id               UUID      from UUID text\n"
        "  $.items            list      from tuple\n"
        "  $.items[].created  datetime  from ISO 8601 text\n"
        "  $.items[].price    Decimal   from decimal text"
    )


def test_schemas_travel() -> None:
    schema = Schema(Order)
    again = pickle.loads(pickle.dumps(schema))
    advice = schema.advise({})[1][0]

    assert again == schema
    assert again.advise({})[1] == schema.advise({})[1]
    assert pickle.loads(pickle.dumps(advice)) == advice
    assert isinstance(advice, Advice)
    assert isinstance(again.types, Type)


class OtherPoint(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize("kind", [tuple[int, ...], tuple[int, int], OtherPoint])
def test_a_tuple_of_another_class_is_not_called_fixed(kind: Any) -> None:
    """It is not rebuilt, so that its items are kept, and a second pass gives the same advice."""
    schema = Schema({"at": kind})
    record = {"at": Point(1, "2")}  # type: ignore[arg-type]
    after, advice = schema.advise(record)

    assert {"at": (1, "2")} == after == schema.apply(record)
    assert [("$.at", "value", "could not")] == [(a.path, a.code, a.outcome) for a in advice]
    assert advice == schema.advise(after)[1]
