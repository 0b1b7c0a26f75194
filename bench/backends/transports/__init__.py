"""Ways from one producer to its readers: one file for each kind; see `base`.

Nothing here imports a transport's library before it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..registry import BackendRegistry
from .base import TransportError, TransportKind

__all__ = ["DEFAULT", "ENTRY_POINTS", "MODULES", "by_url", "kind", "kinds"]

ENTRY_POINTS = "bakeoff.transports"
"""Entry-point group of third parties' transports: name = the transport's, value = ``module:attribute``."""

MODULES: Mapping[str, str] = {"pipe": "pipe", "zmq": "zmq", "redis": "redis", "nats": "nats", "amqp": "amqp"}
"""Where ours are declared, by name."""

DEFAULT = ("pipe", "zmq")
"""Transports that are taken when none is named."""

_registry = BackendRegistry(
    "transport", TransportKind, __package__, "TRANSPORTS", MODULES, ENTRY_POINTS, TransportError
)
kind, kinds, by_url = _registry.kind, _registry.kinds, _registry.by_url
