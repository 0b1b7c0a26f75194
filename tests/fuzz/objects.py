"""Random Python objects: plain ones, which codecs must preserve, and wild ones, which must not crash them."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import functools
import math
import types
import uuid
from collections import ChainMap, Counter, UserString, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from bakeoff.bench.lab.fidelity.matrix import Level, Word
from bakeoff.bench.lab.hostile.objects import adversarial, values
from bakeoff.bench.lab.hostile.objects.kinds import Box, GivenMapping, Pair
from bakeoff.bench.lab.hostile.objects.nesting import WRAPS
from bakeoff.codecs.conventions.tokens import Colour


class Bits(enum.Flag):
    """Members that combine."""

    ONE = 1
    FAR = 2**70


@dataclass(frozen=True, slots=True)
class Frozen:
    """A dataclass that is hashable and has no dict."""

    content: Any


_OWN = tuple(
    type(f"Own{base.__name__}", (base,), {})(*arguments) for base, arguments in adversarial.MADE_OF.items()
)
"""An instance of a subclass of each type for which the lab has dishonest objects."""
_EDGES = (0, 1, -1, 127, 128, 255, 256, -32, -33, -128, -129, 2**15, 2**16, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53,
          2**53 + 1, 2**63 - 1, -(2**63))  # fmt: skip
_BIG = (2**63, 2**64 - 1, 2**64, -(2**63) - 1, 2**70, -(2**200), 10**400)
_FLOATS = (0.0, -0.0, 0.1, 1.0, 1e16, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.5, 1e-7,
           2.0**63)  # fmt: skip
_NONFINITE = (math.inf, -math.inf, math.nan)
_ODD_TEXTS = ("yes", "no", "null", "~", "1:30", "0x1F", "1e3", "2020-01-02", ".inf", "=", "<<", "- a", "# x", "a: b", "'", '"',
              "\\", "/", "</script>", "P1D", "$null", "é", "😀", "ÿ", "\u2028", "\x85", "NaN", "-0", "0", "aGk=", "\ufeff",
              "\uffff", "---", "...", "? x", "!!int 1", "&a", "*a", "_id", "$ref", "bakeoff.value", "CF$UID", " ", "a ", "%")  # fmt: skip
_CONTROLS = ("\0", "\x01", "\x1b", "\x7f", "\r", "\n", "\t", "\r\n", "a\nb\n", "\x0c")
_HONEST = tuple(case for case in values.CASES if case.name != "ordinary")
_LYING = tuple(case for case in adversarial.CASES if not case.name.startswith("interrupt"))


@functools.cache
def _subjects(name: str) -> tuple[Any, ...]:
    """Return the objects of a case of the lab, except for objects that can only be used once."""
    (case,) = (case for case in (*_HONEST, *_LYING) if case.name == name)
    return tuple(subject for subject in case.make(None) if not issubclass(type(subject), Iterator))  # type: ignore[arg-type]


class Objects:
    """Makes random objects.

    Args:
        random: The source of randomness.
        but: Names of cases of the lab whose objects are excluded.
        xml: Only make text without control characters.

    Attributes:
        honest: Whether every part of the last object is consistent; the output for others may not be a payload.
    """

    def __init__(self, random: Random, but: frozenset[str] = frozenset(), *, xml: bool = False) -> None:
        self._random = random
        self._but = but
        self._xml = xml
        self._left = 0
        self.honest = True
        adversarial.raised.clear()

    def plain(self) -> Any:
        """Return an object of types with a convention; the keys of each dict have one type."""
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
        if roll < 0.4:
            return int(self._pick(_EDGES))
        return random.getrandbits(int(roll * 63)) if roll < 0.95 else int(self._pick(_BIG))

    def _float(self) -> float:
        roll = self._random.random()
        if roll < 0.4:
            return float(self._pick(_FLOATS))
        return float(self._pick(_NONFINITE)) if roll < 0.5 else self._random.uniform(-1e6, 1e6)

    def _moment(self) -> dt.datetime:
        random = self._random
        roll = random.random()
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

    def _items(self) -> list[Any]:
        make = self._pick((self._text, self._int))
        return [make() for _ in range(int(self._random.random() * 4))]

    def _dict(self, depth: int) -> dict[Any, Any]:
        return {key: self._plain(depth) for key in self._items()}

    # wild --------------------------------------------------------------------------------------

    def _wild(self, depth: int, holders: list[Any]) -> Any:
        self._left -= 1
        roll = self._random.random()
        if self._left <= 0 or depth > 10 or roll < 0.25:
            return self._pick(_PLAIN_LEAVES)(self)
        if roll < 0.30:
            return self._pick(_WILD_LEAVES)(self)
        if roll < 0.47:
            return self._of_the_lab(_HONEST)
        if roll < 0.51:
            self.honest = False
            return self._of_the_lab(_LYING)
        if roll < 0.53 and holders:
            return self._pick(holders)  # it contains itself
        if roll < 0.54 and holders and "emptied-list" not in self._but:
            self.honest = False
            holder = self._pick(holders)
            return GivenMapping(iter=lambda: holder.clear() or iter(["a", "b"]), len=lambda: 2)
        if roll < 0.56:
            return self._deep()
        return self._wild_container(depth + 1, holders)

    def _of_the_lab(self, cases: tuple[Any, ...]) -> Any:
        return self._pick(_subjects(self._pick([case.name for case in cases if case.name not in self._but])))

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
        makers = _CONTAINERS
        if roll < 0.7:
            makers = _BOXES
            holders = [] if "cycles" in self._but else holders
        items = [self._wild(depth, holders) for _ in range(count)]
        try:
            return self._pick(makers)(items)
        except Exception:  # noqa: BLE001 - not of such items
            return items

    def _deep(self) -> Any:
        kinds = [kind for kind in WRAPS if f"deep-{kind}" not in self._but]
        wrap = WRAPS[self._pick(kinds)]
        value: Any = 1
        for _ in range(self._pick((10, 49, 51, 199, 201, 255, 300, 1100))):
            value = wrap(value)
        return value


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
    lambda o: o._pick((Colour.RED, Level.LOW, Word.YES)),
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
    lambda o, depth: Box(o._plain(depth)),
    lambda o, depth: Pair(o._plain(depth), o._plain(depth)),
)
_WILD_LEAVES: tuple[Callable[[Objects], Any], ...] = (
    lambda o: o._pick(_OWN),
    lambda o: o._moment().replace(tzinfo=dt.timezone(dt.timedelta(seconds=int(o._random.random() * 9000)))),
    lambda o: o._pick((Bits.ONE | Bits.FAR, Bits(0))),
    lambda o: decimal.Decimal("9" * 5000),
    lambda o: UserString("text"),
)
_CONTAINERS: tuple[Callable[[list[Any]], Any], ...] = (
    *(wrap for kind, wrap in WRAPS.items() if kind not in ("dataclasses", "generators")),
    tuple,
    set,
    frozenset,
    Counter,
    lambda items: defaultdict(list, {"a": items}),
    lambda items: ChainMap({"a": items}, {"b": 1}),
    lambda items: types.SimpleNamespace(a=items),
    lambda items: {str(item): item for item in items}.keys(),
    lambda items: {(item, 1): item for item in items},
    lambda items: {frozenset([item]): item for item in items},
    lambda items: [items] * 20,
)
_BOXES: tuple[Callable[[list[Any]], Any], ...] = (
    lambda items: Box((items, tuple(items))),
    Frozen,
    lambda items: {Frozen(item): item for item in items},
)
