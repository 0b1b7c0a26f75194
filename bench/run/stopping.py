"""The stop rule: every pair of interest is resolved or precise enough; each look spends a share of alpha."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..method import Budget, Processes, Verdicts
from ..results import Measurement
from ..stats import Ratio, common, interval, ratio, split


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        reached: Nothing is left to resolve.
        width: Widest half-width among the pairs that are not distinguishable, as a share; 0 if there are
            none.
        pair: The pair with that width.
        table: The number of its table.
    """

    reached: bool
    width: float = math.inf
    pair: tuple[str, str] | None = None
    table: int = 0


@dataclass(frozen=True, slots=True)
class StopRule:
    """The stop rule of a run.

    Attributes:
        precision: Target half-width of the ratios, as a share.
        fewest: Processes before the first look.
        most: Processes after the last look.
        ratios: Require the precision for every codec's ratio to the best, resolved or not.
    """

    precision: float = Verdicts.PRECISION
    fewest: int = Budget.QUICK_FIRST_LOOK
    most: int = Processes.MOST
    ratios: bool = False

    def looks(self) -> list[int]:
        """Return the numbers of processes after which the rule looks."""
        found = [self.fewest]
        while (following := max(found[-1] + 1, round(found[-1] * Processes.STEP))) <= self.most:
            found.append(following)
        return found

    @property
    def alpha(self) -> float:
        """The share of the run's alpha that one look, and therefore the final table, may spend.

        A rule that stops at a fixed width, whatever the differences are, does not favor large differences
        (Chow and Robbins 1965), so it need not split alpha.
        """
        return Verdicts.ALPHA if self.ratios else split(Verdicts.ALPHA, len(self.looks()))

    def look(self, tables: Sequence[Mapping[str, Sequence[Measurement]]]) -> Progress:
        """Measure the progress of a run.

        Args:
            tables: Samples by codec, one mapping per operation.
        """
        worst = Progress(True, 0.0)
        for number, cells in enumerate(tables):
            noise = common(cells)
            for a, b in self._pairs(cells):
                found = ratio(cells[a], cells[b], self.alpha, prior=noise.between(a, b))
                if not self._settled(found) and found.half_width >= worst.width:
                    worst = Progress(False, found.half_width, (a, b), number)
        return worst

    def _settled(self, found: Ratio) -> bool:
        if found.half_width <= self.precision:
            return True
        return not self.ratios and found.outside(Verdicts.TIE)

    def _pairs(self, cells: Mapping[str, Sequence[Measurement]]) -> list[tuple[str, str]]:
        """Yield the pairs of neighbors in rank, and of each codec with the best."""
        measured = [name for name in cells if cells[name]]
        order = sorted(measured, key=lambda name: interval(cells[name])[0])
        pairs = list(pairwise(order))
        return list(dict.fromkeys(pairs + [(order[0], name) for name in order[1:]]))
