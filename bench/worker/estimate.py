"""From the slices of one process to one figure per cell: what the mean record takes.

Each slice is held against what the check says of the very records in it, so that which records those were
says nothing any more. Slices of a round share what happens to the machine in that moment. Median polish takes
that part out, round by round, and what is left tells how far the check is off for that stratum of records. A
cell's figure is the sum over its strata. The reference kernel goes through the same, and the ratio of any
two cells is paired by round.

Within a stratum the ratio of sums counts, time over expected time: it is the mean over records, not the kind
of record that is in the majority. Slices far from the others weigh less, as Huber ("Robust estimation of a
location parameter", 1964) has it; not so where rare calls take much longer than most, as of a store that
puts its work off until much has come together. There each slice counts in full (`_sums`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..method import Estimate

__all__ = ["CellEstimate", "Track", "levels", "median"]


@dataclass(slots=True)
class Track:
    """The slices of one stratum of one cell in one process.

    Attributes:
        part: Seconds that the stratum adds to the mean record, by the check.
        mixed: A slice holds many records.
        times: Seconds of a slice, by round; a slow cell skips rounds.
        works: Seconds that the records of that slice took in the check.
        dirty: Rounds in which the kernel took the processor away during the slice, once at least.
        taken: Those in which it did so each time: the processor's time counts, and is too long by the cost
            of cold caches.
        calls: Calls of a slice, by round.
        contention: The higher of the readings before and after a slice, by round; see `bench.contention`.
            Slices that are too long for readings to vouch for them have none.
        sums: Slices that take long hold rare calls that take long, and count in full.
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
        """Return the same with the slices of some rounds only."""
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
        """Return the rounds whose slice had a core of its own; all of what counts in full.

        A store that has just waited for the disk finds the caches cold, and so does the reading after it: to
        go by that would leave out the calls that take long.
        """
        return [r for r in self.times if self.sums or self.contention.get(r, 0.0) <= limit]

    def logs(self) -> dict[int, float]:
        """Return the logarithms of time over work, by round."""
        return {r: math.log(spent / self.works[r]) for r, spent in self.times.items()}


@dataclass(frozen=True, slots=True)
class CellEstimate:
    """One cell in one process.

    Attributes:
        raw: Seconds of the mean record, as the clock had it.
        polished: The same with the rounds' common part taken out, relative to the other cells.
        drift: Log of the last third over the first third of the process.
        dear: Slices that took more than `Estimate.RARE` times their median, with the processor all the time.
        rare: Share of the time that they took beyond their usual.
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
    """Return what the slices of each round have in common, as a logarithm."""
    # A rare call that takes long says nothing of its round, and would be taken out of its own figure.
    steady = [track for track in tracks if not track.sums]
    # Who has but a few slices cannot tell what is common to them from what is its own.
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
    """Return the median of slices that hold so many records that they differ by what disturbs them only."""
    return median(ratios.values())


def _mean(ratios: Mapping[int, float], works: Mapping[int, float]) -> float:
    """Return the mean over records, where a slice holds few: the kind in the majority must not decide.

    So a slice is far off only if few are: a fifth of them may be disturbed, and more are a kind of records.
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
    """Return the standard deviation of values around 0, however far off a few of them are."""
    return max(Estimate.LEAST_SPREAD, Estimate.NORMAL * median(map(abs, rest)))


def median(values: Iterable[float]) -> float:
    """Return the median; `statistics` takes longer to import than to use here."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _weighted_median(values: Sequence[tuple[float, float]]) -> float:
    """Return where half of the weight lies below, of (value, weight); between two values where it is even."""
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
