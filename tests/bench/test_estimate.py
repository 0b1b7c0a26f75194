"""One figure per cell from the slices of a process whose truth is known."""

from __future__ import annotations

import math
import random

import pytest

from bakeoff.bench.estimate import Track, levels


def track(values: dict[int, float], dirty: set[int] | None = None) -> Track:
    return Track({r: math.log(v) for r, v in values.items()}, dirty or set())


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


def test_disturbed_slices_are_known_by_the_kernel_not_by_their_value() -> None:
    """Dirty slices are left out, however quick; clean ones stay, however slow."""
    values = dict.fromkeys(range(10), 1.0)
    found = levels([track(values | {1: 50.0, 2: 0.01}, dirty={2})])

    assert found[0] is not None
    assert set(track(values, dirty={2}).clean()) == set(range(10)) - {2}


def test_when_most_slices_are_disturbed_all_count() -> None:
    """Fewer clean slices than half are no better than all."""
    values = dict.fromkeys(range(4), 1.0)

    assert set(track(values, dirty={0, 1, 2}).clean()) == set(values)


def test_drift_is_the_last_third_over_the_first() -> None:
    """A cell that slows down by 5 % says so; the yardstick beside it does not."""
    steady = [track(dict.fromkeys(range(30), 1.0)) for _ in range(4)]
    drifting = track({r: 1.0 if r < 10 else 1.05 for r in range(30)})
    found = levels([*steady, drifting])

    assert found[-1] is not None
    assert found[0] is not None
    assert found[-1].drift == pytest.approx(math.log(1.05))
    assert found[0].drift == pytest.approx(0)


def test_a_cell_without_slices_has_no_level() -> None:
    """A cell that failed in its first slice."""
    assert levels([Track()]) == [None]
