"""Objects of every kind, each with the plain value that the conventions give it."""

from __future__ import annotations

import array
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import math
import pathlib
import re
import types
import uuid
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from bakeoff.codecs import Codec
from bakeoff.codecs.conventions.notes import FIELDS_ONLY, MEMBERS, UNSET_FIELDS
from bakeoff.codecs.conventions.tokens import Summer
from bakeoff.codecs.formats.structs import OWN_ITERATION, UNSORTED_SETS

from .classes import objects


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """An object and its meaning.

    Attributes:
        kind: Its kind, such as "subclass of dict".
        given: The object.
        meant: Its plain value, of built-in types only.
    """

    kind: str
    given: Any
    meant: Any


_OFFSETS = [dt.timedelta(hours=5, minutes=30), dt.timedelta(hours=-11, minutes=-59), dt.timedelta(minutes=19, seconds=32),
            dt.timedelta(hours=23, minutes=59)]  # fmt: skip
_MOMENTS = (dt.datetime(2020, 1, 2, 3, 4, 5, 678901), dt.datetime(2020, 1, 2), dt.datetime(1, 1, 1), dt.datetime.max,
            dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2300, 1, 1, 0, 0, 0, 1))  # fmt: skip
_TIMES = (dt.time(0), dt.time(3, 4, 5, 44_320), dt.time(23, 59, 59, 999_999), dt.time(1, 2))

PLAIN: dict[str, tuple[Any, ...]] = {
    "none": (None,),
    "bool": (True, False),
    "int": (0, -1, 127, 128, 255, 256, 2**31, 2**32, 2**53 + 1, -(2**31) - 1, 2**63 - 1, -(2**63)),
    "big int": (2**63, 2**64 - 1, 2**64, -(2**63) - 1, 10**18 + 1, 10**19, 2**70, -(2**200)),
    "float": (0.0, -0.0, 0.1, 1.0, -1.5, 1e16, 1e22, 5e-324, 1.7976931348623157e308, 2.0**63, 1e-7,
              2.2250738585072014e-308, -2.225073858507201e-308, 4.9e-310),
    "nonfinite": (math.inf, -math.inf, math.nan),
    "str": ("", "a", "é", "😀", "\0", "\r", "\n", "a\r\nb", "\x85", "\u2028", "\ufeff", "$", "$ref", "a.b", ".", "null", "~",
            "yes", "1", "1e5", "0x1F", "2020-01-02", "12:30:00", "$null", "P1D", "=", "<<", " a ", "\t", "\x7f", "x" * 300),
    "lone surrogate": ("\ud800", "a\udfff", "\ud83d"),
    "complex": (1 + 2j, complex(-0.0, 0.5)),
    "bytes": (b"", b"\0\xff", b"abc", b"x" * 300),
    "bytearray": (bytearray(b""), bytearray(b"\0\xff")),
    "datetime": (*_MOMENTS,),
    "datetime in UTC": tuple(each.replace(tzinfo=dt.UTC) for each in _MOMENTS[:2] + _MOMENTS[4:]),
    "datetime with an offset": tuple(
        moment.replace(tzinfo=dt.timezone(offset)) for moment in _MOMENTS[:2] for offset in _OFFSETS
    ),
    "datetime at the edge with an offset": (
        dt.datetime.min.replace(tzinfo=dt.timezone(_OFFSETS[0])), dt.datetime.max.replace(tzinfo=dt.timezone(_OFFSETS[1])),
    ),
    "datetime in a zone": (_MOMENTS[0].replace(tzinfo=Summer()),),
    "fold": (_MOMENTS[0].replace(fold=1), _MOMENTS[0].replace(fold=1, tzinfo=dt.UTC), _TIMES[1].replace(fold=1)),
    "date": (dt.date(2020, 2, 29), dt.date.min, dt.date.max),
    "time": _TIMES,
    "time with an offset": tuple(_TIMES[1].replace(tzinfo=dt.timezone(offset)) for offset in [dt.timedelta(), *_OFFSETS]),
    "timedelta": (dt.timedelta(0), dt.timedelta(microseconds=-1), dt.timedelta(days=-1, microseconds=3),
                  dt.timedelta.max, dt.timedelta.min, dt.timedelta(days=1)),
    "decimal": tuple(map(decimal.Decimal, (
        "0", "-0", "0.0", "-0.00", "0E+5", "-0E-7", "1.10", "1.1", "1E+3", "1000", "-1.5", "1E-400", "1E+400", "9" * 40,
        "0." + "0" * 30 + "1", "123456789012345678.90"))),
    "decimal that is no number": tuple(map(decimal.Decimal, ("NaN", "Infinity", "-Infinity", "sNaN", "-NaN", "NaN123"))),
    "uuid": (uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.UUID("12345678-1234-5678-1234-567812345678")),
    "tuple": ((), (1, "a"), ((1,),)),
    "set": (set(), {1, 2, 3}, {"a", "b", "c"}, {1.5}, {dt.date(2020, 1, 1), dt.date(2021, 1, 1)}),
    "frozenset": (frozenset(), frozenset({1, 2}), frozenset({"x", "y"})),
    "list": ([], [[]], [1, [2, [3]]]),
    "dict": ({}, {"": ""}, {"a": {"b": {}}}),
}  # fmt: skip
"""Edge values of each type."""

KEYS: tuple[Any, ...] = (
    *PLAIN["str"][:-1], 0, -1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**18 + 1, 10**19, True, False, None, 0.5,
    math.inf, b"k", dt.date(2020, 1, 2), dt.time(1, 2, 3), dt.datetime(2020, 1, 2, 3), dt.timedelta(1), decimal.Decimal("1.50"),
    decimal.Decimal("-0"), uuid.UUID(int=5), (1, 2), frozenset({1}), "x" * 300, "\ud800", 1j,
    fractions.Fraction(1, 3), dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC), dt.date.min, dt.date.max, 5e-324,
)  # fmt: skip
"""Keys of dicts."""

SPECIAL: tuple[dict[str, Any], ...] = (
    {"$ref": "#/d/x", "$id": "http://a", "type": "object"},
    {"$ref": "a", "$id": 1},
    {"$ref": "a", "$id": {"b": [1]}, "$db": "c"},
    {"$oid": "5f0000000000000000000000"},
    {"$numberDecimal": "1.5"},
    {"$date": 1},
    {"CF$UID": 3},
    {"_id": 1, "a": 2},
    {"a": 1, "_id": 2},
    {"bakeoff.value": 1},
    {"bakeoff.value": 1, "a": 2},
    {"nd": True, "type": "<f8", "kind": "", "shape": [1], "data": b"12345678"},
    {"__class__": "x", "py/object": "os.system"},
    {"": 1, ".": 2, "$": 3, "a.b": 4},
    {"a\r\nb": 1, "\r": 2, "\n": 3},
    {"1": "a", "2": "b"},
)  # fmt: skip
"""Dicts whose keys mean something to a library."""


def plain() -> Iterator[Value]:
    """Yield edge values of every type."""
    for kind, values in PLAIN.items():
        for value in values:
            yield Value(kind, value, value)
    for value in SPECIAL:
        yield Value("dict with a library's keys", value, value)


# subclasses ---------------------------------------------------------------------------------------------


def _lie(*_arguments: Any, **_options: Any) -> Any:
    raise AssertionError("an overridden method was called")


def _other_items(self: Any) -> Any:
    return [("other", "value")]


_LIES: dict[str, Any] = {
    "__len__": lambda self: 2,
    "__iter__": lambda self: iter([7, 8]),
    "__getitem__": lambda self, key: 9,
    "items": _other_items,
    "keys": lambda self: ["other"],
    "values": lambda self: ["value"],
    "get": lambda self, key, default=None: 9,
    "__contains__": lambda self, key: True,
    "__str__": lambda self: "other",
    "__repr__": lambda self: "other",
    "__int__": lambda self: 9,
    "__index__": lambda self: 9,
    "__float__": lambda self: 9.5,
    "__bool__": lambda self: True,
    "__bytes__": lambda self: b"other",
    "__format__": lambda self, spec: "other",
    "isoformat": lambda self, *a, **o: "other",
    "encode": lambda self, *a: b"other",
    "copy": lambda self: {"other": 1},
    "as_tuple": _lie,
    "__reversed__": lambda self: iter([1]),
    "__sub__": lambda self, other: dt.timedelta(days=9),
    "utcoffset": lambda self: dt.timedelta(hours=9),
    "timetuple": lambda self: dt.datetime(1999, 1, 1).timetuple(),
    "bytes": property(lambda self: bytes(16)),
}
"""Methods that answer otherwise than the base type's."""
_BASES: dict[type, tuple[Any, ...]] = {
    dict: ({}, {"a": 1, "b": 2, "c": 3}, {"x": [1]}),
    list: ([], [1, 2, 3], [[1]]),
    tuple: ((), (1, 2, 3)),
    set: (set(), {1, 2, 3}),
    frozenset: (frozenset({1, 2, 3}),),
    str: ("", "abc", "é"),
    int: (0, 5, -(2**40), 2**64),
    float: (0.5, -0.0),
    bytes: (b"", b"abc"),
    bytearray: (bytearray(b"abc"),),
    decimal.Decimal: (decimal.Decimal("1.10"), decimal.Decimal("-0")),
    uuid.UUID: (uuid.UUID(int=5),),
    dt.date: (dt.date(2020, 1, 2),),
    dt.time: (dt.time(3, 4, 5),),
    dt.datetime: (dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(2020, 1, 2, tzinfo=dt.UTC)),
    dt.timedelta: (dt.timedelta(days=1, seconds=5),),
}


def _made(kind: type, base: type, value: Any) -> Any:
    if base is uuid.UUID:
        return kind(int=value.int)
    if base in (dt.date, dt.time, dt.datetime):
        names = ["year", "month", "day"] * (base is not dt.time) + ["hour", "minute", "second"] * (
            base is not dt.date
        )
        more = {} if base is dt.date else {"microsecond": value.microsecond, "tzinfo": value.tzinfo}
        return kind(**{name: getattr(value, name) for name in names}, **more)
    return kind(days=value.days, seconds=value.seconds) if base is dt.timedelta else kind(value)


def subclasses() -> Iterator[Value]:
    """Yield instances of subclasses: plain ones, and with one overridden method each."""
    for base, values in _BASES.items():
        lies = [
            name
            for name in _LIES
            if (name in dir(base) and name != "__bool__") or name in ("__str__", "__repr__")
        ]
        kinds = {"": type(f"Own{base.__name__}", (base,), {})}
        kinds |= {name: type(f"Own{base.__name__}", (base,), {name: _LIES[name]}) for name in lies}
        if base in (dict, list, set, str, int, tuple):
            # With a dict of attributes, which some libraries write instead.
            kinds["attributes"] = type(f"Own{base.__name__}", (base,), {"__init__": _with_attribute})
        # Fields are attributes, also those of a library's classes.
        fielded = type(f"Own{base.__name__}", (base,), {"secret": 5, "__annotations__": {"secret": int}})
        kinds["dataclass"] = dataclasses.dataclass(init=False, eq=False, repr=False)(fielded)
        for name, kind in kinds.items():
            for value in values:
                yield Value(f"subclass of {base.__name__} {name}".strip(), _made(kind, base, value), value)
    yield Value("OrderedDict", OrderedDict(b=1, a=2), {"b": 1, "a": 2})
    yield Value("Counter", Counter("aab"), {"a": 2, "b": 1})
    yield Value("defaultdict", defaultdict(list, {"a": [1]}), {"a": [1]})


def within() -> Iterator[Value]:
    """Yield values of subclasses with overridden methods in containers that a library or a convention opens."""
    other = next(each for each in subclasses() if each.kind == "subclass of dict items" and each.meant)
    late = Value(
        "pandas.Timestamp", pd.Timestamp("2020-01-02T03:04:05.000000001"), "2020-01-02T03:04:05.000000001"
    )
    own = {base: type(f"Plain{base.__name__}", (base,), {}) for base in (dict, list, tuple)}
    for value in (other, late):
        one = np.empty(1, dtype=object)
        one[0] = value.given
        for mapping in (own[dict], OrderedDict, defaultdict, UserDict, ChainMap, types.MappingProxyType):
            given = (
                mapping(list, {"a": value.given}) if mapping is defaultdict else mapping({"a": value.given})
            )
            yield Value(f"{value.kind} in {mapping.__name__}", given, {"a": value.meant})
        for items in (own[list]([value.given]), one, pd.Series([value.given], dtype=object)):
            yield Value(f"{value.kind} in {type(items).__name__}", items, [value.meant])
        yield Value(f"{value.kind} in a tuple", own[tuple]([value.given]), (value.meant,))
        member = enum.Enum("Held", {"A": {"a": value.given}}).A
        yield Value(f"{value.kind} in an enum", member, {"a": value.meant})


def _with_attribute(self: Any, *_arguments: Any) -> None:
    if isinstance(self, (dict, list, set)):
        type(self).__mro__[1].__init__(self, *_arguments)
    self.secret = 5


# arrays -------------------------------------------------------------------------------------------------

_MASKED = pd.array([1, None, 3], dtype="Int64")


def arrays() -> Iterator[Value]:
    """Yield values of numpy, pandas, polars and `array`."""
    moment = dt.datetime(2020, 1, 2, 3, 4, 5, 678901)
    pairs: list[tuple[Any, Any]] = [
        *((kind(5), 5) for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.int64(-(2**63)), -(2**63)),
        (np.float16(0.1), float(np.float16(0.1))),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.float64(0.1), 0.1),
        (np.float64(-0.0), -0.0),
        (np.float32("nan"), math.nan),
        (np.float64("inf"), math.inf),
        (np.longdouble(1.5), 1.5),
        (np.bool_(True), True),
        (np.bool_(False), False),
        (np.str_("é"), "é"),
        (np.bytes_(b"\xff"), b"\xff"),
        (np.datetime64("2020-01-02T03:04:05.678901"), moment),
        (np.datetime64("2020-01-02"), dt.date(2020, 1, 2)),
        (np.datetime64("2020-01-02T03:04:05.678901234"), "2020-01-02T03:04:05.678901234"),
        (np.datetime64("NaT"), None),
        (np.timedelta64(5, "s"), dt.timedelta(seconds=5)),
        (np.array([]), []),
        (np.array([1, 2, 3]), [1, 2, 3]),
        (np.array([[1, 2], [3, 4]], dtype=np.int8), [[1, 2], [3, 4]]),
        (np.array([[1, 2], [3, 4]])[:, ::-1], [[2, 1], [4, 3]]),
        (np.array([1, 2], dtype=">i4"), [1, 2]),
        (np.array([0.5, math.nan]), [0.5, math.nan]),
        (np.array([0.1], dtype=np.float32), [float(np.float32(0.1))]),
        (np.array([True, False]), [True, False]),
        (np.array(["a", "é"]), ["a", "é"]),
        (np.array([b"a", b"\xff"]), [b"a", b"\xff"]),
        (np.array([2**64 - 1], dtype=np.uint64), [2**64 - 1]),
        (np.array([1, "a", None], dtype=object), [1, "a", None]),
        (np.array([moment], dtype="M8[us]"), [moment]),
        (np.array([(1, 0.5)], dtype=[("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 0.5}]),
        (np.array(7), 7),
        (array.array("i", [1, -2]), [1, -2]),
        (array.array("d", [0.5]), [0.5]),
        (array.array("Q", [2**64 - 1]), [2**64 - 1]),
        (array.array("b", b"ab"), [97, 98]),
        (array.array("B", b""), []),
        (pd.Timestamp(moment), moment),
        (pd.Timestamp("2020-01-02T03:04:05.678901234"), "2020-01-02T03:04:05.678901234"),
        (pd.Timestamp("2020-01-02", tz="UTC"), dt.datetime(2020, 1, 2, tzinfo=dt.UTC)),
        (pd.Timedelta(days=1, microseconds=5), dt.timedelta(days=1, microseconds=5)),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (pd.Series(_MASKED), [1, None, 3]),
        (pd.Series([moment]), [moment]),
        (pd.Index([1, 2]), [1, 2]),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), {"a": [1, 2], "b": ["x", "y"]}),
        (_MASKED, [1, None, 3]),
        (pl.Series([1, 2]), [1, 2]),
        (pl.DataFrame({"a": [1], "b": ["x"]}), {"a": [1], "b": ["x"]}),
    ]  # fmt: skip
    for given, meant in pairs:
        yield Value(f"{type(given).__module__.partition('.')[0]}.{type(given).__name__}", given, meant)
    yield Value("memoryview", memoryview(b"ab"), b"ab")
    yield Value(
        "memoryview of integers",
        memoryview(array.array("i", [1])),
        memoryview(array.array("i", [1])).tobytes(),
    )


# other classes of the standard library -----------------------------------------------------------------


def others() -> Iterator[Value]:
    """Yield mappings, which are written as dicts, and objects without a convention, which have no other value."""
    for given in (ChainMap({"a": 1}), types.MappingProxyType({"a": 1, "b": [2]}), UserDict(a=1)):
        yield Value(f"mapping {type(given).__name__}", given, dict(given))
    for given in (
        fractions.Fraction(1, 3), ipaddress.ip_address("1.2.3.4"), ipaddress.ip_address("::1"),
        ipaddress.ip_network("10.0.0.0/8"), pathlib.PurePosixPath("/a"), range(3), deque([1, 2]), UserList([1]),
        re.compile("a"), types.SimpleNamespace(a=1), slice(1), dt.UTC, ..., object, len,
    ):  # fmt: skip
        yield Value(f"no convention: {type(given).__name__}", given, given)


def leaves() -> tuple[Value, ...]:
    """Return one of each value of the catalog."""
    made = [Value(kind, given, meant) for kind, given, meant in objects()]
    return (*plain(), *subclasses(), *within(), *arrays(), *others(), *made)


def keys() -> tuple[Value, ...]:
    """Return keys of dicts, which may also be items of sets."""
    made = [Value("key", key, key) for key in KEYS]
    for value in (*subclasses(), *arrays(), *(Value(*each) for each in objects())):
        try:
            if hash(value.given) == hash(value.meant) and value.given == value.meant:
                made.append(value)
        except (TypeError, ValueError):
            continue
    return tuple(made)


def is_tried(codec: Codec, value: Value) -> bool:
    """Whether a codec can be expected to bring a value back.

    Some say that they drop fields that the schema does not have. pickle leaves that to the methods of a class. ujson ignores the error of a signaling NaN, and goes on. Some
    codecs say that their library writes sets, attrs classes, members of enums and dataclasses that extend other
    types by rules of its own.
    """
    if UNSORTED_SETS in codec.losses and re.search("attrs|subclass of (frozen)?set", value.kind):
        return False
    if OWN_ITERATION in codec.losses and re.search("subclass of (frozen)?set", value.kind):
        return False
    if FIELDS_ONLY in codec.losses and re.search(r"subclass of \w+ dataclass", value.kind):
        return False
    if UNSET_FIELDS in codec.losses and value.kind.endswith("dataclass with a default of its class"):
        return False
    if MEMBERS in codec.losses and "with another value" in value.kind:
        return False
    if "extra fields" in value.kind and any("unknown fields" in loss for loss in codec.losses):
        return False
    if codec.name == "ujson" and "sNaN" in repr(value.meant):
        return False
    own = "subclass of" in value.kind or "namedtuple with methods" in value.kind
    return not (own and codec.format == "pickle")
