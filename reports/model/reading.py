"""What readers in other languages made of the payloads of one corpus, grouped for tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...bench.results import CellResult
from .candidates import Candidate, measured
from .read import LibraryResult, languages

Written = tuple[Candidate, ...]
"""Codecs that write the same payloads."""
Alike = tuple[LibraryResult, ...]
"""What a library read of codecs that write the same payloads."""


@dataclass(frozen=True)
class Reading:
    """The codecs of a corpus whose payloads were read.

    Attributes:
        codecs: The codecs, those that cost least first.
    """

    codecs: tuple[Candidate, ...]

    @cached_property
    def languages(self) -> dict[str, str]:
        """The names of the languages, by their short names."""
        return languages(read for codec in self.codecs for read in codec.reads.values())

    @cached_property
    def by_payload(self) -> list[Written]:
        """The codecs in groups that write the same payloads."""
        found: dict[object, list[Candidate]] = {}
        for codec in self.codecs:
            own = tuple((read.reader, _found(read)) for read in codec.reads.values())
            found.setdefault(own, []).append(codec)
        return [*map(tuple, found.values())]

    @cached_property
    def by_library(self) -> list[Alike]:
        """What each library read, by language, payloads and time.

        Codecs that write the same payloads share their samples.
        """
        found: dict[tuple[object, ...], list[LibraryResult]] = {}
        for codec in self.codecs:
            for read in codec.reads.values():
                found.setdefault((read.reader, *_found(read)), []).append(read)
        first = {codec.name: number for number, codec in enumerate(self.codecs)}
        order = [*self.languages]

        def place_of(row: Alike) -> tuple[int, int, tuple[bool, float]]:
            return order.index(row[0].language), first[row[0].codec], seconds(row[0].cell)

        return sorted(map(tuple, found.values()), key=place_of)


def reading_of(codecs: Iterable[Candidate], costs: Iterable[str]) -> Reading | None:
    """Return what readers made of the payloads of some codecs; None if none were read.

    Args:
        codecs: The codecs.
        costs: The names of those that have a cost, the lowest first.
    """
    order = {name: number for number, name in enumerate(costs)}
    found = [codec for codec in codecs if codec.reads]
    found.sort(key=lambda codec: order.get(codec.name, len(order)))
    return Reading(tuple(found)) if found else None


def seconds(cell: CellResult) -> tuple[bool, float]:
    """Return the key by which cells are sorted: by their figures; those without any by the check, last."""
    found = measured(cell)
    return (True, cell.rough or math.inf) if found is None else (False, found.value)


def _found(read: LibraryResult) -> tuple[object, ...]:
    cell = read.cell
    return cell.samples or (cell.outcome, cell.reason, cell.loss, cell.rough)
