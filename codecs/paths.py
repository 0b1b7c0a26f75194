"""Paths and values in messages: short, on one line, and without ever raising an error."""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 60
"""Characters of a value that a message shows."""
_PATH = 100
"""Characters of a path that a message shows."""


def type_name(value: object) -> str:
    """Return the name of a value's type, even if the type overrides `__name__`."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name


def step(key: object) -> str:
    """Return one part of a path: ``.name`` for plain names, ``[0]`` or ``['odd name']`` otherwise.

    An ellipsis stands for an item of a set, which has no position. Long names are shortened, as each fault
    in a record has its own path.
    """
    if key is ...:
        return "[]"
    if issubclass(type(key), str):
        text = str.__str__(key)
        if len(text) <= WIDTH and text.isidentifier():
            return f".{text}"
    return f"[{brief(key)}]"


def join(keys: Iterable[object]) -> str:
    """Return the path of some keys, for instance ``$.items[3].created``."""
    return "$" + "".join(step(key) for key in keys)


def abridged(path: str) -> str:
    """Return a path of at most `_PATH` characters: those of deep records lack their middle."""
    return path if len(path) <= _PATH else f"{path[: _PATH * 2 // 3]}…{path[1 - _PATH // 3 :]}"


def brief(value: object, width: int = WIDTH) -> str:
    """Return a `repr` of at most `width` characters that takes little time even for huge values."""
    try:
        return _cut(_repr(value, width), width)
    except Exception:  # noqa: BLE001 - a message about a bad value must not fail on that value
        return f"<{type_name(value)}>"


def _repr(value: object, width: int) -> str:
    if isinstance(value, str | bytes | bytearray):
        return repr(value[: width + 1])
    if isinstance(value, int) and value.bit_length() > 4 * width:
        return f"<int of {value.bit_length()} bits>"
    if isinstance(value, dict | list | tuple | set | frozenset) and (count := len(value)):
        return f"<{type_name(value)} of {count}>"
    return repr(value)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
