"""Conversion of records to and from plain values, for files and workers' answers."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import math
import types
import typing
from collections.abc import Collection, Mapping
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from .records import CellResult


def plain_cell(cell: CellResult) -> dict[str, Any]:
    """Return a cell as plain values without its samples; `typed` reads it."""
    found = without_defaults(cell)
    found.pop("samples", None)
    return found


def fields_of(record: Any, like: type | None = None) -> dict[str, Any]:
    """Return the fields of a dataclass by name, as they are.

    Args:
        record: The dataclass.
        like: Only the fields of this class of dataclasses; None for all.
    """
    return {each.name: getattr(record, each.name) for each in dataclasses.fields(like or record)}


def without_defaults(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain values, without empty ones."""
    found = {}
    for each in dataclasses.fields(record):
        value = getattr(record, each.name)
        if dataclasses.is_dataclass(value):
            value = without_defaults(value)
        if value not in _EMPTY:
            found[each.name] = dict(value) if isinstance(value, Mapping) else value
    return found


_EMPTY: Collection[object] = (None, "", (), {})


def averaged(mean: Any, new: Any, count: int) -> Any:
    """Update a mean over `count` processes with the values of the last one; of texts, return the newest.

    Args:
        mean: Mean over all processes but the last: a number, text, mapping, or facts with fields of these
            types.
        new: The value of the last process.
        count: Number of processes, including the last one.
    """
    if isinstance(new, float) and isinstance(mean, int | float):
        return mean + (new - mean) / count
    if isinstance(new, Mapping) and isinstance(mean, Mapping):
        return {**mean, **{key: averaged(mean.get(key, value), value, count) for key, value in new.items()}}
    if dataclasses.is_dataclass(new) and not isinstance(new, type) and type(new) is type(mean):
        names = [each.name for each in dataclasses.fields(new)]
        fields = {name: averaged(getattr(mean, name), getattr(new, name), count) for name in names}
        return dataclasses.replace(new, **fields)
    return new


_T = TypeVar("_T")


class FieldError(TypeError):
    """A field is missing, unknown, or of another type or range than its class declares."""


def typed(cls: type[_T], fields: Any) -> _T:
    """Make one of our dataclasses, and those in it, from the untrusted values of a file.

    Lists become tuples where the class declares these.

    Raises:
        FieldError: A field is missing, unknown, or of another type or range than the class declares.
    """
    if not isinstance(fields, Mapping):
        raise FieldError(f"fields are {fields!r:.40}")
    kinds = _kinds(cast("Any", cls))
    if unknown := fields.keys() - kinds.keys():
        raise FieldError(f"{min(unknown):.40} is unknown")
    if lacking := _required(cast("Any", cls)) - fields.keys():
        raise FieldError(f"{min(lacking)} is missing")
    made = built(cls, fields)
    for key, kind in kinds.items():
        if not _fits(value := getattr(made, key), kind):
            raise FieldError(f"{key} is {value!r:.40}")
    return made


def built(cls: type[_T], fields: Mapping[str, Any]) -> _T:
    """Make one of our dataclasses, and those in it, from values that one of our own processes has written."""
    kinds = _kinds(cast("Any", cls))
    return cls(**{key: _built(value, kinds.get(key)) for key, value in fields.items()})


def _built(value: Any, kind: Any) -> Any:
    """Return what a field of a type holds for a value of JSON; what does not fit is left as it is."""
    if not isinstance(value, dict | list):
        return value
    origin, parts = _parts(kind)
    if origin in (types.UnionType, typing.Union):
        return _built(value, next((part for part in parts if _is_meant(value, part)), None))
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return typed(cast("type[Any]", kind), value)
    if isinstance(value, dict):
        return {key: _built(item, parts[1]) for key, item in value.items()} if parts else value
    if origin is not tuple:
        return value
    kinds = parts[:1] * len(value) if parts[-1] is ... else parts
    return tuple(map(_built, value, kinds)) if len(kinds) == len(value) else value


def _is_meant(value: dict[str, Any] | list[Any], kind: Any) -> bool:
    """Return whether a value is for this type of a union; of several classes, its `kind` names one."""
    if isinstance(value, list):
        return get_origin(kind) is tuple
    if not dataclasses.is_dataclass(kind):
        return bool(get_args(kind)) and get_origin(kind) is not tuple
    named = _kinds(cast("Any", kind)).get("kind")
    return named is None or value.get("kind") in get_args(named)


@functools.cache
def _kinds(cls: type) -> dict[str, Any]:
    hints = get_type_hints(cls, include_extras=True)
    return {each.name: hints[each.name] for each in dataclasses.fields(cast("Any", cls))}


@functools.cache
def _required(cls: type) -> frozenset[str]:
    """Return the fields without a default."""
    none = dataclasses.MISSING
    return frozenset(
        each.name
        for each in dataclasses.fields(cast("Any", cls))
        if each.default is none and each.default_factory is none
    )


def _fits(value: object, kind: Any) -> bool:
    """Return whether a value has a type, for the types of fields in our dataclasses."""
    origin, parts = _parts(kind)
    match origin:
        case None:
            same = kind is Any or type(value) is kind or (kind is float and type(value) is int)
            return same and (type(value) not in (int, float) or _is_finite(value))
        case typing.Literal:
            return value in parts
        case typing.Annotated:
            kind, values = parts
            return _fits(value, kind) and values.holds(value)
        case types.UnionType | typing.Union:
            return any(_fits(value, part) for part in parts)
        case builtins.tuple:
            if type(value) is not tuple:
                return False
            kinds = parts[:1] * len(value) if parts[-1] is ... else parts
            return len(value) == len(kinds) and all(map(_fits, value, kinds))
        case _:
            return type(value) is dict and all(
                _fits(key, parts[0]) and _fits(item, parts[1]) for key, item in value.items()
            )


@functools.cache
def _parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(kind), get_args(kind)


def _is_finite(value: Any) -> bool:
    """Return whether a number is finite: Python's JSON also has NaN and infinities."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
