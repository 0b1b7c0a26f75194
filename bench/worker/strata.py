"""The records of a cell in a process, chosen so that its figure is that of the mean record.

A slice of short calls holds many records in mixed order. A slice of long calls holds only a few, and which
ones must not decide the figure. So the records that a codec is slow on are put into strata of similar cost.
Each stratum gets separate slices, and counts with its share of all records. The cost of a record is known
from the codec's check. If the check is off, the slices of that stratum show it; within a stratum, a slice is
compared with the check's costs of the same records.

Sources: Cochran, "Sampling Techniques" (3rd edition, 1977), chapters 5 (strata, and the number of slices of
each if they differ in cost) and 6 (ratio estimators).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..method import Strata

_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class Stratum:
    """Records of similar cost, as one ring.

    Attributes:
        records: Indices into the sample, in the order of use: mixed if many fit into a slice, else spread so
            that any few in sequence include small and large ones.
        seconds: Seconds of each of them in the check, in the same order.
        part: Seconds that these records add to the mean record of the sample.
        mixed: Many of them fit into a slice.
    """

    records: tuple[int, ...]
    seconds: tuple[float, ...]
    part: float
    mixed: bool

    @property
    def call(self) -> float:
        """Mean seconds of a call."""
        return math.fsum(self.seconds) / len(self.seconds)


def strata(seconds: Sequence[float], wanted: float) -> list[Stratum]:
    """Sort the records of a sample into strata.

    Args:
        seconds: Seconds of each record in the check; above 0.
        wanted: Length of a slice in seconds.
    """
    found: dict[int, list[int]] = {}
    for index, spent in enumerate(seconds):
        over = spent * Strata.APART / wanted
        found.setdefault(-1 if over <= 1 else int(math.log(over, Strata.ALIKE)), []).append(index)
    made = []
    for level, records in sorted(found.items()):
        ring = records if level < 0 else _spread(sorted(records, key=seconds.__getitem__))
        spent_by = tuple(seconds[i] for i in ring)
        made.append(Stratum(tuple(ring), spent_by, math.fsum(spent_by) / len(seconds), level < 0))
    return made


def _spread(ordered: Sequence[int]) -> list[int]:
    """Return the items in an order that spreads any few in sequence over all (golden section, no repeats)."""
    count = len(ordered)
    step = max(1, round(_GOLDEN * count))
    while math.gcd(step, count) != 1:
        step += 1
    return [ordered[place * step % count] for place in range(count)]


def slices(found: Sequence[Stratum], rounds: int, wanted: float) -> list[int]:
    """Return how many slices each stratum gets in a process of `rounds` rounds.

    The numbers minimize the error of the sum for the time (Cochran 5.5: proportional to the stratum's part of
    the whole, over the root of a slice's cost), with at least one for each.

    Args:
        found: At least one stratum.
        rounds: Most slices in total, one per round, if there are no more strata than rounds.
        wanted: Length of a slice in seconds.
    """
    lengths = [max(wanted, stratum.call) for stratum in found]
    worth = [stratum.part / math.sqrt(length) for stratum, length in zip(found, lengths, strict=True)]
    least = [1 if length > Strata.LONG * wanted else 2 for length in lengths]
    if len(found) == 1 and lengths[0] <= Strata.ENDLESS * wanted:
        least = [Strata.FEWEST if lengths[0] <= Strata.LONG * wanted else Strata.FEWEST_LONG]
    afford = (
        Strata.SHARE * rounds * wanted / sum(w * length for w, length in zip(worth, lengths, strict=True))
    )
    each = min(rounds / sum(worth), afford)
    made = [max(low, round(each * w)) for low, w in zip(least, worth, strict=True)]
    while sum(made) > rounds and max(made) > 1:
        made[made.index(max(made))] -= 1
    return made
