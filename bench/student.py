"""Student's t for whole degrees of freedom, and how far the variances of many small samples can be pooled.

Closed forms and one bisection: all that intervals need, without the hundred megabytes of a numerical library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Prior", "pooled", "quantile", "tails"]

_HALVINGS = 60
_MOST = 200
"""Degrees of freedom beyond which intervals are hardly narrower: half a per cent."""
_FEWEST = 4
"""Variances that tell how variances vary."""
_ASYMPTOTIC = 8.0
"""From here on the asymptotic series of digamma and trigamma are good to ten digits."""
_LEAST = 1e-5
"""Of the median variance: less is luck, and its logarithm would outweigh all others."""


def tails(t: float, degrees: int) -> float:
    """Return the chance of a t at least this far from 0, on either side; exact to some 1e-16.

    Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
    """
    degrees = min(degrees, _MOST)
    return max(0.0, 1.0 - _within(math.atan(abs(t) / math.sqrt(degrees)), degrees))


@lru_cache(4096)
def quantile(alpha: float, degrees: int) -> float:
    """Return the t beyond which, on either side, lies a share of `alpha`; the half-width of an interval.

    Args:
        alpha: Between 0 and 1; below some 1e-14 the result is too low.
        degrees: 1 or more.
    """
    degrees = min(degrees, _MOST)
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 1 - alpha else (low, middle)
    return math.sqrt(degrees) * math.tan(low)


def _within(angle: float, degrees: int) -> float:
    """Return the chance of a t between plus and minus ``sqrt(degrees) * tan(angle)``."""
    square = math.cos(angle) ** 2
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = term if degrees > 1 else 0.0
    for n in range(3 if odd else 2, degrees - 1, 2):
        term *= square * (n - 1) / n
        total += term
    whole = math.sin(angle) * total
    return 2 / math.pi * (angle + whole) if odd else whole


@dataclass(frozen=True, slots=True)
class Prior:
    """What many samples of the same kind say of the variance of one.

    Attributes:
        variance: The common one.
        degrees: What it is worth beside a sample's own.
    """

    variance: float
    degrees: float

    def moderated(self, own: float, degrees: int) -> tuple[float, int]:
        """Return the variance of a difference, between its own and the common one, and what it is worth.

        Args:
            own: Variance of the differences of two samples.
            degrees: Its degrees of freedom.
        """
        total = self.degrees + degrees
        return (self.degrees * 2 * self.variance + degrees * own) / total, max(1, math.floor(total))


def pooled(variances: Sequence[float], degrees: int) -> Prior | None:
    """Estimate how alike variances are: what one has to borrow from the others.

    Empirical Bayes after Smyth, "Linear models and empirical Bayes methods for assessing differential
    expression" (2004), section 6.2: made for many comparisons of few samples each. Variances that differ by
    more than chance lend nothing, those that do not are as good as one.

    Args:
        variances: Of samples of the same size.
        degrees: Degrees of freedom of each.

    Returns:
        None when there are too few of them.
    """
    if len(variances) < _FEWEST or degrees < 1:
        return None
    middle = sorted(variances)[len(variances) // 2]
    if not middle > 0:
        return None
    own = degrees / 2
    kept = [max(v, _LEAST * middle) for v in variances]
    logs = [math.log(v) - _digamma(own) + math.log(own) for v in kept]
    mean = math.fsum(logs) / len(logs)
    excess = math.fsum((x - mean) ** 2 for x in logs) / (len(logs) - 1) - _trigamma(own)
    most = float(degrees * len(variances))
    if excess <= _trigamma(most / 2):
        return Prior(math.fsum(kept) / len(kept), most)
    half = _solve(_trigamma, excess)
    return Prior(math.exp(mean + _digamma(half) - math.log(half)), 2 * half)


def _solve(falling: Callable[[float], float], wanted: float) -> float:
    low, high = math.log(1e-3), math.log(1e6)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(math.exp(middle)) > wanted else (low, middle)
    return math.exp(low)


def _digamma(x: float) -> float:
    """Abramowitz and Stegun 6.3.5 and 6.3.18."""
    found = 0.0
    while x < _ASYMPTOTIC:
        found -= 1 / x
        x += 1
    square = 1 / (x * x)
    return found + math.log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square / 252))


def _trigamma(x: float) -> float:
    """Abramowitz and Stegun 6.4.6 and 6.4.12."""
    found = 0.0
    while x < _ASYMPTOTIC:
        found += 1 / (x * x)
        x += 1
    square = 1 / (x * x)
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))
    return found + 1 / x + square / 2 + series * square / x
