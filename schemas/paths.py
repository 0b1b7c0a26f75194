"""How a place in a record and a value are written in messages: short, on one line, never raising."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["brief", "join", "step"]

WIDTH = 60
"""Characters of a value that a message shows."""


def step(key: object) -> str:
    """Return one part of a path: ``.name`` for plain names, ``[0]`` or ``['odd name']`` otherwise.

    An ellipsis stands for some item of a set, which have no places. Long names are cut: every fault in
    what they hold has a path of its own.
    """
    if key is ...:
        return "[]"
    if isinstance(key, str) and len(key) <= WIDTH and key.isidentifier():
        return f".{key}"
    return f"[{brief(key)}]"


def join(keys: Iterable[object]) -> str:
    """Return the path of a place, for instance ``$.items[3].created``."""
    return "$" + "".join(step(key) for key in keys)


def brief(value: object, width: int = WIDTH) -> str:
    """Return a `repr` that is at most `width` characters long and costs little for huge values."""
    if isinstance(value, str | bytes | bytearray):
        return _cut(repr(value[: width + 1]), width)
    if isinstance(value, int) and value.bit_length() > 4 * width:
        return f"<int of {value.bit_length()} bits>"
    if isinstance(value, dict | list | tuple | set | frozenset):
        count = len(value)
        if count == 0:
            return repr(value)
        return f"<{type(value).__name__} of {count}>"
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a message about a bad value must not fail on that value
        return f"<{type(value).__name__}>"
    return _cut(text, width)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
