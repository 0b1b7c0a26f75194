"""Records whose parts refer to one another: a few bytes that stand for billions of values."""

from __future__ import annotations

from typing import Any

__all__ = ["refuse_bombs"]

MOST_VALUES = 10_000_000


def refuse_bombs(record: Any) -> None:
    """Refuse a record that contains itself, or that becomes huge once its references are written out.

    Every object is looked at once, however often it is referred to.

    Raises:
        ValueError: It does.
    """
    sizes: dict[int, int] = {}
    open_ids: set[int] = set()
    stack = [record]
    while stack:
        value = stack[-1]
        key = id(value)
        parts = _parts(value)
        if parts is None or key in sizes:
            stack.pop()
        elif key in open_ids:
            size = 1 + sum(sizes.get(id(part), 1) for part in parts)
            if size > MOST_VALUES:
                raise ValueError(f"its references stand for more than {MOST_VALUES:,} values")
            sizes[key] = size
            open_ids.remove(key)
            stack.pop()
        else:
            open_ids.add(key)
            for part in parts:
                if id(part) in open_ids:
                    raise ValueError("it contains itself")
                stack.append(part)


def _parts(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    return None
