"""The noise of the cells of a table, and how cells share an estimate of it.

A few processes say little about the noise of a pair: with three of them the t interval is twice as wide as
with twenty. So cells that are as quiet as most of their table share one estimate. A noisier cell that shared
it would have intervals that are too narrow. So a cell that looks noisier than most has a separate variance,
with the degrees of freedom of its samples, and no cell is assumed to be much quieter than most. The common
estimate is a median: a few noisy cells do not move it as they move a mean or a fitted prior (Smyth 2004;
Phipson et al. 2016). ``python3 tasks.py benchmarks noise`` simulates how often the intervals cover.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from ..method import Pooling


@dataclass(frozen=True, slots=True)
class Prior:
    """The variance of one difference, as estimated from a table.

    Attributes:
        variance: The expected variance.
        degrees: Degrees of freedom of this estimate.
    """

    variance: float
    degrees: float

    def moderated(self, own: float, degrees: int) -> tuple[float, int]:
        """Return the variance to use for a difference, never below its own, and its degrees of freedom.

        Args:
            own: Variance of the differences of two samples.
            degrees: Degrees of freedom of that variance.
        """
        worth = max(degrees, math.floor(self.degrees))
        if own >= self.variance:
            return own, worth
        return (Pooling.LENT * self.variance + degrees * own) / (Pooling.LENT + degrees), worth


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of each cell of a table.

    Attributes:
        cells: Variance by name, at least the common one, and its degrees of freedom; empty if there are too
            few cells to compare.
        most: Degrees of freedom of the common variance.
    """

    cells: Mapping[str, Prior] = field(default_factory=dict)
    most: float = 0.0

    def between(self, a: str, b: str) -> Prior | None:
        """Return the expected variance of the difference of two cells; None if there is no estimate.

        The degrees of freedom of the sum of two variances are those of Welch and Satterthwaite.
        """
        if a not in self.cells or b not in self.cells:
            return None
        one, other = self.cells[a], self.cells[b]
        total = one.variance + other.variance
        worth = total**2 / (one.variance**2 / one.degrees + other.variance**2 / other.degrees)
        return Prior(total, min(worth, self.most))


def noise(logs: Mapping[str, Sequence[float]]) -> Noise:
    """Estimate the noise of cells from their logarithms, process by process.

    The level that all cells of a process share is removed first, as it cancels in the difference of two
    cells.

    Args:
        logs: Logarithms by cell, of the same processes in the same order.
    """
    count = min(map(len, logs.values()), default=0)
    if len(logs) < Pooling.FEWEST or count < 2:
        return Noise()
    own = count - 1
    around = {name: _centered(values) for name, values in logs.items()}
    level = [median(each[process] for each in around.values()) for process in range(count)]
    # Removing the level removes a part of each cell's own noise.
    kept = len(logs) / (len(logs) - 1)
    found = {
        name: kept * variance([value - shared for value, shared in zip(values, level, strict=True)])
        for name, values in around.items()
    }
    common = median(found.values()) / _middle(own)
    if not common > 0:
        return Noise()
    most = max(Pooling.EFFICIENCY * own * (len(logs) - 1), float(own))
    cells = {
        name: Prior(max(each, common), most if each <= Pooling.QUIET * common else float(own))
        for name, each in found.items()
    }
    return Noise(cells, most)


def variance(values: Sequence[float]) -> float:
    """Return the variance of a sample; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    around = _centered(values)
    return math.fsum([value * value for value in around]) / (len(values) - 1)


def _centered(values: Sequence[float]) -> list[float]:
    mean = fmean(values)
    return [value - mean for value in values]


def _middle(degrees: int) -> float:
    """Return the median variance of normal samples with variance 1 (Wilson and Hilferty 1931)."""
    return (1 - 2 / (9 * degrees)) ** 3
