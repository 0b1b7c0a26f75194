"""Student's t against the tables of textbooks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.stats.student import quantile, tails

TABLE = [
    (1, 0.05, 12.7062),
    (2, 0.05, 4.30265),
    (4, 0.01, 4.60409),
    (5, 0.001, 6.86883),
    (10, 0.05, 2.22814),
    (11, 0.002, 4.02470),
    (30, 0.05, 2.04227),
    (120, 0.01, 2.61742),
]
"""Degrees, share on both sides, t: Fisher and Yates, "Statistical Tables", table III."""


@pytest.mark.parametrize(("degrees", "alpha", "t"), TABLE)
def test_the_textbook_has_the_same(degrees: int, alpha: float, t: float) -> None:
    assert quantile(alpha, degrees) == pytest.approx(t, rel=2e-6)
    assert tails(t, degrees) == pytest.approx(alpha, rel=2e-5)


def test_many_degrees_are_nearly_the_normal_distribution() -> None:
    assert 1.96 < quantile(0.05, 10**9) < 1.01 * 1.96


@given(st.floats(1e-6, 0.99), st.integers(1, 300))
def test_both_ways_agree(alpha: float, degrees: int) -> None:
    assert tails(quantile(alpha, degrees), degrees) == pytest.approx(alpha, rel=1e-6)


@given(st.floats(0, 1e6), st.integers(1, 300))
def test_tails_are_chances(t: float, degrees: int) -> None:
    assert 0 <= tails(t, degrees) == tails(-t, degrees) <= 1
