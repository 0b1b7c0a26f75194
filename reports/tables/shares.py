"""Shares of a program's processor time, in per cent."""

from __future__ import annotations


def percent(part: float, whole: float) -> str:
    """Return a share in per cent with two digits."""
    share = 100 * part / whole if whole > 0 else 0.0
    return f"{share:.0f}" if share >= 10 else f"{share:.1f}"


def with_half(part: float, half: float, whole: float) -> str:
    """Return a share in per cent with half of its interval, both with the same decimals."""
    share, spread = 100 * part / whole, max(100 * half / whole, 0.1)
    places = 0 if spread >= 1 else 1
    return f"{share:.{places}f} ± {spread:.{places}f} %".replace("-", "−")
