"""Times the garbage collector over records that libraries have decoded.

It visits the items of each list and dict. With a library that creates every key again, these are more
objects, and they lie farther apart.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from typing import Any

from .alternatives import OWN, Call, Other

_BYTES = 500_000
"""Bytes of payloads that are decoded if there is time, so that the records do not fit in the caches."""
_TRIES = 2


def collections(
    calls: Mapping[Other, tuple[Call, Sequence[Any]]],
    seconds: float,
    beat: Callable[[Other], object] = lambda other: None,
) -> dict[Other, float]:
    """Return what a collection of each library's records takes, relative to the watched function's.

    Args:
        calls: The function that decodes, and the payloads, by library.
        seconds: Time to spend on decoding, if all libraries are as fast as the watched function.
        beat: Called with the library that decodes next.
    """
    beat(OWN)
    count = _enough(*calls[OWN], seconds / (_TRIES * len(calls)))
    found: dict[Other, list[float]] = {other: [] for other in calls}
    gc.collect()
    gc.freeze()
    try:
        for _ in range(_TRIES):
            for other in random.sample(list(calls), len(calls)):
                beat(other)
                found[other].append(_collection(*calls[other], count))
    finally:
        gc.unfreeze()
    return {other: min(times) / min(found[OWN]) for other, times in found.items()}


def _enough(decode: Call, payloads: Sequence[Any], seconds: float) -> int:
    """Return the number of payloads to decode."""
    end = time.thread_time() + seconds
    size = 0
    for count, payload in enumerate(cycle(payloads), 1):
        decode(payload)
        size += len(payload)
        if size >= _BYTES or time.thread_time() >= end:
            return count
    raise ValueError("no payloads")


def _collection(decode: Call, payloads: Sequence[Any], count: int) -> float:
    kept = [decode(payload) for payload in islice(cycle(payloads), count)]
    begin = time.thread_time()
    gc.collect()
    took = time.thread_time() - begin
    del kept
    return took
