"""What was measured over several parameters or sizes of records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...bench.results import CorpusFacts, Measurement, Result
from .candidates import FLOOR
from .crossover import Series

__all__ = ["scaled", "series", "swept"]

_PARAMETER: Final = re.compile(r"(.*):(\d+)")


def swept(results: Sequence[Result]) -> dict[str, list[str]]:
    """Return the operations that were measured with several numbers as parameter, by what precedes it."""
    families: dict[str, dict[str, int]] = {}
    for result in results:
        for cell in result.cells:
            if found := _PARAMETER.fullmatch(cell.cell.operation):
                families.setdefault(found[1], {})[cell.cell.operation] = int(found[2])
    return {
        stem: sorted(members, key=members.__getitem__)
        for stem, members in families.items()
        if len(members) > 1
    }


def scaled(result: Result) -> dict[str, dict[float, CorpusFacts]]:
    """Return the corpora whose records were brought to several sizes, by name and bytes of a record."""
    found: dict[str, dict[float, CorpusFacts]] = {}
    for corpus in result.corpora:
        name, size = corpus.profile.get("scaled_from"), corpus.profile.get("scaled_to")
        if isinstance(name, str) and isinstance(size, int | float) and size > 0:
            found.setdefault(name, {})[float(size)] = corpus
    return {name: dict(sorted(sizes.items())) for name, sizes in found.items() if len(sizes) > 1}


def series(result: Result, sizes: Mapping[float, CorpusFacts], operation: str) -> Mapping[str, Series]:
    """Return the samples of an operation, by codec and size."""
    places = {corpus.name: size for size, corpus in sizes.items()}
    found: dict[str, dict[float, Sequence[Measurement]]] = {}
    for cell in result.cells:
        at = cell.cell
        if at.corpus in places and at.operation == operation and at.codec != FLOOR and cell.samples:
            found.setdefault(at.codec, {})[places[at.corpus]] = cell.samples
    return found
