"""Values with their ranges: types of fields in files, which `results.plain.typed` checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

_MOST: Final = 1e60
_LEAST: Final = 1e-60
"""Bounds of what can be measured, in any unit: quotients of their quotients are finite."""


@dataclass(frozen=True, slots=True)
class Range:
    """The values of a number.

    Attributes:
        low: The lowest one.
        high: The highest one.
        least: The smallest magnitude except 0.
    """

    low: float
    high: float
    least: float = 0.0

    def holds(self, value: float) -> bool:
        """Whether a value is one of them; NaN is not."""
        return self.low <= value <= self.high and (value == 0 or abs(value) >= self.least)


@dataclass(frozen=True, slots=True)
class _OneLine:
    def holds(self, text: str) -> bool:
        return "\n" not in text and "\r" not in text


Line = Annotated[str, _OneLine()]
"""A part of a benchmark's name, which pyperf writes on one line."""
Count = Annotated[int, Range(0, 2**64)]
Calls = Annotated[int, Range(1, 2**64)]
AMOUNTS: Final = Range(0.0, _MOST, _LEAST)
Amount = Annotated[float, AMOUNTS]
"""Seconds, bytes, or a quotient of amounts."""
Positive = Annotated[float, Range(_LEAST, _MOST)]
"""An amount that others are divided by."""
Measured = Annotated[float, Range(1e-30, 1e30)]
"""A figure of one process; products of two are amounts."""
Change = Annotated[float, Range(-_MOST, _MOST, _LEAST)]
"""A difference of amounts."""
Logarithm = Annotated[float, Range(-200.0, 200.0)]
"""The logarithm of a quotient of amounts."""
Share = Annotated[float, Range(0.0, 1.0)]
