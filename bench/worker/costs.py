"""What each record of a sample costs one codec, as its check finds it out: roughly, by single calls."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from ..method import Checks
from .estimate import median
from .work import TimedWork

__all__ = ["costs"]


def costs(
    made: TimedWork, first: Sequence[float], seconds: float, beat: Callable[[], object] = lambda: None
) -> list[float]:
    """Return what each record takes, in seconds.

    The median over some passes in which the level of each pass is taken out, so that neither a burst nor a
    slow phase of the machine says that those records are dear; a single pass if there is no time for more.

    Args:
        made: The operation.
        first: What each record took once; above 0.
        seconds: That the further passes may take.
        beat: Called before each call, as who stands still is taken to hang.
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
    """Measure each record once, in any order: what disturbs then hits records that are no neighbours."""
    ring = random.sample(range(count), count)
    batch = made.batches(ring)
    found = [0.0] * count
    for place, index in enumerate(ring):
        beat()
        spent, busy, _ = made.run(batch, place, 1)
        found[index] = max(1, min(spent, busy)) * 1e-9
    return found
