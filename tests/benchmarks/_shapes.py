"""Shapes of records, for the matrix of `benchmarks.shapes`."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
import numpy
from pydantic import BaseModel

from bakeoff.datasets import corpus

Made = Callable[[random.Random, int], Any]
"""``(random, number of the record) -> record``."""


class Color(enum.Enum):
    """Members whose values are text."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


@dataclasses.dataclass
class OrderLine:
    """A line of an order."""

    sku: str
    quantity: int
    price: float


@dataclasses.dataclass
class Order:
    """A dataclass that holds others."""

    id: int
    customer: str
    paid: bool
    note: str | None
    lines: list[OrderLine]


class StructLine(msgspec.Struct):
    """A line of an order."""

    sku: str
    quantity: int
    price: float


class StructOrder(msgspec.Struct):
    """A Struct that holds others."""

    id: int
    customer: str
    paid: bool
    note: str | None
    lines: list[StructLine]


class ModelLine(BaseModel):
    """A line of an order."""

    sku: str
    quantity: int
    price: float


class ModelOrder(BaseModel):
    """A model that holds others."""

    id: int
    customer: str
    paid: bool
    note: str | None
    lines: list[ModelLine]


class Reading(NamedTuple):
    """A named tuple."""

    sensor: int
    value: float


class Shape(NamedTuple):
    """One shape of records.

    Attributes:
        make: Makes one record.
        records: How many are counted.
        large: Documents, which formats in Python are not tried on: Valgrind makes calls fifty times slower.
        quick: It belongs to the part of the matrix that CI counts.
    """

    make: Made
    records: int = 12
    large: bool = False
    quick: bool = False


LATIN, CJK, EMOJI = "aeiouéèüöñçå", "日本語中文漢字報告書", "😀🎉🚀🌍🔥🍕"
ASCII = "abcdefghijklmnopqrstuvwxyz     0123456789"
ASKING = 'he said "yes", she said "no" '
ESCAPED = "a\tb\nc\\d\re/f\x01g"
BRACKETED = "[{a: [1, {b: [2]}]}, ({<["

_UTC = dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC)
_INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))


def _later(draw: random.Random) -> dt.timedelta:
    return dt.timedelta(microseconds=draw.randrange(10**15))


def _aware(draw: random.Random) -> dt.datetime:
    return _UTC + _later(draw)


def _fields(count: int, value: Callable[[random.Random], Any]) -> Made:
    """Return records of some fields of one type."""
    return lambda draw, number: {f"field_{index}": value(draw) for index in range(count)}


def _one(value: Callable[[random.Random], Any]) -> Made:
    """Return records of an id, and one value."""
    return lambda draw, number: {"id": number, "body": value(draw)}


def _text(letters: str, length: int) -> Callable[[random.Random], str]:
    return lambda draw: "".join(draw.choices(letters, k=length))


def _repeated(text: str, length: int) -> Callable[[random.Random], str]:
    def make(draw: random.Random) -> str:
        start = draw.randrange(len(text))
        return (text * (length // len(text) + 2))[start : start + length]

    return make


def _int_keys(count: int) -> Made:
    return lambda draw, number: {draw.randrange(10**6): f"value {index}" for index in range(count)}


def _one_int_key(draw: random.Random, number: int) -> Any:
    texts = {f"field_{index}": f"value {draw.randrange(1000)}" for index in range(19)}
    return {**texts, number: "value"}


def _nested(levels: int, around: Callable[[Any], Any]) -> Made:
    def make(draw: random.Random, number: int) -> Any:
        made: Any = number
        for _ in range(levels):
            made = around(made)
        return made

    return make


_MESSAGES = corpus("messages", records=5000)


def _messages(draw: random.Random, count: int) -> list[Any]:
    return list(_MESSAGES.sample(count))


def _document(size: int) -> Made:
    """Return documents of about that many bytes as JSON, of `messages`."""
    return lambda draw, number: {"id": number, "items": _messages(draw, size // _MESSAGE)}


def _order(kind: Any, line: Any) -> Made:
    def make(draw: random.Random, number: int) -> Any:
        lines = [line(sku=f"sku-{draw.randrange(10**6)}", quantity=n, price=n / 4) for n in range(4)]
        return kind(id=number, customer="Ada Lovelace", paid=True, note=None, lines=lines)

    return make


def _of(name: str) -> Made:
    records = corpus(name, records=64).sample(64)
    return lambda draw, number: records[number]


def _mixed(draw: random.Random, number: int) -> Any:
    return {
        "id": uuid.UUID(int=draw.getrandbits(128)),
        "at": _aware(draw),
        "price": decimal.Decimal(draw.randrange(10**6)).scaleb(-2),
        "counts": {draw.randrange(1000): index for index in range(5)},
        "state": Color.GREEN,
        "text": "some words about it",
    }


_MESSAGE = 1_690
"""Bytes of one of the `messages` as compact JSON, on average."""

SHAPES: dict[str, Shape] = {
    "movies": Shape(_of("movies"), 24, quick=True),
    "messages": Shape(_of("messages"), 12, quick=True),
    "tiny": Shape(lambda draw, number: {"id": number}, 24, quick=True),
    "small": Shape(lambda draw, number: {"id": number, "name": f"user-{number}", "active": True}, 24),
    "a list": Shape(lambda draw, number: [number, 1.5, "three", None], 24),
    "20 int keys": Shape(_int_keys(20), quick=True),
    "an int key among texts": Shape(_one_int_key, quick=True),
    "1,000 int keys": Shape(_int_keys(1000), 3),
    "int keys within": Shape(lambda draw, number: {"id": number, "by": _int_keys(20)(draw, number)}),
    "aware datetimes": Shape(_fields(10, _aware), quick=True),
    "offset datetimes": Shape(_fields(10, lambda draw: _aware(draw).astimezone(_INDIA))),
    "naive datetimes": Shape(_fields(10, lambda draw: _aware(draw).replace(tzinfo=None))),
    "dates": Shape(_fields(10, lambda draw: _aware(draw).date())),
    "times": Shape(_fields(10, lambda draw: _aware(draw).time())),
    "1,000 datetimes": Shape(lambda draw, number: [_aware(draw) for _ in range(1000)], 2),
    "Decimals": Shape(
        _fields(10, lambda draw: decimal.Decimal(draw.randrange(10**8)).scaleb(-2)), quick=True
    ),
    "UUIDs": Shape(_fields(10, lambda draw: uuid.UUID(int=draw.getrandbits(128)))),
    "enums": Shape(_fields(10, lambda draw: draw.choice(list(Color)))),
    "sets": Shape(_fields(5, lambda draw: {draw.randrange(100) for _ in range(5)})),
    "tuples": Shape(_fields(10, lambda draw: (draw.random(), draw.random()))),
    "named tuples": Shape(_fields(10, lambda draw: Reading(draw.randrange(9), draw.random()))),
    "mixed types": Shape(_mixed),
    "bytes of 16 B": Shape(_fields(10, lambda draw: draw.randbytes(16))),
    "bytes of 4 kB": Shape(_one(lambda draw: draw.randbytes(4 << 10)), 6, quick=True),
    "bytes of 64 kB": Shape(_one(lambda draw: draw.randbytes(64 << 10)), 2),
    **{
        f"{name} of {size}": Shape(_one(_text(letters, length)), count)
        for name, letters in (("ASCII", ASCII), ("Latin", LATIN), ("CJK", CJK), ("emoji", EMOJI))
        for size, length, count in (("20 B", 20, 24), ("2 kB", 2000, 6), ("64 kB", 64_000, 2))
    },
    "brackets in 2 kB": Shape(_one(_repeated(BRACKETED, 2000)), 6, quick=True),
    "brackets in 64 kB": Shape(_one(_repeated(BRACKETED, 64_000)), 2),
    "quotes in 2 kB": Shape(_one(_repeated(ASKING, 2000)), 6),
    "escapes in 2 kB": Shape(_one(_repeated(ESCAPED, 2000)), 6),
    "100 floats": Shape(lambda draw, number: {"id": number, "xs": [draw.random() for _ in range(100)]}, 6),
    "100 ints": Shape(
        lambda draw, number: {"id": number, "xs": [draw.randrange(10**6) for _ in range(100)]}, 6
    ),
    "ints of 64 bits": Shape(_fields(20, lambda draw: draw.randrange(2**63, 2**64))),
    "ints beyond 64 bits": Shape(_fields(20, lambda draw: draw.randrange(2**70, 2**80))),
    "an array of 1,000": Shape(lambda draw, number: {"id": number, "xs": numpy.arange(1000) / 7}, 3),
    "100 dicts deep": Shape(_nested(100, lambda value: {"a": value})),
    "100 lists deep": Shape(_nested(100, lambda value: [value])),
    "1,000 keys": Shape(_fields(1000, lambda draw: draw.randrange(1000)), 3),
    "64 messages": Shape(lambda draw, number: _messages(draw, 64), 1),
    "dataclasses": Shape(_order(Order, OrderLine), quick=True),
    "Structs": Shape(_order(StructOrder, StructLine)),
    "models": Shape(_order(ModelOrder, ModelLine)),
    "0.5 MB": Shape(_document(500_000), 1, large=True),
    "0.9 MB": Shape(_document(900_000), 1, large=True),
    "1.5 MB": Shape(_document(1_500_000), 1, large=True),
    "5 MB": Shape(_document(5_000_000), 1, large=True),
}


def records(name: str) -> Iterator[Any]:
    """Yield the records of a shape, the same in each process."""
    shape = SHAPES[name]
    draw = random.Random(name)
    for number in range(shape.records):
        yield shape.make(draw, number)
