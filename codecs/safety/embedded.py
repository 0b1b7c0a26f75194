"""Limits for values that are encoded as MessagePack within a payload, for fields of any type.

The outer format counts each of them as one value, so that each could contain as many values as a payload
may. While a `Budget` is active, `count_embedded` counts the values of each before it is decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..limits import DEFAULT
from ._scan import Budget, count_embedded

__all__ = ["Budget", "count_embedded", "within_budget"]


def within_budget(read: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return `read` with a further argument ``items``: how many embedded values it may decode."""

    def reading(data: Any, *, items: int = DEFAULT.items) -> Any:
        with Budget(items):
            return read(data)

    return reading
