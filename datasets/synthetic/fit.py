"""Fit a profile to records: the values at each place, the fields, and which fields occur together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from ...codecs import CodecError, codec
from ...codecs.conventions.classes import opened
from ...errors import RunError
from ..base import Corpus, Progress
from . import profile as s
from .letters import main_script
from .scalars import SCALARS, lengths, recognised
from .texts import fit_texts

_SEEN: Final = 5_000
"""Most records that are read."""
_ROOM: Final = 64 << 20
"""Most bytes of these, as pickles."""
_FEW = 64
"""Most distinct values of a field that counts as having few."""
_OFTEN = 4
"""Average number of occurrences of each value in such a field."""
_ROW = 16
"""Most items of lists of constant length."""
_KINDS = 16
"""Most kinds of records at one place."""
_VARIANTS = 64
"""Most sets of fields that are missing together."""
_SCRIPT = 20
"""Records of each script from which scripts are distinguished."""
_MAP_KEYS = 20
_WIDEST = 5_000
"""Most names that a record may have."""
_ID: Final = re.compile(r"[0-9]+|[0-9a-fA-F]{8,}|[^@\s]+@[^@\s]+|.*[0-9]{4}.*", re.DOTALL)


def fit(corpus: Corpus, on_progress: Progress | None = None) -> s.DataProfile:
    """Return the profile of a corpus, from records all over it.

    Raises:
        UnreadableCorpus: As `Corpus.records`.
        RunError: Records are nested deeper than `DEEPEST`, or have a type that cannot be inspected.
    """
    return fit_records(corpus.sample(_SEEN, on_progress, room=_ROOM), corpus.count())


def fit_records(records: Sequence[Any], count: int) -> s.DataProfile:
    """Return the profile of records that were drawn from `count` records.

    Raises:
        RunError: As `fit`.
    """
    return s.DataProfile(count, len(records), _fit(records, 0))


def _fit(values: Sequence[Any], depth: int) -> s.Node:
    if depth > s.DEEPEST:
        raise RunError(f"records are nested deeper than {s.DEEPEST} levels")
    groups: defaultdict[type, list[Any]] = defaultdict(list)
    for value in values:
        kind = type(value)
        if kind not in _KNOWN:
            value = _known(value)
            kind = type(value)
        groups[kind].append(value)
    return _joined([part for kind, some in groups.items() for part in _KNOWN[kind](some, depth)])


def _joined(found: list[tuple[int, s.Node]]) -> s.Node:
    if len(found) == 1:
        return found[0][1]
    return s.Alternatives(tuple(sorted(found, key=lambda one: -one[0]))) if found else s.Null()


def _known(value: Any) -> Any:
    """Convert a value of an unknown type to a known one."""
    if isinstance(value, Enum):
        return _as_known(value.value)
    if (plain := opened(value)) is not None:
        return _as_known(plain)
    bases: tuple[Any, ...] = (dict, list, tuple, str, bytes, int, float, set, frozenset)
    for base in bases:
        if isinstance(value, base):
            return base(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    plain = codec("json")
    try:
        return plain.decode(plain.encode(value))  # As the convention of its type does.
    except CodecError as error:
        raise RunError(
            f"a value of type {type(value).__name__} cannot be generated: {error.reason}"
        ) from error


def _as_known(value: Any) -> Any:
    return value if type(value) in _KNOWN else _known(value)


def _scalars(values: list[Any], _depth: int) -> list[tuple[int, s.Node]]:
    fitted = SCALARS[type(values[0])]
    if type(values[0]) in (int, float):
        return _few(values, lambda some: [(len(some), fitted(some))])
    return [(len(values), fitted(values))]


def _few(values: list[Any], fitted: Any) -> list[tuple[int, s.Node]]:
    """Return a node for each value if there are few, so that each is made once."""
    different = Counter(map(repr, values) if isinstance(values[0], float) else values)
    if len(different) > _FEW or len(values) < _OFTEN * len(different):
        return list(fitted(values))
    if isinstance(values[0], float):
        different = Counter({float(text): count for text, count in different.items()})
    made = tuple((count, fitted([value])[0][1]) for value, count in different.most_common())
    return [(len(values), s.ProfileValues(made))]


def _lists(values: list[Any], depth: int) -> list[tuple[int, s.Node]]:
    name = type(values[0]).__name__
    sizes = {len(value) for value in values}
    size = next(iter(sizes))
    is_row = name == "tuple" or (name == "list" and len(values) >= 3)
    if len(sizes) == 1 and 0 < size <= _ROW and is_row:
        items = tuple(_fit(column, depth + 1) for column in zip(*values, strict=True))
        return [(len(values), s.ProfileRow(name, items))]
    item = _fit([item for value in values for item in value], depth + 1)
    return [(len(values), s.List(name, lengths(map(len, values)), item))]


def _dicts(values: list[dict[Any, Any]], depth: int) -> list[tuple[int, s.Node]]:
    if _is_map(values):
        key = _fit([key for value in values for key in value], depth + 1)
        part = _fit([part for value in values for part in value.values()], depth + 1)
        return [(len(values), s.ProfileMap(lengths(map(len, values)), key, part))]
    kinds = [part for some in _kinds(values) for part in _scripts(some)]
    return [(len(some), _record(some, depth)) for some in kinds]


def _is_map(values: list[dict[Any, Any]]) -> bool:
    """Return whether keys are data: they look like identifiers, or each dict has few of many keys."""
    keys: dict[Any, None] = {}
    total = 0
    for value in values:
        keys.update(dict.fromkeys(value))
        total += len(value)
    if not keys:
        return False
    odd = sum(not isinstance(key, str) or bool(_ID.fullmatch(key) or recognised(key)) for key in keys)
    if 2 * odd > len(keys):
        return True
    mean = total / len(values)
    if len(keys) < _MAP_KEYS or len(keys) <= 4 * mean:
        return len(keys) > _WIDEST
    # Records of several kinds have many names, too, but here there would be more kinds than is plausible.
    return len(_kinds(values)) == _KINDS


def _kinds(values: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group records by kind: most names of two records of a kind agree."""
    counts: Counter[frozenset[str]] = Counter(map(frozenset, values))
    kinds: list[set[str]] = []
    place: dict[frozenset[str], int] = {}
    for names, _ in counts.most_common():
        likeness = [len(names & kind) / max(1, len(names | kind)) for kind in kinds]
        best = max(range(len(kinds)), key=likeness.__getitem__, default=-1)
        if best < 0 or (likeness[best] < 0.5 and len(kinds) < _KINDS and not names <= kinds[best]):
            kinds.append(set(names))
            best = len(kinds) - 1
        place[names] = best
        kinds[best] |= names
    groups: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for value in values:
        groups[place[frozenset(value)]].append(value)
    return list(groups.values())


def _scripts(values: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group records by script, because most texts of a record have one language."""
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for value in values:
        parts = [part for part in value.values() if type(part) is str]
        for items in value.values():
            if type(items) is list:
                parts += [item for item in items if type(item) is str]
        groups[main_script("".join(parts))].append(value)
    return list(groups.values()) if min(map(len, groups.values())) >= _SCRIPT else [values]


def _record(values: list[dict[str, Any]], depth: int) -> s.ProfileRecord:
    names: list[str] = []
    known: set[str] = set()
    for order in dict.fromkeys(map(tuple, values)):
        at = 0
        for name in order:
            if name in known:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                known.add(name)
                at += 1
    columns = [[value[name] for value in values if name in value] for name in names]
    fields = tuple(
        s.ProfileField(str(name), len(column), _fit(column, depth + 1))
        for name, column in zip(names, columns, strict=True)
    )
    missing = Counter(
        tuple(index for index, name in enumerate(names) if name not in value) for value in values
    )
    together = len(missing) <= _VARIANTS and set(missing) != {()}
    without = tuple((count, gone) for gone, count in missing.most_common()) if together else ()
    return s.ProfileRecord(len(values), fields, without)


_KNOWN: Final[dict[type, Any]] = {
    **dict.fromkeys(SCALARS, _scalars),
    **dict.fromkeys((list, tuple, set, frozenset), _lists),
    str: lambda values, _depth: _few(values, fit_texts),
    dict: _dicts,
}
