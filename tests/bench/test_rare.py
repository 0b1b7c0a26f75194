"""Rare calls that take much longer than most: results of runs with a known mean."""

from __future__ import annotations

import random
from dataclasses import replace
from statistics import fmean

import pytest

from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import length_of_slice, rotating
from bakeoff.bench.results import Measurement
from bakeoff.bench.stats import common, interval, ratio, verdicts
from bakeoff.bench.worker.estimate import Track, levels
from bakeoff.bench.worker.time import Process
from bakeoff.bench.worker.work import TimedWork
from benchmarks._rare import EVERY, PATTERNS, Pattern, simulated, truth

RUNS = 80
SEEN = 10
"""Slices with such calls that an interval needs."""


def samples(*values: float) -> list[Measurement]:
    return [Measurement(v, v, v, pair, sums=True) for pair, v in enumerate(values)]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("every", EVERY)
def test_the_figure_is_the_mean_and_the_interval_covers_it(every: int, pattern: Pattern) -> None:
    """Within 3 % over many runs; in nine runs of ten, unless bursts are so rare that few were seen."""
    rng = random.Random(f"{every} {pattern}")
    runs = [simulated(rng, every, pattern) for _ in range(RUNS)]
    known = [run for run in runs if run.seen >= SEEN] if pattern == "in bursts" else runs

    assert fmean(run.value for run in runs) == pytest.approx(truth(every), rel=0.03)
    assert sum(run.covers(truth(every)) for run in known) >= 0.9 * len(known)


def test_a_slice_that_takes_long_counts_in_full() -> None:
    """One of ten that takes eleven times as long doubles the figure, where robust estimation ignores it."""
    works = dict.fromkeys(range(10), 1.0)
    times = works | {4: 11.0}
    rulers = [[Track(1.0, True, works, works)] for _ in range(3)]
    cells = [[Track(1.0, True, times, works, sums=sums)] for sums in (True, False)]
    sums, robust, *_ = levels([*cells, *rulers])

    assert sums is not None
    assert robust is not None
    assert (sums.raw, sums.polished, sums.dear, sums.rare) == pytest.approx((2.0, 2.0, 1, 0.5))
    assert (robust.raw, robust.dear) == pytest.approx((1.0, 1))


def test_it_does_not_take_its_own_calls_for_a_slow_round() -> None:
    works = dict.fromkeys(range(10), 1.0)
    (found,) = levels([[Track(1.0, True, works | {4: 11.0}, works, sums=True)]])

    assert found is not None
    assert found.polished == pytest.approx(2.0)


def test_what_a_round_has_in_common_is_taken_out_of_sums_too() -> None:
    speed = {r: 2.0 if r < 5 else 1.0 for r in range(10)}
    works = dict.fromkeys(speed, 1.0)
    cell, ruler = levels(
        [[Track(1.0, True, dict(speed), works, sums=True)], [Track(1.0, True, speed, works)]]
    )

    assert cell is not None
    assert ruler is not None
    assert cell.raw == pytest.approx(1.5)
    assert cell.polished / ruler.polished == pytest.approx(1.0)


def test_means_over_processes_are_arithmetic() -> None:
    value, low, high = interval(samples(1, 1, 1, 5))
    found = ratio(samples(1, 1, 1, 5), samples(1, 1, 1, 1))

    assert value == pytest.approx(2)
    assert low < 1 < 3 < high
    assert found.value == pytest.approx(2)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert ratio(samples(2, 2, 2, 10), samples(1, 1, 1, 5)).half_width == pytest.approx(0, abs=1e-9)
    assert ratio(samples(1, 5), samples(1, 3), paired=False).value == pytest.approx(1.5)


def test_such_cells_lend_each_other_no_noise() -> None:
    """Each has other rare calls; a noisy codec is not distinguishable just because the others are quiet."""
    rng = random.Random(1)
    quiet = {name: samples(*(rng.gauss(1, 0.001) for _ in range(5))) for name in "abcdef"}
    seen = [replace(sample, dear=int(sample.value > 2)) for sample in samples(1, 1, 1, 1, 3)]
    table = {**quiet, "noisy": seen}

    assert not common(table).cells
    assert common(quiet).cells
    assert verdicts(table)["noisy", "a"][0] == "unresolved"


def test_no_slice_of_such_an_operation_is_measured_again() -> None:
    taken = []

    class Preempted(TimedWork):
        def run(self, batch: object, start: int, calls: int, warmup: int = 0) -> tuple[int, int, int]:
            taken.append(calls)
            return 3000 * calls, 2000 * calls, 1

    process = Process(10, 0.0001, lambda index: None)
    made = Preempted(len, rotating([b""] * 20), sums=True, fewest=100)
    process.enter(0, made, [3e-6] * 20)
    taken.clear()
    found = process.go(collect=True).cells["0"]

    assert len(taken) == 11
    assert min(taken) >= 100
    assert (found.dirty, found.dear) == (0, 0)
    assert found.raw == pytest.approx(2e-6)


@pytest.mark.parametrize("name", ["put@sqlite:MD", "put-codec@sqlite", "get@lmdb:LG", "cpu@pipe:2"])
def test_what_has_a_place_counts_all_its_calls(name: str) -> None:
    assert operation(name).facts().sums
    assert not operation("dump").facts().sums


def test_slices_are_longer_where_they_are_to_hold_many_calls() -> None:
    """As long as the calls take, sixteen times the usual length at most, and never shorter."""
    found = [
        length_of_slice(1e-3, call, fewest)
        for call, fewest in ((1e-5, 1), (1e-6, 100), (5e-5, 100), (1, 100))
    ]

    assert found == pytest.approx([1e-3, 1e-3, 5e-3, 16e-3])
