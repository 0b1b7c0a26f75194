"""Operations, one file for each or for a family; see `base`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...errors import UsageError, hint, near
from ...published import published
from ..cells import split_operation
from . import (
    batch,
    count,
    dump,
    first,
    fix,
    growth,
    load,
    peak,
    peek,
    pipeline,
    read,
    retained,
    size,
    stores,
    tail,
    threads,
    update,
)
from .base import Operation

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["COUNTS", "DEFAULT", "ENTRY_POINTS", "MEMORY", "OPERATIONS", "RETAINED", "declared", "operation"]

ENTRY_POINTS = "bakeoff.operations"
"""Entry-point group for operations of other packages: name = the operation's, value = ``module:attribute``.
"""

_MODULES = (
    dump, load, fix, size, batch, first, threads, tail, peek, stores, pipeline, update,
    read, count, peak, retained, growth,
)  # fmt: skip
_MEMBERS = tuple(
    member for module in _MODULES for declared in module.OPERATIONS for member in declared.family()
)

OPERATIONS: Mapping[str, Operation] = {member.name: member for member in _MEMBERS}
"""The built-in operations, including variants; of two with one name, the one without a place."""

_PLACED = {member.name: member for member in _MEMBERS if member.place}

DEFAULT = tuple(o.name for o in OPERATIONS.values() if o.default and o.phase != "memory")
"""Operations of every run."""

MEMORY = tuple(o.name for o in OPERATIONS.values() if o.default and o.phase == "memory")
"""Operations that join unless ``--no-memory``."""

RETAINED = tuple(o.name for o in retained.OPERATIONS)
"""Operations that join if releases of a library are compared."""

COUNTS = tuple(o.name for o in OPERATIONS.values() if o.exact)
"""Operations that join with ``--count``."""


def operation(name: str) -> Operation:
    """Return an operation by its name: a built-in one, or one that an installed package publishes.

    Args:
        name: As `bench.cells.operation_name` writes it.

    Raises:
        UsageError: It does not exist, the package's operation cannot be loaded, or it does not support this
            place or parameter.
    """
    return _named(name)


@functools.cache
def _named(name: str) -> Operation:
    stem, place, parameter = split_operation(name)
    found = (_PLACED.get(stem) if place else None) or OPERATIONS.get(stem) or _published(stem)
    return found.at(place, parameter)


def declared() -> Iterator[Operation]:
    """Yield all operations, including variants: the built-in ones, then those of other packages.

    One that cannot be loaded is left out with a warning.
    """
    yield from _MEMBERS
    for point in _points().values():
        try:
            yield from _loaded(point).family()
        except UsageError as error:
            warnings.warn(str(error), stacklevel=2)


def _points() -> dict[str, EntryPoint]:
    return published(ENTRY_POINTS, "operation", {*OPERATIONS, *_PLACED})


@functools.cache
def _published(name: str) -> Operation:
    points = _points()
    # The name of a variant starts with its operation's name; the family has the match.
    for point in points.values():
        if name == point.name or name.startswith(f"{point.name}-"):
            family = {member.name: member for member in _loaded(point).family()}
            if name in family:
                return family[name]
    known = [*OPERATIONS, *points]
    there = f"there are {', '.join([o.syntax for o in OPERATIONS.values()] + [*points])}"
    raise UsageError(f"no operation {name!r}; {hint(near(name, known), there)}")


def _loaded(point: EntryPoint) -> Operation:
    try:
        found = point.load()
    except Exception as error:
        raise UsageError(
            f"operation {point.name!r} of {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, Operation) or found.name != point.name:
        raise UsageError(f"{point.value}: is not the operation {point.name!r}")
    return found
