"""The part of a timing process that readers in another language take: short turns in random order.

Each library gets a part of the records in each turn, and warms up before its slices.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import fmean

from ..heartbeat import IDLE
from ..jobs import Answer, TimedReads, TimeReads
from ..method import Readers
from ..workers.port import Refused, Timed, Worker, WorkerError
from .context import WorkerContext
from .parts import Readable, readable
from .readers import Restarted


@dataclass(slots=True)
class _Figures:
    """What a library needed in its turns.

    Attributes:
        turns: Number of payloads, and what was measured.
    """

    turns: list[tuple[int, Timed]] = field(default_factory=list)

    def answer(self) -> dict[str, float]:
        """Return the figures as those of other cells."""
        total = sum(count for count, _ in self.turns)
        raw = math.fsum(count * fmean(timed.slices) for count, timed in self.turns) * 1e-9 / total
        drifts = [math.log(timed.slices[-1] / timed.slices[0]) for _, timed in self.turns]
        return {
            "raw": raw,
            "loops": len(self.turns) * Readers.SLICES,
            "duration": math.fsum(count * sum(timed.slices) for count, timed in self.turns) * 1e-9,
            "rounds": len(self.turns) * Readers.SLICES,
            "drift": fmean(drifts),
            # Later turns warm up the caches, not the compiler.
            "warmup": self.turns[0][1].warmup_ns * 1e-9,
        }


def run(job: TimeReads, context: WorkerContext) -> Answer:
    """Run a timing job."""
    known = {read.payloads: readable(read, job.corpus, context.blobs) for read in job.reads}
    figures = {index: _Figures() for index in range(len(job.reads))}
    errors: dict[str, str] = {}
    with ExitStack() as stack:
        workers = [stack.enter_context(Restarted(each, job.patience)) for each in job.workers]
        for part in _parts(min(len(given.payloads) for given in known.values()), job.records):
            for index in random.sample(sorted(figures), len(figures)):
                context.beat(index)
                read = job.reads[index]
                known_payloads, schema = known[read.payloads]
                given = Readable([known_payloads[number] for number in part], schema)
                timed = _turn(workers[read.worker], read.library, given, round(job.slice * 1e9))
                if isinstance(timed, Timed):
                    figures[index].turns.append((len(part), timed))
                else:
                    errors[str(index)] = timed.reason
                    del figures[index]
    context.beat(IDLE)
    return TimedReads({str(index): found.answer() for index, found in figures.items()}, errors)


def _turn(worker: Restarted, library: str, given: Readable, nanoseconds: int) -> Timed | Refused:
    """Time a library on some payloads; a worker that fails costs only this library its figure."""

    def ask(asked: Worker) -> Timed | Refused:
        seed = random.getrandbits(31)
        return asked.time(library, given.payloads, Readers.SLICES, nanoseconds, seed, given.schema)

    try:
        return worker.ask(ask)
    except WorkerError as error:
        return Refused(str(error))


def _parts(count: int, wanted: int) -> list[Sequence[int]]:
    """Split random records into one part for each turn; with fewer records, turns share them."""
    chosen = random.sample(range(count), min(count, wanted))
    if len(chosen) < Readers.TURNS:
        return [chosen] * Readers.TURNS
    return [chosen[turn :: Readers.TURNS] for turn in range(Readers.TURNS)]
