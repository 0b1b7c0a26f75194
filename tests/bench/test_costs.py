"""The check's estimate of the cost of each record, for works with a known cost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bakeoff.bench.operations.base import Batch, Ring
from bakeoff.bench.worker.costs import costs
from bakeoff.bench.worker.work import Spent, TimedWork

TRUE = [1e-6 * (1 + i % 7) for i in range(50)]


def clocked(disturbed: Callable[[int, int], float]) -> TimedWork:
    """A work whose clock says what a record costs, times what happens at that call of that pass."""
    passes: list[Ring] = []

    class Simulated(TimedWork):
        __slots__ = ()

        def run(self, batch: Batch, start: int, calls: int, warmup: int = 0) -> Spent:
            (index,) = batch(start, 1)[0]
            nanoseconds = round(TRUE[index] * 1e9 * disturbed(len(passes), start))
            return nanoseconds, nanoseconds, 0

    def batches(ring: Ring) -> Batch:
        passes.append(ring)
        return lambda start, count: ([ring[start]], 0)

    return Simulated(float, batches)


def relative(found: list[float]) -> list[float]:
    return [seconds / found[0] * TRUE[0] for seconds in found]


def test_a_disturbed_pass_decides_nothing() -> None:
    made = clocked(lambda number, at: 3.0 if number == 1 else 9.0 if number in (2, 3) and at < 10 else 1.0)

    assert TRUE == pytest.approx(relative(costs(made, TRUE, 60.0)), rel=0.01)


def test_what_the_first_pass_misjudges_is_mended() -> None:
    """Its calls are the first of all, and cold."""
    first = [seconds + 5e-6 * (i == 3) for i, seconds in enumerate(TRUE)]

    assert TRUE == pytest.approx(relative(costs(clocked(lambda number, at: 1.0), first, 60.0)), rel=0.01)


def test_where_there_is_no_time_the_check_itself_counts() -> None:
    made = clocked(lambda number, at: 100.0)

    assert costs(made, TRUE, 0.0) == pytest.approx(TRUE)
