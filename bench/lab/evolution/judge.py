"""What came back, held against what the reading version should have made of it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from ....codecs.core.paths import brief, step
from ....schemas.tree import types as t
from ....schemas.wire.bindings.leaves import kinds
from ....schemas.wire.layout import Choice, Kind, Leaf, Map, Nullable, Record, Ref, Sequence
from ..fidelity.equality import equal
from ..fidelity.losses import judge
from .records import Unfit, option_of

__all__ = ["Fault", "Finding", "findings"]

Fault = Literal["lost", "wrong", "made up", "unfit", "kept"]

_NOTHING: Final = object()
_NONE_ABOVE: Final[Mapping[str, str]] = MappingProxyType({})
_FORMS: Final = ("as codecs write what they lack",)


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a record is not what the reading version should have made of it.

    Attributes:
        fault: ``"lost"``: written, and not there. ``"wrong"``: another value. ``"made up"``: a value where
            nothing was written. ``"unfit"``: as it was written, or of another type than the reading version
            has there; or nothing where that requires something and nobody wrote it.
            ``"kept"`` is none: a field that the reading version does not know.
        path: By the names of the reading version, without the numbers of items. Of a record within another of
            its kind it is that of the outermost.
        example: What was written and what came, in short.
    """

    fault: Fault
    path: str
    example: str = ""


def findings(
    wanted: Any, found: Any, kind: Kind, path: str = "$", above: Mapping[str, str] = _NONE_ABOVE
) -> Iterator[Finding]:
    """Yield where a value is not what was expected.

    Args:
        wanted: As `expected` gives it.
        found: What a codec decoded.
        kind: Of the reading version.
        path: Where both stand.
        above: Paths of the enclosing records, by their names.
    """
    if isinstance(wanted, Unfit):
        yield from _passed_on(wanted.value, found, kind, path)
        return
    if isinstance(kind, Nullable) and wanted is not None:
        kind = kind.kind
    if isinstance(kind, Choice):
        kind = option_of(wanted, kind) or kind
    if isinstance(kind, Ref):
        kind, path = kind.record, above.get(kind.name, path)
    if isinstance(kind, Record):
        above = {**above, kind.name: path}
    match kind:
        case Record(type=t.RecordType(positional=False)) if isinstance(wanted, dict):
            if isinstance(found, dict):
                yield from _fields(wanted, found, kind, path, above)
                return
        case Record() if isinstance(wanted, tuple) and isinstance(found, tuple | list):
            if len(found) == len(wanted):
                for at, (slot, x, y) in enumerate(zip(kind.slots, wanted, found, strict=True)):
                    yield from findings(x, y, slot.kind, f"{path}[{at}]", above)
                return
        case Sequence(item) if isinstance(wanted, list | tuple) and type(wanted) is type(found):
            if len(found) == len(wanted):
                for x, y in zip(wanted, found, strict=True):
                    yield from findings(x, y, item, f"{path}[]", above)
                return
        case Map(value=inner) if isinstance(wanted, dict) and isinstance(found, dict):
            if wanted.keys() == found.keys():
                for key in wanted:
                    yield from findings(wanted[key], found[key], inner, f"{path}{{}}", above)
                return
    if _same(wanted, found):
        return
    if type(wanted) is not type(found) and _is_form(wanted, found):
        yield Finding("unfit", path, f"{brief(found)} came back for {brief(wanted)}")
    else:
        yield Finding("wrong", path, _example(wanted, found))


def _passed_on(written: Any, found: Any, kind: Kind, path: str) -> Iterator[Finding]:
    """Yield what became of a value that the reading version has no place for."""
    # Of a container some parts may have become what the reading version wants, and others not.
    whole = isinstance(written, dict | list | tuple | set | frozenset)
    alike = whole and type(written) is type(found) and len(written) == len(found)
    if alike or _same(written, found):
        yield Finding("unfit", path, f"{brief(written)} came back as it was written")
    elif type(written) is type(found) or not _is_form(written, found):
        yield Finding("wrong", path, _example(written, found))
    elif not isinstance(kind, Leaf) or type(found) not in kinds(kind):
        yield Finding("unfit", path, f"{brief(found)} came back for {brief(written)}")


def _is_form(value: Any, other: Any) -> bool:
    """Whether one of two is what a codec writes in the place of the other: a text for a number, say."""
    return not judge(value, other, (), _FORMS).wrong or not judge(other, value, (), _FORMS).wrong


def _fields(
    wanted: dict[Any, Any], found: dict[Any, Any], record: Record, path: str, above: Mapping[str, str]
) -> Iterator[Finding]:
    for slot in record.slots:
        place = path + step(slot.key)
        x, y = wanted.get(slot.key, _NOTHING), found.get(slot.key, _NOTHING)
        if x is _NOTHING and y is _NOTHING:
            if slot.required:
                yield Finding("unfit", place, "required, and nobody wrote it")
        elif y is _NOTHING:
            yield Finding("lost", place, _example(x.value if isinstance(x, Unfit) else x, y))
        elif x is not _NOTHING:
            yield from findings(x, y, slot.kind, place, above)
        elif not (y is None and isinstance(slot.kind, Nullable)):
            yield Finding("made up", place, _example(x, y))
    known = {slot.key for slot in record.slots}
    yield from (Finding("kept", path + step(key)) for key in found if key not in known)


def _same(wanted: Any, found: Any) -> bool:
    """Whether two values are one; an int is what it is as a float, and a member of an enum what it holds."""
    if type(wanted) in (int, float) and type(found) in (int, float):
        return bool(wanted == found)
    if isinstance(wanted, enum.Enum) and isinstance(found, enum.Enum):
        return bool(wanted.value == found.value)
    if isinstance(wanted, enum.Enum) and not isinstance(found, enum.Enum):
        return False
    return equal(wanted, found)


def _example(before: Any, after: Any) -> str:
    def text(value: Any) -> str:
        return "nothing" if value is _NOTHING else brief(value)

    return f"{text(before)} was written, {text(after)} came back"
