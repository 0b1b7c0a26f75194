"""Ways from one producer to its readers: one file for each kind; see `base`.

Nothing here imports a transport's library before it is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata

from ...errors import UsageError, hint, near
from .base import Kind, TransportError

__all__ = ["DEFAULT", "ENTRY_POINTS", "MODULES", "by_url", "kind", "kinds"]

ENTRY_POINTS = "bakeoff.transports"
"""Entry-point group of third parties' transports: name = the transport's, value = ``module:attribute``."""

MODULES: Mapping[str, str] = {"pipe": "pipe", "zmq": "zmq", "redis": "redis", "nats": "nats", "amqp": "amqp"}
"""Where ours are declared, by name."""

DEFAULT = ("pipe", "zmq")
"""Transports that are taken when none is named."""


@functools.cache
def kind(name: str) -> Kind:
    """Return a kind of transports by its name.

    Raises:
        UsageError: There is none.
        TransportError: It is of another package and cannot be loaded.
    """
    if (module := MODULES.get(name)) is not None:
        declared: Sequence[Kind] = import_module(f".{module}", __package__).TRANSPORTS
        return next(found for found in declared if found.name == name)
    points = {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}
    if name in points:
        return _loaded(points[name])
    known = [*MODULES, *points]
    raise UsageError(f"no transport {name!r}; {hint(near(name, known), 'there are ' + ', '.join(known))}")


def kinds() -> list[str]:
    """Return the names of all, those of other packages behind ours."""
    return list(dict.fromkeys([*MODULES, *(p.name for p in metadata.entry_points(group=ENTRY_POINTS))]))


def by_url(url: str) -> Kind:
    """Return the kind of transports that a URL leads to.

    Raises:
        UsageError: None does; the URL itself, which may hold a password, is not repeated.
    """
    scheme = url.partition("://")[0]
    for name in kinds():
        found = kind(name)
        if scheme in found.schemes:
            return found
    known = [f"{scheme}://" for name in kinds() for scheme in kind(name).schemes]
    raise UsageError(f"no broker has URLs that begin with {scheme}://; there are {', '.join(known)}")


def _loaded(point: metadata.EntryPoint) -> Kind:
    try:
        found = point.load()
    except Exception as error:
        raise TransportError(
            f"transport {point.name!r} of {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, Kind) or found.name != point.name:
        raise TransportError(f"{point.value}: is not the transport {point.name!r}")
    return found
