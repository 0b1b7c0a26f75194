"""Records of two versions of a schema: generated ones, and the translation from one version to the other."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...codecs.conventions.rules import SCALAR_OF
from ...schemas.difference import pairs
from ...schemas.tree import types as t
from ...schemas.wire import layout as w
from ...schemas.wire.bindings.leaves import builder, kinds
from ...schemas.wire.derive import derive

_FRESH: Final = 0.3
"""Share of the values of a changed type that are newly generated, as some of its values are new."""
_WORDS: Final = ("ada", "Grace Hopper", "", "naïve", "日本", "x" * 40, "true", "12")
_LEVELS: Final = 3
"""Depth of generated records within others of their kind; deeper ones are minimal."""
_RECORDS: Final = 100
"""Number of records after which all others are minimal, if they may contain each other."""


NOTHING: Final = object()
"""Marks a missing value."""
DEFAULT: Final = object()
"""Marks a missing value for which the reader's definition declares a default."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """Marks a value that the reading version has no place for, or that it requires but was not written.

    Attributes:
        value: The written value, `NOTHING`, or `DEFAULT`.
    """

    value: Any


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """The fields that correspond in two versions, as seen from the writing version.

    Attributes:
        renamed: Keys of the older version by those of the newer one.
        forward: The newer version writes.
    """

    renamed: Mapping[str, str]
    forward: bool = False

    def back(self) -> FieldMapping:
        """Return the mapping for the other direction."""
        return FieldMapping(self.renamed, not self.forward)

    def slots(
        self, written: w.WireRecord, read: w.WireRecord
    ) -> list[tuple[w.WireField | None, w.WireField]]:
        """Return each slot that is read, with the one that was written, in the order of reading."""
        old, new = (read, written) if self.forward else (written, read)
        found = [(b, a) if self.forward else (a, b) for a, b in pairs(old, new, self.renamed)]
        by_slot = {id(after): before for before, after in found}
        return [(by_slot[id(slot)], slot) for slot in read.slots]


class Maker:
    """Generates values of a layout, reproducible by seed.

    Args:
        seed: Any number.
    """

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.levels = 0
        self.inside = self.records = self.references = 0

    def happens(self, share: float) -> bool:
        """Return whether a random event happens."""
        return self.random.random() < share

    def make(self, kind: w.WireType) -> Any:
        """Generate a value of a kind."""
        if not self.inside:
            self.records = self.references = 0
        self.inside += 1
        try:
            return self._made(kind)
        finally:
            self.inside -= 1

    def _made(self, kind: w.WireType) -> Any:
        match kind:
            case w.Ref():
                self.references += 1
                self.levels += 1
                made = self.make(kind.record)
                self.levels -= 1
                return made
            case w.Nullable(inner):
                return None if self.ends or self.happens(0.25) else self.make(inner)
            case w.WireSequence(item, node):
                return t.collection(node)(self.make(item) for _ in range(self._size()))
            case w.WireMap(key, value):
                return {self.make(key): self.make(value) for _ in range(self._size())}
            case w.WireUnion(options=options):
                if self.ends:
                    return self.make(min(options, key=lambda option: _levels(option.kind)).kind)
                return self.make(self.random.choice(options).kind)
            case w.WireRecord(slots=slots):
                self.records += 1
                there: dict[str | int, Any] = {}
                taken: set[str] = set()
                for slot in slots:
                    maybe = not self.ends and slot.among not in taken
                    if slot.required or (maybe and self.happens(0.6)):
                        there[slot.key] = self.make(slot.kind)
                        taken |= {slot.among} - {""}
                return _built(kind, there)
            case w.Leaf():
                return self._leaf(kind)
        raise AssertionError(kind)

    @property
    def ends(self) -> bool:
        """Whether generated values should be minimal."""
        return self.levels >= _LEVELS or (self.references > 0 and self.records > _RECORDS)

    def _size(self) -> int:
        return 0 if self.ends else int(self.random.random() * 4)

    def _leaf(self, leaf: w.Leaf) -> Any:
        pick = self.random.choice
        match leaf.type:
            case t.LiteralType(values):
                return pick([value for value in values if value is not None])
            case t.EnumType(cls):
                return pick(list(cls))
            case t.StrType() if leaf.symbols:
                return pick([name for name, _ in leaf.symbols])
            case t.AnyType():
                return pick(["a", 7, ["b"], {"c": 1}])
            case t.UnionType(options):
                return self.make(derive(pick(options)).root)
            case t.DateTimeType(aware=aware):
                return self._moment(leaf, aware)
        return _MAKERS.get(type(leaf.type), _scalar)(self.random, leaf)

    def _moment(self, leaf: w.Leaf, aware: bool | None) -> dt.datetime:
        zone = None if aware is False else dt.UTC
        micro = self.random.randrange(0, 1_000_000, _step(leaf))
        return dt.datetime(2026, 1, 1, tzinfo=zone) + dt.timedelta(
            seconds=self.random.randrange(10**7), microseconds=micro
        )


def _levels(kind: w.WireType, above: frozenset[str] = frozenset()) -> float:
    """Return the minimum depth of records within others of their own kind that a value needs."""
    match kind:
        case w.Ref(name):
            return math.inf if name in above else 1 + _levels(kind.record, above | {name})
        case w.WireRecord(slots=slots):
            return max((_levels(slot.kind, above) for slot in slots if slot.required), default=0)
        case w.WireUnion(options=options):
            return min(_levels(option.kind, above) for option in options)
    return 0


def _whole(random: random.Random, leaf: w.Leaf) -> int:
    least, most = leaf.bounds
    # Some languages have no integers beyond 53 bits.
    least, most = max(least, -(2**53)), min(most, 2**53)
    found = [0, 1, -1, 5, 200, 70_000, random.randrange(10**6), most, least]
    return random.choice([number for number in found if least <= number <= most])


_FORM = re.compile(r"(?P<name>\w+)[(\[](?P<size>\w+)(?:, (?P<scale>-?\d+))?[)\]]")
"""Forms with parameters: ``fixed(16)``, ``decimal(9, 2)``, ``time32[ms]``."""
_STEPS: Final = {"s": 1_000_000, "ms": 1000}


def _step(leaf: w.Leaf) -> int:
    """Return the resolution of a leaf's moments in microseconds."""
    found = _FORM.fullmatch(leaf.form)
    return _STEPS.get(found["size"] if found else leaf.unit, 1)


def _bytes(random: random.Random, leaf: w.Leaf) -> bytes:
    found = _FORM.fullmatch(leaf.form)
    return random.randbytes(int(found["size"]) if found else random.randrange(12))


def _scalar(random: random.Random, leaf: w.Leaf) -> Any:
    """Generate a value of a scalar, no finer than the leaf's form."""
    value = SCALAR_OF[t.python_type(leaf.type)].draw(random)
    found = _FORM.fullmatch(leaf.form)
    match value:
        case dt.time():
            return value.replace(microsecond=value.microsecond - value.microsecond % _step(leaf))
        case dt.timedelta():
            return value - value % dt.timedelta(microseconds=_step(leaf))
        case decimal.Decimal() if found:
            digits, scale = int(found["size"]), int(found["scale"])
            return decimal.Decimal(int(value.scaleb(2)) % 10**digits).scaleb(-scale)
    return value


def _real(random: random.Random, leaf: w.Leaf) -> float:
    # Binary fractions are exact in 32 bits as well.
    return random.choice([0.0, -1.5, 19.75, 3.0, random.randrange(10**6) / 64])


_MAKERS: dict[type[t.Type], Callable[[random.Random, w.Leaf], Any]] = {
    t.NoneType: lambda random, leaf: None,
    t.BoolType: lambda random, leaf: random.random() < 0.5,
    t.IntType: _whole,
    t.FloatType: _real,
    t.StrType: lambda random, leaf: random.choice(_WORDS) + str(random.randrange(100)),
    t.BytesType: _bytes,
    t.ByteArrayType: lambda random, leaf: bytearray(_bytes(random, leaf)),
}


def _built(record: w.WireRecord, there: Mapping[str | int, Any]) -> Any:
    """Generate a record from its fields by key."""
    if not isinstance(record.type, t.RecordType):
        return tuple(there.values())
    make = builder(record, as_objects=False)
    return dict(there) if make is None else make(*there.values())


# Conversion from one version to the other ------------------------------------------------------------


def expected(value: Any, written: w.WireType, read: w.WireType, pairing: FieldMapping) -> Any:
    """Return the value that a reader should decode: a record without fields that were not written.

    Args:
        value: A value of the writing version.
        written: Its kind there.
        read: Its kind in the reading version.
        pairing: From the side of the writing version.

    Returns:
        The value; with `Unfit` if the reading version has no place for a part of it.
    """
    return Projector(pairing).project(value, written, read)


def translate(value: Any, written: w.WireType, read: w.WireType, pairing: FieldMapping, maker: Maker) -> Any:
    """Translate a record to the other version as closely as possible; missing values are generated."""
    return Projector(pairing, maker).project(value, written, read)


class Projector:
    """Converts values of one version to the other.

    Args:
        pairing: From the side of the writing version.
        maker: Generates missing values; None to leave them out.
        language: Language of the reader, whose defaults it fills in.

    Attributes:
        dropped: Whether a record had a field that the reading version does not know.
    """

    def __init__(self, pairing: FieldMapping, maker: Maker | None = None, language: str = "") -> None:
        self.pairing = pairing
        self.maker = maker
        self.language = language
        self.dropped = False

    def project(self, value: Any, a: w.WireType, b: w.WireType) -> Any:
        """Convert a value of kind `a` to kind `b`."""
        found = value if isinstance(value, Unfit) else self._project(value, a, b)
        if self.maker is not None and isinstance(found, Unfit):
            return self.maker.make(b)
        return found

    def _project(self, value: Any, a: w.WireType, b: w.WireType) -> Any:
        fresh = self.maker
        a, b = w.opened(a), w.opened(b)
        if isinstance(b, w.Nullable):
            newly = fresh is not None and not isinstance(a, w.Nullable) and fresh.happens(_FRESH)
            if value is None or newly:
                return None
            return self._project(value, a.kind if isinstance(a, w.Nullable) else a, b.kind)
        if isinstance(a, w.Nullable):
            return Unfit(value) if value is None else self._project(value, a.kind, b)
        if isinstance(a, w.WireUnion):
            if (written := option_of(value, a)) is None:
                return Unfit(value)
            if fresh is not None and isinstance(b, w.WireUnion) and len(b.options) > len(a.options):
                return fresh.make(b) if fresh.happens(_FRESH) else self._project(value, written, b)
            return self._project(value, written, b)
        if isinstance(b, w.WireUnion):
            if fresh is not None and fresh.happens(_FRESH):
                return fresh.make(b)
            return self._option(value, a, b)
        match a, b:
            case w.WireRecord(), w.WireRecord():
                return self._record(value, a, b)
            case w.WireSequence(item), w.WireSequence(other, node):
                made = t.collection(node)
                items = [self.project(one, item, other) for one in value]
                hashed = issubclass(made, set | frozenset) and any(isinstance(one, Unfit) for one in items)
                return Unfit(value) if hashed else made(items)
            case w.WireMap(key, inner), w.WireMap(other_key, other):
                keys = [self.project(one, key, other_key) for one in value]
                if any(isinstance(one, Unfit) for one in keys):
                    return Unfit(value)
                items = [self.project(one, inner, other) for one in value.values()]
                return dict(zip(keys, items, strict=True))
            case w.Leaf(), w.Leaf():
                if fresh is not None and a != b and fresh.happens(_FRESH):
                    return fresh.make(b)
                return _leaf(value, b)
        return value if isinstance(b, w.Leaf) and isinstance(b.type, t.AnyType) else Unfit(value)

    def _option(self, value: Any, a: w.WireType, b: w.WireUnion) -> Any:
        """Convert a value to the option of its type."""
        before, fit = self.dropped, []
        for option in b.options:
            self.dropped = before
            if not isinstance(one := self._project(value, a, option.kind), Unfit):
                fit.append((one, self.dropped))
        same = [each for each in fit if type(each[0]) is type(value)]
        found, self.dropped = next(iter(same or fit), (Unfit(value), before))
        return found

    def _record(self, value: Any, a: w.WireRecord, b: w.WireRecord) -> Any:
        if not isinstance(value, dict | list | tuple):
            return Unfit(value)
        keyed = value if isinstance(value, dict) else dict(enumerate(value))
        there: dict[str | int, Any] = {}
        taken: set[str] = set()
        known: set[str | int] = set()
        for before, slot in self.pairing.slots(a, b):
            if before is not None and before.key in keyed:
                there[slot.key] = self.project(keyed[before.key], before.kind, slot.kind)
                taken |= {slot.among} - {""}
                known.add(before.key)
        self.dropped |= not known.issuperset(keyed)
        if self.maker is not None:
            for before, slot in self.pairing.slots(a, b):
                new = before is None and slot.among not in taken and self.maker.happens(0.6)
                if slot.key not in there and (slot.required or new):
                    there[slot.key] = self.maker.make(slot.kind)
                    taken |= {slot.among} - {""}
        ordered = {slot.key: there[slot.key] for slot in b.slots if slot.key in there}
        if isinstance(b.type, t.RecordType) and not b.type.positional:
            lacking = {slot.key: self._lacking(slot) for slot in b.slots if slot.required}
            return ordered if lacking.keys() <= ordered.keys() else lacking | ordered
        return _built(b, ordered) if len(there) == len(b.slots) else Unfit(value)

    def _lacking(self, slot: w.WireField) -> Unfit:
        return Unfit(DEFAULT if self.language and slot.filled == self.language else NOTHING)


def option_of(value: Any, choice: w.WireUnion) -> w.WireType | None:
    """Return the option of a choice that a value has; of several possible ones, the first."""
    fit = [option.kind for option in choice.options if _fits(value, option.kind)]
    if len(fit) < 2:
        return fit[0] if fit else None
    same = FieldMapping({})
    return next((kind for kind in fit if is_whole(expected(value, kind, kind, same))), fit[0])


def _fits(value: Any, kind: w.WireType) -> bool:
    """Return whether a value has the type of a kind, and a record its fields."""
    kind = w.opened(kind)
    if isinstance(kind, w.WireRecord) and isinstance(value, dict):
        keys = {slot.key for slot in kind.slots}
        return value.keys() <= keys and {s.key for s in kind.slots if s.required} <= value.keys()
    known = kinds(kind)
    return object in known or type(value) in known


def is_whole(value: Any) -> bool:
    """Return whether every part of a value has a place."""
    if isinstance(value, dict):
        return all(is_whole(key) and is_whole(item) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_whole, value))
    return not isinstance(value, Unfit)


def _leaf(value: Any, leaf: w.Leaf) -> Any:
    plain = value.value if isinstance(value, enum.Enum) else value
    match leaf.type:
        case t.EnumType(cls):
            return next((m for m in cls if type(m.value) is type(plain) and m.value == plain), Unfit(value))
        case t.LiteralType(values):
            return plain if any(type(v) is type(plain) and v == plain for v in values) else Unfit(value)
        case t.AnyType() | t.UnionType():
            return value
        case t.FloatType() if type(plain) is int and abs(plain) <= 2**53:
            plain = float(plain)
        case t.IntType() if type(plain) is float and plain.is_integer():
            plain = int(plain)
        case t.DateTimeType(aware=aware) if isinstance(plain, dt.datetime):
            if aware is not None and aware != (plain.tzinfo is not None):
                return Unfit(value)
            return Unfit(value) if plain.microsecond % _step(leaf) else plain
    if type(plain) is int and not (isinstance(leaf.type, t.IntType) and leaf.type.big):
        least, most = leaf.bounds
        if not least <= plain <= most:
            return Unfit(value)
    if isinstance(plain, bytes) and (found := _FORM.fullmatch(leaf.form)):
        return plain if len(plain) == int(found["size"]) else Unfit(value)
    if leaf.symbols and plain not in {name for name, _ in leaf.symbols}:
        return Unfit(value)
    return plain if type(plain) in kinds(leaf) else Unfit(value)
