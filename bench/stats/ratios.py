"""Intervals of ratios, and the verdicts on them.

The process is the unit: a sample is the figure of one process for one cell, two cells of the same process are
compared by their ratio, and the t interval covers processes on the log scale. Few processes suffice because
the quiet cells of a table share an estimate of their noise (`noise`).

If rare calls take much longer than most (`Measurement.sums`), processes meet different numbers of them, and a
mean of logarithms would underestimate the mean cost. In this case means are arithmetic, the ratio is the
ratio of means (Cochran, "Sampling Techniques", 3rd edition, 1977, chapter 6), and the interval remains that
of the logarithm: it extends further up than down, like the distribution of these figures. Cells with such
calls share no estimate of noise, since each has met different ones. Sources: Georges et al. 2007 (several
processes, intervals), Kalibera and Jones 2013 (interval of the ratio), Holm 1979 (many pairs at once).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median

from ..contention import same_state
from ..method import Processes, Verdicts
from ..quantities import AMOUNTS
from ..results import Measurement, Verdict
from .noise import Noise, Prior, noise, variance
from .student import quantile, tails


@dataclass(frozen=True, slots=True)
class RunToRun:
    """How much two runs of the same code differ, beyond the noise of their processes.

    Attributes:
        deviation: Standard deviation of the log ratio of two runs (0.02 is about 2 %).
        degrees: Degrees of freedom of this estimate.
        runs: Past runs of the same cell behind the estimate; 0 for an assumed value.
    """

    deviation: float
    degrees: int
    runs: int = 0


RUN_TO_RUN = RunToRun(Verdicts.SESSION, Verdicts.SESSION_DEGREES)
"""Assumed if no past runs are known. Twenty runs of `--quick` with neighbors had less than 0.01 for eight
cells of ten and 0.03 for a slow codec; the few degrees of freedom allow for this range."""

OPPOSITE: Mapping[Verdict, Verdict] = {
    "faster": "slower",
    "slower": "faster",
    "same": "same",
    "unresolved": "unresolved",
}
"""The verdict on the same pair in the other order."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two cells and its uncertainty.

    Attributes:
        value: Geometric mean of a/b over processes; with `Measurement.sums`, ratio of arithmetic means.
        low: Lower end of the interval; 0 if there are too few processes for one.
        high: Upper end; infinite if there are too few processes.
        spread: Standard deviation of the log ratio from process to process (0.02 is about 2 %).
        processes: Number of processes.
        p: Probability of a ratio at least this far from 1 if both are equally fast.
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

    @property
    def known(self) -> bool:
        """Whether there is an interval: too few processes give none."""
        return math.isfinite(self.high)

    @property
    def ends(self) -> tuple[float, float] | tuple[None, None]:
        """Both ends of the interval, for tables and files; None without one, or if it exceeds all figures."""
        held = AMOUNTS.holds(self.low) and AMOUNTS.holds(self.high)
        return (self.low, self.high) if held else (None, None)

    def inside(self, tie: float) -> bool:
        """Return whether the whole interval lies inside the tie band."""
        return self.low >= 1 / (1 + tie) and self.high <= 1 + tie

    def outside(self, tie: float) -> bool:
        """Return whether the whole interval lies outside the tie band, on one side."""
        return self.low > 1 + tie or self.high < 1 / (1 + tie)

    def inverse(self) -> Ratio:
        """Return the ratio b/a."""
        low = 1 / self.high if self.high > 0 else math.inf
        high = 1 / self.low if self.low > 0 else math.inf
        return Ratio(1 / self.value, low, high, self.spread, self.processes, self.p)


def ratio(
    a: Sequence[Measurement],
    b: Sequence[Measurement],
    alpha: float = Verdicts.ALPHA,
    *,
    paired: bool = True,
    exact: bool = False,
    prior: Prior | None = None,
    session: RunToRun = RUN_TO_RUN,
) -> Ratio:
    """Estimate a/b with its interval.

    Args:
        a: Samples of one cell; values above 0.
        b: Samples of the other cell.
        alpha: One minus the interval's confidence.
        paired: Compare within processes, by `Measurement.pair`. Use False for samples of different runs,
            whose pair numbers are unrelated. The interval then treats values as independent and normalized,
            and is widened by `session`, as each side is one run however many processes agree. It is also used
            if fewer than two pairs are common.
        exact: The values have no noise (sizes): one sample each is enough.
        prior: The noise of this pair as estimated from the table, see `common`; for pairs only.
        session: How much two runs differ; for samples of different runs only.

    Raises:
        ValueError: A side without samples.
    """
    return _difference(a, b, paired=paired, exact=exact, prior=prior, session=session).at(alpha)


@dataclass(frozen=True, slots=True)
class _Difference:
    """A log ratio: its mean, standard error, spread, degrees of freedom, and processes."""

    mean: float
    error: float
    spread: float
    degrees: int
    processes: int

    def at(self, alpha: float) -> Ratio:
        """Return the ratio with an interval of a given confidence."""
        return self.within(self.interval(alpha), self.p)

    def within(self, interval: tuple[float, float], p: float) -> Ratio:
        """Return the ratio with an interval, and the probability of a ratio at least this far from 1."""
        return Ratio(math.exp(self.mean), *interval, self.spread, self.processes, p)

    @property
    def p(self) -> float:
        """The probability of a ratio at least this far from 1 if both are equally fast."""
        if self.degrees > 0 and self.error > 0:
            return tails(self.mean / self.error, self.degrees)
        return 0.0 if self.degrees > 0 and self.mean != 0 else 1.0

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return both ends of the ratio's interval; 0 and infinity if unknown."""
        if self.degrees <= 0:
            return 0.0, math.inf
        if self.error == 0:
            return math.exp(self.mean), math.exp(self.mean)
        reach = quantile(alpha, self.degrees) * self.error
        return math.exp(self.mean - reach), _exp(self.mean + reach)


def _difference(
    a: Sequence[Measurement],
    b: Sequence[Measurement],
    *,
    paired: bool = True,
    exact: bool = False,
    prior: Prior | None = None,
    session: RunToRun = RUN_TO_RUN,
    logs: tuple[_Logs, _Logs] | None = None,
) -> _Difference:
    if not a or not b:
        raise ValueError("a ratio needs samples on both sides")
    if exact:
        return _Difference(fmean(_logs(a)) - fmean(_logs(b)), 0.0, 0.0, 1, min(len(a), len(b)))
    ratios = _log_ratios(a, b, *(logs or (_logs_by_process(a), _logs_by_process(b)))) if paired else []
    if len(ratios) > 1 or (len(ratios) == 1 and len(a) == len(b) == 1):
        spread, degrees = variance(ratios), len(ratios) - 1
        if spread < Verdicts.EXACT:
            spread = 0.0
        elif prior is not None:
            spread, degrees = prior.moderated(spread, degrees)
        error = math.sqrt(spread / len(ratios))
        return _Difference(fmean(ratios), error, math.sqrt(spread), degrees, len(ratios))
    return _unpaired(_logs(a), _logs(b), session)


def _unpaired(a: Sequence[float], b: Sequence[float], session: RunToRun) -> _Difference:
    """Add the variances of both sides and of the session, with Satterthwaite's degrees of freedom (1946)."""
    fewest = min(len(a), len(b))
    spread = math.sqrt(variance(a) + variance(b))
    parts = [(variance(x) / len(x), len(x) - 1) for x in (a, b)] + [(session.deviation**2, session.degrees)]
    total = math.fsum(part for part, _ in parts)
    degrees = _degrees(parts) if fewest > 1 and total else fewest - 1
    return _Difference(fmean(a) - fmean(b), math.sqrt(total), spread, degrees, fewest)


def _degrees(parts: Sequence[tuple[float, int]]) -> int:
    """Return the degrees of freedom of a sum of variances; 0 for a sum of 0."""
    total = math.fsum(part for part, _ in parts)
    return math.floor(total**2 / math.fsum(part**2 / own for part, own in parts if own)) if total else 0


def between_runs(
    before: Sequence[float],
    after: Sequence[float],
    noise: float = 0.0,
    session: RunToRun = RUN_TO_RUN,
    levels: Sequence[Sequence[float]] = (),
    shared: tuple[float, int] = (0.0, 1),
    alpha: float = Verdicts.ALPHA,
) -> Ratio:
    """Estimate after/before of two groups of runs, from the logarithm of each run's figure.

    The variance of a run is that around the mean of its group, pooled with the assumed one by degrees of
    freedom (Smyth 2004), and never less than what the groups show.

    Args:
        noise: Mean variance of these logarithms that is due to the processes of a run.
        session: How much two runs of the same code differ.
        levels: Groups of runs that show the variance; by default the two that are compared.
        shared: Variance of the difference that more runs do not reduce, and its degrees of freedom.
        alpha: One minus the interval's confidence.

    Returns:
        The ratio with its interval; `Ratio.processes` is the number of runs.
    """
    groups = levels or (before, after)
    squares = math.fsum(variance(group) * (len(group) - 1) for group in groups)
    own, assumed = sum(len(group) - 1 for group in groups), session.deviation**2 / 2 + noise
    degrees = own + session.degrees
    pooled = (squares + session.degrees * assumed) / degrees
    each = max(pooled, squares / own) if own else pooled
    parts = [(each * (1 / len(before) + 1 / len(after)), degrees), shared]
    error = math.sqrt(math.fsum(part for part, _ in parts))
    degrees = _degrees(parts) or degrees
    runs = len(before) + len(after)
    return _Difference(fmean(after) - fmean(before), error, math.sqrt(each), degrees, runs).at(alpha)


def _exp(power: float) -> float:
    """Return e to a power; infinity on overflow, as with fabricated figures."""
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf


def interval(samples: Sequence[Measurement], alpha: float = Verdicts.ALPHA) -> tuple[float, float, float]:
    """Return mean, low and high of a cell's own value, in its unit.

    The mean is geometric, so that the ratio of two means is the mean of the ratios, but arithmetic with
    `Measurement.sums`. Cells with a value of 0 (growth) get the arithmetic mean and the range of their
    values.

    Raises:
        ValueError: No samples.
    """
    if not samples:
        raise ValueError("an interval needs samples")
    values = [s.value for s in samples]
    if min(values) <= 0:
        return fmean(values), min(values), max(values)
    logs = _logs(samples)
    error = math.sqrt(variance(logs) / len(logs))
    found = _Difference(fmean(logs), error, 0.0, len(logs) - 1, len(logs))
    value = math.exp(found.mean)
    return (value, *found.interval(alpha)) if len(samples) > 1 else (value, value, value)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple comparisons (Holm 1979), in the same order."""
    adjusted = [1.0] * len(probabilities)
    highest = 0.0
    for position, index in enumerate(sorted(range(len(probabilities)), key=probabilities.__getitem__)):
        highest = max(highest, min(1.0, probabilities[index] * (len(probabilities) - position)))
        adjusted[index] = highest
    return adjusted


def common(cells: Mapping[str, Sequence[Measurement]]) -> Noise:
    """Return the noise of the cells of a table, from the processes that all of them share.

    Args:
        cells: Samples by codec, of one corpus and operation.
    """
    if any(sample.sums and sample.dear for samples in cells.values() for sample in samples):
        return Noise()
    found = {name: {s.pair: s.paired for s in samples} for name, samples in cells.items() if samples}
    pairs = sorted(set.intersection(*map(set, found.values()))) if found else []
    return noise({name: [math.log(own[pair]) for pair in pairs] for name, own in found.items()})


def verdicts(
    cells: Mapping[str, Sequence[Measurement]],
    alpha: float = Verdicts.ALPHA,
    tie: float = Verdicts.TIE,
) -> dict[tuple[str, str], tuple[Verdict, Ratio]]:
    """Judge every pair of a table, in both orders.

    "faster" means that the first of the pair takes less time, and "same" that the whole interval of the ratio
    lies inside the tie band. Holm's procedure controls the error of faster and slower over all pairs of the
    table. Fewer than `Processes.FEWEST` processes give no verdict and no interval.

    The intervals agree with the verdicts: their level is the one at which Holm's procedure ends, so that 1
    lies inside exactly if a pair is unresolved. Only for "same" it is the interval of a single pair.

    Args:
        cells: Samples by codec, of one corpus and operation; codecs without samples are left out.
        alpha: Probability of any false faster/slower in the table. Runs that stop early record the share that
            a look may spend as the option ``alpha``.
        tie: Half-width of the tie band as a share.
    """
    noises = common(cells)
    pairs = list(combinations([name for name, samples in cells.items() if samples], 2))
    logs = {name: _logs_by_process(samples) for name, samples in cells.items()}
    found = [
        _difference(cells[a], cells[b], prior=noises.between(a, b), logs=(logs[a], logs[b])) for a, b in pairs
    ]
    chances = [each.p for each in found]
    known = [each.processes >= Processes.FEWEST for each in found]
    level = holm_level([p if sure else 1.0 for p, sure in zip(chances, known, strict=True)], alpha)
    judged: dict[tuple[str, str], tuple[Verdict, Ratio]] = {}
    for (a, b), difference, p, sure in zip(pairs, found, chances, known, strict=True):
        verdict: Verdict = "unresolved"
        if not sure:
            r = difference.within((0.0, math.inf), p)
        elif (r := difference.within(difference.interval(alpha), p)).inside(tie):
            verdict = "same"
        else:
            r = difference.within(difference.interval(level), p)
            if p < level:
                verdict = "faster" if r.value < 1 else "slower"
        judged[a, b] = verdict, r
        judged[b, a] = OPPOSITE[verdict], r.inverse()
    return judged


def holm_level(probabilities: Sequence[float], alpha: float = Verdicts.ALPHA) -> float:
    """Return the level at which Holm's procedure ends: a pair with a lower p-value is significant."""
    count = len(probabilities)
    for position, p in enumerate(sorted(probabilities)):
        if p >= alpha / (count - position):
            return alpha / (count - position)
    return alpha


def split(alpha: float, looks: int) -> float:
    """Return the share of `alpha` that each of `looks` looks may spend (Bonferroni)."""
    return alpha / max(1, looks)


def same_core(a: Sequence[Measurement], b: Sequence[Measurement]) -> bool:
    """Return whether two cells ran on cores in one state, see `same_state`."""
    return same_state(contention_of(a), contention_of(b))


def contention_of(samples: Sequence[Measurement]) -> float:
    """Return the median contention of a cell's processes; 0 if it was not recorded."""
    return median(sample.contention for sample in samples) if samples else 0.0


def _logs(samples: Sequence[Measurement]) -> list[float]:
    values = [s.value for s in samples]
    return _tangents(values) if samples[0].sums else [math.log(value) for value in values]


_Logs = Mapping[int, float]


def _logs_by_process(samples: Sequence[Measurement]) -> _Logs:
    """Return the logarithms of paired values; none if arithmetic means are to be compared."""
    return {s.pair: math.log(s.paired) for s in samples if not s.sums}


def _log_ratios(a: Sequence[Measurement], b: Sequence[Measurement], own: _Logs, other: _Logs) -> list[float]:
    """Return the logarithms of a/b for the processes that both share."""
    if not a[0].sums:
        return [log - other[pair] for pair, log in own.items() if pair in other]
    under = {s.pair: s.paired for s in b}
    over = {s.pair: s.paired for s in a if s.pair in under}
    if not over:
        return []
    means = _tangents(list(over.values())), _tangents([under[pair] for pair in over])
    return [x - y for x, y in zip(*means, strict=True)]


def _tangents(values: Sequence[float]) -> list[float]:
    """Return logarithms linearized at the arithmetic mean, so that their mean is the mean's logarithm.

    The difference of two of these means is the logarithm of the ratio of two arithmetic means, with the
    variance of a ratio of means.
    """
    mean = fmean(values)
    return [math.log(mean) + value / mean - 1 for value in values]
