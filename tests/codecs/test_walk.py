"""The walk through a record: its counts, its refusals, and hostile objects."""

from __future__ import annotations

import decimal
import math
from collections import OrderedDict, deque
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff.codecs.errors import PolicyError, TooMuchError
from bakeoff.codecs.safety._scan import values_in
from bakeoff.codecs.safety._walk import Rules, check_record
from small_stacks import in_thread

LONE = "\ud800"
PLACES = {
    "root": lambda value: value,
    "list": lambda value: [1, value],
    "tuple": lambda value: ("a", value),
    "dict value": lambda value: {"a": {1: value}},
    "dict key": lambda value: {"a": 1, value: 2},
    "key of a tuple": lambda value: [{(1, (value,)): None}],
    "set": lambda value: [{value, "a"}],
    "frozenset": lambda value: {frozenset({value}): 1},
    "subclass of a dict": lambda value: OrderedDict(a=value),
    "subclass of a list": lambda value: Shy([value]),
}


class Shy(list[Any]):
    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


class OwnText(str):
    __slots__ = ()


class OwnInt(int):
    pass


class OwnFloat(float):
    pass


class Foreign:
    pass


class Annotated(str):
    __slots__ = ("note",)


REFUSED = {
    "nan": ({"nonfinite": False}, math.nan),
    "infinity": ({"nonfinite": False}, -math.inf),
    "infinity of a subclass": ({"nonfinite": False}, OwnFloat("inf")),
    "nan of a decimal": ({"nonfinite": False}, decimal.Decimal("NaN")),
    "nan of a complex": ({"nonfinite": False}, complex(0, math.nan)),
    "surrogate in two bytes": ({"surrogates": False}, "é" + LONE),
    "surrogate in four bytes": ({"surrogates": False}, "😀\udfff"),
    "surrogate of a subclass": ({"surrogates": False}, OwnText(LONE)),
    "beyond 64 bits": ({"integer_bits": 64}, 2**64),
    "below 64 bits": ({"integer_bits": 64}, -(2**63) - 1),
    "beyond 63 bits": ({"integer_bits": 63}, 2**63),
    "far beyond": ({"integer_bits": 64}, OwnInt(-(10**100))),
    "foreign": ({"foreign": (Foreign,)}, Foreign()),
    "subclass of foreign": ({"foreign": (int, Foreign)}, type("Sub", (Foreign,), {})()),
}
TOO_MUCH = {
    "text": ({"max_text": 3}, "four"),
    "text of a subclass": ({"max_text": 3}, OwnText("four")),
    "bytes": ({"max_text": 3}, b"four"),
    "digits": ({"max_digits": 3}, 1000),
    "digits below zero": ({"max_digits": 18}, -(10**18)),
    "digits of a word": ({"max_digits": 19}, 10**19),
    "digits of a long": ({"max_digits": 4300}, 10**4300),
    "digits of a subclass": ({"max_digits": 1}, OwnInt(10)),
}
FINE = {
    "finite": ({"nonfinite": False}, [1.5, -0.0, decimal.Decimal(1), 1j, None, True]),
    "pairs of four bytes": ({"surrogates": False}, ["\ud7ff\ue000", "😀\U0010ffff", "é", "a", b"\xd8\x00"]),
    "64 bits": ({"integer_bits": 64}, [2**64 - 1, -(2**63), 0, True, OwnInt(2**64 - 1)]),
    "63 bits": ({"integer_bits": 63}, [2**63 - 1, -(2**63)]),
    "short": ({"max_text": 3}, ["abc", "äöü", {"abc": b"abc"}, ""]),
    "digits": ({"max_digits": 3}, [999, -999, True, OwnInt(7)]),
    "digits of a word": ({"max_digits": 19}, [10**19 - 1, -(2**63), 1 - 10**19]),
    "digits of a long": ({"max_digits": 4300}, [10**4300 - 1, 1 - 10**4300]),
    "items": ({"max_items": 8}, [[1, 2], {"a": (3,)}]),
    "no items": ({"max_items": 1}, {}),
    "everything": ({}, [math.nan, LONE, 10**5000, Foreign()]),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(("rules", "value"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_allowed_is_found_everywhere(rules, value, place):
    check_record(place("fine"), Rules(**rules))
    with pytest.raises(PolicyError, match=r"^holds "):
        check_record(place(value), Rules(**rules))


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(("rules", "value"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_large_is_found_everywhere(rules, value, place):
    check_record(place(7), Rules(**rules))
    with pytest.raises(TooMuchError, match=r"more than"):
        check_record(place(value), Rules(**rules))


@pytest.mark.parametrize(("rules", "value"), FINE.values(), ids=FINE)
def test_what_is_within_the_rules_passes(rules, value):
    assert 0 == check_record(value, Rules(**rules))


def values(record: Any) -> int:
    if isinstance(record, dict):
        return 1 + sum(1 + values(item) for item in record.values())
    return 1 + sum(map(values, record)) if isinstance(record, (list, tuple, set)) else 1


@given(
    st.recursive(
        st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.lists(inner, max_size=4).map(tuple)
            | st.dictionaries(st.text(max_size=2), inner, max_size=4)
            | st.sets(st.integers(), max_size=4)
        ),
    )
)
def test_items_are_counted_as_a_tree(record):
    count = values(record)

    check_record(record, Rules(max_items=count))
    if count > 1:
        with pytest.raises(TooMuchError, match=f"more than {count - 1:,} values"):
            check_record(record, Rules(max_items=count - 1))


@given(
    st.recursive(
        st.none() | st.integers(0, 2**62) | st.floats(allow_nan=False, width=32) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4),
    )
)
@pytest.mark.parametrize("name", ["json", "msgpack", "cbor2"])
def test_a_payload_is_counted_as_its_record(name, record):
    codec = bakeoff.codec(name)
    payload = codec.encode(record)

    assert (values(record), False) == values_in(codec.format, payload)
    assert (values(record), False) == values_in(
        codec.format, payload.replace(b",", b" ,\n")
    ) or name != "json"


@given(st.recursive(st.booleans(), lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=30))
def test_a_payload_of_lists_is_counted_as_its_record(record):
    """BSON wraps it in a document; a binary property list refers to its values."""
    bson = bakeoff.codec("bson").encode(record)
    plist = bakeoff.codec("plist/binary").encode(record)

    assert values(record) + 2 == values_in("bson", bson)[0]
    assert values(record) == values_in("plist", plist)[0]


def shared(levels: int) -> list[Any]:
    inner: list[Any] = [0.5]
    for _ in range(levels):
        inner = [inner, inner]
    return inner


def test_what_is_shared_counts_each_time():
    with pytest.raises(TooMuchError, match="more than 1,000,000 values"):
        check_record(shared(100), Rules(max_items=1_000_000))


def test_without_a_limit_what_is_shared_is_looked_into_once():
    record = shared(100)
    check_record(record, Rules(nonfinite=False))

    innermost = record
    while isinstance(innermost[0], list):
        innermost = innermost[0]
    innermost.append(math.nan)
    with pytest.raises(PolicyError):
        check_record(record, Rules(nonfinite=False))


@pytest.mark.parametrize("rules", [{"nonfinite": False}, {"nonfinite": False, "inside": list}])
def test_what_holds_itself_ends(rules):
    cycle: list[Any] = [deque([1])]
    cycle.append({"a": (cycle,)})

    assert 0 == check_record(cycle, Rules(**rules))
    with pytest.raises((TooMuchError, RecursionError)):
        check_record(cycle, Rules(max_items=10_000))


@pytest.mark.slow
@pytest.mark.parametrize(("wrap"), [lambda x: [x], lambda x: {"a": x}, lambda x: (x,), lambda x: deque([x])])
def test_deep_nesting_is_an_error_in_any_thread(wrap):
    """Not the end of the process, where the stack is small."""
    record: Any = 1
    for _ in range(200_000):
        record = wrap(record)
    found = in_thread(check_record, record, Rules(nonfinite=False, inside=list), stack=256 * 1024)
    while not isinstance(record, int):
        record = record["a"] if isinstance(record, dict) else record[0]

    assert type(found) is RecursionError


def test_inside_tells_what_other_objects_hold():
    class Box(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            return math.nan

        def __iter__(self) -> Any:
            return iter("a")

        def __len__(self) -> int:
            return 1

    def inside(value: Any) -> Any:
        return dict(value) if isinstance(value, Mapping) else None

    assert 0 == check_record([Box(), Foreign()], Rules(nonfinite=False))
    with pytest.raises(PolicyError, match="NaN"):
        check_record([Foreign(), Box()], Rules(nonfinite=False, inside=inside))


def test_keys_is_asked_about_dicts_with_other_keys_than_texts():
    asked: list[Any] = []
    numbers, mixed = {1: "a", 2: "b"}, {"a": 1, None: {OwnText("b"): 2}}

    check_record([{"a": 1}, numbers, {}, mixed], Rules(keys=asked.append))

    assert [numbers, mixed, mixed[None]] == asked


def test_inside_is_asked_about_subclasses_of_plain_values():
    text = Annotated("text")
    text.note = math.nan

    with pytest.raises(PolicyError, match="NaN"):
        check_record([text], Rules(nonfinite=False, inside=lambda value: value.note))


def test_inside_may_change_what_is_looked_into():
    record: dict[Any, Any] = {}

    def emptying(value: Any) -> Any:
        record.clear()
        raise ZeroDivisionError

    record |= {(Foreign(),): [math.nan], "b": Foreign()}
    with pytest.raises(ZeroDivisionError):
        check_record([record], Rules(nonfinite=False, inside=emptying))
    record |= {(Foreign(),): [1], "b": Foreign()}
    assert 0 == check_record([record], Rules(nonfinite=False, inside=lambda value: record.clear()))


@pytest.mark.parametrize("limit", [{"max_items": -1}, {"max_text": -1}, {"max_digits": 0}])
def test_limits_of_no_use_are_refused(limit):
    with pytest.raises(ValueError, match=r"the limit of .* is at least"):
        Rules(**limit)


def test_limits_beyond_any_size_are_none():
    assert 0 == check_record(["a"], Rules(max_items=2**100, max_text=2**100))
