"""Axes of charts: where values are, and the steps that are labeled; `arrange.js` does the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LEAST: Final = 1.25
"""Smallest ratio of the ends of an axis, so that noise looks small."""

_SHORT: Final = 2.0
"""Up to this ratio of the largest value to the smallest, an axis is linear."""

_STEPS: Final = ((1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
"""Labels of a decade, the fewest first."""

_FEWEST: Final = 3
"""Labels that an axis needs."""

_MOST: Final = 8
"""Steps of an axis that has even ones."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis.

    Attributes:
        low: The lower end; its logarithm if the axis is logarithmic.
        high: The upper end, in the same form.
        logarithmic: Whether equal ratios have equal distances, instead of equal differences.
    """

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, values: Sequence[float], pixels: float, margin: float, *, linear: bool = True) -> Axis:
        """Return an axis for values above zero.

        Args:
            pixels: Length of the axis.
            margin: Pixels between its ends and the outermost values.
            linear: Whether it may be linear.
        """
        low, high = min(values, default=1.0), max(values, default=1.0)
        if high < LEAST * low:
            middle = math.sqrt(low * high)
            low, high = middle / math.sqrt(LEAST), middle * math.sqrt(LEAST)
        logarithmic = not linear or high > _SHORT * low
        if logarithmic:
            low, high = math.log(low), math.log(high)
        more = (high - low) * margin / (pixels - 2 * margin)
        return cls(low - more, high + more, logarithmic)

    def share(self, value: float) -> float:
        """Return how far from the lower end a value is: 1 at the upper end."""
        return ((math.log(value) if self.logarithmic else value) - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Return the values to label, rising."""
        low, high = (math.exp(self.low), math.exp(self.high)) if self.logarithmic else (self.low, self.high)
        if self.logarithmic:
            powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
            for steps in _STEPS:
                values = [step * 10.0**power for power in powers for step in steps]
                found = [value for value in values if low <= value <= high]
                if len(found) >= _FEWEST:
                    return found
        rough = (high - low) / _MOST
        tens = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * tens for factor in (1, 2, 5, 10) if factor * tens >= rough)
        first = math.ceil(low / step)
        return [(first + number) * step for number in range(_MOST + 1) if (first + number) * step <= high]

    def title(self, words: str) -> str:
        """Return the title of the axis, which says if it is logarithmic."""
        return f"{words}, logarithmic" if self.logarithmic else words
