"""Readings of the contention for the physical core; see `bench.contention`."""

from __future__ import annotations

from ..capabilities import here
from ..method import Cores
from ._slice import spin, time_calls
from .reference import ITEMS, kernel


def read() -> float:
    """Return the time of the reference kernel divided by that of a chain of dependent steps.

    It is 0, for unknown, where the compiler cannot be kept from shortening the chain.
    """
    if not here().core_state:
        return 0.0
    busy = min(time_calls(kernel, ITEMS, 0, 1)[0] for _ in range(Cores.TRIES))
    chain = min(time_calls(spin, [Cores.CHAIN], 0, 1)[0] for _ in range(Cores.TRIES))
    return busy / max(1, chain)
