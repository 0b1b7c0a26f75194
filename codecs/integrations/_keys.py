"""Keys of caches: two keys have one payload only if they are of the same types.

A codec writes the Decimal 1.5 and the text "1.5" alike if its format has no decimals. As keys, for instance
the arguments of a memoized function, these are two. So values that a codec does not read back exactly are
written with their types, each as a dict of one item whose name starts with `MARK`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from ..conventions.classes import named_fields
from ..core.base import CodecBase
from ..errors import CodecError

MARK = "bakeoff:"

_MICROSECOND = dt.timedelta(microseconds=1)

_TEXTS: dict[type, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    type(None): (str, lambda text: None),
    bool: (str, lambda text: text == "True"),
    int: (str, int),
    float: (repr, float),
    complex: (repr, complex),
    bytes: (bytes.hex, bytes.fromhex),
    Decimal: (str, Decimal),
    UUID: (str, UUID),
    dt.datetime: (dt.datetime.isoformat, dt.datetime.fromisoformat),
    dt.date: (dt.date.isoformat, dt.date.fromisoformat),
    dt.time: (dt.time.isoformat, dt.time.fromisoformat),
    dt.timedelta: (lambda value: str(value // _MICROSECOND), lambda text: int(text) * _MICROSECOND),
}
"""Texts of the scalars that are restored: how they are written and read."""
_LISTS: dict[type, Callable[[Any], Any]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    dict: dict,
}
"""The containers that are restored: how they are made of a list."""
_BY_NAME = {kind.__name__: kind for kind in (*_TEXTS, *_LISTS)}


class Keys:
    """Payloads of keys.

    Args:
        codec: Writes keys unchanged that it reads back exactly. The outermost tuple may be read as a list.
    """

    def __init__(self, codec: CodecBase) -> None:
        self._codec = codec

    def encode(self, key: Any) -> bytes:
        """Return the payload of a key.

        Raises:
            EncodeError: As the codec's.
        """
        try:
            payload = self._codec.encode(key)
            found = self._codec.decode(payload)
        except CodecError:
            pass  # for instance a class, in keys of `memoize(typed=True)`
        else:
            if _is_same(_listed(key), _listed(found)):
                return payload
        outermost = [self._marked(each) for each in key] if type(key) is tuple else self._marked(key)
        return self._codec.encode(outermost)

    def decode(self, payload: bytes) -> Any:
        """Return the key of a payload: objects as dicts of their fields, the outermost tuple maybe as a list.

        Raises:
            DecodeError: As the codec's.
        """
        return _unmarked(self._codec.decode(payload))

    def _marked(self, value: Any) -> Any:
        """Return a value with its type, unless the codec reads it back exactly."""
        kind = type(value)
        if kind is str or (kind is not dict and self._is_exact(value)):
            return value
        if kind in _TEXTS:
            return {MARK + kind.__name__: _TEXTS[kind][0](value)}
        if kind in (tuple, list):
            items = [self._marked(each) for each in value]
            return items if kind is list else {MARK + kind.__name__: items}
        if kind in (set, frozenset):
            return {MARK + kind.__name__: sorted(map(self._marked, value), key=self._codec.encode)}
        if kind is dict:
            return {MARK + kind.__name__: [[self._marked(each), self._marked(value[each])] for each in value]}
        if isinstance(value, type):
            return {f"{MARK}type": _name_of(value)}
        name = f"{_name_of(kind)} {getattr(value, 'dtype', '')}".rstrip()
        return {MARK + name: self._marked(self._content(value))}

    def _is_exact(self, value: Any) -> bool:
        try:
            return _is_same(value, self._codec.decode(self._codec.encode(value)))
        except CodecError:
            return False

    def _content(self, value: Any) -> Any:
        """Return the plain value of an object: its own, or the one that the codec makes of it."""
        if isinstance(value, Enum):
            return value.name
        if (fields := named_fields(value)) is not None:
            return fields
        for kind in (*_TEXTS, *_LISTS, str):
            if isinstance(value, kind):
                return _TEXTS[kind][0](value) if kind in _TEXTS else kind(value)
        return self._codec.decode(self._codec.encode(value))


def _listed(key: Any) -> Any:
    return list(key) if type(key) is tuple else key


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _unmarked(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_unmarked, value))
    if type(value) is not dict:
        return value
    if len(value) == 1:
        ((name, content),) = value.items()
        marked = isinstance(name, str) and name.startswith(MARK)
        kind = _BY_NAME.get(name.removeprefix(MARK)) if marked else None
        try:
            if kind in _TEXTS:
                return _TEXTS[kind][1](content)
            if kind is not None:
                return _LISTS[kind](map(_unmarked, content))
        except (ArithmeticError, TypeError, ValueError):
            return value  # written by another program
    return {key: _unmarked(each) for key, each in value.items()}


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same types, at any depth; a dict with a mark is not."""
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in (list, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if kind is dict:
        if any(isinstance(key, str) and key.startswith(MARK) for key in one):
            return False
        return len(one) == len(other) and all(map(_is_same, one.items(), other.items()))
    if kind in (set, frozenset):
        return bool(one == other) and {*map(type, one)} == {*map(type, other)}
    return kind in _TEXTS and repr(one) == repr(other) if kind is not str else bool(one == other)
