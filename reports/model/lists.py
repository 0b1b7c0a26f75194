"""Join names as in a sentence, the first few of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FEW_NAMES: Final = 3
"""Names in a sentence before the others are counted."""


def some(names: Sequence[str], most: int = FEW_NAMES) -> str:
    """Join the first few names and count the others: "a, b, c and 54 more"."""
    # A single name is not longer than the words that would replace it.
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def few(names: Sequence[str]) -> str:
    """Join names as in a sentence, and count the others if there are many: "a, b, c and 9 others"."""
    if len(names) <= FEW_NAMES + 1:
        return listed(names)
    return f"{', '.join(names[:FEW_NAMES])} and {len(names) - FEW_NAMES} others"


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
