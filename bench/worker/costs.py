"""The cost of each record of a sample for one codec, estimated in its check from single calls."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from ..method import Checks
from .estimate import median
from .work import TimedWork


def costs(
    made: TimedWork, first: Sequence[float], seconds: float, beat: Callable[[], object] = lambda: None
) -> list[float]:
    """Return the seconds of each record.

    This is the median over several passes after removing the level of each pass, so that neither a burst nor
    a slow phase of the machine makes records look expensive. If there is no time for more, it is a single
    pass.

    Args:
        first: Seconds of each record in its first call; above 0.
        seconds: Seconds for the further passes.
        beat: Called before each call, since a worker without progress is considered hung.
    """
    passes = [list(first)]
    most = Checks.PASSES if len(first) > 1 else Checks.PASSES_ALONE
    end = time.perf_counter() + seconds
    while len(passes) < most and time.perf_counter() + sum(passes[-1]) < end:
        passes.append(_pass(made, len(first), beat))
    levels = [median(one) for one in passes]
    return [
        levels[-1] * median(spent / level for spent, level in zip(column, levels, strict=True))
        for column in zip(*passes, strict=True)
    ]


def _pass(made: TimedWork, count: int, beat: Callable[[], object]) -> list[float]:
    """Measure each record once, in random order: a disturbance then hits records that are not neighbors."""
    ring = random.sample(range(count), count)
    batch = made.batches(ring)
    found = [0.0] * count
    for place, index in enumerate(ring):
        beat()
        spent, busy, _ = made.run(batch, place, 1)
        found[index] = max(1, min(spent, busy)) * 1e-9
    return found
