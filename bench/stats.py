"""The statistics of a run: intervals of ratios, verdicts, ranks; shared by the stop rule and the reports.

The process is the unit: a sample is what one process says of one cell, two cells of the same
process are compared by their ratio, and the t interval runs over processes on the log scale.
Few processes tell because the cells of a table lend each other what is common to their noise.

Where rare calls take much longer than most (`Measurement.sums`), a process has met some more or fewer
of them, and a mean of logarithms would lie below the mean cost. There means are arithmetic, the ratio
is that of the means (Cochran, "Sampling Techniques", 3rd edition, 1977, chapter 6), and the interval
is the logarithm's all the same: it reaches further up than down, as such figures do. Where such calls
were seen no cell lends another its noise, since each has met others.
Sources: Georges et al. 2007 (several processes, intervals), Kalibera and Jones 2013 (interval of
the ratio), Holm 1979 (many pairs at once), Smyth 2004 (variances of many small samples).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from .results import Measurement
from .student import Prior, pooled, quantile, tails

__all__ = [
    "ALPHA",
    "FEW",
    "SESSION",
    "TIE",
    "Prior",
    "Ratio",
    "Verdict",
    "common",
    "holm",
    "interval",
    "ranks",
    "ratio",
    "split",
    "verdicts",
]

FEW = 3
"""Processes below which codecs are not told apart: with one or two, even a tenfold difference is a tie."""

SESSION = 0.01
"""Standard deviation of the log ratio of two sessions of the same code: what the harness promises."""

ALPHA = 0.05
"""Chance of a false verdict anywhere in one table."""

TIE = 0.01
"""Differences up to this share are called the same."""

Verdict = Literal["faster", "slower", "same", "unresolved"]

_OPPOSITE: Mapping[Verdict, Verdict] = {
    "faster": "slower",
    "slower": "faster",
    "same": "same",
    "unresolved": "unresolved",
}


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two cells and how sure it is.

    Attributes:
        value: Geometric mean of a/b over processes; where `Measurement.sums`, ratio of arithmetic means.
        low: Lower end of the interval; 0 when there are too few processes for one.
        high: Upper end; infinite when there are too few processes.
        spread: Standard deviation of the log ratio from process to process (0.02 is about 2 %).
        processes: Processes behind it.
        p: Chance of a ratio at least this far from 1 when both are equally fast.
    """

    value: float
    low: float
    high: float
    spread: float
    processes: int
    p: float = 1.0

    @property
    def half_width(self) -> float:
        """Half the interval's width as a share, for instance 0.02 for plus or minus 2 %."""
        return math.sqrt(self.high / self.low) - 1 if self.low > 0 else math.inf

    def inside(self, tie: float) -> bool:
        """Whether the whole interval lies inside the tie band."""
        return self.low >= 1 / (1 + tie) and self.high <= 1 + tie

    def outside(self, tie: float) -> bool:
        """Whether the whole interval lies outside the tie band, on one side."""
        return self.low > 1 + tie or self.high < 1 / (1 + tie)

    def inverse(self) -> Ratio:
        """The ratio b/a."""
        low = 1 / self.high if self.high > 0 else math.inf
        high = 1 / self.low if self.low > 0 else math.inf
        return Ratio(1 / self.value, low, high, self.spread, self.processes, self.p)


def ratio(
    a: Sequence[Measurement],
    b: Sequence[Measurement],
    alpha: float = ALPHA,
    *,
    paired: bool = True,
    exact: bool = False,
    prior: Prior | None = None,
) -> Ratio:
    """Estimate a/b with its interval.

    Args:
        a: Samples of one cell; values above 0.
        b: Samples of the other cell.
        alpha: One minus the interval's confidence.
        paired: Compare within processes, by `Measurement.pair`. Say False for samples of different
            runs (their pair numbers mean different processes); then the interval of independent,
            normalised values is used, widened by `SESSION`: however many processes agree, each
            side is one session. It is also used when fewer than two pairs are common.
        exact: The values carry no noise (sizes): one sample each is enough.
        prior: What the other cells of the table say of the noise, see `common`; for pairs only.

    Raises:
        ValueError: A side without samples.
    """
    if not a or not b:
        raise ValueError("a ratio needs samples on both sides")
    logs = _log_ratios(a, b) if paired else []
    if exact:
        return _estimate(_mean(_logs(a)) - _mean(_logs(b)), 0.0, 0.0, 1, min(len(a), len(b)), alpha)
    if len(logs) > 1 or (len(logs) == 1 and len(a) == len(b) == 1):
        variance, degrees = _variance(logs), len(logs) - 1
        if prior is not None and variance > 0:
            variance, degrees = prior.moderated(variance, degrees)
        error = math.sqrt(variance / len(logs))
        return _estimate(_mean(logs), error, math.sqrt(variance), degrees, len(logs), alpha)
    return _unpaired(_logs(a), _logs(b), alpha)


def _unpaired(a: Sequence[float], b: Sequence[float], alpha: float) -> Ratio:
    parts = [_variance(x) / len(x) for x in (a, b)]
    fewest = min(len(a), len(b))
    spread = math.sqrt(_variance(a) + _variance(b))
    error = math.sqrt(sum(parts) + SESSION**2)
    return _estimate(_mean(a) - _mean(b), error, spread, fewest - 1, fewest, alpha)


def _estimate(mean: float, error: float, spread: float, degrees: int, processes: int, alpha: float) -> Ratio:
    value = math.exp(mean)
    if degrees <= 0:
        return Ratio(value, 0.0, math.inf, spread, processes)
    if error == 0:
        return Ratio(value, value, value, spread, processes, 1.0 if mean == 0 else 0.0)
    reach = quantile(alpha, degrees) * error
    p = tails(mean / error, degrees)
    return Ratio(value, math.exp(mean - reach), _exp(mean + reach), spread, processes, p)


def _exp(power: float) -> float:
    """Return e to a power; infinity where that has no number, as of figures that nobody measured."""
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf


def interval(samples: Sequence[Measurement], alpha: float = ALPHA) -> tuple[float, float, float]:
    """Return mean, low and high of a cell's own value, in its unit.

    The mean is geometric, so that the ratio of two means is the mean of the ratios, and arithmetic where
    `Measurement.sums`; cells that hold a value of 0 (growth) get the arithmetic mean and an interval as
    wide as their values.

    Raises:
        ValueError: No samples.
    """
    if not samples:
        raise ValueError("an interval needs samples")
    values = [s.value for s in samples]
    if min(values) <= 0:
        return _mean(values), min(values), max(values)
    logs = _logs(samples)
    error = math.sqrt(_variance(logs) / len(logs))
    found = _estimate(_mean(logs), error, 0.0, len(logs) - 1, len(logs), alpha)
    if len(samples) == 1:
        return found.value, found.value, found.value
    return found.value, found.low, found.high


def holm(probabilities: Sequence[float]) -> list[float]:
    """Adjust p-values for being looked at together (Holm 1979); same order."""
    adjusted = [1.0] * len(probabilities)
    highest = 0.0
    for position, index in enumerate(sorted(range(len(probabilities)), key=probabilities.__getitem__)):
        highest = max(highest, min(1.0, probabilities[index] * (len(probabilities) - position)))
        adjusted[index] = highest
    return adjusted


def common(cells: Mapping[str, Sequence[Measurement]]) -> Prior | None:
    """Return what the cells of a table say of each other's noise; None where they are too few to tell.

    What all cells of a process share is taken out first: it is not between any two of them.

    Args:
        cells: Samples by codec, of one corpus and operation.
    """
    if any(sample.sums and sample.dear for samples in cells.values() for sample in samples):
        return None
    logs = [{s.pair: math.log(s.paired) for s in samples} for samples in cells.values() if samples]
    pairs = sorted(set.intersection(*map(set, logs))) if logs else []
    if len(pairs) < 2:
        return None
    levels = {pair: _mean([one[pair] for one in logs]) for pair in pairs}
    found = [_variance([one[pair] - levels[pair] for pair in pairs]) for one in logs]
    return pooled(found, len(pairs) - 1)


def verdicts(
    cells: Mapping[str, Sequence[Measurement]], alpha: float = ALPHA, tie: float = TIE, *, exact: bool = False
) -> dict[tuple[str, str], tuple[Verdict, Ratio]]:
    """Judge every pair of a table, in both orders.

    "faster" says that the first of the pair takes less; "same" that the whole interval of the
    ratio lies inside the tie band; Holm guards faster and slower over all pairs of the table; fewer
    than `FEW` processes give neither.

    Args:
        cells: Samples by codec, of one corpus and operation; codecs without samples are left out.
        alpha: Chance of any false faster/slower in the table. Runs that stop early record the
            share that a look may spend as the option ``alpha``.
        tie: Half-width of the tie band as a share.
        exact: The values carry no noise (sizes).
    """
    prior = None if exact else common(cells)
    pairs = list(combinations([name for name, samples in cells.items() if samples], 2))
    found = [ratio(cells[a], cells[b], alpha, exact=exact, prior=prior) for a, b in pairs]
    judged: dict[tuple[str, str], tuple[Verdict, Ratio]] = {}
    chances = [r.p if exact or r.processes >= FEW else 1.0 for r in found]
    for (a, b), r, p in zip(pairs, found, holm(chances), strict=True):
        verdict: Verdict = "unresolved"
        if r.inside(tie):
            verdict = "same"
        elif p < alpha:
            verdict = "faster" if r.value < 1 else "slower"
        judged[a, b] = verdict, r
        judged[b, a] = _OPPOSITE[verdict], r.inverse()
    return judged


def ranks(
    cells: Mapping[str, Sequence[Measurement]], judged: Mapping[tuple[str, str], tuple[Verdict, Ratio]]
) -> dict[str, int]:
    """Rank codecs in the order of their means; ties share a rank.

    A codec shares the rank of the one before it unless it is surely slower than the first of that
    rank; a new rank counts all codecs above it. So ranks never fall along the order, and what shares
    one cannot be told apart from its quickest.

    Args:
        cells: Samples by codec.
        judged: What `verdicts` says of them.
    """
    found: dict[str, int] = {}
    first = ""
    order = sorted((name for name in cells if cells[name]), key=lambda name: interval(cells[name])[0])
    for place, name in enumerate(order, 1):
        if not first or judged[name, first][0] == "slower":
            first = name
            found[name] = place
        else:
            found[name] = found[first]
    return found


def split(alpha: float, looks: int) -> float:
    """Return the share of `alpha` that each of `looks` looks may spend (Bonferroni)."""
    return alpha / max(1, looks)


def _logs(samples: Sequence[Measurement]) -> list[float]:
    values = [s.value for s in samples]
    return _tangents(values) if samples[0].sums else [math.log(value) for value in values]


def _log_ratios(a: Sequence[Measurement], b: Sequence[Measurement]) -> list[float]:
    """Return the logarithms of a/b of the processes that both have."""
    others = {s.pair: s.paired for s in b}
    own = {s.pair: s.paired for s in a if s.pair in others}
    if not own or not a[0].sums:
        return [math.log(value / others[pair]) for pair, value in own.items()]
    over, under = _tangents(list(own.values())), _tangents([others[pair] for pair in own])
    return [x - y for x, y in zip(over, under, strict=True)]


def _tangents(values: Sequence[float]) -> list[float]:
    """Return the logarithms as the tangent at the arithmetic mean has them: their mean is that mean's.

    The difference of two such means is the logarithm of the ratio of two arithmetic ones, and its variance
    that of a ratio of means.
    """
    mean = _mean(values)
    return [math.log(mean) + value / mean - 1 for value in values]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = _mean(values)
    return math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)
