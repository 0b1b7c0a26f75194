"""Student's t against the tables of textbooks, and variances pooled as far as they are alike."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.student import pooled, quantile, tails

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
    """Both ways, for even and odd degrees of freedom."""
    assert quantile(alpha, degrees) == pytest.approx(t, rel=2e-6)
    assert tails(t, degrees) == pytest.approx(alpha, rel=2e-5)


def test_many_degrees_are_nearly_the_normal_distribution() -> None:
    """However many they are, nothing takes longer; intervals are a little wider than they need be."""
    assert 1.96 < quantile(0.05, 10**9) < 1.01 * 1.96


@given(st.floats(1e-6, 0.99), st.integers(1, 300))
def test_both_ways_agree(alpha: float, degrees: int) -> None:
    """The tails of a quantile are what it was asked for."""
    assert tails(quantile(alpha, degrees), degrees) == pytest.approx(alpha, rel=1e-6)


@given(st.floats(0, 1e6), st.integers(1, 300))
def test_tails_are_chances(t: float, degrees: int) -> None:
    """Between 0 and 1, and the same on either side."""
    assert 0 <= tails(t, degrees) == tails(-t, degrees) <= 1


def drawn(rng: random.Random, degrees: int, scale: float = 1.0) -> float:
    """Return the variance of a sample of normal values."""
    return scale * rng.gammavariate(degrees / 2, 2 / degrees)


def test_variances_that_are_alike_become_one() -> None:
    """Fourteen samples of five values are worth nearly as much as one of sixty."""
    rng = random.Random(1)
    found = [prior for _ in range(100) if (prior := pooled([drawn(rng, 4) for _ in range(14)], 4))]

    assert len(found) == 100
    assert sorted(prior.degrees for prior in found)[50] > 30
    assert sorted(prior.variance for prior in found)[50] == pytest.approx(1, abs=0.15)


def test_variances_that_differ_lend_little() -> None:
    """Between samples whose noise differs by a factor of a hundred each speaks for itself."""
    rng = random.Random(2)
    found = pooled([drawn(rng, 4, 10.0 ** rng.uniform(-4, 4)) for _ in range(14)], 4)

    assert found is not None
    assert found.degrees < 2


def test_a_difference_has_the_noise_of_both() -> None:
    """What is common counts twice, the own variance of the difference as it is."""
    found = pooled([1.0, 1.0, 1.0, 1.0], 4)

    assert found is not None
    assert found.moderated(2.0, 4) == (pytest.approx(2.0), 20)


@pytest.mark.parametrize("variances", [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0], []])
def test_few_or_none_lend_nothing(variances: list[float]) -> None:
    """Three samples do not tell how variances vary, and those without noise neither."""
    assert pooled(variances, 4) is None


def test_one_without_noise_does_not_decide() -> None:
    """A variance of nothing is luck: the logarithm of the others stays what it is."""
    found = pooled([0.0, *[1.0] * 13], 4)

    assert found is not None
    assert math.isfinite(found.variance)
    assert found.degrees > 0
