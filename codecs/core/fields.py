"""Paths to fields of records: parsing them, and following them in decoded records."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import UsageError, hint, near
from ..conventions.classes import record_class
from ..errors import MissingField
from ..paths import brief, join, type_name

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_SHOWN = 10
"""Names or keys that a message lists."""


@dataclass(frozen=True, slots=True)
class FieldStep:
    """One part of a path.

    Attributes:
        key: A key of a dict, or the name of an object's field.
        index: An index of a list, from 0, or an integer key. Digits in a path may be either; if a dict has
            both keys, the text is used.
    """

    key: str | None = None
    index: int | None = None


Steps = tuple[FieldStep, ...]


def steps_of(path: str | Sequence[str | int]) -> Steps:
    """Return the steps of a path.

    Args:
        path: Text such as ``order.lines.0.price``: keys and indices from 0, separated by dots; empty for the
            record itself. Or a sequence of keys and indices, for keys that contain dots or are empty.

    Raises:
        UsageError: A part of the text is empty, or an item of the sequence is neither text nor an index.
    """
    if isinstance(path, str):
        parts = path.split(".") if path else []
        if "" in parts:
            raise UsageError(
                f"path {path!r}: a part is empty; write it as order.lines.0.price, or as a sequence of keys"
            )
        return tuple(FieldStep(part, int(part) if _NUMBER.fullmatch(part) else None) for part in parts)
    if not isinstance(path, Sequence) or isinstance(path, bytes | bytearray | memoryview):
        raise UsageError(f"path {brief(path)}: a text such as 'order.lines.0.price', or a sequence of keys")
    return tuple(_step(path, part) for part in path)


def _step(path: object, part: object) -> FieldStep:
    if isinstance(part, str):
        return FieldStep(key=str(part))
    if isinstance(part, int) and not isinstance(part, bool) and 0 <= part < 1 << 62:
        return FieldStep(index=int(part))
    raise UsageError(f"path {brief(path)}: {brief(part)} is neither a key nor an index from 0")


def written(steps: Steps) -> str:
    """Return a path as messages show it, for instance ``$.order.lines[0].price``."""
    return join(step.key if step.index is None else step.index for step in steps)


_NOTHING = object()


def _inside(value: Any, step: FieldStep) -> Any:
    """Return the value that a step leads to, or `_NOTHING`."""
    if isinstance(value, Mapping):
        if step.key is not None and step.key in value:
            return value[step.key]
        return value.get(step.index, _NOTHING) if step.index is not None else _NOTHING
    if isinstance(value, list | tuple) and step.index is not None:
        return value[step.index] if step.index < len(value) else _NOTHING
    return getattr(value, str(step.key), _NOTHING) if step.key in _names(value) else _NOTHING


def _names(value: Any) -> Sequence[str]:
    """Return the fields of an object of a record class."""
    known = record_class(type(value))
    return () if known is None else known.attributes


def reach(record: Any, steps: Steps, default: Any = ...) -> Any:
    """Return the value at a path of a record, else the default; an ellipsis if no default is given."""
    for step in steps:
        record = _inside(record, step)
        if record is _NOTHING:
            return default
    return record


def absent(codec: str, record: Any, steps: Steps) -> MissingField:
    """Return the error for a path that does not exist; it describes the last value on the path."""
    for at, step in enumerate(steps):
        if (found := _inside(record, step)) is _NOTHING:
            return MissingField(
                codec, f"no {written(steps)}: {written(steps[:at])} {_described(record, step)}"
            )
        record = found
    return MissingField(codec, f"no {written(steps)}")


def _described(value: Any, step: FieldStep) -> str:
    if isinstance(value, Mapping):
        names: Sequence[str] = [key if isinstance(key, str) else brief(key) for key in value]
    elif isinstance(value, list | tuple) and not _names(value):
        return f"has {len(value)} items" if step.index is not None else "is a list: its items have indices"
    elif not (names := _names(value)):
        return "is None" if value is None else f"is of type {type_name(value)}, which has no fields"
    if not names:
        return "is empty"
    listed = ", ".join(brief(name)[1:-1] for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    alike = () if step.key is None else near(step.key, names)
    return f"has {listed}{more}" + (f"; {hint(alike, '')}" if alike else "")


def changed(record: Any, steps: Steps, change: Callable[[Any], Any]) -> Any:
    """Return a record with the value at an existing path changed, in place if possible."""
    if not steps:
        return change(record)
    step, *rest = steps
    value = changed(_inside(record, step), tuple(rest), change)
    if isinstance(record, Mapping):
        key = step.key if step.key is not None and step.key in record else step.index
        if not isinstance(record, dict):
            return {**record, key: value}
        record[key] = value
    elif isinstance(record, list):
        record[step.index] = value  # type: ignore[index]
    elif isinstance(record, tuple):
        at = step.index if step.index is not None else _names(record).index(str(step.key))
        parts = (*record[:at], value, *record[at + 1 :])
        return type(record)._make(parts) if _names(record) else parts  # type: ignore[attr-defined]
    else:
        setattr(record, str(step.key), value)
    return record


def extended(value: Any, item: Any) -> Any:
    """Return a list, tuple or set with one more item; None for other values."""
    if isinstance(value, list):
        value.append(item)
    elif isinstance(value, set):
        value.add(item)
    elif isinstance(value, tuple) and not _names(value):
        return (*value, item)
    elif isinstance(value, frozenset):
        return value | {item}
    else:
        return None
    return value
