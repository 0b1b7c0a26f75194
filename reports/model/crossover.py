"""Find where one codec overtakes another as records grow: the size at equal time, with its interval.

Between two sizes, the logarithm of two codecs' ratio is assumed to be linear in the logarithm of the size,
and so are both ends of its interval. The ends of the size's interval are where these cross 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from ...bench.method import Processes, Verdicts
from ...bench.results import Measurement
from ...bench.stats import holm, interval, ratio

Series = Mapping[float, Sequence[Measurement]]
"""A codec's samples, by size."""


@dataclass(frozen=True, slots=True)
class Crossover:
    """Two codecs change places.

    Attributes:
        below: The codec that is faster below.
        above: The codec that is faster above.
        size: Bytes at which both take the same time.
        low: Lower end of its interval.
        high: Upper end of its interval.
        time: Seconds that both take there.
        since: The size of the previous crossover of both; 0 if there is none.
        until: The size of the next one; infinite if there is none.
    """

    below: str
    above: str
    size: float
    low: float
    high: float
    time: float
    since: float = 0.0
    until: float = math.inf


def crossovers(series: Mapping[str, Series]) -> list[Crossover]:
    """Return significant crossovers, by size; all pairs and sizes are judged together.

    Where two codecs tie, neither is faster.
    """
    points = []
    for a, b in combinations(series, 2):
        for size in sorted(set(series[a]) & set(series[b])):
            ours, theirs = series[a][size], series[b][size]
            if ours and theirs and min(s.value for s in (*ours, *theirs)) > 0:
                points.append((a, b, size, ratio(ours, theirs)))
    chances = holm([r.p if r.processes >= Processes.FEWEST else 1.0 for *_, r in points])
    curves: dict[tuple[str, str], list[tuple[float, tuple[float, float, float], int]]] = {}
    for (a, b, size, r), p in zip(points, chances, strict=True):
        sure = (1 if r.value > 1 else -1) if p < Verdicts.ALPHA and not r.inside(Verdicts.TIE) else 0
        low, high = max(r.low, 1e-9), min(r.high, 1e9)
        logs = (math.log(low), math.log(r.value), math.log(high))
        curves.setdefault((a, b), []).append((math.log(size), logs, sure))
    found = []
    for (a, b), curve in curves.items():
        resolved = [place for place, (_, _, sign) in enumerate(curve) if sign]
        own: list[Crossover] = []
        for left, right in pairwise(resolved):
            if curve[left][2] == curve[right][2]:
                continue
            part, rising = curve[left : right + 1], curve[right][2]
            # The upper end of a rising ratio crosses first.
            first, middle, last = (
                math.exp(_zero([(x, rising * logs[which]) for x, logs, _ in part]))
                for which in ((2, 1, 0) if rising > 0 else (0, 1, 2))
            )
            below, above = (a, b) if rising > 0 else (b, a)
            time = _between(series[above], middle)
            one = Crossover(below, above, middle, min(first, middle), max(last, middle), time)
            if own:
                own[-1], one = replace(own[-1], until=one.size), replace(one, since=own[-1].size)
            own.append(one)
        found += own
    return sorted(found, key=lambda one: one.size)


def _zero(curve: Sequence[tuple[float, float]]) -> float:
    """Return the first zero of a line through points that begins below 0 and ends above."""
    for (x, y), (after, then) in pairwise(curve):
        if y < 0 <= then:
            return x + (after - x) * -y / (then - y)
    return curve[0][0] if curve[0][1] >= 0 else curve[-1][0]


def _between(series: Series, size: float) -> float:
    """Return the seconds that a codec takes at a size between measured sizes."""
    known = sorted(
        (math.log(s), math.log(interval(samples)[0]))
        for s, samples in series.items()
        if samples and min(sample.value for sample in samples) > 0
    )
    x = math.log(size)
    for (a, y), (b, z) in pairwise(known):
        if a <= x <= b:
            return math.exp(y + (z - y) * (x - a) / (b - a))
    return math.exp(known[-1][1])


def leaders(series: Mapping[str, Series]) -> list[tuple[str, float, float]]:
    """Return the fastest codec by size: its name, and the smallest and largest of consecutive sizes."""
    found: list[tuple[str, float, float]] = []
    for size in sorted({size for one in series.values() for size in one}):
        times = {name: interval(one[size])[0] for name, one in series.items() if one.get(size)}
        if not times:
            continue
        first = min(times, key=times.__getitem__)
        if found and found[-1][0] == first:
            found[-1] = (first, found[-1][1], size)
        else:
            found.append((first, size, size))
    return found
