"""Read the contention for the physical core; see `bench.contention`."""

from __future__ import annotations

from ._slice import spin, time_calls
from .reference import ITEMS, kernel

__all__ = ["read"]

_TRIES = 3
"""The quickest counts: a reading takes 50 µs, and an interrupt spoils one try of it."""
_TURNS = 8_000
"""Dependent steps of the chain, about 9 µs; as long as one call of the kernel."""


def read() -> float:
    """Return the time of the reference kernel over that of a chain of dependent steps."""
    busy = min(time_calls(kernel, ITEMS, 0, 1)[0] for _ in range(_TRIES))
    chain = min(time_calls(spin, [_TURNS], 0, 1)[0] for _ in range(_TRIES))
    return busy / max(1, chain)
