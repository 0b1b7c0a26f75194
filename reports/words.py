"""Words that the recommendation and `pick` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["FAILED", "listed"]

FAILED: Final[Mapping[str, str]] = {
    "missing": "is not installed",
    "crashed": "crashed",
    "timed out": "timed out",
    "out of memory": "ran out of memory",
    "error": "failed",
    "wrong": "brings back something else",
    "unsupported": "cannot carry these records",
}
"""What a codec with such an outcome did, as the end of a sentence; loss is no failure."""


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
