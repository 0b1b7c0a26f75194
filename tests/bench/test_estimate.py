"""One figure per cell from the slices of a process whose truth is known."""

from __future__ import annotations

import math
import random

import pytest

from bakeoff.bench.worker.estimate import Track, _weighted_median, levels, median


def track(values: dict[int, float], *, mixed: bool = True) -> list[Track]:
    """A cell with one stratum, whose slices hold records for which the check says one second."""
    return [Track(1.0, mixed, dict(values), dict.fromkeys(values, 1.0))]


def test_what_a_round_has_in_common_is_taken_out() -> None:
    """A machine that halves its speed in some rounds leaves the ratio alone."""
    rng = random.Random(1)
    common = [rng.choice([1.0, 2.0]) for _ in range(30)]
    found = levels([track({r: k * c for r, c in enumerate(common)}) for k in (1.0, 1.02, 5.0)])

    assert all(level is not None for level in found)
    a, b, c = (level.polished for level in found if level is not None)
    assert b / a == pytest.approx(1.02)
    assert c / a == pytest.approx(5)


def test_a_slow_cell_in_few_rounds_keeps_its_scale() -> None:
    """Three slices in slow rounds read as if they had been in all rounds."""
    speed = [2.0 if r in (3, 4, 5) else 1.0 for r in range(30)]
    quick = [track(dict(enumerate(speed))) for _ in range(4)]
    found = levels([*quick, track({r: 100 * speed[r] for r in (3, 4, 5)})])

    assert found[-1] is not None
    assert found[0] is not None
    assert found[-1].polished / found[0].polished == pytest.approx(100)
    assert found[-1].raw == pytest.approx(200)


@pytest.mark.parametrize("mixed", [True, False])
def test_a_disturbed_slice_moves_the_figure_little(mixed: bool) -> None:
    rng = random.Random(1)
    values = {r: rng.lognormvariate(0, 0.01) for r in range(30)}
    others = [track({r: rng.lognormvariate(0, 0.01) for r in range(30)}) for _ in range(4)]
    found = levels([track(values | {7: 10.0}, mixed=mixed), *others])

    assert found[0] is not None
    assert found[0].polished == pytest.approx(1.0, abs=0.01)


def test_strata_add_up() -> None:
    rounds = range(30)
    quick = Track(1.0, True, dict.fromkeys(rounds[::2], 2.0), dict.fromkeys(rounds[::2], 1.0))
    dear = Track(3.0, False, dict.fromkeys(rounds[1::2], 0.5), dict.fromkeys(rounds[1::2], 1.0))
    found = levels([[quick, dear]])

    assert found[0] is not None
    assert found[0].raw == pytest.approx(1.0 * 2.0 + 3.0 * 0.5)


def test_the_kind_in_the_majority_does_not_decide() -> None:
    """If the check does not distinguish two kinds, the mean of both is used, not the median."""
    times = {r: 10.0 if r % 5 < 2 else 1.0 for r in range(30)}
    steady = [track(dict.fromkeys(range(30), 1.0)) for _ in range(4)]
    found = levels([track(times, mixed=False), *steady])

    assert found[0] is not None
    assert found[0].polished == pytest.approx(4.6, rel=0.01)


def test_what_the_check_knows_of_the_records_is_taken_out() -> None:
    works = {r: 10.0 if r % 5 < 2 else 1.0 for r in range(30)}
    found = levels([[Track(4.6, False, {r: 1.1 * w for r, w in works.items()}, works)]])

    assert found[0] is not None
    assert found[0].raw == pytest.approx(1.1 * 4.6)


def test_drift_is_the_last_third_over_the_first() -> None:
    steady = [track(dict.fromkeys(range(30), 1.0)) for _ in range(4)]
    drifting = track({r: 1.0 if r < 10 else 1.05 for r in range(30)})
    found = levels([*steady, drifting])

    assert found[-1] is not None
    assert found[0] is not None
    assert found[-1].drift == pytest.approx(math.log(1.05))
    assert found[0].drift == pytest.approx(0)


def test_a_cell_without_slices_has_no_level() -> None:
    assert levels([[Track(1.0)], []]) == [None, None]


class TestByHand:
    @pytest.mark.parametrize(
        ("values", "expected"), [([3.0], 3.0), ([4.0, 1.0], 2.5), ([9.0, 1.0, 2.0], 2.0), ([4, 3, 2, 1], 2.5)]
    )
    def test_the_median(self, values: list[float], expected: float) -> None:
        assert expected == median(values)

    def test_rare_calls_are_counted_with_their_share_of_the_time(self) -> None:
        """Of ten slices of 1 s, one takes 4 s: 3 s of 13 are beyond the usual."""
        times = {r: 4.0 if r == 3 else 1.0 for r in range(10)}
        (found,) = levels([[Track(1.0, False, times, dict.fromkeys(times, 1.0), sums=True)]])

        assert found is not None
        assert (1, pytest.approx(1.3), pytest.approx(1.3)) == (found.dear, found.raw, found.polished)
        assert pytest.approx(3 / 13) == found.rare

    @pytest.mark.parametrize(("time", "dirty", "dear"), [(1.9, False, 0), (2.1, False, 1), (2.1, True, 0)])
    def test_a_rare_call_takes_more_than_twice_the_usual_time(
        self, time: float, *, dirty: bool, dear: int
    ) -> None:
        times = {r: time if r == 3 else 1.0 for r in range(10)}
        lost = {3} if dirty else set()
        steady = [track(dict.fromkeys(times, 1.0)) for _ in range(4)]
        found, *_ = levels([[Track(1.0, True, times, dict.fromkeys(times, 1.0), dirty=lost)], *steady])

        assert found is not None
        assert dear == found.dear
        assert (dear > 0) == (found.rare > 0)

    def test_slices_that_count_in_full_say_nothing_of_their_round(self) -> None:
        """The long call of a store in a round is not taken out of it, nor out of the others."""
        steady = [track(dict.fromkeys(range(9), 1.0)) for _ in range(2)]
        times = {r: 9.0 if r == 4 else 1.0 for r in range(9)}
        store = [Track(1.0, False, times, dict.fromkeys(times, 1.0), sums=True)]
        found = levels([*steady, store])

        assert [1.0, 1.0, pytest.approx(17 / 9)] == [each and each.polished for each in found]

    def test_a_mean_weighs_slices_by_their_work(self) -> None:
        """Two of four slices hold twice the records, at three times the cost of the check."""
        works = {0: 1.0, 1: 2.0, 2: 1.0, 3: 2.0}
        times = {r: work * (3.0 if work == 2.0 else 1.0) for r, work in works.items()}
        for sums in (False, True):
            (found,) = levels([[Track(1.0, False, times, works, sums=sums)]])
            assert found is not None
            assert pytest.approx((2 * 1 + 4 * 3) / 6) == found.raw

    def test_a_single_outlier_of_many_slices_weighs_little(self) -> None:
        times = {r: 100.0 if r == 3 else 1.0 for r in range(20)}
        (found,) = levels([[Track(1.0, False, times, dict.fromkeys(times, 1.0))]])
        (few,) = levels([[Track(1.0, False, {0: 1.0, 1: 100.0}, {0: 1.0, 1: 1.0})]])

        assert found is not None
        assert few is not None
        assert found.raw < 1.05
        assert pytest.approx(50.5) == few.raw, "one of two may be a kind of records"

    def test_a_cell_with_few_slices_has_no_vote_on_its_rounds(self) -> None:
        """Unless there are no others."""
        steady = [track(dict.fromkeys(range(10), 1.0)) for _ in range(2)]
        few = [track(dict.fromkeys(range(4), 1.0) | {2: 3.0}) for _ in range(5)]
        found = levels([*steady, *few])
        alone = levels(few)

        assert [1.0, 1.0] == [each and pytest.approx(each.polished) for each in found[:2]]
        assert found[2] is not None
        assert alone[0] is not None
        assert found[2].raw == alone[0].raw

    def test_only_the_rounds_of_a_free_core_are_kept(self) -> None:
        made = Track(
            2.0,
            False,
            {0: 1.0, 1: 2.0, 2: 3.0},
            {0: 0.5, 1: 0.5, 2: 0.5},
            dirty={1, 2},
            taken={0, 1},
            calls={0: 1, 1: 2, 2: 3},
            contention={0: 0.66, 1: 1.1},
        )

        assert [0, 2] == made.free(0.7), "a slice without readings counts"
        assert [0, 1, 2] == made.free(1.1)
        assert Track(
            2.0, False, {0: 1.0, 2: 3.0}, {0: 0.5, 2: 0.5}, {2}, {0}, {0: 1, 2: 3}, {0: 0.66}
        ) == made.of([0, 2, 7])
        made.sums = True
        assert [0, 1, 2] == made.free(0.1), "all that count in full"
        assert made.of([0]).sums
        assert pytest.approx({0: math.log(2), 1: math.log(4), 2: math.log(6)}) == made.logs()

    @pytest.mark.parametrize(("rounds", "drift"), [(1, 0.0), (2, 0.0), (3, 2.0), (4, 3.0), (6, 4.0)])
    def test_drift_needs_three_rounds(self, rounds: int, drift: float) -> None:
        """Times of e to the round's number, and thirds of one or two rounds."""
        times = {r: math.exp(r) for r in range(rounds)}
        steady = [track(dict.fromkeys(range(rounds), 1.0)) for _ in range(9)]
        found = levels([*steady, track(times)])[-1]

        assert found is not None
        assert pytest.approx(drift, abs=1e-6) == found.drift


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([(3.0, 1.0)], 3.0),
        ([(9.0, 1.0), (1.0, 1.0)], 5.0),
        ([(9.0, 1.0), (1.0, 1.0), (3.0, 1.0)], 3.0),
        ([(9.0, 1.0), (1.0, 1.0), (2.0, 1.0), (4.0, 1.0)], 3.0),  # between the middle two of four
        ([(9.0, 4.0), (1.0, 1.0), (2.0, 1.0), (4.0, 1.0)], 9.0),
        ([(9.0, 3.0), (1.0, 1.0), (2.0, 1.0), (4.0, 1.0)], 6.5),
        ([(1.0, 3.0), (2.0, 1.0), (4.0, 1.0), (9.0, 1.0)], 1.5),
        ([(1.0, 0.1), (2.0, 0.2), (4.0, 0.3)], 3.0),  # half of the weights, in spite of rounding
    ],
)
def test_the_weighted_median(values: list[tuple[float, float]], expected: float) -> None:
    assert expected == _weighted_median(values)


def test_cells_in_different_rounds_keep_their_scales() -> None:
    """Each skips every third round, and no two the same; the rounds differ by a factor of three."""
    rng = random.Random(5)
    speed = [math.exp(rng.uniform(0, 1.1)) for _ in range(30)]
    scales = [1.0, 1.5, 2.0, 7.0, 0.3, 1.1]
    cells = [track({r: k * speed[r] for r in range(30) if (r + n) % 3}) for n, k in enumerate(scales)]
    found = [level.polished for level in levels(cells) if level is not None]

    assert [k / scales[0] for k in scales] == pytest.approx([each / found[0] for each in found], rel=0.02)


def test_the_drift_of_strata_that_take_turns_is_in_the_order_of_rounds() -> None:
    steady = [track(dict.fromkeys(range(30), 1.0)) for _ in range(9)]
    strata = [
        Track(1.0, True, times := {r: math.exp(0.01 * r) for r in rounds}, dict.fromkeys(times, 1.0))
        for rounds in (range(0, 30, 2), range(1, 30, 2))
    ]
    found = levels([*steady, strata])[-1]

    assert found is not None
    assert pytest.approx(0.2, abs=0.011) == found.drift
