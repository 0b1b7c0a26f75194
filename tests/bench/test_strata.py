"""Records of like cost are set apart, and each kind gets its slices."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.worker.strata import Stratum, slices, strata

WANTED = 0.00025
COSTS = st.lists(st.floats(1e-8, 10.0), min_size=1, max_size=300)


@given(COSTS)
def test_every_record_is_in_one_stratum(seconds: list[float]) -> None:
    found = strata(seconds, WANTED)

    assert sorted(i for stratum in found for i in stratum.records) == list(range(len(seconds)))
    assert all([seconds[i] for i in stratum.records] == list(stratum.seconds) for stratum in found)
    assert math.fsum(stratum.part for stratum in found) == pytest.approx(fmean(seconds))


@given(COSTS)
def test_dear_records_are_with_their_like(seconds: list[float]) -> None:
    """Only kinds of which few fit into a slice; all others remain mixed."""
    for stratum in strata(seconds, WANTED):
        if stratum.mixed:
            assert list(stratum.records) == sorted(stratum.records)
            assert max(stratum.seconds) <= WANTED / 8
        else:
            assert max(stratum.seconds) < 4.001 * min(stratum.seconds)


def test_few_records_in_a_row_are_small_and_large_alike() -> None:
    seconds = [2e-3 * (1 + 3 * i / 1000) for i in range(1000)]
    (stratum,) = strata(seconds, WANTED)
    windows = [fmean(stratum.seconds[start : start + 100]) for start in range(0, 900, 50)]

    assert [stratum.call] * len(windows) == pytest.approx(windows, rel=0.03)


@given(COSTS, st.integers(15, 60))
def test_each_stratum_gets_slices_and_no_round_two(seconds: list[float], rounds: int) -> None:
    found = strata(seconds, WANTED)
    counts = slices(found, rounds, WANTED)

    assert len(found) == len(counts)
    assert min(counts) >= 1
    assert sum(counts) <= rounds


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([1e-6], [30]),  # a quick codec is in all rounds
        ([0.4e-3], [30]),
        ([1.9e-3], [8]),  # a slow one takes at most twice the time of a quick one
        ([9e-3], [2]),  # and is in two rounds at the least
        ([1.0], [1]),  # or in one, where a call is as long as a process
        ([1e-6] * 999 + [1e-3], [20, 10]),  # half of the time each: the long slices are dearer
    ],
)
def test_slow_strata_get_fewer_slices(seconds: list[float], expected: list[int]) -> None:
    assert expected == slices(strata(seconds, WANTED), 30, WANTED)


def made(call: float, part: float) -> Stratum:
    return Stratum((0,), (call,), part, mixed=False)


@pytest.mark.parametrize(
    ("calls", "rounds", "expected"),
    [
        ([1.0], 30, [30]),  # of the length of a slice: a round each
        ([2.0], 30, [30]),
        ([4.0], 4, [3]),  # at least three of calls up to four slices long
        ([4.1], 4, [2]),
        ([4.0], 30, [15]),  # at most twice the time of a quick cell
        ([30.0], 30, [2]),
        ([100.0], 30, [2]),  # endless from here on
        ([101.0], 30, [1]),
        ([3.0, 5.0], 2, [1, 1]),  # never more than there are rounds
        ([1.0, 4.0], 30, [20, 10]),  # the part of each over the root of its length
    ],
)
def test_slices_by_hand(calls: list[float], rounds: int, expected: list[int]) -> None:
    assert expected == slices([made(call, 1.0) for call in calls], rounds, 1.0)


def test_records_of_an_eighth_of_a_slice_are_mixed() -> None:
    found = strata([0.125, 0.126, 0.499, 0.501, 2.1], 1.0)

    assert [(0,), (1, 2), (3,), (4,)] == [tuple(sorted(stratum.records)) for stratum in found]
    assert [True, False, False, False] == [stratum.mixed for stratum in found]
    backwards = strata([2.1, 0.501, 0.499, 0.126, 0.125], 1.0)
    assert [stratum.call for stratum in found] == [stratum.call for stratum in backwards]
    assert pytest.approx((0.126 + 0.499) / 5) == found[1].part
    assert pytest.approx((0.126 + 0.499) / 2) == found[1].call


@pytest.mark.parametrize(
    ("count", "order"), [(1, [0]), (2, [0, 1]), (5, [0, 3, 1, 4, 2]), (10, [0, 7, 4, 1, 8, 5, 2, 9, 6, 3])]
)
def test_the_order_of_a_ring_by_hand(count: int, order: list[int]) -> None:
    """Steps of the golden section, without a common divisor."""
    (stratum,) = strata([1.0 + n / 100 for n in range(count)], 1.0)

    assert order == list(stratum.records)
