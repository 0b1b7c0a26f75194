"""Times the garbage collector over records that libraries have decoded.

It visits the items of each list and dict. With a library that creates each key anew, these are more objects,
and they lie farther apart.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .alternatives import OWN, Call, Other

_BYTES = 500_000
"""Bytes of payloads that are decoded, so that the records do not fit in the caches."""
_TRIES = 2


def collections(calls: Mapping[Other, tuple[Call, Sequence[Any]]]) -> dict[Other, float]:
    """Return what a collection of each library's records takes, relative to the watched function's.

    Args:
        calls: The function that decodes, and the payloads, by library.
    """
    passes = max(_BYTES // max(sum(map(len, calls[OWN][1])), 1), 1)
    found: dict[Other, list[float]] = {other: [] for other in calls}
    gc.collect()
    gc.freeze()
    try:
        for _ in range(_TRIES):
            for other in random.sample(list(calls), len(calls)):
                found[other].append(_collection(*calls[other], passes))
    finally:
        gc.unfreeze()
    return {other: min(seconds) / min(found[OWN]) for other, seconds in found.items()}


def _collection(decode: Call, payloads: Sequence[Any], passes: int) -> float:
    kept = [decode(payload) for _ in range(passes) for payload in payloads]
    begin = time.thread_time()
    gc.collect()
    took = time.thread_time() - begin
    del kept
    return took
