"""`universe`: many small records of two kinds that refer to one another."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from ._generate import body
from .families import CorpusFamily


class Body(TypedDict):
    """A galaxy (`type` to `planets`) or a planet (`galaxy` to `visited`).

    `near`, `planets`, `galaxy` and `visited` are numbers of other records. The last galaxies of a corpus
    refer to bodies beyond its end.
    """

    id: int
    kind: str
    name: str
    type: NotRequired[str]
    distance: NotRequired[float]
    stars: NotRequired[int]
    near: NotRequired[list[int]]
    planets: NotRequired[list[int]]
    galaxy: NotRequired[int]
    orbit: NotRequired[int]
    mass: NotRequired[float]
    radius: NotRequired[float]
    moons: NotRequired[int]
    ringed: NotRequired[bool]
    visited: NotRequired[list[int]]


FAMILY = CorpusFamily(
    name="universe",
    description="Galaxies, each with 15 planets: small records of two kinds that refer to one another.",
    schema=Body,
    make=body,
)
