"""``python3 tasks.py benchmarks memory``: are leaks found, clean codecs left alone, and peaks true?

Every trial is what a run does for one cell: a fresh worker process, and another one where the first
asks to have a suspicion confirmed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice, repeat
from time import perf_counter
from typing import Any

import click

from bakeoff import codecs
from bakeoff.bench.jobs import CorpusInputs
from bakeoff.bench.lab.selftest import faults
from bakeoff.bench.messages.alone import Alone, AloneAnswer
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.worker.records import CheckedPayloads, make_sample
from bakeoff.datasets import corpus
from bakeoff.errors import RunError

from ._frame import Targets, benchmark

RECORDS = 300
PATIENCE = 120.0
MOST_PROCESSES = 4
FOUND = 0.99
WITHIN = 5.0
"""Seconds in which a leak must be found, start-up of both processes included."""
PEAKS = {"peak-dump": 40_000_000, "peak-load": 20_000_000}
"""What msgpack holds for 20 MB of bytes: its buffer and the payload; the bytes."""
GROWTH = ("growth-dump", "growth-load", "growth-failing-load")


@dataclass(frozen=True, slots=True)
class _Trial:
    """One cell: which codec, what is asked of it, and the digests of its sample and payloads."""

    codec: str
    operation: str
    sample: str
    payloads: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """The result of a trial.

    Attributes:
        processes: Worker processes that it took.
        seconds: Wall time of all of them.
    """

    trial: _Trial
    value: float
    facts: Any
    processes: int = 1
    seconds: float = 0.0


class _Bench:
    """Samples on disk, the faulty codecs published, and workers."""

    def __init__(self, shop: LocalExecutor) -> None:
        self.shop = shop
        published = shop.folder / "published"
        published.mkdir()
        faults.publish(published)
        inherited = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(published), inherited]))

    def trials(self, records: Sequence[Any], names: Iterable[str], operations: Iterable[str]) -> list[_Trial]:
        """Write what the workers need, and return a trial for each codec and operation."""
        sample = self.shop.blobs.put(make_sample(records).stored())
        made = []
        for name in names:
            # The faulty codecs are JSON with something done after decoding.
            encode = codecs.codec("json" if name.startswith("selftest-") else name).encode
            payloads = self.shop.blobs.put(
                CheckedPayloads([encode(record) for record in records], {}).stored()
            )
            made += [_Trial(name, operation, sample, payloads) for operation in operations]
        return made

    def measure(self, trial: _Trial) -> _Seen:
        """Do one trial.

        Raises:
            RunError: A worker died.
        """
        options: dict[str, Any] = {}
        begin = perf_counter()
        for processes in range(1, MOST_PROCESSES + 1):
            job = Alone(
                corpus=CorpusInputs(trial.sample),
                codec=trial.codec,
                operation=trial.operation,
                payloads=trial.payloads,
                options=options,
            )
            ended = self.shop.work(job, patience=PATIENCE)
            answer: AloneAnswer | None = ended.answer
            if answer is None:
                raise RunError(f"{trial.codec}, {trial.operation}: {ended.reason}\n{ended.stderr}")
            if not answer.again:
                seconds = perf_counter() - begin
                return _Seen(trial, answer.value, answer.details.facts, processes, seconds)
            options |= answer.again
        raise RunError(f"{trial.codec}, {trial.operation}: no answer stood after {MOST_PROCESSES} processes")

    def all(self, trials: Sequence[_Trial], times: int) -> Iterator[_Seen]:
        """Do every trial so many times, two at once where there are two cores."""
        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            yield from pool.map(self.measure, chain.from_iterable(repeat(trials, times)))


def _leaks(targets: Targets, bench: _Bench, movies: Sequence[Any], times: int) -> None:
    found: Counter[str] = Counter()
    longest: dict[str, float] = {}
    slopes: dict[str, tuple[float, float]] = {}
    for seen in bench.all(bench.trials(movies, faults.LEAKERS, ["growth-load"]), times):
        name = seen.trial.codec
        found[name] += seen.facts.verdict == "growing"
        longest[name] = max(longest.get(name, 0.0), seen.seconds)
        slopes[name] = (seen.facts.slope_heap, seen.facts.slope_blocks)
    for name, seconds in longest.items():
        heap, blocks = slopes[name]
        told = f"{found[name]} of {times}, at most {seconds:.1f} s; {heap:.4f} B, {blocks:.4f} blocks/op"
        ok = found[name] >= FOUND * times and seconds <= WITHIN
        targets.show(name.removeprefix("selftest-"), told, f"{FOUND:.0%} within {WITHIN:g} s", ok=ok)


def _clean(targets: Targets, bench: _Bench, movies: Sequence[Any], runs: int) -> None:
    ours = [name for name in codecs.available() if not name.startswith("selftest-")]
    trusted = {name for name in ours if codecs.describe(name).trusted_only}
    trials = bench.trials(movies, [*ours, *faults.CLEAN], GROWTH)
    # What is damaged here was encoded here, but damaged pickles may still do anything.
    trials = [t for t in trials if t.codec not in trusted or t.operation != "growth-failing-load"]
    alarms: Counter[str] = Counter()
    suspected = tried = 0
    for seen in bench.all(trials, -(-runs // len(trials))):
        verdict = seen.facts.verdict
        tried += verdict != "not measured"
        suspected += seen.processes > 1
        alarms[f"{seen.trial.codec} {seen.trial.operation}"] += verdict == "growing"
    number = alarms.total()
    what = f"false alarms, {len(trials)} cells"
    told = f"{number} of {tried} runs ({suspected} suspected, then cleared or not)"
    targets.show(what, told, f"0 of at least {runs}", ok=number == 0 and tried >= runs)
    for name, count in (+alarms).most_common():
        click.echo(f"{'':7}{name}: {count}")


def _peaks(targets: Targets, bench: _Bench, times: int) -> None:
    for operation, truth in PEAKS.items():
        trials = bench.trials([*faults.big()], ["msgpack"], [operation])
        values = [seen.value for seen in bench.all(trials, times)]
        off = max(abs(value / truth - 1) for value in values)
        told = f"{min(values) / 1e6:.2f} to {max(values) / 1e6:.2f} MB, off by at most {off:.2%}"
        targets.show(f"{operation} of 20 MB ({truth / 1e6:.0f} MB)", told, "within 2 %", ok=off <= 0.02)


@benchmark
@click.option("--leaks", default=100, show_default=True, help="Trials of each deliberate leak.")
@click.option("--clean", default=300, show_default=True, help="At least so many runs of clean codecs.")
@click.option("--peaks", default=10, show_default=True, help="Trials of each peak.")
def main(targets: Targets, leaks: int, clean: int, peaks: int) -> None:
    """Print every figure next to its target; exit with 1 if one is missed."""
    movies = list(islice(corpus("movies", records=RECORDS).records(), RECORDS))
    with LocalExecutor() as shop:
        bench = _Bench(shop)
        if leaks:
            _leaks(targets, bench, movies, leaks)
        if peaks:
            _peaks(targets, bench, peaks)
        if clean:
            _clean(targets, bench, movies, clean)
