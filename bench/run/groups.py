"""Which cells share a timing process."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable
from itertools import chain

from ...codecs import describe
from ...codecs.naming import bare_name
from ..operations import operation
from ..results import BASELINE, Cell
from .releases import Release, release_of


def cells_release(cell: Cell) -> Release | None:
    """Return the release of a library that a process must have for a cell; None for the installed one."""
    return None if cell.codec == BASELINE else release_of(cell.codec)


def grouped(cells: Iterable[Cell], *, isolate: bool) -> list[list[Cell]]:
    """Return the cells that share a process, in random order: all of them in an ordinary run.

    A process can hold only one release of a library. If releases are compared, the installed one also has its
    own, as other codecs leave the caches cold.

    Args:
        cells: The cells to time.
        isolate: Each codec has a process.
    """
    cells = list(cells)
    libraries = {found.library for cell in cells if (found := cells_release(cell))}
    groups: dict[object, list[Cell]] = {}
    for cell in cells:
        key: object = cells_release(cell)
        if isolate:
            key = cell.codec
        elif key is None and cell.codec != BASELINE and describe(cell.codec).library in libraries:
            key = describe(cell.codec).library
        groups.setdefault(key, []).append(cell)
    if all(cell.codec == BASELINE for cell in groups.get(None, [])):
        # It is not worth a process of its own. In a random group it does not always disturb the same one.
        baseline = groups.pop(None, [])
        random.choice(list(groups.values()) or [[]]).extend(baseline)
    shuffled = list(groups.values())
    random.shuffle(shuffled)
    return shuffled


def without_twins(groups: Iterable[Iterable[Cell]]) -> tuple[list[list[Cell]], dict[Cell, Cell]]:
    """Leave out cells that another cell already measures: a schema changes neither dump nor load.

    Returns:
        The groups that still have cells, and the cell that measures each one left out.
    """
    groups = [list(group) for group in groups]
    present = set(chain.from_iterable(groups))
    twins = {}
    for cell in chain.from_iterable(groups):
        bare = dataclasses.replace(cell, codec=bare_name(cell.codec))
        declared = operation(cell.operation_name)
        if bare != cell and bare in present and not (declared.schema or declared.fixes):
            twins[cell] = bare
    left = [[cell for cell in group if cell not in twins] for group in groups]
    return [group for group in left if group], twins
