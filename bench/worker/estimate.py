"""Estimation of one figure per cell, the time of the mean record, from the slices of one process.

Each slice is compared with the check's costs of the same records, so that the choice of records does not
affect the figure. Slices of a round share the momentary state of the machine. Median polish removes this
part, round by round. The rest shows how far the check is off for that stratum of records. A cell's figure is
the sum over its strata. The reference kernel is treated in the same way, and the ratio of any two cells is
paired by round.

Within a stratum the figure is the ratio of sums, time over expected time: the mean over records, not the most
frequent kind of record. Outlying slices weigh less, as in Huber ("Robust estimation of a location parameter",
1964). The exception is a cell whose rare calls take much longer than most, as in a store that defers its
work: there each slice counts in full (`_sums`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..method import Estimate


@dataclass(slots=True)
class Track:
    """The slices of one stratum of one cell in one process.

    Attributes:
        part: Seconds that the stratum adds to the mean record, by the check.
        mixed: A slice holds many records.
        times: Seconds of a slice, by round; a slow cell skips rounds.
        works: Seconds of the same records in the check.
        dirty: Rounds in which the kernel took the processor away during the slice at least once.
        taken: Rounds in which it did so in each attempt: the processor time counts, and is too long by the
            cost of cold caches.
        calls: Calls of a slice, by round.
        contention: The higher of the readings before and after a slice, by round; see `bench.contention`.
            Slices that are too long to be covered by readings have none.
        sums: Long slices hold rare slow calls, and count in full.
    """

    part: float
    mixed: bool = True
    times: dict[int, float] = field(default_factory=dict)
    works: dict[int, float] = field(default_factory=dict)
    dirty: set[int] = field(default_factory=set)
    taken: set[int] = field(default_factory=set)
    calls: dict[int, int] = field(default_factory=dict)
    contention: dict[int, float] = field(default_factory=dict)
    sums: bool = False

    def of(self, rounds: Collection[int]) -> Track:
        """Return the same with only the slices of some rounds."""
        kept = sorted(self.times.keys() & rounds)
        return Track(
            self.part,
            self.mixed,
            {r: self.times[r] for r in kept},
            {r: self.works[r] for r in kept},
            self.dirty.intersection(kept),
            self.taken.intersection(kept),
            {r: self.calls[r] for r in kept},
            {r: self.contention[r] for r in kept if r in self.contention},
            self.sums,
        )

    def free(self, limit: float) -> list[int]:
        """Return the rounds whose slice had a free core; all rounds if slices count in full.

        A store that has just waited for the disk finds the caches cold, and this affects the reading after
        it. Using these readings would exclude the slow calls.
        """
        return [r for r in self.times if self.sums or self.contention.get(r, 0.0) <= limit]

    def logs(self) -> dict[int, float]:
        """Return the logarithms of time over work, by round."""
        return {r: math.log(spent / self.works[r]) for r, spent in self.times.items()}


def dirty_share(tracks: Sequence[Track]) -> float:
    """Return the share of the slices of a process that were disturbed."""
    return sum(len(track.dirty) for track in tracks) / max(1, sum(len(track.times) for track in tracks))


@dataclass(frozen=True, slots=True)
class CellEstimate:
    """One cell in one process.

    Attributes:
        raw: Seconds of the mean record, by the clock.
        polished: The same without the common part of the rounds, relative to the other cells.
        drift: Logarithm of the ratio of the process's last third to its first third.
        dear: Slices that took more than `Estimate.RARE` times their median without losing the processor.
        rare: Share of the total time by which they exceeded their usual time.
    """

    raw: float
    polished: float
    drift: float
    dear: int = 0
    rare: float = 0.0


def levels(cells: Sequence[Sequence[Track]]) -> list[CellEstimate | None]:
    """Estimate every cell; None for a cell with a stratum that has no slices."""
    kept = [all(track.times for track in tracks) and bool(tracks) for tracks in cells]
    common = _common([track for tracks, whole in zip(cells, kept, strict=True) if whole for track in tracks])
    return [_level(tracks, common) if whole else None for tracks, whole in zip(cells, kept, strict=True)]


def _common(tracks: Sequence[Track]) -> dict[int, float]:
    """Return the common part of the slices of each round, as a logarithm."""
    # A rare slow call says nothing about its round, and would be removed from its own figure.
    steady = [track for track in tracks if not track.sums]
    # A cell with only a few slices cannot separate the common part from its own.
    voters = [track for track in steady if len(track.times) >= Estimate.ENOUGH] or steady
    logs = [track.logs() for track in voters]
    own = [median(values.values()) for values in logs]
    common: dict[int, float] = {}
    for _ in range(Estimate.SWEEPS):
        spreads = [
            _spread([x - common.get(r, 0.0) - o for r, x in v.items()])
            for o, v in zip(own, logs, strict=True)
        ]
        rounds: dict[int, list[tuple[float, float]]] = {}
        for level, spread, values in zip(own, spreads, logs, strict=True):
            for r, x in values.items():
                rounds.setdefault(r, []).append((x - level, 1 / spread))
        common = {r: _weighted_median(rest) for r, rest in rounds.items()}
        own = [median(x - common[r] for r, x in values.items()) for values in logs]
    return common


def _level(tracks: Sequence[Track], common: Mapping[int, float]) -> CellEstimate:
    raw = polished = spent = beyond = 0.0
    dear = 0
    rest: dict[int, float] = {}
    for track in tracks:
        ratios = {r: spent / track.works[r] for r, spent in track.times.items()}
        freed = {r: ratio * math.exp(-common.get(r, 0.0)) for r, ratio in ratios.items()}
        centre = _sums if track.sums else _centre if track.mixed else _mean
        raw += track.part * centre(ratios, track.works)
        level = centre(freed, track.works)
        polished += track.part * level
        rest |= {r: math.log(ratio / level) for r, ratio in freed.items()}
        usual = median(freed.values())
        over = [r for r, ratio in freed.items() if ratio > Estimate.RARE * usual and r not in track.dirty]
        dear += len(over)
        beyond += track.part * math.fsum((freed[r] - usual) * track.works[r] for r in over)
        spent += track.part * math.fsum(freed[r] * work for r, work in track.works.items())
    return CellEstimate(raw, polished, _drift(rest), dear, beyond / spent)


def _sums(ratios: Mapping[int, float], works: Mapping[int, float]) -> float:
    """Return the sum of times over the sum of works."""
    return math.fsum(ratio * works[r] for r, ratio in ratios.items()) / math.fsum(works.values())


def _centre(ratios: Mapping[int, float], works: Mapping[int, float]) -> float:
    """Return the median of slices that are long enough to differ only by disturbances."""
    return median(ratios.values())


def _mean(ratios: Mapping[int, float], works: Mapping[int, float]) -> float:
    """Return the mean over records for slices with few records, where the most frequent kind must not decide.

    A slice counts as an outlier only if few are: up to a fifth of them may be disturbed; more are a kind of
    records.
    """
    weights = dict.fromkeys(ratios, 1.0)
    if len(ratios) >= Estimate.ENOUGH:
        logs = {r: math.log(ratio) for r, ratio in ratios.items()}
        centre = median(logs.values())
        reach = Estimate.HUBER * max(
            Estimate.LEAST_SPREAD, _quantile([abs(x - centre) for x in logs.values()], 0.8) / 1.2816
        )
        for _ in range(Estimate.SWEEPS):
            total = math.fsum(weights.values())
            centre = math.fsum(weights[r] * x for r, x in logs.items()) / total
            weights = {r: min(1.0, reach / max(abs(x - centre), reach)) for r, x in logs.items()}
    work = {r: weight * works[r] for r, weight in weights.items()}
    return math.fsum(work[r] * ratio for r, ratio in ratios.items()) / math.fsum(work.values())


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


def _spread(rest: Sequence[float]) -> float:
    """Return the standard deviation of values around 0, robust against a few outliers."""
    return max(Estimate.LEAST_SPREAD, Estimate.NORMAL * median(map(abs, rest)))


def median(values: Iterable[float]) -> float:
    """Return the median; `statistics` takes longer to import than to use here."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _weighted_median(values: Sequence[tuple[float, float]]) -> float:
    """Return the weighted median of (value, weight); the middle of two values if the weights are even."""
    ordered = sorted(values)
    half = math.fsum(weight for _, weight in ordered) / 2
    below = 0.0
    for place, (value, weight) in enumerate(ordered):
        below += weight
        if below > half * (1 + 1e-9):
            return value
        if below >= half * (1 - 1e-9):
            return (value + ordered[min(place + 1, len(ordered) - 1)][0]) / 2
    return ordered[-1][0]


def _drift(rest: Mapping[int, float]) -> float:
    third = len(rest) // 3
    if third == 0:
        return 0.0
    values = [rest[r] for r in sorted(rest)]
    return median(values[-third:]) - median(values[:third])
