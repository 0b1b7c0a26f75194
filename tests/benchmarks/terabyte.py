"""A survey of a terabyte by 100 workers, simulated: ``python3 tasks.py benchmarks terabyte``.

Measured here: what a record costs a worker, how long a worker takes to start, how large an answer is, and
what merging it costs the conductor. The rest is assumed and printed: the network of a worker, the bandwidth
of the storage, and how often workers are slow or lost. No bandwidth is measured.
"""

from __future__ import annotations

import heapq
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import click

from bakeoff.bench.jobs import decode, encode
from bakeoff.bench.messages.survey import Surveyed, SurveyJob, SurveyPiece
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.survey import SurveyTally
from bakeoff.bench.worker.survey import Surveyor
from bakeoff.codecs import codec
from bakeoff.datasets import corpus
from bakeoff.datasets.shards import PIECE

from ._frame import Targets, benchmark

WANTED_MINUTES = 60
"""A terabyte by 100 workers, in the scenario without faults."""
TERABYTE = 1e12
SPREAD = 0.2
"""Standard deviation of the log of a piece's time."""
FACTOR = 10
CORPORA = {"movies": 20_000, "messages": 3_000}
MERGES = 20
STARTS = 10
OPEN = 0.1
"""Seconds that a small file on a remote storage takes to open."""
JOB = SurveyJob(
    pieces=(SurveyPiece("", 0, 0, 0),),
    seed=1,
    codecs=("json", "msgpack"),
    schema="",
    sample=1_000,
    sample_format="msgpack",
    cut=1 << 64,
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A survey of a terabyte.

    Attributes:
        rate: Bytes that a worker surveys in a second, without reading them.
        start: Seconds that the start of a worker takes.
        merge: Seconds that an answer takes at the conductor.
        piece: Bytes of a piece.
        workers: Number of workers.
        network: Bytes per second that a worker can read.
        storage: Bytes per second that all workers together can read.
        slow: Workers that take `FACTOR` times as long.
        lost: Share of pieces whose worker is lost half-way, and which are tried again.
    """

    rate: float
    start: float
    merge: float
    piece: float = PIECE
    workers: int = 100
    network: float = 100e6
    storage: float = 10e9
    slow: int = 0
    lost: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The wall-clock time in seconds, and shares of it.

    Attributes:
        seconds: From the first piece to the last merge.
        workers: In which a worker works, on average.
        conductor: In which the conductor merges.
        tail: After the first worker has found no more work.
    """

    seconds: float
    workers: float
    conductor: float
    tail: float


def simulate(scenario: Scenario) -> Outcome:
    """Simulate a survey: each worker takes the next piece, and the conductor merges one answer at a time."""
    rng = random.Random(1)
    reading = min(scenario.network, scenario.storage / scenario.workers)
    left = round(TERABYTE / scenario.piece)
    running = [(0.0, worker, True) for worker in range(scenario.workers)]
    busy, merged, merging, idle = 0.0, 0.0, 0.0, None
    while running:
        end, worker, is_first = heapq.heappop(running)
        if not is_first:
            merged = max(merged, end) + scenario.merge
            merging += scenario.merge
        if not left:
            idle = end if idle is None else idle
            continue
        # Two pieces per worker are handed out, so that it waits only for a conductor that is far behind.
        begin = max(end, merged - scenario.workers * scenario.merge)
        spent = scenario.start + scenario.piece / reading + scenario.piece / scenario.rate
        spent *= rng.lognormvariate(0, SPREAD) * (FACTOR if worker < scenario.slow else 1)
        if rng.random() < scenario.lost:
            spent /= 2
        else:
            left -= 1
        busy += spent
        heapq.heappush(running, (begin + spent, worker, False))
    tail = merged - (idle or 0.0)
    return Outcome(merged, busy / merged / scenario.workers, merging / merged, tail / merged)


def _rate(name: str, count: int) -> tuple[float, float, int]:
    """Return bytes per second of one worker, the seconds of a merge, and the bytes of an answer."""
    records = list(corpus(name, count).records())
    size = sum(len(codec("json").encode(record)) + 1 for record in records)
    surveyor = Surveyor(JOB, {})
    begun = time.process_time()
    for number, record in enumerate(records):
        surveyor.add(record, number)
    rate = size / (time.process_time() - begun)
    answer = encode(Surveyed(surveyor.tally.plain()))
    whole = SurveyTally.of(decode(answer).tally, JOB.codecs, JOB.sample)
    begun = time.process_time()
    for _ in range(MERGES):
        whole.merge(SurveyTally.of(decode(answer).tally, JOB.codecs, JOB.sample))
    return rate, (time.process_time() - begun) / MERGES, len(answer)


def _start() -> float:
    """Return the seconds that a piece without records takes."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file, LocalExecutor() as executor:
        job = replace(JOB, pieces=(SurveyPiece(file.name, 0, 0, 0),))
        executor.work(job)
        begun = time.perf_counter()
        for _ in range(STARTS):
            executor.work(job)
        return (time.perf_counter() - begun) / STARTS


def _scenarios(base: Scenario) -> Iterator[tuple[str, Scenario]]:
    yield "100 workers", base
    yield "storage of 10 Gbit/s", replace(base, storage=1.25e9)
    yield "storage of 1 Gbit/s", replace(base, storage=0.125e9)
    yield f"5 workers {FACTOR} times as slow", replace(base, slow=5)
    yield "the same, files of 4 GiB that cannot be split", replace(base, slow=5, piece=float(4 << 30))
    yield "5 % of pieces lost and tried again", replace(base, lost=0.05)
    opening = PIECE / 1e6 * OPEN
    yield "1,000,000 files of 1 MB", replace(base, start=base.start + opening)
    yield "1,000 workers", replace(base, workers=1_000, storage=100e9)
    yield "10,000 workers", replace(base, workers=10_000, storage=1e12)


@benchmark
def main(targets: Targets) -> None:
    """Simulate surveys of a terabyte; exit 1 when the target is missed."""
    start = _start()
    for name, count in CORPORA.items():
        rate, merge, answer = _rate(name, count)
        click.echo(
            f"{name}: {rate / 1e6:.1f} MB/s per worker, {start:.2f} s to start, "
            f"answers of {answer / 1e3:,.0f} kB, merged in {merge * 1e3:.1f} ms"
        )
        outcomes = {what: simulate(each) for what, each in _scenarios(Scenario(rate, start, merge))}
        for what, found in outcomes.items():
            click.echo(
                f"  {what:46}{found.seconds / 60:7.0f} min, workers {found.workers:4.0%} busy, "
                f"conductor {found.conductor:4.0%}, last {found.tail:4.0%}"
            )
        targets.at_most(f"  {name}, 100 workers", outcomes["100 workers"].seconds / 60, WANTED_MINUTES, "min")
