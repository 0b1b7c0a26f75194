"""Busy neighbours, for figures that must hold beside them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import time
from collections.abc import Iterator

from bakeoff.bench.run.environment import cores

__all__ = ["bursts"]

_LONGEST = 0.5


@contextlib.contextmanager
def bursts() -> Iterator[None]:
    """Keep every core busy half of the time, in bursts of up to half a second."""
    context = multiprocessing.get_context("spawn")
    neighbours = [context.Process(target=_burst, args=(core,), daemon=True) for core in cores()]
    for neighbour in neighbours:
        neighbour.start()
    try:
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.join()


def _burst(core: int) -> None:
    os.sched_setaffinity(0, [core])
    while os.getppid() != 1:
        end = time.monotonic() + random.uniform(0, _LONGEST)
        while time.monotonic() < end:
            sorted(range(1000))
        time.sleep(random.uniform(0, _LONGEST))
