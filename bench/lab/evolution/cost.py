"""What reading the other version costs, beside reading the same records of one's own: two decodes, in turn.

What was read is written again by the reading version: so the payloads hold the same, and differ in the
version alone. Both are read in the same moments, in one process: what disturbs one disturbs the other. The
rounds are cut into parts that count as a run's processes do, for the interval.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ....codecs import CodecError
from ...results import Measurement
from ...stats import Ratio, ratio
from ...worker._slice import time_calls
from .records import Pairing, expected
from .trial import Direction, Trial, Version

__all__ = ["Cost", "measured"]

SLICE: Final = 0.00025
"""Seconds of a slice; less tells of the clock, more of what disturbs."""
_PARTS: Final = 10
_WARM: Final = 2


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading takes.

    Attributes:
        other: Seconds for a payload of the other version.
        own: Seconds for the same record, as the reading version writes it.
        ratio: The one over the other.
    """

    other: float
    own: float
    ratio: Ratio


@dataclass(slots=True)
class _Pair:
    """The two decodes of one codec in one direction, and what they took, part by part."""

    key: tuple[str, Direction]
    calls: tuple[tuple[Callable[[bytes], Any], list[bytes]], tuple[Callable[[bytes], Any], list[bytes]]]
    count: int = 1
    at: int = 0
    spent: list[tuple[list[int], list[int], list[int]]] = field(default_factory=list)

    def go(self, part: int, order: Sequence[int], *, keep: bool = True) -> None:
        """Time both, one slice each of the like records."""
        took, dirty = [0, 0], 0
        for side in order:
            call, payloads = self.calls[side]
            took[side], _, away = time_calls(call, payloads, self.at, self.count)
            dirty += away
        self.at = (self.at + self.count) % len(self.calls[0][1])
        if keep:
            self.spent[part][0].append(took[0])
            self.spent[part][1].append(took[1])
            self.spent[part][2].append(dirty)

    def cost(self) -> Cost:
        """Return what was measured; what the kernel has disturbed counts only where all is."""
        other: list[Measurement] = []
        own: list[Measurement] = []
        for number, (a, b, away) in enumerate(part for part in self.spent if part[0]):
            kept = [i for i, switches in enumerate(away) if not switches] or range(len(a))
            calls = len(kept) * self.count
            seconds = [sum(side[i] for i in kept) / calls / 1e9 for side in (a, b)]
            for samples, value in zip((other, own), seconds, strict=True):
                samples.append(Measurement(value, value, value, number))
        means = [math.exp(math.fsum(math.log(s.value) for s in each) / len(each)) for each in (other, own)]
        return Cost(means[0], means[1], ratio(other, own))


def measured(
    tried: Sequence[Trial], seconds: float, on_progress: Callable[[int, int], None] | None = None
) -> dict[tuple[str, Direction], Cost]:
    """Return what reading the other version costs each codec that reads all of it.

    Args:
        tried: The codecs.
        seconds: How long, all in all; each is measured in `_PARTS` parts at the least.
        on_progress: Called with the tenths of a second that are gone, and those that there are.
    """
    cells = [pair for trial in tried for pair in _pairs(trial)]
    if not cells:
        return {}
    for pair in cells:
        for _ in range(_WARM):
            spent = time_calls(*pair.calls[1], 0, len(pair.calls[1][1]))[0]
        per_call = spent / len(pair.calls[1][1]) / 1e9
        pair.count = max(1, min(len(pair.calls[1][1]), round(SLICE / per_call)))
        pair.spent = [([], [], []) for _ in range(_PARTS)]
    shuffled = random.Random(1)
    started = time.monotonic()
    rounds = 0
    while rounds < _PARTS or time.monotonic() - started < seconds:
        shuffled.shuffle(cells)
        for pair in cells:
            pair.go(rounds % _PARTS, shuffled.sample((0, 1), 2))
        rounds += 1
        if on_progress is not None:
            on_progress(round(min(time.monotonic() - started, seconds) * 10), round(seconds * 10))
    return {pair.key: pair.cost() for pair in cells}


def _pairs(trial: Trial) -> Iterator[_Pair]:
    if trial.old is None or trial.new is None:
        return
    directions: tuple[tuple[Direction, Version, Version], ...] = (
        ("old→new", trial.old, trial.new),
        ("new→old", trial.new, trial.old),
    )
    for way, writer, reader in directions:
        if trial.reading(way).refused:
            continue
        decode = reader.reader(writer)
        try:
            again = [_again(reader, decode(payload)) for payload in writer.payloads]
        except CodecError:
            continue  # It reads what it would not write.
        # Copied, so that neither lies in memory otherwise than the other.
        both = [[bytes(memoryview(payload)) for payload in each] for each in (writer.payloads, again)]
        yield _Pair((trial.codec, way), ((decode, both[0]), (reader.codec.decode, both[1])))


def _again(reader: Version, found: Any) -> bytes:
    """Write what was read of the other version, without what a version does not know if it must.

    Raises:
        CodecError: It cannot be written.
    """
    try:
        return bytes(reader.codec.encode(found))
    except CodecError:
        return reader.written(expected(reader.given(found), reader.layout, reader.layout, Pairing({})))
