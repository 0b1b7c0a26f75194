"""The part of a timing process that readers in another language take: short turns in random order.

All libraries warm up first. Each gets a part of the records in each turn, and touches it before its slices.
The core may be shared during any of them (see `bench.contention`); such turns are repeated, and left out if
enough others remain.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import fmean

from ..contention import free_level, highest_free, overall
from ..figure import Figure
from ..foreign.port import ForeignWorker, LibraryRefusal, Restarted, TimedSlices, WorkerError
from ..heartbeat import IDLE
from ..jobs import Answer, Failed, failed
from ..messages.reads import TimedReads, TimeReads
from ..method import Cores, Readers
from . import gauge
from .context import WorkerContext
from .estimate import Track, dirty_share, levels
from .parts import Readable, readable
from .readers import worker

_FEWEST = 2
"""Turns that are taken however late it is: one alone would not show that it was disturbed."""


@dataclass(slots=True)
class _Cell:
    """A library, and what it needed in its turns.

    Attributes:
        known: All payloads that it may read, and their schema.
        usual: Bytes of the mean payload of all parts.
        warmup: Seconds until its times were steady. Turns warm up the caches, not the compiler.
        duration: Seconds spent in them.
    """

    known: Readable
    usual: float
    warmup: float
    track: Track = field(default_factory=lambda: Track(1.0, mixed=False))
    duration: float = 0.0

    def enter(self, turn: int, asked: Sequence[bytes], timed: TimedSlices, contention: float) -> None:
        """Note what was measured in a turn."""
        self.track.times[turn] = fmean(timed.slices) * 1e-9
        # What a payload costs mostly depends on its length; the parts differ in it.
        self.track.works[turn] = fmean(map(len, asked)) / self.usual
        self.track.contention[turn] = contention
        if timed.taken > Readers.TAKEN:
            self.track.dirty.add(turn)
        self.track.calls[turn] = len(timed.slices)
        self.duration += len(asked) * sum(timed.slices) * 1e-9


class _Turns:
    """The turns of a process.

    Args:
        job: What to time.
        context: Of the worker.
        workers: The worker of each language.

    Attributes:
        errors: Why a read has no figure, by its index in the job.
        readings: All readings of the contention so far.
    """

    def __init__(self, job: TimeReads, context: WorkerContext, workers: Sequence[Restarted]) -> None:
        self._job = job
        self._beat = context.beat
        self._workers = workers
        self.errors: dict[str, Failed] = {}
        self._known = self._readable(context)
        fewest = min((len(given.payloads) for given in self._known.values()), default=0)
        self._parts = _parts(fewest, job.records)
        self._cells: dict[int, _Cell] = {}
        self.readings = [gauge.read()]

    @property
    def free_level(self) -> float:
        """The baseline of the contention so far."""
        return free_level(self.readings, self._job.free_level)

    def _readable(self, context: WorkerContext) -> dict[int, Readable]:
        """Return what each library reads; where this fails, only this library has no figure."""
        found = {}
        for index, read in enumerate(self._job.reads):
            self._beat(index)
            try:
                found[index] = readable(read, self._job.corpus, context.blobs)
            except Exception as error:  # noqa: BLE001 - whatever the codec raises
                self.errors[str(index)] = failed(error)
        self._beat(IDLE)
        return found

    def go(self) -> None:
        """Take all turns, and repeat those on a shared core as long as the job allows."""
        latest = time.monotonic() + self._job.seconds
        self._warm_up(time.monotonic() + Readers.WARMED * self._job.seconds)
        begun = time.monotonic()
        for turn in range(len(self._parts)):
            if turn < _FEWEST or time.monotonic() < latest:
                self._round(turn)
        took = time.monotonic() - begun
        end = min(latest, begun + took * (1 + self._job.repeats))
        turn = len(self._parts)
        while self._missing() and time.monotonic() + took / len(self._parts) < end:
            self._beat(IDLE)
            if self.readings[-1] > highest_free(self.free_level):
                time.sleep(Cores.PAUSE)
                self.readings.append(gauge.read())
                continue
            self._round(turn)
            turn += 1

    def _warm_up(self, latest: float) -> None:
        """Let all libraries warm up before the first turn, if there is time.

        Libraries of one language share code, which is compiled again if another one uses it otherwise.
        """
        every = [number for part in self._parts for number in part]
        for index, known in self._known.items():
            if self._cells and time.monotonic() > latest:
                return
            self._beat(index)
            payloads = [known.payloads[number] for number in every]
            timed = self._timed(index, Readable(payloads, known.schema), slices=1)
            if isinstance(timed, TimedSlices):
                usual = max(fmean(map(len, payloads)), 1.0)
                self._cells[index] = _Cell(known, usual, timed.warmup_ns * 1e-9)
            else:
                self.errors[str(index)] = Failed(timed.reason)

    def _round(self, turn: int) -> None:
        """Give each library a turn."""
        part = self._parts[turn % len(self._parts)]
        for index in random.sample(sorted(self._cells), len(self._cells)):
            self._beat(index)
            cell, before = self._cells[index], self.readings[-1]
            asked = [cell.known.payloads[number] for number in part]
            timed = self._timed(index, Readable(asked, cell.known.schema))
            self.readings.append(gauge.read())
            if isinstance(timed, TimedSlices):
                cell.enter(turn, asked, timed, max(before, self.readings[-1]))
            else:
                self.errors[str(index)] = Failed(timed.reason)
                del self._cells[index]

    def _timed(
        self, index: int, given: Readable, slices: int = Readers.SLICES
    ) -> TimedSlices | LibraryRefusal:
        """Time a library on some payloads; a worker that fails costs only this library its figure."""
        read, nanoseconds = self._job.reads[index], round(self._job.slice * 1e9)

        def ask(asked: ForeignWorker) -> TimedSlices | LibraryRefusal:
            seed = random.getrandbits(31)
            return asked.time(read.library, given.payloads, slices, nanoseconds, seed, given.schema)

        try:
            return self._workers[read.worker].ask(ask)
        except WorkerError as error:
            return LibraryRefusal(str(error))

    def _missing(self) -> bool:
        """Whether a library had fewer turns on a free core than it should have."""
        return any(len(free) < len(self._parts) for free in self._free().values())

    def _free(self) -> dict[int, list[int]]:
        most = highest_free(self.free_level)
        return {index: cell.track.free(most) for index, cell in self._cells.items()}

    def answer(self) -> TimedReads:
        """Estimate each library from the turns on a free core if all have enough of them, else from all."""
        free = self._free()
        own = all(len(turns) >= Cores.ENOUGH * len(self._parts) for turns in free.values())
        cells = {
            index: cell.track.of(free[index] if own else list(cell.track.times))
            for index, cell in self._cells.items()
        }
        found = dict(zip(cells, levels([[track] for track in cells.values()]), strict=True))
        contention = overall([each for track in cells.values() for each in track.contention.values()])
        figures: dict[str, Figure] = {}
        for index, level in found.items():
            assert level is not None  # a library without a turn has failed
            cell = self._cells[index]
            figures[str(index)] = Figure(
                raw=level.raw,
                paired=level.polished,
                loops=sum(cell.track.calls.values()),
                duration=cell.duration,
                rounds=len(cell.track.times),
                dirty=len(cell.track.dirty),
                drift=level.drift,
                contention=contention,
            )
        warmups = {str(index): self._cells[index].warmup for index in found}
        dirty = dirty_share(list(cells.values()))
        return TimedReads(figures, warmups, self.errors, contention, self.free_level, dirty)


def run(job: TimeReads, context: WorkerContext) -> Answer:
    """Run a timing job."""
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(each, job.patience)) for each in job.workers]
        turns = _Turns(job, context, workers)
        turns.go()
        context.beat(IDLE)
        return turns.answer()


def _parts(count: int, wanted: int) -> list[Sequence[int]]:
    """Split random records into one part for each turn; with fewer records, turns share them."""
    chosen = random.sample(range(count), min(count, wanted))
    if len(chosen) < Readers.TURNS:
        return [chosen] * Readers.TURNS
    return [chosen[turn :: Readers.TURNS] for turn in range(Readers.TURNS)]
