"""Find the reads per write and the bandwidth at which another codec would win."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from .candidates import Candidate
from .cost import PLAUSIBLE, CostModel, bandwidth_text, meeting


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a codec's cost: seconds per record, and bytes.

    With several corpora, each is weighted by its typical cost, so that large records do not count more.
    """

    dump: float
    load: float
    fix: float
    size: float

    def total(self, cost: CostModel) -> float:
        """Return the cost under a model."""
        return cost.total(self.dump, self.load, self.fix, self.size)

    @property
    def read(self) -> float:
        """Seconds of one read."""
        return self.load + self.fix

    def along(self, cost: CostModel) -> tuple[float, float]:
        """Return the cost of a write and of each read, with the crossings of the line that each causes."""
        wire = self.size / cost.bandwidth
        if cost.crossings == "once":
            return self.dump + wire, self.read
        return self.dump, self.read + wire


def parts_of(candidate: Candidate) -> Parts:
    """Return the cost of a codec on one corpus; parts that were not measured are 0."""
    dump, load, fix, size = (
        0.0 if (found := candidate.figure(name)) is None else found.value
        for name in ("dump", "load", "fix", "size")
    )
    return Parts(dump, load, fix, size)


def beyond(side: str, bandwidth: float) -> str:
    """Write a side, "above" or "below", of a bandwidth in bytes per second."""
    return f"{side} {bandwidth_text(bandwidth)}"


def breakeven(
    winner: str,
    order: Sequence[str],
    parts: Mapping[str, Parts],
    cost: CostModel,
    tied: Collection[str],
    line: Callable[[str, float], str] = beyond,
) -> list[str]:
    """Describe the reads per write and the bandwidth at which another codec would win.

    A tied codec whose mean is not above the winner's wins as soon as the weights change in its favor. Where
    the two lines cross, the winner becomes the cheaper one.

    Args:
        winner: The codec that wins under `cost`.
        order: The codecs to choose from, cheapest first.
        parts: Costs of these codecs.
        cost: The current weights.
        tied: The winner, and the codecs that are not known to cost more.
        line: Writes on which side of a bandwidth another codec wins: "above" or "below", bytes per second.
    """
    if order[0] not in tied:
        return []  # It does not win under the current weights.
    own = parts[winner]
    reads: list[tuple[float, str]] = []
    speeds: list[tuple[float, str]] = []
    least = own.total(cost)
    level = [n for n in order if n in tied and n != winner and parts[n].total(cost) <= least]
    for other in order:
        if other == winner or other in level:
            continue
        theirs = parts[other]
        point = meeting(own.along(cost), theirs.along(cost))
        # With several languages, it is not one number of reads that changes.
        if not cost.readers and _plausible(point, "reads"):
            reads.append((point, other))
        work = own.dump + cost.reads * own.read, theirs.dump + cost.reads * theirs.read
        sent = own.size * cost.transfers, theirs.size * cost.transfers
        point = meeting((sent[0], work[0]), (sent[1], work[1]))
        if _plausible(point, "bandwidth"):
            speeds.append((point, other))
    each = {n: parts[n].along(cost) for n in (winner, *level)}
    readers = sorted((n for n in level if each[n][1] < each[winner][1]), key=lambda n: each[n][1])
    writers = sorted((n for n in level if each[n][1] > each[winner][1]), key=lambda n: each[n][0])
    found = []
    if readers:
        found.append(f"with more reads {readers[0]}, tied now, wins")
    elif more := min((r for r in reads if r[0] > cost.reads), default=None):
        found.append(f"{more[1]} overtakes {winner} above {_count(more[0])} reads per write")
    if writers and cost.reads > 0:
        found.append(f"with fewer reads {writers[0]}, tied now, wins")
    elif fewer := max((r for r in reads if r[0] < cost.reads), default=None):
        found.append(f"{fewer[1]} overtakes {winner} below {_count(fewer[0])} reads per write")
    if faster := min((b for b in speeds if b[0] > cost.bandwidth), default=None):
        found.append(f"{line('above', faster[0])} {faster[1]} wins")
    if slower := max((b for b in speeds if b[0] < cost.bandwidth), default=None):
        found.append(f"{line('below', slower[0])} {slower[1]} wins")
    return found


def _plausible(point: float | None, weight: str) -> TypeGuard[float]:
    """Return whether a crossover of two codecs is in a realistic range."""
    low, high = PLAUSIBLE[weight]
    return point is not None and low <= point <= high


def _count(number: float) -> str:
    return f"{number:.2g}" if number < 100 else f"{number:,.0f}"
