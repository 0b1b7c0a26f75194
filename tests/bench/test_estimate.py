"""One figure per cell from the slices of a process whose truth is known."""

from __future__ import annotations

import math
import random

import pytest

from bakeoff.bench.worker.estimate import Track, levels


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
