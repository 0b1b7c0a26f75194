"""Infer a schema from records: read once, in bounded memory, with the evidence for each guess.

Text is interpreted as another type only if all three hold:

- Nearly all of it parses as that type (`confidence`), and every value that parses is written back unchanged
  (`text_forms`). One ``01234`` or ``2024-W01-1`` keeps a whole field text.
- Random text of the same length, of the 64 letters of ids, would parse less than once in 2**30 tries. One
  date, time, datetime or UUID is that improbable; durations need two different values, decimals three. (Ten
  random letters have 60 bits; 22 of them distinguish a date.)
- The values have a property that lookalikes lack (`is_told_apart`). Lookalikes are versions, clock times,
  codes padded with zeros, elapsed times and paths.

Numbers in text stay text (a postcode is not a number). Bytes are inferred only on request, because ids, paths
and tokens also consist of the letters of base64.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from ..codecs.conventions.classes import opened
from ..codecs.paths import step
from .text_forms import MANY, ORDER, TYPES, forms_of, is_base64, is_told_apart, signs_of
from .tree import types as t
from .tree.declare import SchemaError
from .tree.source import TAKEN
from .wire.names import unique_name

MAX_DEPTH = 32
MAX_FIELDS = 400
"""Number of distinct keys from which dicts at one place count as a map."""
MAX_NODES = 20_000
MAX_OPTIONS = 4
MAP_KEYS = 24
"""Number of distinct keys from which dicts that share few of them count as a map."""
MAP_SHARE = 0.25
FEW = 3
_WORD = re.compile(r"[A-Za-z]")
_USUAL = frozenset({str, int, float, bool, type(None), dict, list})
"""The types of most values; none of them is an object of a class with fields."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a type was inferred at a place.

    Attributes:
        seen: Values seen there, without None.
        share: Share of them that fit, from 0 to 1.
    """

    seen: int
    share: float


@dataclass(frozen=True, slots=True)
class Inferred:
    """An inferred schema.

    Attributes:
        types: The description tree.
        records: Number of records that were read.
        evidence: By path, for every place where text was interpreted as another type.
    """

    types: t.Type
    records: int
    evidence: Mapping[str, Evidence]

    @property
    def origin(self) -> str:
        """Return the schema's origin in words."""
        return f"inferred from {self.records:,} record{'s' * (self.records != 1)}"

    @property
    def remarks(self) -> dict[str, str]:
        """Return the share of values that fit, by path, for places where it is below 1."""
        return {
            path: f"{found.share:.1%} of {found.seen:,}"
            for path, found in self.evidence.items()
            if found.share < 1
        }


def infer(
    records: Iterable[Any], *, name: str = "Record", confidence: float = 0.99, base64: bool = False
) -> Inferred:
    """Return the types of records like these, with the evidence; see `Schema.infer`."""
    seen = Observations(base64=base64)
    for record in records:
        seen.add(record)
    return seen.inferred(name, confidence)


class Observations:
    """What was seen in records. Those of parts of a corpus can be merged, with the same result in any order.

    Args:
        base64: Look for bytes that were written as base64.

    Attributes:
        records: Number of records.
        whole: The records have no more places than are observed, so that the result is exact.
    """

    def __init__(self, *, base64: bool = False) -> None:
        self._budget = _Budget(base64)
        self._root = _Node(self._budget)
        self.records = 0
        self.whole = True

    def add(self, record: Any, position: tuple[int, ...] | None = None) -> None:
        """Add a record; fields are ordered by the `position` of the first record that has them."""
        self._budget.position = (self.records,) if position is None else position
        self._root.see(record, 0)
        self.records += 1
        self.whole = self.whole and self._budget.nodes < MAX_NODES

    def merge(self, other: Observations) -> None:
        """Add the observations of other records; `other` must not be used afterwards."""
        self.records += other.records
        self._root.merge(other._root)
        self._budget.nodes = self._root.count()
        self.whole = self.whole and other.whole and self._budget.nodes < MAX_NODES

    def inferred(self, name: str = "Record", confidence: float = 0.99) -> Inferred:
        """Return the schema; nothing can be added afterwards.

        Raises:
            SchemaError: There are no records.
        """
        if not 0.5 < confidence <= 1:
            raise ValueError(f"confidence is above 0.5 and at most 1, got {confidence}")
        if not self.records:
            raise SchemaError("$", "no records to infer from")
        resolver = _Resolver(confidence)
        types = resolver.resolve(self._root, "$", name)
        return Inferred(types, self.records, resolver.evidence)

    def plain(self) -> dict[str, Any]:
        """Return the observations as JSON types, without values of the records."""
        return {"records": self.records, "whole": self.whole, "root": self._root.plain()}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Observations:
        """Return the observations of `plain`, which may come from another machine.

        Raises:
            ValueError: They are not observations.
        """
        made = cls()
        try:
            made._root = _Node.of(plain["root"], made._budget)
            made.records, made.whole = int(plain["records"]), bool(plain["whole"])
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"no observations: {error}") from error
        return made


# Seeing -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Budget:
    """State that all places share: whether to look for base64, and the number of places."""

    base64: bool
    nodes: int = 0
    position: tuple[int, ...] = ()


_PARTS = ("map_keys", "values", "item")


@dataclass(slots=True, eq=False)
class _Node:
    """The values seen at one place.

    Attributes:
        first: Position of the first record that has it, and the place's number.
    """

    budget: _Budget
    kinds: Counter[type] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    altered: set[str] = field(default_factory=set)
    distinct: dict[str, set[int]] = field(default_factory=dict)
    signs: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    big: bool = False
    fields: dict[str, _Node] = field(default_factory=dict)
    maps: bool = False
    map_keys: _Node | None = None
    values: _Node | None = None
    item: _Node | None = None
    lengths: set[int] = field(default_factory=set)
    first: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.budget.nodes += 1
        self.first = (*self.budget.position, self.budget.nodes)

    def see(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind not in _USUAL and (plain := opened(value)) is not None:
            value, kind = plain, type(plain)
        self.kinds[kind] += 1
        if kind is str:
            self._see_text(value)
        elif kind is int:
            self.big = self.big or not -(2**63) <= value < 2**63
        elif depth >= MAX_DEPTH:
            return
        elif isinstance(value, dict):
            self._see_dict(value, depth)
        elif isinstance(value, list | tuple | set | frozenset):
            if len(self.lengths) <= 1:
                self.lengths.add(len(value))
            if self.item is None:
                self.item = _Node(self.budget)
            for item in value:
                self.item.see(item, depth + 1)

    def _see_text(self, text: str) -> None:
        """Count the types that a text could be parsed as."""
        for form, kept in forms_of(text):
            if kept:
                self.forms[form] += 1
                self._see_sign(form, text)
            else:
                self.altered.add(form)
        if self.budget.base64 and is_base64(text):
            self.forms["base64"] += 1
            if len(self.folders) <= 1:
                self.folders.add(text[: text.find("/") + 1])
            if text.endswith("="):
                self._see_sign("padded", text)

    def _see_sign(self, form: str, text: str) -> None:
        seen = self.distinct.setdefault(form, set())
        if len(seen) < MANY:
            seen.add(crc32(text.encode(errors="surrogatepass")))
        self.signs.update(signs_of(form, text))

    def _see_dict(self, value: dict[Any, Any], depth: int) -> None:
        if not self.maps and not all(type(key) is str for key in value):
            self.become_map()
        for key, item in value.items():
            if not self.maps:
                node = self.fields.get(key)
                if node is None:
                    if len(self.fields) >= MAX_FIELDS or self.budget.nodes >= MAX_NODES:
                        self.become_map()
                    else:
                        node = self.fields[key] = _Node(self.budget)
                if node is not None:
                    node.see(item, depth + 1)
                    continue
            assert self.values is not None
            assert self.map_keys is not None
            self.values.see(item, depth + 1)
            self.map_keys.see(key, depth + 1)

    def become_map(self) -> None:
        """Treat the fields as values of a map."""
        self.maps = True
        self.values, self.map_keys = _Node(self.budget), _Node(self.budget)
        for key, node in self.fields.items():
            for _ in range(min(node.total, FEW)):
                self.map_keys.see(key, 0)
            self.values.merge(node)
        self.fields = {}

    def merge(self, other: _Node) -> None:
        self.kinds += other.kinds
        self.forms += other.forms
        self.altered |= other.altered
        self.signs |= other.signs
        for form, seen in other.distinct.items():
            self.distinct[form] = self.distinct.get(form, set()) | seen
        self.folders |= other.folders
        self.big = self.big or other.big
        self.lengths |= set(list(other.lengths)[:2])
        if other.maps and not self.maps:
            self.become_map()
        if self.maps and not other.maps and (other.fields or other.kinds[dict]):
            other.become_map()
        self.first = min(self.first, other.first)
        for key, node in other.fields.items():
            if key in self.fields:
                self.fields[key].merge(node)
            else:
                self.fields[key] = node
        for name in _PARTS:
            theirs, ours = getattr(other, name), getattr(self, name)
            if ours is None:
                setattr(self, name, theirs)
            elif theirs is not None:
                ours.merge(theirs)
        if len(self.fields) > MAX_FIELDS:
            self.become_map()

    def count(self) -> int:
        """Return the number of places from here on."""
        parts: list[_Node | None] = [*self.fields.values(), self.map_keys, self.values, self.item]
        return 1 + sum(node.count() for node in parts if node is not None)

    def plain(self) -> dict[str, Any]:
        """Return the node as JSON types."""
        found: dict[str, Any] = {
            "kinds": {_KIND_NAMES[_known(kind)]: count for kind, count in self.kinds.items()},
            "forms": dict(self.forms),
            "altered": sorted(self.altered),
            "distinct": {form: sorted(seen) for form, seen in self.distinct.items()},
            "signs": sorted(self.signs),
            "big": self.big,
            "maps": self.maps,
            "lengths": sorted(self.lengths)[:2],
            "first": self.first,
            "fields": {key: node.plain() for key, node in self.fields.items()},
        }
        found |= {name: node.plain() for name in _PARTS if (node := getattr(self, name)) is not None}
        return {name: value for name, value in found.items() if value}

    @classmethod
    def of(cls, plain: Mapping[str, Any], budget: _Budget) -> _Node:
        """Return the node of `plain`.

        Raises:
            ValueError: There are more places than are ever observed.
        """
        made = cls(budget)
        if budget.nodes > 2 * MAX_NODES:
            raise ValueError("too many places")
        kinds = plain.get("kinds", {})
        made.kinds = Counter({_KINDS[name]: int(count) for name, count in kinds.items()})
        made.forms = Counter({str(form): int(count) for form, count in plain.get("forms", {}).items()})
        if min([*made.kinds.values(), *made.forms.values()], default=1) < 1:
            raise ValueError("a count below 1")
        made.distinct = {str(form): set(map(int, seen)) for form, seen in plain.get("distinct", {}).items()}
        made.altered, made.signs = set(plain.get("altered", ())), set(plain.get("signs", ()))
        made.big, made.maps = bool(plain.get("big")), bool(plain.get("maps"))
        made.lengths, made.first = set(map(int, plain.get("lengths", ()))), tuple(map(int, plain["first"]))
        made.fields = {str(key): cls.of(node, budget) for key, node in plain.get("fields", {}).items()}
        for name in _PARTS:
            if name in plain:
                setattr(made, name, cls.of(plain[name], budget))
        if made.maps and (made.map_keys is None or made.values is None):
            raise ValueError("a map without its parts")
        return made

    @property
    def total(self) -> int:
        return self.kinds.total()

    def is_told_apart(self, form: str) -> bool:
        return is_told_apart(form, self.distinct, self.signs, self.folders)

    @property
    def dicts(self) -> int:
        return sum(count for kind, count in self.kinds.items() if issubclass(kind, dict))


_KINDS: dict[str, type] = {
    f"{kind.__module__}.{kind.__qualname__}": kind
    for kind in (*t.LEAVES, dict, list, tuple, set, frozenset, object)
}
"""Types by name. Files of records have no others, except pickles."""
_KIND_NAMES = {kind: name for name, kind in _KINDS.items()}


def _known(kind: type) -> type:
    return next(base for base in kind.__mro__ if base in _KIND_NAMES)


# Resolving ----------------------------------------------------------------------------------------


class _Resolver:
    """Converts the observations to a description."""

    def __init__(self, confidence: float) -> None:
        self.confidence = confidence
        self.evidence: dict[str, Evidence] = {}
        self.names = set(TAKEN)

    def resolve(self, node: _Node, path: str, name: str) -> t.Type:
        options: list[t.Type] = []
        order = sorted(node.kinds, key=lambda k: (k is type(None), -node.kinds[k], k.__name__))
        # Two kinds of dict at one place are one record.
        for kind in dict.fromkeys(dict if issubclass(kind, dict) else kind for kind in order):
            found = self._kind(kind, node, path, name)
            if isinstance(found, t.AnyType):
                return found
            if found not in options:
                options.append(found)
        if not options or len(options) > MAX_OPTIONS:
            return t.AnyType()
        # A lone None gives no evidence of other values.
        if options == [t.NoneType()]:
            return t.AnyType() if path != "$" else options[0]
        return options[0] if len(options) == 1 else t.UnionType(tuple(options))

    def _kind(self, kind: type, node: _Node, path: str, name: str) -> t.Type:
        if kind is str:
            return self._text(node, path)
        if kind is int:
            return t.IntType(big=node.big)
        if (plain := t.LEAVES.get(kind)) is not None:
            return plain
        if issubclass(kind, enum.Enum):
            return t.EnumType(kind)
        if issubclass(kind, dict):
            return self._dict(node, path, name)
        if node.item is not None and issubclass(kind, list | tuple | set | frozenset):
            item = self.resolve(node.item, path + "[]", name.removesuffix("s") or name)
            return self._container(kind, item, node)
        return t.AnyType()

    @staticmethod
    def _container(kind: type, item: t.Type, node: _Node) -> t.Type:
        if issubclass(kind, list):
            return t.ListType(item)
        if issubclass(kind, tuple):
            if len(node.lengths) == 1 and 1 < (length := next(iter(node.lengths))) <= 8:
                return t.TupleType((item,) * length)
            return t.VarTupleType(item)
        return t.FrozenSetType(item) if issubclass(kind, frozenset) else t.SetType(item)

    def _text(self, node: _Node, path: str) -> t.Type:
        if not node.forms:
            return t.StrType()
        seen = node.kinds[str]
        form, count = min(node.forms.items(), key=lambda pair: (-pair[1], ORDER.get(pair[0], 0), pair[0]))
        share = count / seen
        told = node.is_told_apart(form)
        form = "decimal" if form.startswith("decimal") else form
        found = t.BytesType() if form == "base64" and share == 1 else TYPES.get(form)
        if found is None or share < self.confidence or form in node.altered or not told:
            return t.StrType()
        self.evidence[path] = Evidence(seen, share)
        return found

    def _dict(self, node: _Node, path: str, name: str) -> t.Type:
        if not node.maps and self._map_like(node):
            node.become_map()
        if node.maps:
            assert node.map_keys is not None
            assert node.values is not None
            return t.DictType(
                self._key(node.map_keys),
                self.resolve(node.values, path + "{}", name.removesuffix("s") or name),
            )
        unique = unique_name(name, self.names)
        fields = tuple(
            t.Field(key, self.resolve(below, path + step(key), _class_name(key)), below.total == node.dicts)
            for key, below in sorted(node.fields.items(), key=lambda pair: pair[1].first)
        )
        return t.RecordType(unique, fields)

    def _map_like(self, node: _Node) -> bool:
        """Return whether keys look like data: all of one written type, or many that rarely occur together."""
        if not node.fields:
            return False
        if all(_key_form(key) for key in node.fields):
            return True
        if len(node.fields) >= FEW and not any(_WORD.search(key) for key in node.fields):
            return True
        shares = sum(below.total for below in node.fields.values()) / (node.dicts * len(node.fields))
        kinds = {frozenset(k for k in below.kinds if k is not type(None)) for below in node.fields.values()}
        return len(node.fields) >= MAP_KEYS and shares <= MAP_SHARE and len(kinds) <= 2

    def _key(self, node: _Node) -> t.Type:
        kinds = set(node.kinds)
        if kinds == {str}:
            for form, found in (("int", t.IntType()), ("uuid", t.UUIDType()), ("date", t.DateType())):
                if node.forms[form] == node.total and is_told_apart(
                    form, node.distinct, node.signs, node.folders
                ):
                    return found
            return t.StrType()
        if kinds == {int}:
            return t.IntType(big=node.big)
        if len(kinds) == 1 and (plain := t.LEAVES.get(next(iter(kinds)))) is not None:
            return plain
        return t.AnyType()


def _key_form(key: str) -> bool:
    return any(kept and form in ("int", "uuid", "date") for form, kept in forms_of(key))


def _class_name(key: str) -> str:
    words = re.split(r"[^A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key))
    name = "".join(word[:1].upper() + word[1:] for word in words if word)
    return name if name.isidentifier() else f"Record{name}" if f"Record{name}".isidentifier() else "Record"
