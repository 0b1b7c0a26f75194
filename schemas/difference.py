"""The changes from one version of a schema to the next, field by field, and each change in isolation.

Two layouts are walked in parallel. A field counts as renamed if the caller says so, or if both versions
define numbers and these agree. Otherwise it is one removed field and one added field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..codecs.paths import step
from .schema import Schema
from .tree import types as t
from .tree.declare import SchemaError
from .wire import layout as w
from .wire.keep import former_keys, identity, keep

Kinds = Literal[
    "added", "removed", "renamed", "renumbered", "reordered", "optional", "required", "widened", "narrowed",
    "retyped",
]  # fmt: skip

NUMBERED = frozenset({"protobuf"})
"""Languages that can be read, number their fields, and express no more than a layout does."""

RULES: Mapping[Kinds, str] = {
    "added": "readers of dicts find nothing if an older version wrote the record; typed readers refuse that "
    "if the field is required, and Avro if it has no default; in arrays a field can only be added last",
    "removed": "readers of the older version find nothing there, and refuse that if the field is required; "
    "in Protocol Buffers and Thrift its number must never be used again",
    "renamed": "formats with names on the wire see one field removed and one added; formats with numbers "
    "(Protocol Buffers, Thrift) or positions (arrays) do not see it; Avro needs an alias",
    "renumbered": "formats with numbers on the wire (Protocol Buffers, Thrift) see another field, and read "
    "the new owner of the old number in its place",
    "reordered": "only formats with positions see it: arrays and tuples read one field as another, or refuse "
    "it; Avro knows the writer's version",
    "optional": "typed readers of the older version refuse a record without the field",
    "required": "typed readers of the newer version refuse a record without the field",
    "widened": "older records still fit, if the format writes both types alike (in Protocol Buffers and "
    "Thrift another type is another field); typed readers of the older version refuse new values, and "
    "readers of dicts pass them on",
    "narrowed": "typed readers of the newer version refuse values that no longer fit, and readers of dicts "
    "pass them on",
    "retyped": "typed readers refuse it, readers of dicts pass on the value as it was written, and formats "
    "with only numbers or positions on the wire may read it as another value",
}
"""What the formats' own rules imply. The behavior of codecs must be tested (`bakeoff evolve`)."""


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One change.

    Attributes:
        kind: The kind of change: ``"widened"`` accepts all old values and more, ``"narrowed"`` only some of
            them, ``"retyped"`` is neither. An ``"optional"`` field may now be missing, a ``"required"`` one
            no longer.
        path: Its place, for instance ``$.items[].price``, by the old name if there is one.
        before: The old declaration; empty if the field is new.
        after: The new declaration; empty if the field was removed.
        owner: Name of the changed record in the old layout; empty if it is in none.
        alone: The record (or the root) with only this change; None for a named tuple, whose class fixes all
            its fields.
    """

    kind: Kinds
    path: str
    before: str
    after: str
    owner: str = field(repr=False)
    alone: w.WireType | None = field(repr=False, compare=False)

    @property
    def words(self) -> str:
        """Return the place, and the declarations before and after."""
        match self.kind:
            case "renamed":
                return f"{self.path} to {self.after}"
            case "optional" | "required":
                return self.path
        return f"{self.path} ({' -> '.join(filter(None, (self.before, self.after)))})"

    def __str__(self) -> str:
        return f"{self.kind} {self.words}"


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """Two versions of a schema, and the changes between them.

    Attributes:
        old: The older version.
        new: The newer version. If it has no numbers, it gets those of the older one, or the reverse.
        changes: In the order of the old layout; empty if both versions agree.
        renamed: Old keys by new ones, as given or as derived from numbers.
    """

    old: Schema
    new: Schema
    changes: tuple[SchemaChange, ...]
    renamed: Mapping[str, str]

    def alone(self, change: SchemaChange) -> Schema | None:
        """Return the old version with only one change, or None if that cannot be expressed."""
        if change.alone is None:
            return None
        try:
            layout = w.Layout(_changed(self.old.layout.root, change.owner, change.alone))
        except SchemaError:
            return None  # A record would have to contain itself, without end.
        return Schema.of_layout(layout) if _is_one(layout.root) else None

    def suspects(self) -> Iterator[tuple[SchemaChange, SchemaChange]]:
        """Yield removed and added fields that may be one renamed field."""
        came = [change for change in self.changes if change.kind == "added"]
        for gone in (change for change in self.changes if change.kind == "removed"):
            for new in came:
                if (new.owner, new.after) == (gone.owner, gone.before):
                    yield gone, new


def compare(old: Schema, new: Schema, renamed: Mapping[str, str] | None = None) -> SchemaDifference:
    """Return the changes from `old` to `new`.

    Args:
        old: The older version.
        new: The newer version.
        renamed: New keys of fields by their old ones, in any record.

    Raises:
        SchemaError: Formats with a schema have no form for a type.
    """
    former = {after: before for before, after in (renamed or {}).items()}
    numbered = [version.layout.language in NUMBERED for version in (old, new)]
    if numbered == [False, True]:
        old = _numbered(old, new, renamed or {})
    elif not all(numbered) and old.layout != new.layout:
        new = _numbered(new, old, former)
    walker = _Walker(former, numbered=all(numbered))
    changes = tuple(walker.kinds(old.layout.root, new.layout.root, "$", "", lambda kind: kind))
    return SchemaDifference(old, new, changes, walker.renamed)


def _numbered(version: Schema, other: Schema, renamed: Mapping[str, str]) -> Schema:
    """Return a version with the numbers of the other one. A definition keeps everything else."""
    layout = version.layout
    if not layout.language:
        return version.keeping(other, renamed)
    root = _renumbered(layout.root, keep(layout, other.layout, renamed).root)
    kept = ("", b"") if layout.language in NUMBERED else (layout.language, layout.definition)
    return Schema.of_layout(w.Layout(root, *kept))


def _renumbered(kind: w.WireType, kept: w.WireType) -> w.WireType:
    """Return a kind with the numbers of another kind that has the same parts."""
    match kind, kept:
        case w.Nullable(inner), w.Nullable(other):
            return w.Nullable(_renumbered(inner, other))
        case w.WireSequence(item), w.WireSequence(other):
            return replace(kind, item=_renumbered(item, other))
        case w.WireMap(key, value), w.WireMap(other_key, other_value):
            return replace(kind, key=_renumbered(key, other_key), value=_renumbered(value, other_value))
        case w.WireRecord(slots=slots), w.WireRecord(slots=others):
            return replace(kind, slots=_renumbered_slots(slots, others), reserved=kept.reserved)
        case w.WireUnion(options=slots), w.WireUnion(options=others):
            return replace(kind, options=_renumbered_slots(slots, others), reserved=kept.reserved)
    return kind


def _renumbered_slots(
    slots: tuple[w.WireField, ...], kept: tuple[w.WireField, ...]
) -> tuple[w.WireField, ...]:
    return tuple(
        replace(slot, number=other.number, null=other.null, kind=_renumbered(slot.kind, other.kind))
        for slot, other in zip(slots, kept, strict=True)
    )


def contains(wide: w.WireType, narrow: w.WireType) -> bool:
    """Return whether a kind accepts all values of another; a float accepts ints."""
    wide, narrow = w.opened(wide), w.opened(narrow)
    match wide, narrow:
        case w.Nullable(inner), w.Nullable(other):
            return contains(inner, other)
        case w.Nullable(inner), _:
            return contains(inner, narrow)
        case w.WireUnion(options=options), w.WireUnion(options=others):
            return all(contains(wide, each.kind) for each in others)
        case w.WireUnion(options=options), _:
            return any(contains(each.kind, narrow) for each in options)
        case w.Leaf(), w.Leaf():
            return _leaf_contains(wide, narrow)
        case w.WireSequence(item, node), w.WireSequence(other, before):
            return type(node) is type(before) and contains(item, other)
        case w.WireMap(key, value), w.WireMap(other_key, other_value):
            return contains(key, other_key) and contains(value, other_value)
        case w.WireRecord(), w.WireRecord() if wide.places == narrow.places:
            return identity(wide) == identity(narrow)
    return w.types_of(wide) == w.types_of(narrow)


_FINENESS = {"ms": 0, "us": 1, "ns": 2}
_BASES: dict[str, type[t.Type]] = {"str": t.StrType, "int": t.IntType, "bool": t.BoolType}


def _leaf_contains(wide: w.Leaf, narrow: w.Leaf) -> bool:
    if isinstance(wide.type, t.AnyType):
        return True
    if wide.wire == narrow.wire == "int":
        least, most = wide.bounds
        fits = least <= narrow.bounds[0] and narrow.bounds[1] <= most
    else:
        fits = wide.bits >= narrow.bits
    if not fits or _FINENESS[wide.unit] < _FINENESS[narrow.unit]:
        return False
    allowed, had = _values(wide), _values(narrow)
    if allowed is not None:
        return had is not None and type(wide.type) is type(narrow.type) and had <= allowed
    if had is not None:
        enumerated = isinstance(narrow.type, t.EnumType)
        return not enumerated and {type(wide.type)} == {_BASES[kind] for kind, _ in had}
    if isinstance(wide.type, t.FloatType) and narrow.type == t.IntType():
        return True
    return t.includes(wide.type, narrow.type)


def _values(leaf: w.Leaf) -> frozenset[tuple[str, str]] | None:
    """Return the only values that a leaf accepts, each as type and text, or None if it accepts others."""
    match leaf.type:
        case t.LiteralType(values):
            return frozenset((type(value).__name__, repr(value)) for value in values if value is not None)
        case t.EnumType(cls):
            return frozenset((type(member.value).__name__, repr(member.value)) for member in cls)
    return frozenset(("str", repr(name)) for name, _ in leaf.symbols) if leaf.symbols else None


_Put = Callable[[w.WireType], w.WireType | None]
"""Builds the changed owner from a changed part."""


class _Walker:
    def __init__(self, renamed: Mapping[str, str], *, numbered: bool) -> None:
        self.renamed = dict(renamed)
        self.numbered = numbered
        self.seen: set[tuple[str, str]] = set()

    def kinds(
        self, old: w.WireType, new: w.WireType, path: str, owner: str, put: _Put
    ) -> Iterator[SchemaChange]:
        """Yield the changes from one kind to another.

        Args:
            old: The old kind.
            new: The new kind.
            path: Path of both, by the old names.
            owner: Name of the record that contains them.
            put: Builds the changed `owner` from the changed part.
        """
        if isinstance(old, w.Nullable) or isinstance(new, w.Nullable):
            yield from self.nullables(old, new, path, owner, put)
            return
        stands, (old, new) = new, (w.opened(old), w.opened(new))
        match old, new:
            case w.WireSequence(item), w.WireSequence(other) if type(old.type) is type(new.type):
                yield from self.kinds(item, other, path + "[]", owner, lambda k: put(replace(old, item=k)))
            case w.WireMap(key, value), w.WireMap(other_key, other_value):
                inside = path + "{key}"
                yield from self.kinds(key, other_key, inside, owner, lambda k: put(replace(old, key=k)))
                inside = path + "{}"
                yield from self.kinds(value, other_value, inside, owner, lambda k: put(replace(old, value=k)))
            case w.WireRecord(), w.WireRecord() if old.places == new.places:
                if (old.name, new.name) not in self.seen:
                    self.seen.add((old.name, new.name))
                    # A record changes in every place, and so owns its changes.
                    yield from self.records(old, new, path)
            case w.WireUnion(), w.WireUnion():
                yield from self.choices(old, new, path, owner, put)
            case _:
                wider, narrower = contains(new, old), contains(old, new)
                rewritten = self.numbered and _form(old) != _form(new)
                if rewritten or not (wider and narrower):
                    kind: Kinds = "widened" if wider else "narrowed" if narrower else "retyped"
                    kind = "retyped" if rewritten else kind
                    yield SchemaChange(kind, path, told(old), told(new), owner, put(stands))

    def nullables(
        self, old: w.WireType, new: w.WireType, path: str, owner: str, put: _Put
    ) -> Iterator[SchemaChange]:
        """Yield the changes where at least one of the two may be None."""
        before, inner = _opened(old)
        after, other = _opened(new)
        if before != after:
            made = w.Nullable(inner) if after else inner
            yield SchemaChange(
                "widened" if after else "narrowed", path, told(old), told(made), owner, put(made)
            )
        yield from self.kinds(inner, other, path, owner, (lambda k: put(w.Nullable(k))) if before else put)

    def choices(
        self, old: w.WireUnion, new: w.WireUnion, path: str, owner: str, put: _Put
    ) -> Iterator[SchemaChange]:
        """Yield the changes of the options of a choice, and those within them."""
        known = {slot.number: slot for slot in new.options}
        for at, slot in enumerate(old.options):
            other = known.get(slot.number)
            if other is not None and isinstance(slot.kind, w.WireRecord | w.Ref | w.WireSequence | w.WireMap):
                yield from self.kinds(slot.kind, other.kind, path, owner, _into_option(old, at, put))
        had, has = ({slot.number for slot in each.options} for each in (old, new))
        if had != has:
            kind: Kinds = "widened" if had < has else "narrowed" if has < had else "retyped"
            stayed = {slot.number: slot.kind for slot in old.options}
            options = tuple(replace(s, kind=stayed.get(s.number, s.kind)) for s in new.options)
            made = replace(new, options=options)
            yield SchemaChange(kind, path, told(old), told(new), owner, put(made))

    def records(self, old: w.WireRecord, new: w.WireRecord, path: str) -> Iterator[SchemaChange]:
        """Yield the changes of the fields of a record."""
        found = pairs(old, new, self.renamed, numbered=self.numbered, found=self.renamed)
        now = {before.key: after for before, after in found if before is not None}
        before_of = {after.key: before for before, after in found if after is not None}
        for at, slot in enumerate(old.slots):
            if (after := now[slot.key]) is None:
                rest = (*old.slots[:at], *old.slots[at + 1 :])
                place = path + step(slot.key)
                yield SchemaChange("removed", place, _stated(slot), "", old.name, _with(old, rest))
            else:
                yield from self.slots(old, at, after, path + step(slot.key))
        order = [before for before in before_of.values() if before is not None]
        common = [slot for slot in old.slots if slot in order]
        if common != order:
            slots = iter(order)
            mixed = tuple(next(slots) if slot in order else slot for slot in old.slots)
            yield SchemaChange("reordered", path, _keys(common), _keys(order), old.name, _with(old, mixed))
        for at, slot in enumerate(new.slots):
            if before_of[slot.key] is None:
                former = (before_of[each.key] for each in reversed(new.slots[:at]))
                behind = next((each for each in former if each is not None), None)
                to = 0 if behind is None else old.slots.index(behind) + 1
                made = _with(old, (*old.slots[:to], slot, *old.slots[to:]))
                yield SchemaChange("added", path + step(slot.key), "", _stated(slot), old.name, made)

    def slots(self, old: w.WireRecord, at: int, after: w.WireField, path: str) -> Iterator[SchemaChange]:
        """Yield the changes of a field that both versions have."""
        slot = old.slots[at]

        def changed(kind: Kinds, before: object, now: object, **fields: Any) -> SchemaChange:
            made = _with(old, (*old.slots[:at], replace(slot, **fields), *old.slots[at + 1 :]))
            return SchemaChange(kind, path, str(before), str(now), old.name, made)

        if slot.key != after.key:
            yield changed("renamed", slot.key, after.key, key=after.key, name=after.name)
        if self.numbered and slot.number != after.number:
            yield changed("renumbered", slot.number, after.number, number=after.number)
        if slot.required != after.required:
            kind: Kinds = "required" if after.required else "optional"
            yield changed(kind, _stated(slot), _stated(after), required=after.required)
        yield from self.kinds(
            slot.kind, after.kind, path, old.name, lambda kind: _with(old, _exchanged(old.slots, at, kind))
        )


def pairs(
    old: w.WireRecord,
    new: w.WireRecord,
    renamed: Mapping[str, str],
    *,
    numbered: bool = False,
    found: dict[str, str] | None = None,
) -> list[tuple[w.WireField | None, w.WireField | None]]:
    """Return pairs of slots that are the same field in both records; unpaired slots are paired with None.

    Args:
        old: The older record.
        new: The newer record.
        renamed: Old keys by new ones.
        numbered: Whether an equal number under another name is a rename, too.
        found: Receives these renames.
    """
    known = {slot.key: slot for slot in old.slots}
    of_number = {slot.number: slot for slot in old.slots}
    keys = {slot.key for slot in new.slots}
    pairs: list[tuple[w.WireField | None, w.WireField | None]] = []
    for slot, key in zip(new.slots, former_keys(new.slots, known, renamed), strict=True):
        before = None if key is None else known[key]
        if before is None and numbered and (same := of_number.get(slot.number)) and same.key not in keys:
            before = same
            if found is not None:
                found[str(slot.key)] = str(same.key)
        pairs.append((before, slot))
    kept = [before for before, _ in pairs]
    return pairs + [(slot, None) for slot in old.slots if slot not in kept]


def _into_option(choice: w.WireUnion, at: int, put: _Put) -> _Put:
    return lambda kind: put(replace(choice, options=_exchanged(choice.options, at, kind)))


def _exchanged(slots: tuple[w.WireField, ...], at: int, kind: w.WireType) -> tuple[w.WireField, ...]:
    return (*slots[:at], replace(slots[at], kind=kind), *slots[at + 1 :])


def _keys(slots: Iterable[w.WireField]) -> str:
    return ", ".join(str(slot.key) for slot in slots)


def _form(kind: w.WireType) -> str:
    return kind.form if isinstance(kind, w.Leaf) else ""


def _opened(kind: w.WireType) -> tuple[bool, w.WireType]:
    return (True, kind.kind) if isinstance(kind, w.Nullable) else (False, kind)


# One change alone -----------------------------------------------------------------------------------


def _with(record: w.WireRecord, slots: tuple[w.WireField, ...]) -> w.WireRecord | None:
    """Return a record with other slots, and with a number for None in each slot that may also be missing."""
    if isinstance(record.type, t.RecordType) and record.type.positional:
        return None
    highest = max((number for slot in slots for number in (slot.number, slot.null)), default=0)
    made = []
    for slot in slots:
        wanted = not slot.required and isinstance(slot.kind, w.Nullable)
        if wanted and not slot.null:
            highest += 1
        made.append(replace(slot, null=(slot.null or highest) if wanted else 0))
    return replace(record, slots=tuple(made))


def _changed(kind: w.WireType, owner: str, alone: w.WireType) -> w.WireType:
    """Return a kind with the owner of a change replaced in every place, and with matching types."""
    return _Typer().whole(_replaced(kind, owner, alone) if owner else alone)


def _is_one(root: w.WireType) -> bool:
    """Return whether each name belongs to one record, and each number in a record to one field.

    The changed record may contain other changed records, or reuse the number of a field that still exists.
    """
    found: dict[str, w.WireRecord] = {}

    def check(kind: w.WireType) -> bool:
        if isinstance(kind, w.WireRecord):
            numbers = [number for slot in kind.slots for number in (slot.number, slot.null) if number]
            if len(set(numbers)) < len(numbers) or found.setdefault(kind.name, kind) != kind:
                return False
        return all(map(check, w.parts(kind)))

    return check(root)


def _replaced(kind: w.WireType, name: str, by: w.WireType) -> w.WireType:
    if isinstance(kind, w.WireRecord) and kind.name == name:
        return by
    return w.with_parts(kind, lambda part: _replaced(part, name, by))


class _Typer:
    """Rebuilds a kind, with types that match its parts."""

    def __init__(self) -> None:
        self.refs: dict[str, t.RefType] = {}
        self.own: dict[str, t.RecordType] = {}

    def whole(self, root: w.WireType) -> w.WireType:
        root = self.kind(root)
        for name in self.refs.keys() & self.own.keys():
            self.refs[name].bind(self.own[name])
        return root

    def kind(self, kind: w.WireType) -> w.WireType:
        match kind:
            case w.Ref(name, ref):
                if name not in self.refs:
                    self.refs[name] = t.RefType(ref.name)
                    self.refs[name].bind(ref.record)
                return replace(kind, type=self.refs[name])
            case w.WireRecord(name, type=t.RecordType(positional=True) as tuple_type):
                self.own[name] = tuple_type
                return kind
        made = w.with_parts(kind, self.kind)
        match made:
            case w.WireSequence(item, several):
                return replace(made, type=replace(several, item=w.types_of(item)))  # type: ignore[call-arg]
            case w.WireRecord(slots=slots, type=t.TupleType()):
                slots = tuple(replace(s, key=i) for i, s in enumerate(slots))
                return replace(made, slots=slots, type=t.TupleType(tuple(w.types_of(s.kind) for s in slots)))
            case w.WireRecord(name, slots, t.RecordType() as node):
                fields = tuple(t.Field(str(s.key), w.types_of(s.kind), s.required) for s in slots)
                self.own[name] = replace(node, fields=fields, cls=None)
                return replace(made, type=self.own[name])
        return made


# Words ----------------------------------------------------------------------------------------------


def _stated(slot: w.WireField) -> str:
    return told(slot.kind) + ("" if slot.required else " (optional)")


def told(kind: w.WireType) -> str:
    """Return a kind in words: ``list[Item] | None``."""
    match kind := w.opened(kind):
        case w.Nullable(inner):
            return f"{told(inner)} | None"
        case w.WireSequence(item, node):
            return f"{node}[{told(item)}]"
        case w.WireMap(key, value):
            return f"dict[{told(key)}, {told(value)}]"
        case w.WireUnion(options=options):
            return " | ".join(told(option.kind) for option in options)
        case w.WireRecord(slots=slots, type=t.TupleType()):
            return f"tuple[{', '.join(told(slot.kind) for slot in slots)}]"
        case w.Leaf(type=t.EnumType(cls)):
            return f"{cls.__name__}({', '.join(str(member.value) for member in cls)})"
        case w.Leaf() if kind.symbols:
            return f"enum({', '.join(name for name, _ in kind.symbols)})"
        case w.Leaf() if kind.form:
            return f"{kind.type} as {kind.form}"
        case w.Leaf(wire="int" | "float", bits=32):
            return f"{kind.type} of 32 bits"
        case w.Leaf(wire="timestamp" | "local-timestamp") if kind.unit != "us":
            return f"{kind.type} in {kind.unit}"
        case w.Leaf():
            return " ".join(
                [str(kind.type), *(option.words for option in t.options(kind.type) if option.words)]
            )
        case w.WireRecord():
            return str(kind.type)
    raise AssertionError(kind)
