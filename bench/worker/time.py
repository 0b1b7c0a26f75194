"""The timing process: shuffled rounds of short slices over all healthy cells of a corpus."""

from __future__ import annotations

import gc
import math
import os
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from ..desk import Desk
from ..heartbeat import IDLE
from ..jobs import Answer, Time, Timed, TimedCell
from ..operations import operation
from ..operations.base import BURST, FRESH, Batch, rotating
from ..results import FLOOR
from ._slice import nothing
from .estimate import Track, levels
from .parts import codec_parts
from .records import Payloads, Sample
from .strata import Stratum, slices, strata
from .work import Clocked, floor, work
from .yardstick import ITEMS, kernel

__all__ = ["Process", "harness", "run"]

_TRIES = 3
_YARDSTICKS = 2
_AGAIN = 2
"""How often a disturbed slice is measured again, on the same records: to leave it out would be to leave out
those records that take long."""
_PREEMPTED = 4
"""A slice this many times longer than wanted would only be disturbed again: its processor time counts."""
_WARMUP = 0.5
"""Calls before a slice, as a share of its own. The codecs before it have left nothing of this one in the
processor's caches and branch predictors; without a warm-up slices of twins differ more."""
_LONG = 4
"""Calls this many times longer than a slice need no warm-up."""
_FEW = 8
"""Calls of a slice that the check knows well enough; how many more of quicker ones fit is tried out."""
_LONGEST = 16
"""Times that a slice is longer at most which is to hold many calls."""
_COPIED = 1e-7
"""Seconds that copying a record of mean size takes, roughly; only its likeness to others' counts."""

_UNKNOWN = 1e-9
"""Seconds of a call that no check has measured."""


@dataclass(slots=True)
class _Part:
    """A cell's work on one stratum of the records.

    Attributes:
        stratum: The records.
        batch: Gives what the cell is called with; not timed.
        track: The slices.
        calls: Calls of a slice.
        warmup: Calls before a slice that do not count.
        start: Where in the ring the next slice begins.
    """

    stratum: Stratum
    batch: Batch
    track: Track
    calls: int = 1
    warmup: int = 0
    start: int = 0


@dataclass(slots=True)
class _Cell:
    """A cell at work.

    Attributes:
        work: What is timed.
        parts: Its records, in strata.
        rounds: The part whose turn it is, by round.
        extra: Share of further calls that are made but not counted: a planted difference.
        duration: Seconds spent in slices.
    """

    work: Clocked
    parts: list[_Part]
    rounds: dict[int, _Part]
    extra: float = 0.0
    duration: float = 0.0


class Process:
    """What one timing process does with its cells.

    Args:
        rounds: Their number.
        wanted: Length of a slice in seconds.
        beat: Told which cell is running.
        ruler: The yardstick's work, on records that are all alike.

    Attributes:
        failed: Why a cell has no figure, by index.
    """

    def __init__(
        self, rounds: int, wanted: float, beat: Callable[[int], object], ruler: Clocked | None = None
    ) -> None:
        self._number = rounds
        self._wanted = wanted
        self._beat = beat
        self._cells: dict[int, _Cell] = {}
        # All cells begin at the same record: who sees a part of the sample only shares it with the others.
        self._origin = random.random()
        made = Clocked(kernel, rotating(ITEMS)) if ruler is None else ruler
        self._yardsticks = [self._cell(made, [_UNKNOWN] * len(ITEMS), 0.0) for _ in range(_YARDSTICKS)]
        self.failed: dict[int, str] = {}

    def enter(self, index: int, made: Clocked, seconds: Sequence[float], extra: float = 0.0) -> None:
        """Enter a cell.

        Args:
            index: Its number.
            made: What is timed.
            seconds: What each record took in the check; above 0.
            extra: Share of further calls that are made but not counted: a planted difference.
        """
        self._cells[index] = self._cell(made, seconds, extra)

    def _cell(self, made: Clocked, seconds: Sequence[float], extra: float) -> _Cell:
        """Make a cell: its records in strata, its slices calibrated and dealt out over the rounds."""
        wanted = _length(made, seconds, self._wanted)
        found = strata(seconds, wanted)
        parts = [_Part(s, made.batches(s.records), Track(s.part, s.mixed, sums=made.sums)) for s in found]
        for part in parts:
            part.start = int(self._origin * len(part.stratum.records))
            _calibrate(made.whole(), part, wanted, alone=len(parts) == 1)
            part.warmup = math.ceil(part.warmup * self._wanted / wanted)
        counts = slices(found, self._number, wanted)
        turns = [part for part, count in zip(parts, counts, strict=True) for _ in range(count)]
        rounds = dict(zip(random.sample(range(1, self._number + 1), len(turns)), turns, strict=True))
        if len(turns) == self._number:
            rounds[0] = max(parts, key=lambda part: part.track.part)  # warms up and is dropped
        return _Cell(made, parts, rounds, extra)

    def go(self, *, collect: bool) -> Timed:
        """Go through all rounds; return the answer to the timing job.

        Args:
            collect: The garbage collector is on in slices; else it runs between rounds.
        """
        # The harness' own objects must not be walked through at the codecs' expense.
        gc.collect()
        gc.freeze()
        me = os.getpid()
        for r in range(self._number + 1):
            turn = [(i, c) for i, c in self._cells.items() if r in c.rounds]
            turn += [(IDLE, y) for y in self._yardsticks]
            random.shuffle(turn)
            for index, cell in turn:
                self._beat(index)
                try:
                    self._turn(cell, r)
                except Exception as error:  # noqa: BLE001 - a cell fails alone, whatever it raises
                    self.failed[index] = _text(error)
                    del self._cells[index]
                    continue
                if os.getpid() != me:
                    os._exit(0)  # a codec forked; the copy must not go on measuring
            if not collect:
                gc.collect()
        self._beat(IDLE)
        return _answer(self._cells, self._yardsticks, self.failed)

    def _turn(self, cell: _Cell, r: int) -> None:
        """Time the slice that a cell has in round `r`, and again if it was disturbed."""
        part = cell.rounds[r]
        if part.stratum.mixed:
            # All quick cells at the same place: what no check foresees of these records is common to them.
            where = (self._origin + r / (self._number + 1)) % 1.0
            part.start = int(where * len(part.stratum.records))
        track, made = part.track, math.floor(part.calls * (1 + cell.extra) + random.random())
        for _ in range(1 if track.sums else 1 + _AGAIN):
            nanoseconds, worked, switches = cell.work.run(part.batch, part.start, made, part.warmup)
            if switches and r and not track.sums:
                track.dirty.add(r)
            if not switches or nanoseconds * 1e-9 > _PREEMPTED * self._wanted:
                break
        cell.duration += nanoseconds * 1e-9
        if r:
            track.times[r] = max(worked if switches else nanoseconds, 1) * 1e-9
            track.works[r] = _ring_sum(part.stratum.seconds, part.start, made) / (1 + cell.extra)
            track.loops += part.calls
        part.start += made


def _length(made: Clocked, seconds: Sequence[float], wanted: float) -> float:
    """Return the length of a cell's slices: longer where they are to hold at least so many calls."""
    if made.fewest == 1 or made.inside is not None:
        return wanted
    return max(wanted, min(_LONGEST * wanted, made.fewest * math.fsum(seconds) / len(seconds)))


def run(job: Time, desk: Desk) -> Answer:
    """Carry out a timing job."""
    sample = Sample.of(desk.blobs[job.corpus.sample])
    shared = None if sample.fresh else sample.records()
    process = Process(job.rounds, job.slice, desk.beat)
    order = list(enumerate(job.cells))
    random.shuffle(order)
    with ExitStack() as stack:
        for index, cell in order:
            desk.beat(index)
            try:
                made, seconds = _prepare(cell, job, desk, sample, shared)
                stack.callback(made.close)
                process.enter(index, made, seconds, cell.extra)
            except Exception as error:  # noqa: BLE001 - a cell fails alone, whatever it raises
                process.failed[index] = _text(error)
        desk.beat(IDLE)
        return process.go(collect=job.collect)


def _prepare(
    cell: TimedCell, job: Time, desk: Desk, sample: Sample, shared: list[Any] | None
) -> tuple[Clocked, Sequence[float]]:
    """Return the work of a cell, and what each record took in the check."""
    if cell.codec == FLOOR:
        made = floor(cell.operation, sample, collect=job.collect)
        return made, [_COPIED * size for size in sample.weights]
    parts = codec_parts(cell.codec, job.corpus, desk.blobs, cell.dictionary)
    checked = Payloads.of(desk.blobs[cell.payloads])
    made = work(
        parts, cell.operation, sample, checked.payloads, shared, places=job.places, collect=job.collect
    )
    return made, checked.seconds[operation(cell.operation).base]


def _calibrate(made: Clocked, part: _Part, wanted: float, *, alone: bool) -> None:
    """Find the calls that fill a slice, by the minimum of tries: one disturbed try must not decide.

    Args:
        made: What is timed.
        part: Its `calls` and `warmup` are set.
        wanted: Length of a slice in seconds.
        alone: It holds all records of the sample.
    """
    took = part.stratum.call
    if took > _LONG * wanted:
        return
    if took > wanted / _FEW:
        part.calls = max(1, round(wanted / took))
    else:
        for aim in (wanted / 16, wanted):
            tries = [made.run(part.batch, part.start, part.calls)[0] for _ in range(_TRIES)]
            best = min(tries) * 1e-9 / part.calls
            part.calls = max(part.calls, round(aim / max(best, 1e-9)), 1)
    if not alone:
        # The same few again and again would be nearer than they are among all the others.
        part.calls = min(part.calls, len(part.stratum.records))
    part.warmup = math.ceil(_WARMUP * part.calls)


def _ring_sum(values: Sequence[float], start: int, count: int) -> float:
    """Sum `count` values from `start` on, round again at the end."""
    laps, rest = divmod(count, len(values))
    start %= len(values)
    around = [*values[start : start + rest], *values[: max(0, start + rest - len(values))]]
    return laps * math.fsum(values) + math.fsum(around)


def _answer(cells: dict[int, _Cell], yardsticks: list[_Cell], failed: dict[int, str]) -> Timed:
    order = list(cells)
    all_cells = [*(cells[i] for i in order), *yardsticks]
    tracks = [[part.track for part in cell.parts] for cell in all_cells]
    found = levels(tracks)
    rulers = [level for level in found[len(order) :] if level is not None]
    raw = math.prod(y.raw for y in rulers) ** (1 / len(rulers))
    polished = math.prod(y.polished for y in rulers) ** (1 / len(rulers))
    answers = {}
    for index, level, own in zip(order, found, tracks, strict=False):
        if level is None:
            continue
        records = cells[index].work.records
        answers[str(index)] = {
            "raw": level.raw / records,
            "paired": level.polished / polished / records,
            "drift": level.drift,
            "dear": level.dear,
            "rare": level.rare,
            "loops": sum(track.loops for track in own),
            "calls": max(part.calls for part in cells[index].parts),
            "duration": cells[index].duration,
            "rounds": sum(len(track.times) for track in own),
            "dirty": sum(len(track.dirty) for track in own),
        }
    every = [track for own in tracks for track in own]
    return Timed(
        answers,
        {str(index): text for index, text in failed.items()},
        yardstick=raw,
        harness=harness(2_000),
        dirty=sum(len(t.dirty) for t in every) / max(1, sum(len(t.times) for t in every)),
    )


def harness(calls: int, tries: int = _TRIES) -> float:
    """Measure measuring: nanoseconds per call of a C function that does nothing, timed as codecs are.

    Args:
        calls: Of each try.
        tries: The quickest counts: all of it takes milliseconds, as long as a neighbour's burst.
    """
    found = [Clocked(nothing, rotating(ITEMS), touched=True, burst=burst) for burst in (BURST, FRESH)]
    batch = rotating(ITEMS)(range(len(ITEMS)))
    return max(min(made.run(batch, 0, calls)[0] for _ in range(tries)) / calls for made in found)


def _text(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "went over its memory limit (--cell-memory)"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
