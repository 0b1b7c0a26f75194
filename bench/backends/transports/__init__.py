"""Transports from one producer to its consumers, one file per kind; see `base`.

The library of a transport is imported only when the transport is used.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..registry import BackendRegistry
from .base import TransportError, TransportKind

__all__ = ["DEFAULT", "ENTRY_POINTS", "MODULES", "by_url", "kind", "kinds", "mock_of"]

ENTRY_POINTS = "bakeoff.transports"
"""Entry-point group for transports of other packages: name = the transport's, value = ``module:attribute``.
"""

MODULES: Mapping[str, str] = {
    "pipe": "pipe",
    "zmq": "zmq",
    "redis": "redis",
    "nats": "nats",
    "amqp": "amqp",
    "kafka": "kafka",
    "kafka-mock": "kafka",
}
"""The modules of the built-in transports, by name."""

DEFAULT = ("pipe", "zmq")
"""Transports that are used if none is named."""

_registry = BackendRegistry(
    "transport", TransportKind, __package__, "TRANSPORTS", MODULES, ENTRY_POINTS, TransportError
)
kind, kinds, by_url = _registry.kind, _registry.kinds, _registry.by_url


def mock_of(name: str) -> str | None:
    """Return the transport that replaces the broker of another one by a mock, if there is one."""
    return next((each for each in kinds() if kind(each).mocks == name), None)
