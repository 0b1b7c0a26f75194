"""Faults in a record of the other version: fidelity's differences, with paths of the reading schema."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ...codecs.paths import brief, step
from ...schemas.wire.bindings.leaves import kinds
from ...schemas.wire.layout import Leaf, Nullable, Ref, WireMap, WireRecord, WireType, WireUnion
from ...schemas.wire.layout import WireSequence as Items
from ..equality.equal import ValueDifference, differences, equal
from ..equality.losses import find_losses
from ..evolved import FieldFault as FieldFault
from .records import DEFAULT, NOTHING, Unfit, option_of

_FORMS: Final = ("as codecs write what they lack",)


def findings(wanted: Any, found: Any, kind: WireType) -> Iterator[FieldFault]:
    """Yield the places where a record differs from the expected one.

    Args:
        wanted: The result of `expected`.
        found: The decoded record.
        kind: Its kind in the reading version.
    """
    done: set[tuple[object, ...]] = set()
    for gap in differences(wanted, found, sys.maxsize):
        path, held, steps = _located(gap, wanted, kind)
        if any(steps[:count] in done for count in range(len(steps) + 1)):
            continue
        if steps != gap.steps or gap.kind == "length":
            # Items, keys and their parts cannot substitute for each other, so the value is compared as a
            # whole.
            done.add(steps)
            yield from _changed(_at(wanted, steps), _at(found, steps), held, path)
        elif gap.kind == "extra":
            yield from _extra(gap.after, held, path)
        elif gap.kind == "missing":
            yield _missing(gap.before, path)
        else:
            yield from _changed(gap.before, gap.after, held, path)


def _located(
    gap: ValueDifference, value: Any, kind: WireType
) -> tuple[str, WireType | None, tuple[object, ...]]:
    """Return the path of a difference, the kind there, and the steps to the value to compare.

    That value is compared as a whole. The kind is None if the reading version does not know the field.
    """
    path, above = "$", dict[str, str]()
    for count, key in enumerate(gap.steps):
        if isinstance(kind, Nullable):
            kind = kind.kind
        if isinstance(kind, WireUnion):
            kind = option_of(value, kind) or kind
        if isinstance(kind, Ref):
            kind, path = kind.record, above.get(kind.name, path)
        last = count == len(gap.steps) - 1
        match kind:
            case WireRecord(name, slots):
                above[name] = path
                path += f"[{key}]" if isinstance(value, tuple) else step(key)
                inner = next((slot.kind for slot in slots if slot.key == key), None)
            case Items(item):
                path, inner = f"{path}[]", item
            case WireMap(value=item) if not (last and gap.kind in ("extra", "missing")):
                path, inner = f"{path}{{}}", item
            case _:
                return path, kind, gap.steps[:count]
        if last or inner is None:
            return path, inner, gap.steps[: count + 1]
        value, kind = value[key], inner
    return path, kind, gap.steps


def _at(value: Any, steps: Sequence[object]) -> Any:
    for key in steps:
        value = value[key]
    return value


def _missing(wanted: Any, path: str) -> FieldFault:
    if not isinstance(wanted, Unfit):
        return FieldFault("lost", path, _example(wanted, NOTHING))
    if wanted.value is NOTHING or wanted.value is DEFAULT:
        return FieldFault("unfit", path, "required, but not written")
    return FieldFault("lost", path, _example(wanted.value, NOTHING))


def _extra(found: Any, kind: WireType | None, path: str) -> Iterator[FieldFault]:
    if kind is None:
        yield FieldFault("kept", path)
    elif not (found is None and isinstance(kind, Nullable)):
        yield FieldFault("made up", path, _example(NOTHING, found))


def _changed(wanted: Any, found: Any, kind: WireType | None, path: str) -> Iterator[FieldFault]:
    if isinstance(wanted, Unfit):
        if wanted.value is DEFAULT:
            return
        if wanted.value is NOTHING:
            yield from _extra(found, kind, path)
        else:
            yield from _passed_on(wanted.value, found, kind, path)
        return
    if isinstance(kind, Nullable):
        kind = kind.kind
    places = isinstance(wanted, tuple) and isinstance(found, tuple | list) and len(wanted) == len(found)
    if places and isinstance(kind, WireRecord) and type(wanted) is not type(found):
        for inner in findings(tuple(wanted), tuple(found), kind):
            yield replace(inner, path=path + inner.path[1:])
    elif _same(wanted, found):
        return
    elif type(wanted) is not type(found) and _is_form(wanted, found):
        yield FieldFault("unfit", path, f"{brief(wanted)} was read as {brief(found)}")
    else:
        yield FieldFault("wrong", path, _example(wanted, found))


def _passed_on(written: Any, found: Any, kind: WireType | None, path: str) -> Iterator[FieldFault]:
    """Yield the faults of a value that the reading version has no place for."""
    # Some parts of a container may have the reading version's type, and others not.
    whole = isinstance(written, dict | list | tuple | set | frozenset)
    alike = whole and type(written) is type(found) and len(written) == len(found)
    if alike or _same(written, found):
        yield FieldFault("unfit", path, f"{brief(written)} was not converted")
    elif type(written) is type(found) or not _is_form(written, found):
        yield FieldFault("wrong", path, _example(written, found))
    elif not isinstance(kind, Leaf) or type(found) not in kinds(kind):
        yield FieldFault("unfit", path, f"{brief(written)} was read as {brief(found)}")


def _is_form(value: Any, other: Any) -> bool:
    """Return whether one of two values is the encoded form of the other: a text for a number, say."""
    return not find_losses(value, other, (), _FORMS).wrong or not find_losses(other, value, (), _FORMS).wrong


def _same(wanted: Any, found: Any) -> bool:
    """Return whether two values are the same; an int equals its float, and an enum member its value."""
    if type(wanted) in (int, float) and type(found) in (int, float):
        return bool(wanted == found)
    if isinstance(wanted, enum.Enum) and isinstance(found, enum.Enum):
        return bool(wanted.value == found.value)
    return equal(wanted, found)


def _example(before: Any, after: Any) -> str:
    def text(value: Any) -> str:
        return "nothing" if value is NOTHING else brief(value)

    return f"{text(before)} was written, {text(after)} was read"
