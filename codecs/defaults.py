"""Which codecs wait to be named, because another of their format is better on every shape of record.

`defaults.toml` has the figures; ``python3 tasks.py benchmarks defaults --write`` measures them again.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

FILE = Path(__file__).with_suffix(".toml")
WIDELY_USED = 1_000
"""A library is widely used if its rank among the most downloaded of PyPI is at most this."""
BETTER = 1.1
"""A codec is better if the other takes at least so many times as long; figures of one run differ by less."""


class Declared(Protocol):
    """The facts about a codec that count, as in `bakeoff.codecs.registry.Declaration`."""

    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def library(self) -> str: ...
    @property
    def unguarded(self) -> bool: ...


class FieldFigures(NamedTuple):
    """What is known of all codecs.

    Attributes:
        figures: Nanoseconds of a dump and of a load on each corpus, by codec.
        ranks: Ranks among the most downloaded libraries of PyPI.
    """

    figures: Mapping[str, Mapping[str, tuple[float, float]]]
    ranks: Mapping[str, int]


@functools.cache
def field() -> FieldFigures:
    """Return the figures of the file."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    figures = {
        codec: {corpus: (dump, load) for corpus, (dump, load) in shapes.items()}
        for codec, shapes in data["figures"].items()
    }
    return FieldFigures(figures, data["ranks"])


def waiting(codecs: Collection[Declared], known: FieldFigures) -> set[str]:
    """Return the names of the codecs that wait to be named.

    They are worse than one other codec of their format in each operation on each corpus, and have no other
    merit: they are not part of Python, and their library is not widely used. Codecs without figures do not
    wait. Those that take trusted payloads only are not better than others.
    """
    return {
        codec.name
        for codec in codecs
        if codec.library
        and known.ranks.get(codec.library, WIDELY_USED + 1) > WIDELY_USED
        and any(_beats(other, codec, known) for other in codecs)
    }


def _beats(one: Declared, other: Declared, known: FieldFigures) -> bool:
    better, worse = known.figures.get(one.name), known.figures.get(other.name)
    if one.format != other.format or one.unguarded > other.unguarded or not better or not worse:
        return False
    return better.keys() >= worse.keys() and all(
        theirs >= BETTER * ours
        for corpus, figures in worse.items()
        for ours, theirs in zip(better[corpus], figures, strict=True)
    )
