"""Types with strategies for their values, from which tests build schemas and records."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import functools
import operator
import uuid
from typing import Annotated, Any, Literal, TypedDict

from hypothesis import strategies as st

from bakeoff.codecs.conventions.rules import SCALARS
from bakeoff.codecs.conventions.tokens import Colour
from bakeoff.schemas import Hint
from bakeoff.schemas.tree import types as t
from bakeoff.schemas.tree.declare import describe

Strategy = st.SearchStrategy[Any]


class Level(enum.IntEnum):
    """Int values."""

    LOW = 1
    HIGH = 2


class Access(enum.Flag):
    """Members that combine."""

    READ = 1
    WRITE = 2
    BOTH = 3
    FAR = 2**70


class Odd(enum.Enum):
    """Values that few formats have."""

    MARK = b"\xff"
    SPAN = dt.timedelta(days=1, microseconds=1)
    BIG = 2**70
    DAY = dt.date(2024, 1, 2)
    PRICE = decimal.Decimal("1.10")


class Mixed(enum.Enum):
    """Values of two types."""

    ONE = 1
    TWO = "two"


ACCESS = st.lists(st.sampled_from(Access)).map(lambda some: functools.reduce(operator.or_, some, Access(0)))
INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda m: dt.timezone(dt.timedelta(minutes=m)))
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False).filter(lambda d: abs(d.adjusted()) < 500)


def moments(**options: Any) -> st.SearchStrategy[dt.datetime]:
    """Draw datetimes without a fold, which no format supports."""
    return st.datetimes(**options).map(lambda moment: moment.replace(fold=0))


LEAVES: list[tuple[Any, Strategy]] = [
    (bool, st.booleans()),
    (int, INT64),
    (Annotated[int, Hint(big=True)], st.integers(-(10**40), 10**40)),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (str, TEXT),
    (bytes, st.binary(max_size=12)),
    (bytearray, st.binary(max_size=12).map(bytearray)),
    (dt.datetime, moments() | moments(timezones=st.just(dt.UTC)) | moments(timezones=OFFSETS)),
    (Annotated[dt.datetime, Hint(aware=True)], moments(timezones=st.just(dt.UTC) | OFFSETS)),
    (Annotated[dt.datetime, Hint(aware=False)], moments()),
    (dt.date, st.dates()),
    (dt.time, st.times().map(lambda time: time.replace(fold=0))),
    (dt.timedelta, st.timedeltas()),
    (decimal.Decimal, DECIMALS),
    (uuid.UUID, st.uuids()),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Access, ACCESS),
    (Odd, st.sampled_from(Odd)),
    (Literal[1, "x", None], st.sampled_from([1, "x", None])),
]
LEAVES += [
    (scalar.type, st.randoms(use_true_random=False).map(scalar.draw))
    for scalar in SCALARS
    if scalar.type not in [kind for kind, _ in LEAVES]
]


class Named(TypedDict):
    """A record next to maps."""

    name: str
    at: dt.date


UNIONS: list[tuple[Any, Strategy]] = [
    (int | str | None, st.integers(-9, 9) | TEXT | st.none()),
    (dt.date | dt.datetime | int, st.dates() | moments() | st.integers(-9, 9)),
    (list[dt.date] | dict[str, uuid.UUID] | None, st.lists(st.dates()) | st.dictionaries(TEXT, st.uuids())),
    (
        dict[str, dt.date] | Named,
        st.dictionaries(st.just("at"), st.dates()) | st.builds(dict, name=TEXT, at=st.dates()),
    ),
    (tuple[int, int] | tuple[dt.date], st.tuples(INT64, INT64) | st.tuples(st.dates())),
]
"""Unions whose options no codec confuses."""

TYPED_OPTIONS: list[tuple[Any, Strategy]] = [
    (dt.date, st.dates()),
    (str, TEXT),
    (bytes, st.binary(max_size=4)),
    (float, st.floats(allow_nan=False)),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Odd, st.sampled_from(Odd)),
    (Mixed, st.sampled_from(Mixed)),
    (Literal["never", 0], st.sampled_from(["never", 0])),
    (Literal["a", 3, None], st.sampled_from(["a", 3, None])),
    (Literal[True, "t"], st.sampled_from([True, "t"])),
    (list[int], st.lists(INT64, max_size=2)),
    (type(None), st.none()),
]
"""Unions with options of different Python types, which formats preserve if they name the option."""

KEYS: list[tuple[Any, Strategy]] = [
    (str, TEXT),
    (int, st.integers(-(10**17), 10**17)),
    (uuid.UUID, st.uuids()),
    (dt.date, st.dates()),
    (dt.datetime, moments()),
    (dt.timedelta, st.timedeltas()),
    (int | dt.date | None, st.integers(-9, 9) | st.dates() | st.none()),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Access, st.sampled_from([Access.READ, Access.BOTH, Access.FAR, Access(0)])),
    (Odd, st.sampled_from(Odd)),
    (Literal[1, True, "x", None], st.sampled_from([1, "x", None]) | st.sampled_from([True, "x"])),
]

Pair = tuple[Any, Strategy]


def _optional(kind: Any) -> t.Type:
    described = describe(kind)
    rest = described.options if isinstance(described, t.UnionType) else (described,)
    return t.UnionType((*(option for option in rest if option != t.NoneType()), t.NoneType()))


def _extend(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    hashable = st.sampled_from([leaf for leaf in LEAVES if leaf[0] is not bytearray])
    return st.one_of(
        inner.map(lambda p: (list[p[0]], st.lists(p[1], max_size=3))),
        inner.map(lambda p: (tuple[p[0], ...], st.lists(p[1], max_size=3).map(tuple))),
        st.tuples(inner, inner).map(lambda p: (tuple[p[0][0], p[1][0]], st.tuples(p[0][1], p[1][1]))),
        hashable.map(lambda p: (set[p[0]], st.sets(p[1], max_size=3))),
        hashable.map(lambda p: (frozenset[p[0]], st.frozensets(p[1], max_size=3))),
        st.tuples(st.sampled_from(KEYS), inner).map(
            lambda p: (dict[p[0][0], p[1][0]], st.dictionaries(p[0][1], p[1][1], max_size=3))
        ),
        inner.map(lambda p: (_optional(p[0]), st.none() | p[1])),
        st.dictionaries(st.sampled_from(["a", "b", "c d", "é"]), inner, min_size=1, max_size=3).map(
            lambda fields: (
                {name: p[0] for name, p in fields.items()},
                st.fixed_dictionaries({name: p[1] for name, p in fields.items()}),
            )
        ),
    )


PAIRS: st.SearchStrategy[Pair] = st.recursive(st.sampled_from(LEAVES + UNIONS), _extend, max_leaves=4)
"""Types, each with a strategy for its values."""


@st.composite
def declared(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a dict of types and a record that fits it."""
    fields = draw(st.dictionaries(st.sampled_from("abcd"), PAIRS, min_size=1, max_size=3))
    spec = {name: pair[0] for name, pair in fields.items()}
    record = {name: draw(pair[1]) for name, pair in fields.items()}
    return spec, record


@st.composite
def unions(draw: st.DrawFn) -> tuple[Any, list[Any]]:
    """Draw a union of two to five types, and values of it."""
    options = draw(st.lists(st.sampled_from(TYPED_OPTIONS), min_size=2, max_size=5, unique_by=id))
    kind = functools.reduce(operator.or_, (option for option, _ in options))
    return kind, draw(st.lists(st.one_of([values for _, values in options]), max_size=6))


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=20)
    | st.dates()
    | st.datetimes()
    | st.decimals()
    | st.uuids()
    | st.sampled_from(["1E+999999", "P", "-", "2024-13-01", "$null", "NaN", "9" * 2000, "=", "0x"])
    | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=12,
)
"""Values that a hostile peer might send."""
