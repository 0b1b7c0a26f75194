"""Stores for payloads, one file per kind; see `base`.

The library of a store is imported only when the store is used.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..registry import BackendRegistry
from .base import StoreError, StoreKind

__all__ = ["DEFAULT", "ENTRY_POINTS", "MODULES", "by_url", "kind", "kinds"]

ENTRY_POINTS = "bakeoff.stores"
"""Entry-point group for stores of other packages: name = the store's, value = ``module:attribute``."""

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
"""The modules of the built-in stores, by name."""

DEFAULT = ("log", "sqlite", "lmdb")
"""Stores that are used if none is named."""

_registry = BackendRegistry("store", StoreKind, __package__, "STORES", MODULES, ENTRY_POINTS, StoreError)
kind, kinds, by_url = _registry.kind, _registry.kinds, _registry.by_url
