"""The numbers of a new version of a layout: fields that have stayed keep those of the older one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from ..tree import types as t
from .layout import (
    Layout,
    Leaf,
    Nullable,
    Ref,
    WireField,
    WireMap,
    WireRecord,
    WireSequence,
    WireType,
    WireUnion,
    opened,
)
from .names import free_numbers


def keep(layout: Layout, older: Layout, renamed: Mapping[str, str] | None = None) -> Layout:
    """Return a layout with the names and numbers of an older one for all unchanged fields.

    A field whose kind has changed is a new one.

    Args:
        layout: The layout of the new version.
        older: The layout whose numbers are fixed.
        renamed: Old keys of fields by their new ones. These fields keep their numbers, and get their new
            names.
    """
    return Layout(_Keeper(renamed or {}).kept(layout.root, older.root))


class _Keeper:
    """Gives a layout the names and numbers of an older one.

    Args:
        renamed: See `keep`.
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
            case Ref(name), _:
                return kind.under(self.names.get(name, name))
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
        fresh = free_numbers(had)
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
