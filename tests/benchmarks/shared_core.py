"""``python3 tasks.py benchmarks shared_core``: do runs agree while a neighbor shares the core at times?

Codecs of known cost go through timing processes on a simulated clock. The core is shared for seconds at a
time, and then each codec slows down by a factor of its own, as measured on a virtual machine: json 1.75,
orjson 1.41, the reference kernel 1.64, a chain of dependent steps 1.01. Printed is the largest over the
smallest ratio to orjson among identical runs, with figures from a free core and with figures from all slices.
``--machine`` shows these factors on this machine instead, in 30 s.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from bakeoff.bench.contention import alike, free_level, highest_free
from bakeoff.bench.operations.base import Batch, rotating
from bakeoff.bench.results import Measurement
from bakeoff.bench.stats import ratio
from bakeoff.bench.worker._slice import spin, time_calls
from bakeoff.bench.worker.gauge import read
from bakeoff.bench.worker.reference import ITEMS, kernel
from bakeoff.bench.worker.time import Process
from bakeoff.bench.worker.work import Spent, TimedWork

from ._frame import Targets, benchmark

CELLS: Mapping[str, tuple[float, float]] = {
    "orjson": (1.5e-6, 1.41),
    "json": (17e-6, 1.75),
    "pickle": (6.5e-6, 1.55),
    "yaml": (390e-6, 1.62),
    "a document": (5e-3, 1.5),
}
"""Seconds of a call on a free core, and how many times as long it takes on a shared one."""
KERNEL = (7.6e-6, 1.64)
FREE = 0.66
"""A reading on a free core."""
SLICE = 0.00025
LAYOUT = 0.01
"""How far the memory layout of a process moves a codec, as a standard deviation of logs."""
START = 0.4
"""Seconds between the slices of two processes."""
WITHIN = 0.02
WATCHED = 30.0
"""Seconds."""


class SharedCore:
    """A core that a neighbor sometimes uses, with a separate clock.

    Args:
        rng: What happens by chance.
        shared: Share of the time that it is shared.
        seconds: Mean length of a period on a shared core.
    """

    def __init__(self, rng: random.Random, shared: float, seconds: float = 2.0) -> None:
        self._rng = rng
        self._dwell = {True: seconds, False: seconds * (1 - shared) / shared} if 0 < shared < 1 else None
        self._shared = rng.random() < shared
        self._left = self._period()

    def _period(self) -> float:
        """Return how long the state lasts."""
        return self._rng.expovariate(1 / self._dwell[self._shared]) if self._dwell else math.inf

    def take(self, work: float, factor: float) -> float:
        """Do work that takes so many seconds on a free core; return the seconds that it took."""
        took = 0.0
        while True:
            slowdown = factor if self._shared else 1.0
            if work * slowdown <= self._left:
                self._left -= work * slowdown
                return took + work * slowdown
            took += self._left
            work -= self._left / slowdown
            self._shared = not self._shared
            self._left = self._period()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.take(seconds, 1.0)

    def read(self) -> float:
        """Read the contention as the worker does, a little off, and once in a while far too low."""
        self.take(5e-5, 1.3)
        if self._rng.random() < 1e-3:
            return FREE / 5
        slowdown = KERNEL[1] if self._shared else 1.0
        return FREE * slowdown * self._rng.lognormvariate(0, 0.02)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Simulated(TimedWork):
    """Clocked whose items are the seconds that each of them takes on a free core."""

    core: SharedCore
    factor: float
    rng: random.Random

    def run(self, batch: Batch, start: int, calls: int, warmup: int = 0) -> Spent:
        items, at = batch(start, calls)
        self.core.take(math.fsum(items[(at - i) % len(items)] for i in range(warmup)), self.factor)
        seconds = math.fsum(items[(at + i) % len(items)] for i in range(calls))
        spent = round(self.core.take(seconds, self.factor) * self.rng.lognormvariate(0, 0.01) * 1e9)
        return spent, spent, 0


def work(seconds: float, factor: float, core: SharedCore, rng: random.Random) -> TimedWork:
    """Return work that takes so many seconds on a free core."""
    return _Simulated(float, rotating([seconds] * len(ITEMS)), core=core, factor=factor, rng=rng)


@dataclass(frozen=True, slots=True)
class Run:
    """The figures of a run.

    Attributes:
        samples: By cell.
        free: They are those of a free core.
        level: The reading of a free core, as estimated so far.
    """

    samples: Mapping[str, Sequence[Measurement]]
    free: bool
    level: float


def run(rng: random.Random, shared: float, processes: int, *, level: float = 0.0, sort: bool = True) -> Run:
    """Measure all cells in one run.

    Args:
        rng: What happens by chance.
        shared: Share of the time that the core is shared.
        processes: Timing processes; up to three times as many until enough had a free core.
        level: What earlier runs saw of a free core; 0 for nothing.
        sort: Use the readings.
    """
    core = SharedCore(rng, shared)
    found: dict[str, list[Measurement]] = {name: [] for name in CELLS}
    contention: dict[int, float] = {}
    for number in range(3 * processes):
        if number >= processes and (not sort or _free(contention, level)):
            break
        core.wait(START)
        look = core.read if sort else lambda: FREE
        ruler = work(*KERNEL, core, rng)
        made = Process(30, SLICE, lambda index: None, ruler, free_level=level, read=look, pause=core.wait)
        for index, (seconds, factor) in enumerate(CELLS.values()):
            cell = work(seconds * rng.lognormvariate(0, LAYOUT), factor, core, rng)
            made.enter(index, cell, [seconds] * len(ITEMS))
        answer = made.go(collect=True)
        contention[number] = answer.contention
        level = answer.free_level
        for index, name in enumerate(CELLS):
            value = answer.cells[str(index)].paired
            found[name].append(Measurement(value, value, value, number))
    used = alike(contention, level) if sort else contention
    samples = {name: [s for s in samples if s.pair in used] for name, samples in found.items()}
    return Run(samples, _free(contention, level), level)


def _free(contention: Mapping[int, float], level: float) -> bool:
    return all(contention[number] <= highest_free(level) for number in alike(contention, level))


def ratios(samples: Mapping[str, Sequence[Measurement]]) -> dict[str, float]:
    """Return the ratio of each cell to orjson."""
    return {name: ratio(samples[name], samples["orjson"]).value for name in CELLS if name != "orjson"}


def machine(seconds: float) -> None:
    """Print what calls take on a free core and on a shared one."""
    import orjson

    numbers = [random.Random(i).random() * 1e3 for i in range(6_000)]
    calls: Mapping[str, tuple[Callable[[Any], object], list[Any], int]] = {
        "json.dumps, 6,000 floats": (json.dumps, [numbers], 1),
        "orjson.dumps of the same": (orjson.dumps, [numbers], 3),
        "the reference kernel": (kernel, ITEMS, 20),
        "a chain of dependent steps": (spin, [60_000], 1),
        "a loop in Python": (lambda _: sum(i * i % 7 for i in range(4_000)), [0], 1),
    }
    rows: list[tuple[float, list[float]]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        before = read()
        row = [time_calls(call, items, 0, count)[1] / count for call, items, count in calls.values()]
        rows.append((max(before, read()), row))
    most = highest_free(free_level([reading for reading, _ in rows]))
    free = [row for reading, row in rows if reading <= most]
    shared = [row for reading, row in rows if reading > most]
    click.echo(f"free for {len(free) / len(rows):.0%} of {seconds:g} s")
    for index, name in enumerate(calls):
        own = statistics.median(row[index] for row in free) / 1e3
        words = f"{name:28}{own:10.1f} µs free"
        if shared:
            both = statistics.median(row[index] for row in shared) / 1e3
            words += f"{both:10.1f} µs shared{both / own:7.2f}×"
        click.echo(words)


@benchmark
@click.option("--runs", default=30, show_default=True, help="Identical runs.")
@click.option("--processes", default=14, show_default=True, help="Timing processes of each run.")
@click.option(
    "--machine", "here", is_flag=True, help="Measure the factors on this machine; simulate nothing."
)
def main(targets: Targets, runs: int, processes: int, here: bool) -> None:
    """Print how far identical runs are apart, against the target; two minutes."""
    if here:
        machine(WATCHED)
        return
    names = [name for name in CELLS if name != "orjson"]
    click.echo(
        f"{'core shared':24}" + "".join(f"{name + ' / orjson':>22}" for name in names) + f"{'runs':>8}"
    )
    for shared in (0.0, 0.1, 0.26, 0.5, 1.0):
        for sort in (True, False):
            rng = random.Random(f"{shared} {sort}")
            every, level = [], 0.0
            for _ in range(runs):
                every.append(run(rng, shared, processes, level=level, sort=sort))
                level = every[-1].level
            counted = [ratios(one.samples) for one in every if one.free]
            words, furthest = [], 0.0
            for name in names:
                logs = [math.log(one[name]) for one in counted]
                off = max(abs(x - statistics.fmean(logs)) for x in logs)
                furthest = max(furthest, off)
                words.append(f"{math.exp(max(logs) - min(logs)):10.3f} ±{100 * off:4.1f} %{'':4}")
            label = f"{100 * shared:3.0f} %, {'by state' if sort else 'all slices'}"
            verdict = targets.verdict(furthest <= WITHIN, f"±{WITHIN:.0%}") if sort else ""
            cells = "".join(f"{word:>22}" for word in words)
            click.echo(f"{label:24}{cells}{len(counted):8}  {verdict}")
    click.echo(
        f"largest over smallest ratio of {runs} runs, and the furthest from their mean; runs that report a "
        "shared core are left out"
    )
