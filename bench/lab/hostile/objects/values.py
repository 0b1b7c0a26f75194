"""Values and keys of every kind, at their bounds, and partly initialized objects."""

from __future__ import annotations

import array
import contextlib
import datetime as dt
import decimal
import enum
import fractions
import importlib
import ipaddress
import pathlib
import sys
import threading
import uuid
from collections import OrderedDict, UserDict, UserList
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from ..cases import HostileCase, ordinary
from .kinds import Box, Pair, TextSubclass

if TYPE_CHECKING:
    from .....codecs import Codec

_case = partial(HostileCase, "encode")
_CHARACTERS = "w" if sys.version_info >= (3, 13) else "u"
"""Type code of text in an array; "u" is deprecated."""


class Huge(enum.Enum):
    """Values that formats lack."""

    NUMBER = 2**70
    LIST = (1, 2)
    NOTHING = None


def _views(codec: Codec) -> Iterator[Any]:
    released = memoryview(b"abc")
    released.release()
    held = bytearray(b"abc")
    for view in (
        released, memoryview(b"abcdef")[::2], memoryview(b"abcdef")[::-1],
        memoryview(bytes(24)).cast("B", (2, 3, 4)), memoryview(bytes(16)).cast("d"),
        memoryview(array.array(_CHARACTERS, "ab")), memoryview(b""), memoryview(held), held,
    ):  # fmt: skip
        yield from (view, [view], {"a": view})


def _odd_keys(codec: Codec) -> Iterator[Any]:
    for key in (
        None, True, 0, -1, 2**70, 0.5, float("nan"), float("inf"), b"a", b"\xff", "", "\0", "\ud800",
        "a.b", "$a", (), (1, (2,)), frozenset({1}), Huge.NUMBER, Huge.LIST, object(), Pair(1, 2),
        uuid.UUID(int=1), dt.date(1, 1, 1), dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.timedelta(-1),
        decimal.Decimal("NaN"), 1j, TextSubclass("a"), int, len, ..., range(3), memoryview(b"a"),
    ):  # fmt: skip
        yield from ({key: 1}, [{"a": {key: {key: 1}}}])
    yield from (
        {1: 1, "1": 2},
        {None: 1, "null": 2},
        {True: 1, "true": 2},
        {b"a": 1, "a": 2},
        {1.0: 1, "1.0": 2},
    )
    yield {float("nan"): 1, float("nan"): 2}


def _odd_values(codec: Codec) -> Iterator[Any]:
    offset = dt.timezone(dt.timedelta(hours=23, minutes=59, seconds=59))
    for value in (
        object(), object, len, lambda: 1, ..., NotImplemented, range(3), 1j, iter([]), (n for n in [1]),
        threading.Lock(), fractions.Fraction(1, 3), ValueError("x"), array.array("d", [1.0]), dt,
        Huge.NUMBER, Huge.LIST, Huge.NOTHING, Huge, dt.datetime.min, dt.datetime.max,
        dt.datetime.min.replace(tzinfo=offset), dt.datetime.max.replace(tzinfo=offset),
        dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC),
        dt.datetime.max.replace(tzinfo=dt.timezone(-dt.timedelta(hours=23))),
        dt.datetime(2020, 1, 1, fold=1), dt.date.min, dt.date.max, dt.time.max.replace(tzinfo=offset),
        dt.timedelta.max, dt.timedelta.min, decimal.Decimal("NaN"), decimal.Decimal("sNaN"),
        decimal.Decimal("-Infinity"), decimal.Decimal("1E+999999"), decimal.Decimal("-0"),
        decimal.Decimal("1E-999999"), uuid.UUID(int=0), {1}.__iter__(), {}.items(), {"a": 1}.keys(),
        {"a": 1}.values(), bytearray(b"\xff"), type("Slotted", (), {"__slots__": ("a",)})(), Exception,
        threading.current_thread(), dt.datetime(2020, 10, 25, 2, tzinfo=ZoneInfo("Europe/Berlin"), fold=1),
        dt.time(1, 2, tzinfo=dt.UTC, fold=1), b"x" * 70_000, slice(1, 2), type,
        array.array("i", [1, 2]), ipaddress.ip_address("127.0.0.1"), ipaddress.ip_network("10.0.0.0/8"),
        pathlib.PurePosixPath("a/b"), BaseException("x"),
    ):  # fmt: skip
        yield from (value, [value], {"a": value})


def _numbers(codec: Codec) -> Iterator[Any]:
    for number in (
        2**63, 2**64, -(2**63) - 1, 10**400, -(10**4300), 2**200_000, float("nan"), float("inf"),
        -float("inf"), -0.0, 5e-324, 1.7976931348623157e308,
    ):  # fmt: skip
        yield from (number, [number], {"a": number})


def _texts(codec: Codec) -> Iterator[Any]:
    for text in (
        "\ud800", "a\udfff", "\udc00\ud800", "x" * 1000 + "\udcff", "\0", "\x1b[0m", "\ufeff", "\u2028",
        "\ufffe", "x" * 70_000, "é" * 40_000,
    ):  # fmt: skip
        yield from (text, [text], {"a": text}, {text: 1}, TextSubclass(text), Box(text))


def _half_made(codec: Codec) -> Iterator[Any]:
    yield Box.__new__(Box)
    yield type("Child", (Box,), {})(1)
    box = Box(1)
    box.other = 2  # type: ignore[attr-defined]
    del box.content
    yield [box]
    yield OrderedDict.__new__(OrderedDict)
    yield UserDict.__new__(UserDict)
    yield UserList.__new__(UserList)
    yield dt.datetime.now().astimezone()

    class Described:
        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: self

    yield Described()
    yield {"a": Described()}


_OF_LIBRARIES: Mapping[str, Callable[[Any], tuple[Any, ...]]] = {
    "msgpack": lambda m: (m.ExtType(5, b"x"), m.Timestamp(1, 2)),
    "ormsgpack": lambda m: (m.Ext(5, b"x"), m.Fragment(b"\xc0")),
    "msgspec": lambda m: (m.UNSET, m.Raw(b"1"), m.msgpack.Ext(5, b"x")),
    "bson": lambda m: (
        m.ObjectId(b"x" * 12), m.Int64(5), m.Decimal128("1.5"), m.Regex("a", "i"), m.Binary(b"x", 5),
        m.Code("x", {"a": 1}), m.MinKey(), m.DBRef("a", 1), m.Timestamp(1, 2),
    ),
    "cbor2": lambda m: (m.CBORTag(5, [1]), m.undefined, m.CBORSimpleValue(5)),
    "plistlib": lambda m: (m.UID(5),),
    "numpy": lambda m: (m.int64(5), m.float32(1.5), m.array([1, 2]), m.datetime64("2020-01-02")),
}  # fmt: skip


def _of_libraries(codec: Codec) -> Iterator[Any]:
    for name, make in _OF_LIBRARIES.items():
        with contextlib.suppress(ImportError):
            for value in make(importlib.import_module(name)):
                yield from (value, [value])


CASES: tuple[HostileCase, ...] = (
    _case("ordinary", "an ordinary record", lambda codec: [ordinary(codec)], must="accept"),
    _case("views", "memoryviews that are released, have gaps, dimensions, other items", _views),
    _case("odd-keys", "keys of every kind, and keys that are written alike", _odd_keys),
    _case("odd-values", "values of every kind, at their bounds", _odd_values),
    _case("numbers", "numbers beyond 64 bits, beyond 4,300 digits, not finite", _numbers),
    _case("texts", "lone surrogates and control characters, in values and keys", _texts),
    _case("half-made-uuid", "a UUID without its `int`", lambda codec: [uuid.UUID.__new__(uuid.UUID)]),
    _case("of-libraries", "objects that some library writes natively", _of_libraries, reads_back=False),
    _case("half-made", "objects without what they should have", _half_made),
)
