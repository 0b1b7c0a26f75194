"""Random Python objects: plain ones, which codecs must bring back, and wild ones, which they must survive."""

from __future__ import annotations

import array
import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import math
import pathlib
import types
import uuid
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

__all__ = ["Objects"]


class Colour(enum.Enum):
    """Text values."""

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    """Int values."""

    LOW = 1
    HIGH = 2**40


class Word(enum.StrEnum):
    """Text values that are text."""

    YES = "yes"


class Odd(enum.Enum):
    """Values that few formats have."""

    MARK = b"\xff"
    SPAN = dt.timedelta(days=1, microseconds=1)
    BIG = 2**70
    NESTED = ((1, 2), "x")
    SELF = object()


class Bits(enum.Flag):
    """Members that combine."""

    ONE = 1
    FAR = 2**70


@dataclass
class Box:
    """Holds anything."""

    content: Any
    more: Any = None


@dataclass(frozen=True, slots=True)
class Frozen:
    """Has no dict."""

    content: Any


@dataclass
class Hidden:
    """Has fields that are not set, and one that is not shown."""

    given: int = 1
    unset: Any = field(init=False)
    _private: int = 2


class Pair(NamedTuple):
    """A named tuple."""

    left: Any
    right: Any


class Plain:
    """Of no known type."""

    def __init__(self, content: Any) -> None:
        self.content = content


class Raising:
    """Raises whatever it is asked."""

    def _raise(self, *_: Any) -> Any:
        raise RuntimeError("asked")

    __str__ = __repr__ = __eq__ = __len__ = __iter__ = __bool__ = __int__ = __float__ = __index__ = _raise
    __getattr__ = __bytes__ = __contains__ = __getitem__ = __call__ = __format__ = __reduce_ex__ = _raise
    __reduce__ = _raise
    __hash__ = object.__hash__


class RaisingList(list[Any]):
    """A list that will not be gone through."""

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("iterated")


class LyingList(list[Any]):
    """A list that says it is longer than it is, and gives something else."""

    def __len__(self) -> int:
        return 10**6

    def __iter__(self) -> Iterator[Any]:
        return iter([1, 2, 3])

    def __getitem__(self, index: Any) -> Any:
        return index


class LyingDict(dict[Any, Any]):
    """A dict whose items are no pairs."""

    def items(self) -> Any:
        return [1, (2,), (3, 4, 5)]

    def __iter__(self) -> Iterator[Any]:
        return iter(["not", "there"])

    def keys(self) -> Any:
        return 5

    def __len__(self) -> int:
        return -1 % 7


class LyingText(str):
    """Text whose methods give something else."""

    __slots__ = ()

    def __str__(self) -> str:
        return 5  # type: ignore[return-value]

    def encode(self, *_: Any, **__: Any) -> Any:
        return None

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    def __hash__(self) -> int:
        return 7


class LyingInt(int):
    """A number whose methods give something else."""

    def __int__(self) -> Any:
        return "x"

    def __index__(self) -> Any:
        return 2**80

    def __repr__(self) -> str:
        return "many"


class LyingFloat(float):
    """A number without words."""

    def __repr__(self) -> str:
        raise RuntimeError("shown")

    def __float__(self) -> float:
        raise RuntimeError("converted")


class LyingClass:
    """Says it is a dict."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict


class OddMapping(Mapping[Any, Any]):
    """A mapping of another kind."""

    def __init__(self, content: dict[Any, Any]) -> None:
        self._content = content

    def __getitem__(self, key: Any) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)


class Endless(Mapping[Any, Any]):
    """A mapping with far more keys than it says, each of which it lacks."""

    def __getitem__(self, key: Any) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(range(1000))

    def __len__(self) -> int:
        return 1


class Changing(Mapping[Any, Any]):
    """A mapping that empties what holds it while it is gone through."""

    def __init__(self, holder: Any) -> None:
        self._holder = holder

    def __getitem__(self, key: Any) -> Any:
        return key

    def __iter__(self) -> Iterator[Any]:
        self._holder.clear()
        return iter(["a", "b"])

    def __len__(self) -> int:
        return 2


class Zone(dt.tzinfo):
    """A zone with an offset of its own."""

    def __init__(self, offset: Any = None) -> None:
        self._offset = offset

    def utcoffset(self, when: dt.datetime | None) -> Any:
        if isinstance(self._offset, Exception):
            raise self._offset
        return self._offset

    def dst(self, when: dt.datetime | None) -> Any:
        return None

    def tzname(self, when: dt.datetime | None) -> Any:
        return None


_KINDS = (int, float, str, bytes, bytearray, list, tuple, set, frozenset, dict, dt.datetime, dt.date, dt.time)
_OWN: dict[type, Any] = {kind: type(f"Own{kind.__name__}", (kind,), {}) for kind in _KINDS}
_EDGES = (0, 1, -1, 127, 128, 255, 256, -32, -33, -128, -129, 2**15, 2**16, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53,
          2**53 + 1, 2**63 - 1, -(2**63))  # fmt: skip
_BIG = (2**63, 2**64 - 1, 2**64, -(2**63) - 1, 2**70, -(2**200), 10**400)
_FLOATS = (
    0.0,
    -0.0,
    0.1,
    1.0,
    1e16,
    1e22,
    1e23,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.5,
    1e-7,
    2.0**63,
)
_NONFINITE = (math.inf, -math.inf, math.nan)
_ODD_TEXTS = ("yes", "no", "null", "~", "1:30", "0x1F", "1e3", "2020-01-02", ".inf", "=", "<<", "- a", "# x", "a: b", "'", '"',
              "\\", "/", "</script>", "P1D", "$null", "é", "😀", "ÿ", "\u2028", "\x85", "NaN", "-0", "0", "aGk=", "\ufeff",
              "\uffff", "---", "...", "? x", "!!int 1", "&a", "*a", "_id", "$ref", "bakeoff.value", "CF$UID", " ", "a ", "%")  # fmt: skip
_CONTROLS = ("\0", "\x01", "\x1b", "\x7f", "\r", "\n", "\t", "\r\n", "a\nb\n", "\x0c")
_MIN = dt.datetime.min
_MAX = dt.datetime.max


class Objects:
    """One random object and what it is made of.

    Args:
        random: All that is drawn comes from it.
        but: Names of objects that are not made.
        xml: Text without control characters only.

    Attributes:
        honest: Whether every part of the last object is what it says: what is written of others may be no payload.
    """

    def __init__(self, random: Random, but: frozenset[str] = frozenset(), *, xml: bool = False) -> None:
        self._random = random
        self._but = but
        self._xml = xml
        self._left = 0
        self.honest = True

    def plain(self) -> Any:
        """Return an object of the types that have a convention, each dict with keys of one type."""
        self._left = 3 + int(self._random.random() ** 3 * 40)
        return self._plain(0)

    def wild(self) -> Any:
        """Return any object."""
        self._left = 2 + int(self._random.random() ** 3 * 30)
        return self._wild(0, [])

    # plain -------------------------------------------------------------------------------------

    def _pick(self, some: Any) -> Any:
        return some[int(self._random.random() * len(some))]

    def _plain(self, depth: int) -> Any:
        self._left -= 1
        if self._left <= 0 or depth > 8 or (depth and self._random.random() < 0.55):
            return self._pick(_PLAIN_LEAVES)(self)
        return self._pick(_PLAIN_CONTAINERS)(self, depth + 1)

    def _some(self, depth: int) -> list[Any]:
        return [self._plain(depth) for _ in range(int(self._random.random() * 5))]

    def _text(self) -> str:
        random = self._random
        roll = random.random()
        if roll < 0.4:
            return "".join(random.choices("abcxyzéß ", k=int(random.random() * 12)))
        if roll < 0.75:
            return str(self._pick(_ODD_TEXTS))
        if roll < 0.8:
            return str(self._pick(("x", "é", "😀"))) * int(random.random() * 400)
        if roll < 0.95 or self._xml:
            return "".join(chr(int(random.random() * 0xD000) + 0xA0) for _ in range(int(random.random() * 6)))
        return str(self._pick(_CONTROLS))

    def _int(self) -> int:
        random = self._random
        roll = random.random()
        return (
            int(self._pick(_EDGES))
            if roll < 0.4
            else random.getrandbits(int(roll * 63))
            if roll < 0.95
            else int(self._pick(_BIG))
        )

    def _float(self) -> float:
        roll = self._random.random()
        if roll < 0.4:
            return float(self._pick(_FLOATS))
        return float(self._pick(_NONFINITE)) if roll < 0.5 else self._random.uniform(-1e6, 1e6)

    def _moment(self) -> dt.datetime:
        random = self._random
        roll = random.random()
        if roll < 0.1:
            return self._pick(
                (_MIN, _MAX, dt.datetime(1970, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 999999))
            )  # type: ignore[no-any-return]
        moment = dt.datetime(1, 1, 3) + dt.timedelta(microseconds=int(random.random() * 3.15e17))
        if roll < 0.5:
            return moment
        if roll < 0.7:
            return moment.replace(tzinfo=dt.UTC)
        minutes = int(random.random() * 2800) - 1400
        return moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes)))

    def _span(self) -> dt.timedelta:
        return dt.timedelta(
            days=int(self._random.random() * 2000) - 1000, microseconds=int(self._random.random() * 9e10)
        )

    def _decimal(self) -> decimal.Decimal:
        return decimal.Decimal(self._int()).scaleb(int(self._random.random() * 20) - 12)

    def _keys(self, count: int) -> list[Any]:
        roll = self._random.random()
        make: Callable[[], Any] = self._text if roll < 0.8 else self._int
        return [make() for _ in range(count)]

    def _dict(self, depth: int) -> dict[Any, Any]:
        keys = self._keys(int(self._random.random() * 5))
        return {key: self._plain(depth) for key in keys}

    def _items(self) -> list[Any]:
        make = self._pick((self._text, self._int))
        return [make() for _ in range(int(self._random.random() * 4))]

    # wild --------------------------------------------------------------------------------------

    def _wild(self, depth: int, holders: list[Any]) -> Any:
        self._left -= 1
        roll = self._random.random()
        if self._left <= 0 or depth > 10 or roll < 0.25:
            return self._pick(_PLAIN_LEAVES)(self)
        if roll < 0.47:
            return self._pick(_WILD_LEAVES)(self)
        if roll < 0.51:
            self.honest = False
            return self._pick(_LIES)(self)
        if roll < 0.53 and holders:
            return self._pick(holders)  # it holds itself
        if roll < 0.54 and holders and "changing container" not in self._but:
            self.honest = False
            return Changing(self._pick(holders))
        if roll < 0.56:
            return self._deep()
        return self._wild_container(depth + 1, holders)

    def _wild_container(self, depth: int, holders: list[Any]) -> Any:
        roll = self._random.random()
        count = int(self._random.random() * 4)
        if roll < 0.3:
            found: list[Any] = []
            held = [*holders, found]
            found.extend(self._wild(depth, held) for _ in range(count))
            return found
        if roll < 0.6:
            filled: dict[Any, Any] = {}
            held = [*holders, filled]
            for _ in range(count):
                key = self._wild(9, []) if self._random.random() < 0.3 else self._text()
                try:
                    filled[key] = self._wild(depth, held)
                except Exception:  # noqa: BLE001 - this one is no key
                    continue
            return filled
        makers = _WILD_CONTAINERS
        if roll < 0.7:
            makers = _BOXES
            holders = [] if "dataclass in a cycle" in self._but else holders
        items = [self._wild(depth, holders) for _ in range(count)]
        try:
            return self._pick(makers)(self, items)
        except Exception:  # noqa: BLE001 - not of such items
            return items

    def _deep(self) -> Any:
        wraps = _DEEP[:-1] if "nested frozensets" in self._but else _DEEP
        wrap = self._pick(wraps)
        value: Any = 1
        for _ in range(self._pick((10, 49, 51, 199, 201, 255, 300, 1100))):
            value = wrap(value)
        return value

    def _zone(self) -> Any:
        offsets = [None, dt.timedelta(microseconds=1), dt.timedelta(hours=-23), dt.timedelta(days=3), 5, "x"]
        if "raising zone" not in self._but:
            offsets.append(RuntimeError("asked"))
        return Zone(self._pick(offsets))

    def _own(self) -> Any:
        """Return an instance of a subclass of a built-in type."""
        kind = self._pick(_KINDS)
        own = _OWN[kind]
        if issubclass(kind, dt.datetime | dt.date):
            return own(2020, 1, 2)
        if issubclass(kind, dt.time):
            return own(3, 4)
        if issubclass(kind, dict):
            return own({self._text(): 1})
        if issubclass(kind, list | tuple | set | frozenset):
            return own(self._items())
        if issubclass(kind, str):
            return own(self._text())
        return own(b"\xff") if issubclass(kind, bytes | bytearray) else own(self._int() % 2**60)


_PLAIN_LEAVES: tuple[Callable[[Objects], Any], ...] = (
    lambda o: None,
    lambda o: o._random.random() < 0.5,
    Objects._int,
    Objects._int,
    Objects._int,
    Objects._float,
    Objects._float,
    Objects._text,
    Objects._text,
    Objects._text,
    lambda o: o._random.randbytes(int(o._random.random() * 20)),
    lambda o: bytearray(o._random.randbytes(int(o._random.random() * 20))),
    Objects._moment,
    Objects._moment,
    lambda o: o._moment().date(),
    lambda o: o._moment().time(),
    Objects._span,
    Objects._decimal,
    lambda o: uuid.UUID(int=o._random.getrandbits(128)),
    lambda o: o._pick((Colour.RED, Level.HIGH, Word.YES)),
)
_PLAIN_CONTAINERS: tuple[Callable[[Objects, int], Any], ...] = (
    Objects._some,
    Objects._some,
    Objects._dict,
    Objects._dict,
    Objects._dict,
    lambda o, depth: tuple(o._some(depth)),
    lambda o, depth: set(o._items()),
    lambda o, depth: frozenset(o._items()),
    lambda o, depth: Box(o._plain(depth), o._plain(depth)),
    lambda o, depth: Pair(o._plain(depth), o._plain(depth)),
)
_WILD_LEAVES: tuple[Callable[[Objects], Any], ...] = (
    lambda o: o._moment().replace(tzinfo=ZoneInfo("Europe/Berlin"), fold=1),
    lambda o: o._moment().replace(tzinfo=dt.timezone(dt.timedelta(seconds=int(o._random.random() * 9000)))),
    lambda o: dt.time(1, 2, tzinfo=dt.UTC, fold=1),
    lambda o: o._pick((_MIN, _MAX)).replace(tzinfo=dt.timezone(dt.timedelta(hours=o._pick((-23, 23))))),
    lambda o: dt.timedelta.max,
    lambda o: decimal.Decimal(
        o._pick(("NaN", "sNaN", "-Infinity", "1E+999999", "1E-999999", "-0", "9" * 5000))
    ),
    lambda o: o._pick((Odd.MARK, Odd.SPAN, Odd.BIG, Odd.NESTED, Bits.ONE | Bits.FAR, Bits(0), Level.LOW)),
    lambda o: o._pick(("\ud800", "a\udfff", "\x00" * 10, "x" * 70_000, "\ud83d", "é" * 40_000)),
    lambda o: -(10 ** o._pick((20, 400, 4299, 4300, 5000))),
    lambda o: complex(o._float(), o._float()),
    lambda o: o._pick(
        (range(3), range(0, -5, -2), slice(1, 2), Ellipsis, NotImplemented, object, len, type, types)
    ),
    lambda o: memoryview(o._pick((b"abc", bytearray(b"abc"))))[:: o._pick((1, 2, -1))],
    lambda o: memoryview(array.array("d", [1.5, 2.5])),
    lambda o: array.array("i", [1, 2]),
    lambda o: _released(),
    lambda o: fractions.Fraction(1, 3),
    lambda o: o._pick((ipaddress.ip_address("127.0.0.1"), ipaddress.ip_network("10.0.0.0/8"))),
    lambda o: pathlib.PurePosixPath("a/b"),
    lambda o: Hidden(),
    lambda o: Plain(1),
    lambda o: Plain,
    lambda o: object(),
    lambda o: (n for n in range(3)),
    lambda o: iter([1, 2]),
    lambda o: lambda: 1,
    lambda o: BaseException("x"),
    lambda o: b"x" * 70_000,
    lambda o: UserString("text"),
    Objects._own,
    Objects._own,
)
_LIES: tuple[Callable[[Objects], Any], ...] = (
    lambda o: o._pick(_foreign()),
    lambda o: Odd.SELF,
    lambda o: Raising(),
    lambda o: RaisingList([1, 2]),
    lambda o: LyingList([1]),
    lambda o: LyingDict(a=1),
    lambda o: LyingText("text"),
    lambda o: LyingInt(5),
    lambda o: LyingFloat(1.5),
    lambda o: LyingClass(),
    lambda o: Endless(),
    lambda o: o._moment().replace(tzinfo=o._zone()),
    lambda o: dt.time(1, 2, tzinfo=o._zone()),
)
_WILD_CONTAINERS: tuple[Callable[[Objects, list[Any]], Any], ...] = (
    lambda o, items: tuple(items),
    lambda o, items: set(items),
    lambda o, items: frozenset(items),
    lambda o, items: deque(items),
    lambda o, items: UserList(items),
    lambda o, items: UserDict(enumerate(items)),
    lambda o, items: OrderedDict(enumerate(items)),
    lambda o, items: defaultdict(list, {"a": items}),
    lambda o, items: Counter(items),
    lambda o, items: ChainMap({"a": items}, {"b": 1}),
    lambda o, items: types.MappingProxyType({"a": items}),
    lambda o, items: types.SimpleNamespace(a=items),
    lambda o, items: OddMapping({"a": items}),
    lambda o, items: Pair(items, 1),
    lambda o, items: {"a": 1}.items(),
    lambda o, items: dict.fromkeys("ab", items).values(),
    lambda o, items: {str(item): item for item in items}.keys(),
    lambda o, items: {(item, 1): item for item in items},
    lambda o, items: {frozenset([item]): item for item in items},
    lambda o, items: [items] * 20,
)
_BOXES: tuple[Callable[[Objects, list[Any]], Any], ...] = (
    lambda o, items: Box(items, tuple(items)),
    lambda o, items: Frozen(items),
    lambda o, items: {Frozen(item): item for item in items},
)
_DEEP: tuple[Callable[[Any], Any], ...] = (
    lambda x: [x],
    lambda x: {"a": x},
    lambda x: (x,),
    lambda x: [(x,)],
    lambda x: {"a": [x]},
    Box,
    Frozen,
    lambda x: Pair(x, 1),
    lambda x: deque([x]),
    lambda x: UserList([x]),
    lambda x: OddMapping({"a": x}),
    lambda x: types.MappingProxyType({"a": x}),
    lambda x: {(1, x) if isinstance(x, int | tuple) else 1: 1},
    lambda x: frozenset([x]),
)


def _released() -> memoryview:
    view = memoryview(b"abc")
    view.release()
    return view


def _foreign() -> tuple[Any, ...]:
    """Return objects that some library writes by itself."""
    global _made
    if not _made:
        import plistlib

        import bson
        import cbor2
        import msgpack
        import msgspec
        import numpy
        import ormsgpack

        _made = (
            msgpack.ExtType(5, b"x"), msgpack.Timestamp(1, 2), ormsgpack.Ext(5, b"x"), ormsgpack.Fragment(b"\xc0"),
            msgspec.UNSET, msgspec.Raw(b"1"), msgspec.msgpack.Ext(5, b"x"), bson.ObjectId(b"x" * 12), bson.Int64(5),
            bson.Decimal128("1.5"), bson.Regex("a", "i"), bson.Binary(b"x", 5), bson.Code("x", {"a": 1}), bson.MinKey(),
            bson.DBRef("a", 1), bson.Timestamp(1, 2), cbor2.CBORTag(5, [1]), cbor2.undefined, cbor2.CBORSimpleValue(5),
            plistlib.UID(5), numpy.int64(5), numpy.float32(1.5), numpy.array([1, 2]), numpy.datetime64("2020-01-02"),
        )  # fmt: skip
    return _made


_made: tuple[Any, ...] = ()
