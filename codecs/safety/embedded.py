"""Values of one payload that are encoded as MessagePack within it: fields that may hold anything.

The format around them counts each as one value, so that each could hold as much as a payload may. While a
`Budget` is in force, `count_embedded` counts the values of each before it is decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._scan import Budget, count_embedded
from .limits import DEFAULT

__all__ = ["Budget", "count_embedded", "within_budget"]


def within_budget(read: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return `read` with a further argument ``items``: how many embedded values it may decode."""

    def reading(data: Any, *, items: int = DEFAULT.items) -> Any:
        with Budget(items):
            return read(data)

    return reading
