"""`movies`: small flat records, whose cost is mostly fixed."""

from __future__ import annotations

from typing import TypedDict

from ._generate import movie
from .families import CorpusFamily


class Movie(TypedDict):
    """About 150 bytes of compact JSON."""

    id: int
    title: str
    year: int
    description: str


FAMILY = CorpusFamily(
    name="movies",
    description="Small flat records of four fields, about 150 bytes of JSON.",
    schema=Movie,
    make=movie,
)
