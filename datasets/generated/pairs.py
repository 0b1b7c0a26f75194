"""`pairs`: 16 bytes of data, so that nearly all of the cost is a codec's fixed cost."""

from __future__ import annotations

from typing import TypedDict

from ._generate import pair
from .families import CorpusFamily


class Pair(TypedDict):
    """Integers of eight bytes, which every format has. Bytes would need base64 in most text formats."""

    key: int
    value: int


FAMILY = CorpusFamily(
    name="pairs",
    description="A key and a value, whole numbers of 8 bytes each: fixed costs rule.",
    schema=Pair,
    make=pair,
)
