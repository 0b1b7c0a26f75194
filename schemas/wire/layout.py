"""The layout of records in formats that need a schema: named, numbered, and of a few kinds.

All definitions (Avro, Protocol Buffers, Arrow, Thrift) are written from a layout and read into one.
Conversions of records are compiled from it. A layout is derived from a description tree once. From then on
its numbers are fixed, because payloads contain them: `Layout.keeping` gives the numbers of an older layout to
the unchanged fields.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Literal

from ...codecs.paths import step
from ..tree import types as t
from ..tree.declare import SchemaError

WireKind = Literal[
    "null", "bool", "int", "float", "text", "bytes", "timestamp", "local-timestamp", "date", "enum", "any"
]
"""The type of a leaf on the wire.

``timestamp`` counts from 1970-01-01T00:00Z, ``local-timestamp`` from the same date without an offset,
``date`` counts days. ``enum`` is one of its symbols, which only given definitions have. ``any`` is bytes in
the form of the codec `msgpack`. Values that are written as text (Decimal, UUID, time, timedelta, integers
beyond 64 bits) follow the conventions of JSON.
"""


_INTEGER = re.compile(
    r"(?:^|[ .])(?:(?P<unsigned>uint|UInt|fixed)|int|Int|sint|sfixed)(?P<bits>8|16|32|64)(?:Value)?$"
)
"""Forms of integers: in Protocol Buffers and their wrappers, and in Arrow."""


@dataclass(frozen=True, slots=True)
class WireType:
    """Base class of all kinds."""


@dataclass(frozen=True, slots=True)
class Leaf(WireType):
    """A value without parts.

    Attributes:
        wire: Type on the wire.
        type: Type in a record.
        bits: Width of ``int`` and ``float``.
        unit: Unit of timestamps.
        symbols: Names and numbers of an ``enum``.
        form: Name of the form in the language that the definition was read from, if that has several forms
            for one wire type: ``"sint64"``, ``"google.protobuf.Timestamp"``, ``"fixed(16)"``. Other languages
            ignore it.
    """

    wire: WireKind
    type: t.Type
    bits: Literal[32, 64] = 64
    unit: Literal["ms", "us", "ns"] = "us"
    symbols: tuple[tuple[str, int], ...] = ()
    form: str = ""

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest integer that fit an ``int``."""
        found = _INTEGER.search(self.form)
        bits = int(found["bits"]) if found else self.bits
        if found and found["unsigned"]:
            return 0, (1 << bits) - 1
        return -1 << (bits - 1), (1 << (bits - 1)) - 1


@dataclass(frozen=True, slots=True)
class Nullable(WireType):
    """A value that may be None."""

    kind: WireType


@dataclass(frozen=True, slots=True)
class WireSequence(WireType):
    """Items of one kind.

    Attributes:
        item: Kind of the items.
        type: A list, tuple of any length, set or frozenset.
    """

    item: WireType
    type: t.Type


@dataclass(frozen=True, slots=True)
class WireMap(WireType):
    """A dict with any keys of one kind; formats without such maps write a list of pairs.

    Attributes:
        name: Name of the records that represent pairs.
    """

    key: WireType
    value: WireType
    name: str


@dataclass(frozen=True, slots=True)
class WireField:
    """A field of a record, or an option of a choice.

    Attributes:
        key: Its key in a record, its place in a tuple, or the place of an option in the choice.
        name: Name on the wire: the key if that is a valid name, or else made from the number.
        number: From 1, never changed.
        kind: Kind of the value; `Nullable` if it may be None.
        required: Whether it is always present. A missing value is null on the wire, and dropped after
            decoding.
        null: Number of a further field, a bool, that distinguishes None from a missing value if both are
            possible; 0 if there is none. Its name is `null_name`.
        among: Name of a group of fields of which at most one is present (``oneof``); empty if there is none.
        filled: Language of a definition whose readers return a declared default if the field was not written;
            empty if there is none.
    """

    key: str | int
    name: str
    number: int
    kind: WireType
    required: bool = True
    null: int = 0
    among: str = ""
    filled: str = field(default="", compare=False)

    @property
    def null_name(self) -> str:
        """Name of the field that marks the value as None."""
        return f"null_{self.null}"


@dataclass(frozen=True, slots=True)
class WireRecord(WireType):
    """A record, or a tuple of fixed length.

    Attributes:
        name: Unique in its layout.
        slots: In order.
        type: A `RecordType` or `TupleType`.
        reserved: Numbers of former fields, which are not used again.
    """

    name: str
    slots: tuple[WireField, ...]
    type: t.Type
    reserved: tuple[int, ...] = ()

    @property
    def places(self) -> bool:
        """Whether it is a tuple in Python, named or not, rather than a dict."""
        return not isinstance(self.type, t.RecordType) or self.type.positional


@dataclass(frozen=True, slots=True)
class WireUnion(WireType):
    """One of several kinds, none of them `Nullable` or null.

    Attributes:
        name: Unique in its layout.
        options: In order, each required.
    """

    name: str
    options: tuple[WireField, ...]
    reserved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """Why a part of a definition was chosen, if the caller named none and the file has several.

    Attributes:
        remark: The chosen part and the reason, in one line.
        others: Names of the other candidates.
    """

    remark: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ref(WireType):
    """A record that is laid out elsewhere: an enclosing record, or one before this place.

    As with `RefType`, walks do not enter references, and references with equal names are equal.

    Attributes:
        name: Name of the record.
        type: A reference to its type.
    """

    name: str
    type: t.RefType
    _bound: list[WireRecord] = field(default_factory=list, compare=False, repr=False)

    @property
    def record(self) -> WireRecord:
        """The record itself; a `Layout` binds its references to its own records.

        Raises:
            LookupError: The reference is in no layout yet.
        """
        if not self._bound:
            raise LookupError(f"the record {self.name} is in no layout yet")
        return self._bound[0]


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a schema.

    Raises:
        SchemaError: A record of it must contain itself, so it can never be complete.

    Attributes:
        root: Kind of a record, nearly always a `WireRecord`.
        language: Language that it was read from, a name from `bakeoff.schemas.wire.languages`; empty if it
            was derived.
        definition: The file that it was read from, which is written again unchanged. It is empty if the file
            was compiled, is not text of the language, or says more than the layout.
        chosen: Why this part of the file was chosen; None if the file has no other, or the caller named it.
        index: Protocol Buffers: the index of the record's message in its file; for a nested message after
            those of the messages around it.
    """

    root: WireType
    language: str = ""
    definition: bytes = b""
    chosen: Chosen | None = field(default=None, compare=False)
    index: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", _bound(self.root))

    def records(self) -> Iterator[WireRecord]:
        """Yield each record once, before those around it; of two that contain each other, the inner one."""
        return _records(self.root, set())

    def names(self) -> set[str]:
        """Return the names of all records, choices and maps."""
        found: set[str] = set()
        left = [self.root]
        while left:
            kind = left.pop()
            if isinstance(kind, WireRecord | WireUnion | WireMap):
                if kind.name in found:
                    continue
                found.add(kind.name)
            left += parts(kind)
        return found

    def listed(self) -> Layout:
        """Return the layout of lists of these records. An Arrow definition describes rows, and fits both."""
        lists = WireSequence(self.root, t.ListType(types_of(self.root)))
        return replace(self, root=lists) if self.language == "arrow" else Layout(lists)

    def keeping(self, older: Layout, renamed: Mapping[str, str] | None = None) -> Layout:
        """Return this layout with the names and numbers of an older one for all unchanged fields.

        A field whose kind has changed is a new one.

        Args:
            older: The layout whose numbers are fixed.
            renamed: Old keys of fields by their new ones. These fields keep their numbers, and get their new
                names.
        """
        return Layout(_Keeper(renamed or {}).kept(self.root, older.root))


def types_of(kind: WireType) -> t.Type:
    """Return the description of a kind's type in a record."""
    match kind:
        case Nullable(inner):
            node = types_of(inner)
            some = node.options if isinstance(node, t.UnionType) else (node,)
            return t.UnionType((*some, t.NoneType()))
        case WireMap(key, value):
            return t.DictType(types_of(key), types_of(value))
        case WireUnion(options=options):
            return t.UnionType(tuple(types_of(option.kind) for option in options))
        case Leaf() | WireSequence() | WireRecord() | Ref():
            return kind.type
    raise AssertionError(kind)


def parts(kind: WireType) -> Iterator[WireType]:
    """Yield the kinds directly below a kind."""
    match kind:
        case Nullable(inner) | WireSequence(item=inner):
            yield inner
        case WireMap(key, value):
            yield from (key, value)
        case WireRecord(slots=slots) | WireUnion(options=slots):
            yield from (slot.kind for slot in slots)


def with_parts(kind: WireType, change: Callable[[WireType], WireType]) -> WireType:
    """Return a kind with `change` applied to each kind directly below it."""
    match kind:
        case Nullable(inner):
            return Nullable(change(inner))
        case WireSequence(item):
            return replace(kind, item=change(item))
        case WireMap(key, value):
            return replace(kind, key=change(key), value=change(value))
        case WireRecord(slots=slots):
            return replace(kind, slots=tuple(replace(slot, kind=change(slot.kind)) for slot in slots))
        case WireUnion(options=slots):
            return replace(kind, options=tuple(replace(slot, kind=change(slot.kind)) for slot in slots))
    return kind


def opened(kind: WireType) -> WireType:
    """Return the record of a reference, and any other kind unchanged."""
    return kind.record if isinstance(kind, Ref) else kind


def is_null(kind: WireType) -> bool:
    """Return whether a value is always None."""
    return isinstance(kind, Leaf) and kind.wire == "null"


def may_be_null(kind: WireType) -> bool:
    """Return whether a value may be None."""
    return isinstance(kind, Nullable) or is_null(kind)


def _records(kind: WireType, seen: set[str]) -> Iterator[WireRecord]:
    kind = opened(kind)
    if isinstance(kind, WireRecord):
        if kind.name in seen:
            return
        seen.add(kind.name)
    for part in parts(kind):
        yield from _records(part, seen)
    if isinstance(kind, WireRecord):
        yield kind


# References -----------------------------------------------------------------------------------------


def _bound(root: WireType) -> WireType:
    """Return a kind whose references are bound to its own records.

    Raises:
        SchemaError: A record must contain itself.
    """
    found: list[Ref] = []
    own: dict[str, WireRecord] = {}
    _gather(root, own, found)
    if not found:
        return root
    if any(not ref._bound or ref.record is not own.get(ref.name, ref.record) for ref in found):
        root = _Binder().whole(root)
        own.clear()
        _gather(root, own, [])
    _check_ends(own)
    return root


def _gather(kind: WireType, own: dict[str, WireRecord], refs: list[Ref]) -> None:
    if isinstance(kind, Ref):
        refs.append(kind)
    if isinstance(kind, WireRecord):
        if kind.name in own:
            return
        own[kind.name] = kind
    for part in parts(kind):
        _gather(part, own, refs)


class _Binder:
    """Rebuilds a kind, each record once, with references to the new records."""

    def __init__(self) -> None:
        self.refs: dict[str, Ref] = {}
        self.made: dict[str, WireRecord] = {}

    def whole(self, root: WireType) -> WireType:
        root = self.kind(root)
        for name in self.refs.keys() & self.made.keys():
            self.refs[name]._bound[:] = [self.made[name]]
        return root

    def kind(self, kind: WireType) -> WireType:
        match kind:
            case Ref(name, node):
                # The current target of a reference counts only if this layout has no record of that name.
                return self.refs.setdefault(name, Ref(name, node, list(kind._bound)))
            case WireRecord(name):
                if name not in self.made:
                    made = with_parts(kind, self.kind)
                    assert isinstance(made, WireRecord)
                    self.made[name] = made
                return self.made[name]
        return with_parts(kind, self.kind)


def _check_ends(records: Mapping[str, WireRecord]) -> None:
    """Raise if a record can never be complete, because it must contain itself."""
    ending: set[str] = set()

    def ends(kind: WireType) -> bool:
        match kind:
            case WireRecord(name) | Ref(name):
                return name in ending or name not in records
            case WireUnion(options=options):
                return any(ends(option.kind) for option in options)
        return True

    left = dict(records)
    while done := [
        name for name, each in left.items() if all(ends(s.kind) for s in each.slots if s.required)
    ]:
        ending.update(done)
        for name in done:
            del left[name]
    if left:
        reason = (
            f"`{', '.join(left)}` must contain itself, so no record can be complete; make a field optional"
        )
        raise SchemaError("$", reason)


# Keeping --------------------------------------------------------------------------------------------


class _Keeper:
    """Gives a layout the names and numbers of an older one.

    Args:
        renamed: See `Layout.keeping`.
    """

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self.renamed = renamed
        self.names: dict[str, str] = {}

    def kept(self, kind: WireType, older: WireType) -> WireType:
        older = older.kind if isinstance(older, Nullable) and not isinstance(kind, Nullable) else older
        older = opened(older)
        match kind, older:
            case Nullable(inner), _:
                return Nullable(self.kept(inner, older.kind if isinstance(older, Nullable) else older))
            case WireSequence(item), WireSequence(before):
                return replace(kind, item=self.kept(item, before))
            case WireMap(key, value), WireMap(old_key, old_value):
                return replace(kind, key=self.kept(key, old_key), value=self.kept(value, old_value))
            case Ref(name, node), _:
                return Ref(self.names.get(name, name), node, list(kind._bound))
            case WireRecord(slots=slots), WireRecord(slots=before):
                self.names.setdefault(kind.name, older.name)
                kept, reserved = self.numbered(slots, before, older.reserved)
                return replace(kind, name=older.name, slots=kept, reserved=reserved)
            case WireUnion(options=slots), WireUnion(options=before):
                kept, reserved = self.numbered(_by_kind(slots), _by_kind(before), older.reserved)
                kept = tuple(replace(slot, key=i) for i, slot in enumerate(kept))
                return replace(kind, name=older.name, options=kept, reserved=reserved)
            case Leaf(wire), Leaf(before) if wire == before:
                return replace(kind, bits=older.bits, form=older.form)
        return kind

    def numbered(
        self, slots: tuple[WireField, ...], before: tuple[WireField, ...], reserved: tuple[int, ...]
    ) -> tuple[tuple[WireField, ...], tuple[int, ...]]:
        """Give slots their former numbers, and return them with all numbers that are no longer used."""
        known = {slot.key: slot for slot in before}
        had = {number for slot in before for number in (slot.number, slot.null)} - {0} | set(reserved)
        fresh = _free(had)
        kept = []
        for slot, key in zip(slots, former_keys(slots, known, self.renamed), strict=True):
            old = None if key is None else known[key]
            old = old if old and _alike(slot.kind, old.kind) else None
            number = old.number if old else next(fresh)
            null = (old.null if old else 0) or next(fresh) if slot.null else 0
            if old and old.key == slot.key:
                name = old.name
            else:
                name = f"field_{number}" if slot.name == f"field_{slot.number}" else slot.name
            kind = self.kept(slot.kind, old.kind) if old else slot.kind
            among = old.among if old else slot.among
            kept.append(replace(slot, name=name, number=number, null=null, kind=kind, among=among))
        used = {number for slot in kept for number in (slot.number, slot.null)}
        return tuple(kept), tuple(sorted(had - used))


def _alike(kind: WireType, older: WireType) -> bool:
    """Return whether a field may keep its number although its kind has changed: old payloads still decode."""
    kind, older = (opened(each.kind if isinstance(each, Nullable) else each) for each in (kind, older))
    match kind, older:
        case Leaf(), Leaf():
            return (kind.wire, kind.unit) == (older.wire, older.unit)
        case WireSequence(item), WireSequence(before):
            return _alike_inside(item, before)
        case WireMap(key, value), WireMap(old_key, old_value):
            return _alike_inside(key, old_key) and _alike_inside(value, old_value)
    return type(kind) is type(older)


def _alike_inside(kind: WireType, older: WireType) -> bool:
    """Return the same for items: some formats wrap items that may be None."""
    return isinstance(kind, Nullable) == isinstance(older, Nullable) and _alike(kind, older)


def former_keys(
    slots: Iterable[WireField], before: Container[str | int], renamed: Mapping[str, str]
) -> list[str | int | None]:
    """Return the former key of each slot: its own, or a key that is no longer used; None if there is none."""
    slots = tuple(slots)
    keys = {slot.key for slot in slots}
    found: list[str | int | None] = []
    for key in (slot.key for slot in slots):
        former = key if key in before else renamed.get(str(key))
        found.append(former if former in before and (former == key or former not in keys) else None)
    return found


def _by_kind(options: tuple[WireField, ...]) -> tuple[WireField, ...]:
    """Return options by their identity, because their place in a choice has no meaning."""
    counts: Counter[str] = Counter()
    found = []
    for option in options:
        name = identity(option.kind)
        counts[name] += 1
        found.append(replace(option, key=f"{name} {counts[name]}"))
    return tuple(found)


def identity(kind: WireType) -> str:
    """Return what distinguishes an option of a choice from others, unaffected by changes within it."""
    match kind := opened(kind):
        case Leaf(wire, type=node):
            return f"{wire} {node}"
        case WireRecord(slots=slots, type=t.TupleType()):
            # Its name comes from its first place.
            return f"tuple of {', '.join(identity(slot.kind) for slot in slots)}"
        case WireRecord(type=node):
            return str(node)
        case WireUnion(options=options):
            return " or ".join(identity(option.kind) for option in options)
        case WireSequence(item):
            return f"list of {identity(item)}"
        case Nullable(inner):
            return identity(inner)
    return "map"


def _free(taken: set[int]) -> Iterator[int]:
    """Yield free numbers from 1; Protocol Buffers reserves 19000 to 19999."""
    return (n for n in itertools.count(max(taken, default=0) + 1) if not 19000 <= n < 20000)


# Deriving -------------------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MADE = re.compile(r"(fieldx*|null|option)\d+")
"""Names made from numbers, without the underscore."""

_WIRES: dict[type[t.Type], WireKind] = {
    t.AnyType: "any",
    t.NoneType: "null",
    t.BoolType: "bool",
    t.IntType: "int",
    t.FloatType: "float",
    t.StrType: "text",
    t.BytesType: "bytes",
    t.ByteArrayType: "bytes",
    t.DateType: "date",
    t.TimeDeltaType: "text",
    t.DecimalType: "text",
    t.UUIDType: "text",
    t.TextType: "text",
}
_OF_VALUES: dict[type, t.Type] = {
    str: t.StrType(),
    int: t.IntType(),
    bool: t.BoolType(),
    type(None): t.NoneType(),
}


def derive(types: t.Type) -> Layout:
    """Return the layout of a description tree, numbered from 1 in the order of the fields.

    Raises:
        SchemaError: These formats have no form for a type (complex).
    """
    return Layout(_Deriver().kind(types, "$", "Record"))


class _Deriver:
    def __init__(self) -> None:
        self.made: dict[t.Type, WireRecord] = {}
        # Compare by identity: comparing equal records walks through all their contents.
        self.named: dict[int, str] = {}
        self.names: set[str] = set()

    def kind(self, node: t.Type, path: str, name: str) -> WireType:
        """Return the kind of a node; `name` is for types without a name."""
        match node:
            case t.UnionType(options):
                return self._union(options, path, name)
            case t.LiteralType(values=allowed):
                found = tuple(dict.fromkeys(_OF_VALUES[type(value)] for value in allowed))
                return self._union(found, path, name, node)
            case t.ListType(item) | t.VarTupleType(item) | t.SetType(item) | t.FrozenSetType(item):
                return WireSequence(self.kind(item, path + "[]", f"{name}Item"), node)
            case t.DictType(key, value):
                keys = self.kind(key, path + "{key}", f"{name}Key")
                values = self.kind(value, path + "{}", f"{name}Value")
                return WireMap(keys, values, unique_name(f"{name}Entry", self.names))
            case t.RecordType():
                return self._record(node, path)
            case t.RefType(record=record):
                if id(record) in self.named:
                    return Ref(self.named[id(record)], node)
                return self._record(record, path)
            case t.TupleType(items):
                inside = ((i, item, True) for i, item in enumerate(items))
                return self._fields(node, inside, path, name)
            case t.EnumType(cls):
                held = {type(member.value) for member in cls}
                fits = all(type(m.value) is not int or m.value.bit_length() < 64 for m in cls)
                if len(held) == 1 and fits and (only := held.pop()) in (str, int):
                    return Leaf("text" if only is str else "int", node)
                return Leaf("any", node)
            case t.DateTimeType(aware=aware):
                return Leaf("text" if aware is None else "timestamp" if aware else "local-timestamp", node)
            case t.IntType(big=True):
                return Leaf("text", node)
        if type(node) not in _WIRES:
            raise SchemaError(path, f"formats with a schema do not support `{node}`")
        return Leaf(_WIRES[type(node)], node)

    def _union(
        self, options: tuple[t.Type, ...], path: str, name: str, whole: t.Type | None = None
    ) -> WireType:
        some = [option for option in options if not isinstance(option, t.NoneType)]
        if not some:
            return Leaf("null", t.NoneType())
        names = [name] if len(some) == 1 else [f"{name}{i}" for i in range(1, len(some) + 1)]
        kinds = [self.kind(option, path, own) for option, own in zip(some, names, strict=True)]
        if len(kinds) == 1 and isinstance(kinds[0], Leaf) and kinds[0].wire == "any":
            return Leaf("any", whole or t.UnionType(options))
        # A Literal with None, or a union with an option that contains None.
        nullable = len(some) < len(options) or any(isinstance(kind, Nullable) for kind in kinds)
        kinds = [kind.kind if isinstance(kind, Nullable) else kind for kind in kinds]
        # A Literal of two types is a choice within the choice, which Avro does not support.
        kinds = list(dict.fromkeys(itertools.chain.from_iterable(map(_options, kinds))))
        if len(kinds) == 1:
            kind = replace(kinds[0], type=whole) if whole and isinstance(kinds[0], Leaf) else kinds[0]
        else:
            slots = tuple(WireField(i, f"option_{i + 1}", i + 1, kind) for i, kind in enumerate(kinds))
            kind = WireUnion(self._name(name), slots)
        return Nullable(kind) if nullable else kind

    def _record(self, node: t.RecordType, path: str) -> WireRecord:
        inside = (
            (i if node.positional else item.name, item.type, item.required)
            for i, item in enumerate(node.fields)
        )
        return self._fields(node, inside, path, node.name)

    def _fields(
        self, node: t.Type, inside: Iterator[tuple[str | int, t.Type, bool]], path: str, wanted: str
    ) -> WireRecord:
        if node in self.made:
            return self.made[node]
        name = self.named[id(node)] = self._name(wanted)
        slots: list[WireField] = []
        taken: set[str] = set()
        fields = list(inside)
        # Formats that also store the keys refuse a made-up name that is another field's key.
        keys = {_folded(key) for key, _, _ in fields}
        for number, (key, kind, required) in enumerate(fields, 1):
            made = self.kind(kind, path + step(key), f"{name}{capitals(key)}")
            others = keys - {_folded(key)}
            slots.append(WireField(key, wire_name(key, number, taken, others), number, made, required))
        fresh = (n for n in _free({slot.number for slot in slots}) if f"null{n}" not in keys)
        slots = [
            replace(slot, null=next(fresh)) if not slot.required and may_be_null(slot.kind) else slot
            for slot in slots
        ]
        self.made[node] = WireRecord(name, tuple(slots), node)
        return self.made[node]

    def _name(self, wanted: str) -> str:
        return unique_name(wanted if _NAME.fullmatch(wanted) else "Record", self.names)


def _options(kind: WireType) -> tuple[WireType, ...]:
    """Return the options that a value of a kind is one of."""
    return tuple(option.kind for option in kind.options) if isinstance(kind, WireUnion) else (kind,)


def _folded(key: str | int) -> str:
    return str(key).replace("_", "").lower()


def wire_name(key: str | int, number: int, taken: set[str], others: Set[str] = frozenset()) -> str:
    """Return the key if it is a valid name that stays unique when capitals and underscores are ignored.

    Args:
        key: The key.
        number: The number of the field.
        taken: Names so far, without capitals and underscores; gets the returned one.
        others: The other keys, without capitals and underscores, which a made-up name must not be.
    """
    plain = _folded(key)
    if isinstance(key, int) or not _NAME.fullmatch(key) or plain in taken or _MADE.fullmatch(plain):
        stem = "field"
        while f"{stem}{number}" in others:
            stem += "x"
        return f"{stem}_{number}"
    taken.add(plain)
    return key


def unique_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number appended if needed, and mark it as taken."""
    name = next(n for i in itertools.count(1) if (n := f"{wanted}{i}" if i > 1 else wanted) not in taken)
    taken.add(name)
    return name


def capitals(key: str | int) -> str:
    """Return the letters and digits of a key, with each word capitalized."""
    return "".join(part[:1].upper() + part[1:] for part in re.findall(r"[A-Za-z0-9]+", str(key)))
