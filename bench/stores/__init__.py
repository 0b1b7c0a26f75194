"""Where payloads are kept: one file for each kind of stores; see `base`.

Nothing here imports a store's library before it is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata

from ...errors import UsageError, hint, near
from .base import Kind, StoreError

__all__ = ["DEFAULT", "ENTRY_POINTS", "MODULES", "by_url", "kind", "kinds"]

ENTRY_POINTS = "bakeoff.stores"
"""Entry-point group of third parties' stores: name = the store's, value = ``module:attribute``."""

MODULES: Mapping[str, str] = {
    "log": "log",
    "sqlite": "sqlite",
    "lmdb": "lmdb",
    "kyoto": "kyoto",
    "rocksdict": "rocksdict",
    "redis": "redis",
    "postgresql": "postgresql",
    "mysql": "mysql",
    "mongodb": "mongodb",
    "sqlalchemy": "sqlalchemy",
    "sqlmodel": "sqlalchemy",
    "sqlalchemy-postgresql": "sqlalchemy",
    "sqlalchemy-mysql": "sqlalchemy",
}
"""Where ours are declared, by name."""

DEFAULT = ("log", "sqlite", "lmdb")
"""Stores that are entered when none is named."""


@functools.cache
def kind(name: str) -> Kind:
    """Return a kind of stores by its name.

    Raises:
        UsageError: There is none.
        StoreError: It is of another package and cannot be loaded.
    """
    if (module := MODULES.get(name)) is not None:
        declared: Sequence[Kind] = import_module(f".{module}", __package__).STORES
        return next(found for found in declared if found.name == name)
    points = {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}
    if name in points:
        return _loaded(points[name])
    known = [*MODULES, *points]
    raise UsageError(f"no store {name!r}; {hint(near(name, known), 'there are ' + ', '.join(known))}")


def kinds() -> list[str]:
    """Return the names of all, those of other packages behind ours."""
    return list(dict.fromkeys([*MODULES, *(p.name for p in metadata.entry_points(group=ENTRY_POINTS))]))


def by_url(url: str) -> Kind:
    """Return the kind of stores that a URL leads to.

    Raises:
        UsageError: None does; the URL itself, which may hold a password, is not repeated.
    """
    scheme = url.partition("://")[0]
    for name in kinds():
        found = kind(name)
        if scheme in found.schemes:
            return found
    known = [f"{scheme}://" for name in kinds() for scheme in kind(name).schemes]
    raise UsageError(f"no store has URLs that begin with {scheme}://; there are {', '.join(known) or 'none'}")


def _loaded(point: metadata.EntryPoint) -> Kind:
    try:
        found = point.load()
    except Exception as error:
        raise StoreError(
            f"store {point.name!r} of {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, Kind) or found.name != point.name:
        raise StoreError(f"{point.value}: is not the store {point.name!r}")
    return found
