"""The content of objects that may be endless: their classes say only that they are sequences or mappings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from ..limits import OWN_DATA


def items_of(value: Collection[Any]) -> list[Any]:
    """Return the items of a sequence, or the keys of a mapping, as many as its length says.

    Raises:
        ValueError: There are more, or more than the largest limit for a payload's values.
    """
    count = len(value)
    if count > OWN_DATA["items"]:
        raise ValueError(f"{type(value).__name__} of more than {OWN_DATA['items']:,} items")
    found = list(islice(value, count + 1))
    if len(found) > count:
        raise ValueError(f"{type(value).__name__} has more items than its length, {count:,}")
    return found


def dict_of(value: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a mapping as a dict.

    Raises:
        ValueError: As `items_of`.
    """
    return {key: value[key] for key in items_of(value)}
