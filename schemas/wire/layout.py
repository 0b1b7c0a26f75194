"""The layout of records in formats that need a schema: named, numbered, and of a few kinds.

All definitions (Avro, Protocol Buffers, Arrow, Thrift) are written from a layout and read into one.
Conversions of records are compiled from it. A layout is derived from a description tree once
(`bakeoff.schemas.wire.derive`). From then on its numbers are fixed, because payloads contain them:
`bakeoff.schemas.wire.keep` gives the numbers of an older layout to the unchanged fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

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

    def under(self, name: str) -> Ref:
        """Return the reference to the same record under another name."""
        return Ref(name, self.type, list(self._bound))

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


def types_of(kind: WireType) -> t.Type:
    """Return the description of a kind's type in a record."""
    match kind:
        case Nullable(inner):
            node = types_of(inner)
            some = node.options if isinstance(node, t.UnionType) else (node,)
            return _one_of((*some, t.NoneType()))
        case WireMap(key, value):
            return t.DictType(types_of(key), types_of(value))
        case WireUnion(options=options):
            return _one_of(tuple(types_of(option.kind) for option in options))
        case Leaf() | WireSequence() | WireRecord() | Ref():
            return kind.type
    raise AssertionError(kind)


def _one_of(options: tuple[t.Type, ...]) -> t.Type:
    """Return the type of a choice; an option that is any value includes all others."""
    return t.AnyType() if t.AnyType() in options else t.UnionType(options)


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
            case Ref(name):
                # The current target of a reference counts only if this layout has no record of that name.
                return self.refs.setdefault(name, kind.under(name))
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
