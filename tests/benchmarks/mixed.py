"""``python3 tasks.py benchmarks mixed``: is the figure that of the mean record, whatever the records are?

Twelve mixtures of records, and codecs of four speeds that take a known time for each record, go through the
check's passes and through timing processes as every codec does. Each has a twin that takes the same for every
record: the ratio of the two is 1, and what is printed is how far the figure is off on average, and how often
the interval holds the truth. By default the clock is simulated, with the disturbances of a busy machine, as
200 runs of all would take hours; ``--real`` spins. The processor then foresees the end of calls that are all
alike, by 2 to 6 % of the shortest: there the truth is what a plain loop over all records says. Intervals are
those of real codecs, whose ratios differ by 2 % from process to process; what spins differs by less than the
harness is off by, a few tenths of a per cent.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import click

from bakeoff.bench.operations.base import Batch, rotating
from bakeoff.bench.results import Measurement
from bakeoff.bench.stats import Ratio, ratio
from bakeoff.bench.worker._slice import spin, time_calls
from bakeoff.bench.worker.costs import costs
from bakeoff.bench.worker.reference import ITEMS
from bakeoff.bench.worker.time import Process
from bakeoff.bench.worker.work import Spent, TimedWork

from ._frame import Targets, benchmark

RECORDS = 1000
PROCESSES = 10
ROUNDS = 30
SLICE = 0.00025
SPEEDS = {"0.2 µs": 0.2e-6, "5 µs": 5e-6, "200 µs": 200e-6, "10 ms": 10e-3}
"""What the codecs take for the mean record, in seconds."""
CHECK = 1.5
"""Seconds for finding out what records cost, as in a run."""
BIAS, COVERED = 0.01, 0.93


@dataclass(frozen=True, slots=True)
class Mixture:
    """Records with different costs.

    Attributes:
        costs: Of each record; the scale is of no account.
        beliefs: What the check makes of it, as a factor by record; 1 where it is right.
    """

    costs: Sequence[float]
    beliefs: Sequence[float] = (1.0,) * RECORDS


def _kinds(share: float, factor: float) -> list[float]:
    """Return the costs of two kinds of records, a share of them `factor` times as dear as the others."""
    dear = round(share * RECORDS)
    return [factor] * dear + [1.0] * (RECORDS - dear)


def _drawn(draw: Callable[[random.Random], float]) -> list[float]:
    rng = random.Random(1)
    return [draw(rng) for _ in range(RECORDS)]


MIXTURES: Mapping[str, Mixture] = {
    "all alike": Mixture(_kinds(0, 1)),
    "half twice as dear": Mixture(_kinds(0.5, 2)),
    "70 % 4 times as dear": Mixture(_kinds(0.7, 4)),
    "40 % 10 times as dear": Mixture(_kinds(0.4, 10)),
    "the same, its check 3 times off": Mixture(_kinds(0.4, 10), _kinds(0.4, 3)),
    "a third 50 times as dear": Mixture(_kinds(1 / 3, 50)),
    "5 % 180 times as dear": Mixture(_kinds(0.05, 180)),
    "1 % 100 times as dear": Mixture(_kinds(0.01, 100)),
    "one record 1,000 times as dear": Mixture(_kinds(0.001, 1000)),
    "evenly from 0 to 2": Mixture([0.01 + 2 * i / RECORDS for i in range(RECORDS)]),
    "lognormal, sigma 1": Mixture(_drawn(lambda rng: rng.lognormvariate(0, 1))),
    "lognormal, sigma 2": Mixture(_drawn(lambda rng: rng.lognormvariate(0, 2))),
}


class Machine:
    """A busy machine: slow phases, bursts, and a kernel that takes the processor away.

    Made after what 0.25 ms slices of a spinning loop showed beside other people's tests on two cores: 6 % of
    them took 10 to 100 % more with nothing to tell it by, and the kernel says of 0.6 % that it was at work.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._phase = 1.0

    def spent(self, seconds: float) -> Spent:
        """Return what the clocks say of work that takes so long by itself."""
        rng = self._rng
        if rng.random() < 0.02:
            self._phase = math.exp(rng.gauss(0, 0.1)) if self._phase == 1.0 else 1.0
        busy = seconds * self._phase * rng.lognormvariate(0, 0.02)
        if rng.random() < 0.06:
            busy += min(seconds, SLICE) * rng.expovariate(2.5)
        switches = sum(rng.random() < 0.006 for _ in range(min(1000, math.ceil(seconds / SLICE))))
        taken = sum(rng.expovariate(1 / 0.003) for _ in range(switches))
        return round((busy + taken) * 1e9), round(busy * 1e9), switches


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated(TimedWork):
    """Clocked whose items are the seconds that each of them takes.

    Attributes:
        machine: Whose clock it is.
        layout: Factor by which the memory layout of this process makes it slower.
    """

    machine: Machine
    layout: float = 1.0

    def run(self, batch: Batch, start: int, calls: int, warmup: int = 0) -> Spent:
        items, at = batch(start, calls)
        laps, rest = divmod(calls, len(items))
        around = math.fsum(items[at : at + rest]) + math.fsum(items[: max(0, at + rest - len(items))])
        return self.machine.spent(self.layout * (laps * math.fsum(items) + around))


def _work(items: Sequence[float], machine: Machine, layout: float = 1.0) -> Simulated:
    return Simulated(float, rotating(items), machine=machine, layout=layout)


def simulated(mixture: Mixture, rng: random.Random) -> dict[str, list[Measurement]]:
    """Take all speeds through one run on a simulated clock; samples by speed, and by speed with `` twin``."""
    machine = Machine(rng)
    works = _works(mixture)

    def entered() -> dict[str, TimedWork]:
        return {name: _work(items, machine, rng.lognormvariate(0, 0.02)) for name, items in works.items()}

    def process() -> Process:
        ruler = _work([10e-6] * len(ITEMS), machine)
        return Process(ROUNDS, SLICE, _still, ruler, read=lambda: 1.0)

    return _run(mixture, {name: _work(items, machine) for name, items in works.items()}, entered, process)


def _spins(works: Mapping[str, Sequence[float]]) -> dict[str, list[int]]:
    """Return for how many turns to spin on each record."""
    turns = 100_000
    each = min(time_calls(spin, [turns], 0, 1)[0] for _ in range(100)) * 1e-9 / turns
    return {name: [max(1, round(cost / each)) for cost in items] for name, items in works.items()}


def plain(mixture: Mixture) -> dict[str, float]:
    """Return the ratio to the twin in a plain loop over all records, where that takes milliseconds only."""
    spins = _spins(_works(mixture))
    found = dict.fromkeys(SPEEDS, 1.0)
    for name, speed in SPEEDS.items():
        if speed * RECORDS > 0.01:
            continue
        pair = [(spins[name], spins[f"{name} twin"]) for _ in range(200)]
        found[name] = statistics.median(
            time_calls(spin, a, 0, RECORDS)[0] / time_calls(spin, b, 0, RECORDS)[0] for a, b in pair
        )
    return found


def real(mixture: Mixture) -> dict[str, list[Measurement]]:
    """The same, spinning."""
    made = {name: TimedWork(spin, rotating(turns)) for name, turns in _spins(_works(mixture)).items()}
    return _run(mixture, made, lambda: made, lambda: Process(ROUNDS, SLICE, _still))


def _run(
    mixture: Mixture,
    checked: Mapping[str, TimedWork],
    entered: Callable[[], Mapping[str, TimedWork]],
    start: Callable[[], Process],
) -> dict[str, list[Measurement]]:
    """Take all speeds through one run: the work of the check, and that of each process with it."""
    known = {
        name: _believed(checked[name], items, mixture if "twin" not in name else None)
        for name, items in _works(mixture).items()
    }
    found: dict[str, list[Measurement]] = {name: [] for name in known}
    for number in range(PROCESSES):
        process = start()
        for index, (name, made) in enumerate(entered().items()):
            process.enter(index, made, known[name])
        answer = process.go(collect=True)
        for index, name in enumerate(found):
            value = answer.cells[str(index)].paired
            found[name].append(Measurement(value, value, value, number))
    return found


def _works(mixture: Mixture) -> dict[str, list[float]]:
    """Return what each record takes, in seconds, by codec."""
    mean = statistics.fmean(mixture.costs)
    order = random.Random(2).sample(range(RECORDS), RECORDS)
    works = {}
    for name, speed in SPEEDS.items():
        works[name] = [mixture.costs[i] * speed / mean for i in order]
        works[f"{name} twin"] = [speed] * RECORDS
    return works


def _believed(made: TimedWork, items: Sequence[float], mixture: Mixture | None) -> list[float]:
    rng = random.Random(made.run(made.batches(range(RECORDS)), 0, 1)[0])
    first = [seconds * rng.lognormvariate(0, 0.1) for seconds in items]
    if mixture is None:
        return costs(made, first, 0.0)
    found = costs(made, first, CHECK)
    order = random.Random(2).sample(range(RECORDS), RECORDS)
    return [seconds * mixture.beliefs[i] for seconds, i in zip(found, order, strict=True)]


def _still(index: int) -> None:
    """Do nothing, as no process watches the heartbeat."""


def _ratios(found: Mapping[str, list[Measurement]]) -> dict[str, Ratio]:
    return {name: ratio(found[name], found[f"{name} twin"]) for name in SPEEDS}


@benchmark
@click.option("--runs", default=200, show_default=True, help="Of each mixture.")
@click.option("--real", "spinning", is_flag=True, help="Spin: five seconds to a minute a run.")
@click.option("--only", metavar="TEXT", default="", help="Only mixtures whose name holds it.")
def main(targets: Targets, runs: int, spinning: bool, only: str) -> None:
    """Print how far figures of mixed records are off, against the targets; 40 minutes on a simulated clock.

    Intervals that hold the truth in 95 % of runs read less than 93 in one cell of thirteen by 200 runs.
    """
    target = f"at most {BIAS:.0%} off, at least {COVERED:.0%} held"
    click.echo(
        f"{'off by, and intervals that hold the truth':34}" + "".join(f"{name:>18}" for name in SPEEDS)
    )
    for name, mixture in MIXTURES.items():
        if only not in name:
            continue
        rng = random.Random(name)
        truth = plain(mixture) if spinning else dict.fromkeys(SPEEDS, 1.0)
        every = [_ratios(real(mixture) if spinning else simulated(mixture, rng)) for _ in range(runs)]
        words, met = [], True
        for speed in SPEEDS:
            seen = [one[speed] for one in every]
            off = statistics.fmean(one.value for one in seen) / truth[speed] - 1
            held = sum(one.low <= truth[speed] <= one.high for one in seen) / runs
            bad = abs(off) > BIAS or held < COVERED
            met = met and not bad
            words.append(f"{100 * off:+8.2f} % {100 * held:4.0f} %{'!' if bad else ' '}")
        click.echo(f"{name:34}{' '.join(words)} {targets.verdict(met, target)}")
