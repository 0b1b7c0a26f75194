"""Keys of caches: what differs in type is another key, for every codec."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, NamedTuple
from uuid import UUID

import pytest

import bakeoff
from bakeoff.codecs import available, describe
from bakeoff.codecs.integrations._keys import MARK, Keys


class Color(Enum):
    RED = "red"


class Size(IntEnum):
    ONE = 1


class Text(str):
    """A subclass of text."""


class Point(NamedTuple):
    x: Any


@dataclass(frozen=True)
class Place:
    x: Any


@dataclass(frozen=True)
class Other:
    x: Any


UUID_ = UUID(int=5)
DAY, NOON, UTC = dt.date(2026, 1, 2), dt.datetime(2026, 1, 2, 12), dt.UTC
ALIKE: dict[str, list[Any]] = {
    "decimal": [Decimal("1.5"), "1.5", 1.5, Decimal("1.50"), b"1.5"],
    "one": [1, True, 1.0, "1", Decimal(1), Size.ONE, b"1", Size],
    "none": [None, "None", "null", float("nan"), "", False, 0],
    "zero": [0, 0.0, -0.0, False, Decimal("-0"), Decimal(0)],
    "big": [2**70, str(2**70), float(2**70), Decimal(2**70), -(2**70)],
    "day": [DAY, DAY.isoformat(), NOON, NOON.isoformat(), NOON.replace(tzinfo=UTC), dt.time(12), "12:00:00"],
    "microsecond": [NOON, NOON.replace(microsecond=5), NOON.replace(microsecond=5_000)],
    "uuid": [UUID_, str(UUID_), UUID_.bytes, UUID_.int],
    "bytes": [b"red", "red", "cmVk", Color.RED, Text("red")],
    "duration": [dt.timedelta(days=1), "P1D", 86_400, 86_400.0],
    "containers": [(1,), [1], {1}, frozenset({1}), ((1,),), Point(1), Place(1), Other(1), {"x": 1}, {1: "x"}],
    "fields": [Place("1.5"), Place(Decimal("1.5")), Other("1.5"), Place((1,)), Place([1])],
    "keys": [{1: 2}, {"1": 2}, {True: 2}, {1: 2.0}, {None: 2}, {"null": 2}],
    "classes": [int, "int", "builtins.int", str, Place],
    "marks": [Decimal("1.5"), {f"{MARK}Decimal": "1.5"}, [f"{MARK}Decimal", "1.5"], {f"{MARK}dict": []}, {}],
}
CODECS = [name for name in available() if "/" not in name and not describe(name).trusted_only]
RESTORED = [
    1, True, 1.0, None, "1", b"1", Decimal("1.50"), DAY, NOON, NOON.replace(tzinfo=UTC), dt.time(12),
    dt.timedelta(days=-1, microseconds=3), UUID_, frozenset({1}), 2**70, -0.0, 1j,
]  # fmt: skip


def keys(name: str) -> Keys:
    codec = bakeoff.codec(name)
    if codec.needs_schema:
        pytest.skip("writes the records of a schema only")
    return Keys(codec)


@pytest.mark.parametrize("name", CODECS)
def test_keys_of_other_types_are_other_keys(name: str) -> None:
    ours = keys(name)
    for kind, values in ALIKE.items():
        found = [
            [ours.encode(value), ours.encode(("of", value, None)), ours.encode(("of", (value,)))]
            for value in values
        ]
        for number, payloads in enumerate(zip(*found, strict=True)):
            # The outermost tuple is a list, as in the codec's payloads.
            same = (kind, number) == ("containers", 0) and "tuple" not in bakeoff.codec(name).preserves
            assert len(values) - same == len({*payloads}), (kind, number, payloads)


@pytest.mark.parametrize("name", CODECS)
def test_keys_are_restored(name: str) -> None:
    ours = keys(name)
    for value in RESTORED:
        found = ours.decode(ours.encode(("of", value, [value])))
        assert ["of", repr(value), repr([value])] == [found[0], repr(found[1]), repr(found[2])]
        assert ours.encode(("of", value, [value])) == ours.encode(tuple(found))


@pytest.mark.parametrize("name", ["msgpack", "cbor2", "orjson"])
def test_keys_that_are_read_back_have_the_codecs_payload(name: str) -> None:
    codec = bakeoff.codec(name)
    for key in (("order", 1), ("order", "a", 1.5, None, True), {"a": [1]}):
        assert codec.encode(key) == Keys(codec).encode(key)


@pytest.mark.parametrize("key", [object(), (lambda: 1), ("a", object())])
def test_a_key_without_a_convention_is_refused(key: Any) -> None:
    with pytest.raises(bakeoff.EncodeError, match="msgpack: "):
        Keys(bakeoff.codec("msgpack")).encode(key)


@pytest.mark.parametrize("name", ["msgpack", "orjson", "cbor2"])
def test_numbers_and_arrays_of_numpy_are_keys(name: str) -> None:
    """By their values and dtypes."""
    numpy = pytest.importorskip("numpy")
    values = [1, 1.0, numpy.int64(1), numpy.int32(1), numpy.float64(1), numpy.float32(1)]
    values += [[1], *(numpy.array([1], kind) for kind in ("int32", "int64", "float32"))]

    found = [Keys(bakeoff.codec(name)).encode(("of", value)) for value in values]

    assert len(values) == len({*found})
    assert found == [Keys(bakeoff.codec(name)).encode(("of", value)) for value in values]


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("name", ["msgpack", "orjson", "cbor2"])
def test_diskcache_memoizes_by_type(tmp_path: Any, name: str, typed: bool) -> None:
    from diskcache import Cache, FanoutCache

    for kind in (Cache, FanoutCache):
        with kind(
            str(tmp_path / kind.__name__), disk=bakeoff.integrations.diskcache(bakeoff.codec(name))
        ) as cache:

            @cache.memoize(typed=typed)
            def told(value: Any, *, unit: Any = None) -> str:
                return f"{type(value).__name__} {type(unit).__name__}"

            values = [
                Decimal("1.5"),
                "1.5",
                NOON,
                NOON.isoformat(),
                Color.RED,
                Place(1),
                Other(1),
                (1,),
                1,
                True,
            ]
            for _ in range(2):
                assert [f"{type(each).__name__} NoneType" for each in values] == [*map(told, values)]
                units = [told(1, unit=each) for each in values]
                assert [f"int {type(each).__name__}" for each in values] == units


def test_diskcache_removes_what_iteration_returns(tmp_path: Any) -> None:
    from diskcache import Cache

    with Cache(tmp_path, disk=bakeoff.integrations.diskcache(bakeoff.codec("msgpack"))) as cache:
        for key in (Decimal("1.5"), "1.5", ("order", DAY), frozenset({1})):
            cache[key] = str(key)

        assert 4 == len(cache)
        assert ["1.5", "1.5", str(("order", DAY)), "frozenset({1})"] == [cache[key] for key in cache]
        for key in list(cache):
            del cache[key]
        assert 0 == len(cache)
