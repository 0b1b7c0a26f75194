"""Figures come from a free core, detected by readings and never by a codec's times."""

from __future__ import annotations

import random

import pytest

from bakeoff.bench.contention import alike, free_level, highest_free, overall
from bakeoff.bench.figure import Figure
from bakeoff.bench.ledger import CellEntry, ProcessEntry
from bakeoff.bench.results import Cell, CellFinding
from bakeoff.bench.run.state import State
from bakeoff.bench.worker import gauge
from bakeoff.bench.worker.reference import ITEMS
from bakeoff.bench.worker.time import Process
from benchmarks.shared_core import CELLS, FREE, KERNEL, SharedCore, work

NAMES = list(CELLS)
CELL = Cell("c", "dump", "json")


class TestReadings:
    def test_few_readings_that_are_too_low_do_not_move_the_baseline(self) -> None:
        """An interrupt during the chain makes one reading in a thousand too low."""
        assert free_level([0.1, *[0.66] * 40, *[1.1] * 20]) == 0.66

    def test_an_earlier_process_may_know_better(self) -> None:
        assert free_level([1.1] * 50, known=0.66) == 0.66
        assert free_level([0.66] * 50, known=1.1) == 0.66

    def test_a_process_that_shared_for_a_third_of_its_time_is_not_free(self) -> None:
        assert overall([0.66] * 20 + [1.1] * 10) > highest_free(0.66)
        assert overall([0.66] * 28 + [1.1] * 2) < highest_free(0.66)
        assert overall([]) == 0

    def test_a_reading_is_a_ratio_of_two_times(self) -> None:
        assert 0.01 < gauge.read() < 100


class TestAlike:
    def test_processes_on_a_free_core_are_chosen(self) -> None:
        assert sorted(alike({0: 0.66, 1: 1.1, 2: 0.67, 3: 0.7}, 0.66)) == [0, 2, 3]

    def test_where_a_free_core_was_rare_the_others_are(self) -> None:
        """Two of six would say little."""
        found = alike({0: 0.66, 1: 1.1, 2: 0.67, 3: 1.1, 4: 1.1, 5: 1.2}, 0.66)

        assert sorted(found) == [1, 3, 4, 5]

    def test_few_processes_all_count(self) -> None:
        assert sorted(alike({0: 0.66, 1: 1.1}, 0.66)) == [0, 1]

    def test_without_readings_all_count(self) -> None:
        """A file of another tool has none."""
        assert sorted(alike({0: 0.0, 1: 0.0, 2: 0.0}, 0.0)) == [0, 1, 2]


def measure(
    core: SharedCore, rng: random.Random, *, free_level: float = 0.0
) -> tuple[dict[str, float], float]:
    ruler = work(*KERNEL, core, rng)
    made = Process(
        30, 0.00025, lambda index: None, ruler, free_level=free_level, read=core.read, pause=core.wait
    )
    for index, (seconds, factor) in enumerate(CELLS.values()):
        made.enter(index, work(seconds, factor, core, rng), [seconds] * len(ITEMS))
    answer = made.go(collect=True)
    values = [answer.cells[str(index)].paired for index in range(len(NAMES))]
    return {name: value / values[0] for name, value in zip(NAMES, values, strict=True)}, answer.contention


@pytest.mark.parametrize("seed", range(5))
def test_ratios_are_those_of_a_free_core(seed: int) -> None:
    """A neighbor that comes and goes within the process slows each codec by another factor."""
    random.seed(seed)  # the order of slices
    rng = random.Random(seed)
    found, contention = measure(SharedCore(rng, 0.3, seconds=0.05), rng, free_level=FREE)

    assert contention <= highest_free(FREE)
    for name, (seconds, _) in CELLS.items():
        assert found[name] == pytest.approx(seconds / CELLS["orjson"][0], rel=0.03), name


def test_a_core_that_is_never_free_is_reported() -> None:
    rng = random.Random(1)
    found, contention = measure(SharedCore(rng, 1.0), rng, free_level=FREE)
    seconds, factor = CELLS["json"]

    assert contention > highest_free(FREE)
    assert found["json"] == pytest.approx(
        seconds * factor / CELLS["orjson"][0] / CELLS["orjson"][1], rel=0.03
    )


def process(pair: int, contention: float, paired: float) -> ProcessEntry:
    figure = Figure(1e-6, paired, duration=0.1, rounds=30)
    return ProcessEntry("c", pair, 1e-5, {CELL.name: figure}, contention=contention, least=0.66)


def test_a_run_leaves_out_processes_on_a_shared_core() -> None:
    """Their figures would belong to other conditions."""
    state = State()
    state.apply(CellEntry(CellFinding(CELL, "ok")))
    for pair, contention in enumerate([0.67, 1.1, 0.66, 0.68, 1.2]):
        state.apply(process(pair, contention, 2.0 if contention > 1 else 1.0))
    found = state.samples(CELL)

    assert [sample.pair for sample in found] == [0, 2, 3]
    assert {sample.value for sample in found} == {1e-5}
    assert (state.used("c"), state.processes("c"), state.free("c")) == (3, 5, True)


def test_a_run_on_a_shared_core_says_so() -> None:
    state = State()
    state.apply(CellEntry(CellFinding(CELL, "ok")))
    for pair, contention in enumerate([1.1, 1.1, 1.2, 0.66]):
        state.apply(process(pair, contention, 1.0))

    assert (state.used("c"), state.free("c")) == (3, False)


def test_the_order_of_readings_does_not_matter() -> None:
    """A process whose core was shared at first is not a free one."""
    readings = [1.1] * 10 + [0.66] * 20

    assert overall(readings) == overall(readings[::-1]) == 1.1
    assert overall(readings) > highest_free(0.66)
    assert free_level(readings) == free_level(readings[::-1]) == 0.66


@pytest.mark.parametrize(
    ("free", "of", "first", "last"),
    [(3, 20, 3, 20), (10, 20, 0, 10), (3, 5, 0, 3), (2, 4, 0, 4), (3, 3, 0, 3), (17, 20, 0, 17)],
)
def test_free_processes_count_if_they_are_a_share_of_all(free: int, of: int, first: int, last: int) -> None:
    """Three of twenty would give up seventeen for a figure from three."""
    found = alike({n: 0.66 if n < free else 1.1 for n in range(of)}, 0.66)

    assert list(range(first, last)) == sorted(found)


@pytest.mark.parametrize("reading", [0.66, 0.77])
def test_the_highest_reading_of_a_free_core_is_free(reading: float) -> None:
    least = highest_free(reading)

    assert sorted(alike({0: least, 1: least, 2: least, 3: 2 * least}, reading)) == [0, 1, 2]


@pytest.mark.parametrize(("count", "place"), [(1, 0), (19, 0), (20, 1), (39, 1), (40, 2)])
def test_a_twentieth_of_the_readings_may_be_too_low(count: int, place: int) -> None:
    assert float(place) == free_level([float(n) for n in range(count)])
