"""Cells that were measured over several parameters or sizes of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...bench.results import CorpusFacts, Measurement, ResultData
from .candidates import BASELINE
from .crossover import Series


def swept(results: Sequence[ResultData]) -> dict[str, dict[str, int]]:
    """Return the operations that were measured with several numbers as parameter, outside of places.

    Returns:
        By name without the parameter: the parameters by full name, the lowest first.
    """
    families: dict[str, dict[str, int]] = {}
    for cell in (cell.cell for result in results for cell in result.cells):
        if cell.parameter.isdecimal() and not cell.place:
            name = replace(cell, parameter="").operation_name
            families.setdefault(name, {})[cell.operation_name] = int(cell.parameter)
    return {
        name: dict(sorted(members.items(), key=lambda member: member[1]))
        for name, members in families.items()
        if len(members) > 1
    }


def scaled(result: ResultData) -> dict[str, dict[float, CorpusFacts]]:
    """Return the corpora whose records were scaled to several sizes, by name and bytes of a record."""
    found: dict[str, dict[float, CorpusFacts]] = {}
    for corpus in result.corpora:
        name, size = corpus.profile.get("scaled_from"), corpus.profile.get("scaled_to")
        if isinstance(name, str) and isinstance(size, int | float) and size > 0:
            found.setdefault(name, {})[float(size)] = corpus
    return {name: dict(sorted(sizes.items())) for name, sizes in found.items() if len(sizes) > 1}


def series(result: ResultData, sizes: Mapping[float, CorpusFacts], operation: str) -> Mapping[str, Series]:
    """Return the samples of an operation, by codec and size."""
    places = {corpus.name: size for size, corpus in sizes.items()}
    found: dict[str, dict[float, Sequence[Measurement]]] = {}
    for cell in result.cells:
        at = cell.cell
        if at.corpus in places and at.operation_name == operation and at.codec != BASELINE and cell.samples:
            found.setdefault(at.codec, {})[places[at.corpus]] = cell.samples
    return found
