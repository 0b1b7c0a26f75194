"""The timing process: shuffled rounds of short slices over all healthy cells of a corpus."""

from __future__ import annotations

import gc
import math
import os
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from ..contention import free_level, highest_free, overall
from ..figure import Figure
from ..heartbeat import IDLE
from ..jobs import Answer, Failed, failed
from ..messages.timing import Time, Timed, TimedCell
from ..method import Cores, Slices
from ..operations import operation
from ..operations.base import Batch, length_of_slice, rotating
from ..results import BASELINE
from . import gauge
from ._slice import nothing
from .context import WorkerContext
from .estimate import CellEstimate, Track, dirty_share, levels
from .parts import codec_parts
from .records import CheckedPayloads, PickledSample
from .reference import ITEMS, kernel
from .strata import Stratum, slices, strata
from .work import TimedWork, baseline, work


@dataclass(slots=True)
class _Part:
    """A cell's work on one stratum of the records.

    Attributes:
        batch: Makes the inputs of the calls; not timed.
        calls: Calls of a slice.
        warmup: Untimed calls before a slice.
        start: Position in the ring of the next slice.
        wanted: Its number of slices after all rounds.
    """

    stratum: Stratum
    batch: Batch
    track: Track
    calls: int = 1
    warmup: int = 0
    start: int = 0
    wanted: int = 0


@dataclass(slots=True)
class _Cell:
    """A cell being timed.

    Attributes:
        work: The timed work.
        parts: Its records, in strata.
        rounds: The part to measure, by round.
        extra: Share of extra calls that are not counted: a planted difference.
        duration: Seconds spent in slices.
    """

    work: TimedWork
    parts: list[_Part]
    rounds: dict[int, _Part]
    extra: float = 0.0
    duration: float = 0.0


class Process:
    """A timing process and its cells.

    Args:
        rounds: Number of rounds.
        wanted: Length of a slice in seconds.
        beat: Called with the running cell.
        ruler: The reference kernel's work, on identical records.
        free_level: Contention of a free core as measured by earlier processes; 0 if there were none.
        repeats: As in `messages.timing.Time`.
        read: Reads the contention.
        pause: Waits for a number of seconds.

    Attributes:
        failed: Why a cell has no figure, by index.
    """

    def __init__(
        self,
        rounds: int,
        wanted: float,
        beat: Callable[[int], object],
        ruler: TimedWork | None = None,
        *,
        free_level: float = 0.0,
        repeats: float = 1.0,
        read: Callable[[], float] = gauge.read,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self._number = rounds
        self._wanted = wanted
        self._beat = beat
        self._known = free_level
        self._repeats = repeats
        self._read = read
        self._pause = pause
        self._readings: list[float] = []
        self._spent = 0.0
        self._cells: dict[int, _Cell] = {}
        # All cells start at the same record, so that cells that see only a part of the sample share this
        # part.
        self._origin = random.random()
        made = TimedWork(kernel, rotating(ITEMS)) if ruler is None else ruler
        self._reference_kernels = [
            self._cell(made, [Slices.UNKNOWN] * len(ITEMS), 0.0) for _ in range(Slices.REFERENCE)
        ]
        self.failed: dict[int, Failed] = {}

    def enter(self, index: int, made: TimedWork, seconds: Sequence[float], extra: float = 0.0) -> None:
        """Add a cell.

        Args:
            made: The timed work.
            seconds: Seconds of each record in the check; above 0.
            extra: Share of extra calls that are not counted: a planted difference.
        """
        self._cells[index] = self._cell(made, seconds, extra)

    def _cell(self, made: TimedWork, seconds: Sequence[float], extra: float) -> _Cell:
        """Make a cell: stratify its records, calibrate its slices and assign them to the rounds."""
        # Rare slow calls come from the backend, not from the codec.
        fewest = made.fewest if made.inside is None else 1
        mean = math.fsum(seconds) / len(seconds)
        wanted = length_of_slice(self._wanted, mean, fewest)
        if made.apart:
            wanted = min(wanted, Slices.APART * mean)
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
        """Run all rounds; return the answer to the timing job.

        Args:
            collect: The garbage collector is on in slices; else it runs between rounds.
        """
        # The collector must not traverse the harness's own objects during the codecs' calls.
        gc.collect()
        gc.freeze()
        for r in range(self._number + 1):
            turns = [(i, c, c.rounds[r]) for i, c in self._cells.items() if r in c.rounds]
            self._round(r, [*turns, *((IDLE, y, y.rounds[r]) for y in self._reference_kernels)])
            if not collect:
                gc.collect()
        self._repeat(collect=collect)
        self._beat(IDLE)
        return self._answer()

    def _round(self, r: int, turns: list[tuple[int, _Cell, _Part]]) -> None:
        """Time one slice of each cell, in random order, and read the contention around them."""
        me = os.getpid()
        random.shuffle(turns)
        before, unread, since = self._reading(), 0.0, []
        for index, cell, part in turns:
            self._beat(index)
            try:
                took = self._turn(cell, part, r)
            except Exception as error:  # noqa: BLE001 - only this cell fails, whatever is raised
                self.failed[index] = failed(error)
                del self._cells[index]
                continue
            if os.getpid() != me:
                os._exit(0)  # a codec forked; the copy must stop here
            unread += took
            since.append((part, took))
            if unread > Cores.READ_EVERY:
                before, unread, since = self._close(r, since, before), 0.0, []
        self._close(r, since, before)

    def _reading(self) -> float:
        self._readings.append(self._read())
        return self._readings[-1]

    def _close(self, r: int, since: list[tuple[_Part, float]], before: float) -> float:
        """Read the contention and assign it to the slices since the last reading; return the reading."""
        after = self._reading()
        for part, took in since:
            if took <= Cores.VALID:
                part.track.contention[r] = max(before, after)
        return after

    @property
    def _free_level(self) -> float:
        """The baseline of the contention so far."""
        return free_level(self._readings, self._known)

    def _turn(self, cell: _Cell, part: _Part, r: int) -> float:
        """Time a slice of a part in round `r`, again if it was disturbed; return its seconds."""
        if part.stratum.mixed:
            # All fast cells use the same records, so they share costs that no check predicts.
            where = (self._origin + r / (self._number + 1)) % 1.0
            part.start = int(where * len(part.stratum.records))
        track, made = part.track, math.floor(part.calls * (1 + cell.extra) + random.random())
        for _ in range(1 if track.sums else 1 + Slices.REPEATS):
            nanoseconds, worked, switches = cell.work.run(part.batch, part.start, made, part.warmup)
            if switches and not track.sums:
                track.dirty.add(r)
            if not switches or nanoseconds * 1e-9 > Slices.PREEMPTED * self._wanted:
                break
        seconds = nanoseconds * 1e-9
        cell.duration += seconds
        self._spent += seconds
        if r:
            if switches:
                track.taken.add(r)
            track.times[r] = max(worked if switches else nanoseconds, 1) * 1e-9
            track.works[r] = _ring_sum(part.stratum.seconds, part.start, made) / (1 + cell.extra)
            track.calls[r] = part.calls
        part.start += made
        return seconds

    def _repeat(self, *, collect: bool) -> None:
        """Repeat the slices that ran on a shared core, as soon as the core is free again.

        Only the readings decide this, never the time of a slice. The repeats form separate rounds, as only
        slices measured together are compared.
        """
        for part in self._parts():
            part.wanted = len(part.track.times)
        left, r = self._repeats * self._spent, self._number
        while left > 0:
            most = highest_free(self._free_level)
            turns = [
                (index, cell, part)
                for index, cell in self._cells.items()
                for part in cell.parts
                if len(part.track.free(most)) < part.wanted
            ]
            if not turns:
                return
            self._beat(IDLE)
            if self._reading() > most:
                self._pause(Cores.PAUSE)
                left -= Cores.PAUSE
                continue
            r += 1
            before = self._spent
            self._round(r, [*turns, *((IDLE, y, y.parts[0]) for y in self._reference_kernels)])
            left -= self._spent - before
            if not collect:
                gc.collect()

    def _parts(self) -> list[_Part]:
        return [part for cell in (*self._cells.values(), *self._reference_kernels) for part in cell.parts]

    def _answer(self) -> Timed:
        """Estimate every cell from the slices on a free core if each cell has enough, else from all."""
        most = highest_free(self._free_level)
        own = all(len(part.track.free(most)) >= Cores.ENOUGH * part.wanted for part in self._parts())
        first = range(1, self._number + 1)

        def kept(cell: _Cell, *, free: bool) -> list[Track]:
            return [_undisturbed(part, part.track.free(most) if free else first) for part in cell.parts]

        steady = {i: kept(cell, free=own) for i, cell in self._cells.items() if not cell.work.sums}
        rulers = [kept(ruler, free=own) for ruler in self._reference_kernels]
        found, raw = _levels(steady, rulers)
        # Cells that count in full have slices in all rounds; compare them with the reference kernel in all
        # rounds.
        full = {i: kept(cell, free=False) for i, cell in self._cells.items() if cell.work.sums}
        found |= _levels(full, [kept(ruler, free=False) for ruler in self._reference_kernels])[0]
        tracks = {**steady, **full}
        readings = [x for parts in (*steady.values(), *rulers) for t in parts for x in t.contention.values()]
        contention = overall(readings)
        answers = {}
        for index, (level, ruler) in found.items():
            cell, parts = self._cells[index], tracks[index]
            records = cell.work.records
            answers[str(index)] = Figure(
                raw=level.raw / records,
                paired=level.polished / ruler / records,
                loops=sum(sum(track.calls.values()) for track in parts),
                duration=cell.duration,
                rounds=sum(len(track.times) for track in parts),
                dirty=sum(len(track.dirty) for track in parts),
                drift=level.drift,
                contention=contention,
                dear=level.dear,
                rare=level.rare,
            )
        every = [track for parts in (*tracks.values(), *rulers) for track in parts]
        return Timed(
            answers,
            {str(index): failed for index, failed in self.failed.items()},
            reference_kernel=raw,
            harness=harness(2_000),
            dirty=dirty_share(every),
            contention=contention,
            free_level=self._free_level,
        )


def _levels(
    cells: Mapping[int, list[Track]], rulers: Sequence[list[Track]]
) -> tuple[dict[int, tuple[CellEstimate, float]], float]:
    """Return the time of each cell relative to the reference kernel, and by the clock."""
    found = levels([*cells.values(), *rulers])
    known = [level for level in found[len(cells) :] if level is not None]
    polished = math.prod(level.polished for level in known) ** (1 / len(known))
    raw = math.prod(level.raw for level in known) ** (1 / len(known))
    named = zip(cells, found, strict=False)
    return {index: (level, polished) for index, level in named if level is not None}, raw


def _undisturbed(part: _Part, rounds: Collection[int]) -> Track:
    """Return the slices of some rounds; for a single record only the undisturbed ones, if there are two.

    All slices of several records are kept: the disturbed ones may hold the slow records.
    """
    found = part.track.of(rounds)
    clean = found.times.keys() - found.taken
    if found.sums or len(part.stratum.records) > 1:
        return found
    return found.of(clean) if len(clean) > 1 else found


def run(job: Time, context: WorkerContext) -> Answer:
    """Run a timing job."""
    sample = PickledSample.of(context.blobs[job.corpus.sample])
    shared = None if sample.fresh else sample.records()
    process = Process(job.rounds, job.slice, context.beat, free_level=job.free_level, repeats=job.repeats)
    order = list(enumerate(job.cells))
    random.shuffle(order)
    with ExitStack() as stack:
        for index, cell in order:
            context.beat(index)
            try:
                made, seconds = _prepare(cell, job, context, sample, shared)
                stack.callback(made.close)
                process.enter(index, made, seconds, cell.extra)
            except Exception as error:  # noqa: BLE001 - only this cell fails, whatever is raised
                process.failed[index] = failed(error)
        context.beat(IDLE)
        return process.go(collect=job.collect)


def _prepare(
    cell: TimedCell, job: Time, context: WorkerContext, sample: PickledSample, shared: list[Any] | None
) -> tuple[TimedWork, Sequence[float]]:
    """Return the work of a cell, and the cost of each record in the check."""
    if cell.codec == BASELINE:
        made = baseline(cell.operation, sample, collect=job.collect, apart=job.apart)
        return made, [Slices.COPY * size for size in sample.weights]
    parts = codec_parts(cell.codec, job.corpus, context.blobs, cell.dictionary, limits=cell.limits)
    checked = CheckedPayloads.of(context.blobs[cell.payloads])
    made = work(
        parts,
        cell.operation,
        sample,
        checked.payloads,
        shared,
        urls=job.backends,
        collect=job.collect,
        apart=job.apart,
    )
    return made, checked.seconds[operation(cell.operation).base]


def _calibrate(made: TimedWork, part: _Part, wanted: float, *, alone: bool) -> None:
    """Find the number of calls that fill a slice, by the minimum of several tries, as one may be disturbed.

    Args:
        made: The timed work.
        part: Its `calls` and `warmup` are set.
        wanted: Length of a slice in seconds.
        alone: It holds all records of the sample.
    """
    took = part.stratum.call
    if took > Slices.NO_WARM_UP * wanted:
        return
    if took > wanted / Slices.KNOWN:
        part.calls = max(1, round(wanted / took))
    else:
        for aim in (wanted / 16, wanted):
            tries = [made.run(part.batch, part.start, part.calls)[0] for _ in range(Slices.TRIES)]
            best = min(tries) * 1e-9 / part.calls
            part.calls = max(part.calls, round(aim / max(best, 1e-9)), 1)
    if not alone:
        # A few repeated records would be warmer than they are among all the others.
        part.calls = min(part.calls, len(part.stratum.records))
    part.warmup = math.ceil(Slices.WARM_UP * part.calls)


def _ring_sum(values: Sequence[float], start: int, count: int) -> float:
    """Sum `count` values from `start` on, wrapping around at the end."""
    laps, rest = divmod(count, len(values))
    start %= len(values)
    around = [*values[start : start + rest], *values[: max(0, start + rest - len(values))]]
    return laps * math.fsum(values) + math.fsum(around)


def harness(calls: int, tries: int = Slices.TRIES) -> float:
    """Measure the overhead: nanoseconds per call of a C function that does nothing, timed like a codec.

    Args:
        calls: Calls per try.
        tries: Number of tries, of which the fastest counts: all of them take milliseconds, as long as a
            neighbor's burst.
    """
    found = [
        TimedWork(nothing, rotating(ITEMS), touched=True, burst=burst)
        for burst in (Slices.BURST, Slices.FRESH_BURST)
    ]
    batch = rotating(ITEMS)(range(len(ITEMS)))
    return max(min(made.run(batch, 0, calls)[0] for _ in range(tries)) / calls for made in found)
