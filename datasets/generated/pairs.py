"""`pairs`: 16 bytes of data, where a codec's fixed costs are all there is."""

from __future__ import annotations

from typing import TypedDict

from ._generate import pair
from .families import CorpusFamily

__all__ = ["FAMILY", "Pair"]


class Pair(TypedDict):
    """Whole numbers of eight bytes: every format has those, while most texts would need base64 for bytes."""

    key: int
    value: int


FAMILY = CorpusFamily(
    name="pairs",
    description="A key and a value, whole numbers of 8 bytes each: fixed costs rule.",
    schema=Pair,
    make=pair,
)
