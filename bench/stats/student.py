"""Student's t for whole degrees of freedom.

Closed forms and one bisection suffice for intervals, without a numerical library of a hundred megabytes.
"""

from __future__ import annotations

import math
from functools import lru_cache

_HALVINGS = 60
_MOST = 200
"""Degrees of freedom above which intervals are hardly narrower, by half a per cent."""


def tails(t: float, degrees: int) -> float:
    """Return the two-sided probability of a t at least this far from 0, to about 1e-16.

    Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
    """
    degrees = min(degrees, _MOST)
    return max(0.0, 1.0 - _within(math.atan(abs(t) / math.sqrt(degrees)), degrees))


@lru_cache(4096)
def quantile(alpha: float, degrees: int) -> float:
    """Return the two-sided t quantile for `alpha`, the half-width of an interval.

    Args:
        alpha: Between 0 and 1; below about 1e-14 the result is too low.
        degrees: 1 or more.
    """
    degrees = min(degrees, _MOST)
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 1 - alpha else (low, middle)
    return math.sqrt(degrees) * math.tan(low)


def _within(angle: float, degrees: int) -> float:
    """Return the probability of a t between plus and minus ``sqrt(degrees) * tan(angle)``."""
    square = math.cos(angle) ** 2
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = term if degrees > 1 else 0.0
    for n in range(3 if odd else 2, degrees - 1, 2):
        term *= square * (n - 1) / n
        if total + term == total:
            break
        total += term
    whole = math.sin(angle) * total
    return 2 / math.pi * (angle + whole) if odd else whole
