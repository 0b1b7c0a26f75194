"""Parts that the benchmarks share: verdicts, exit codes, new processes, runs of bakeoff, busy neighbors."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click

from bakeoff.bench import stats
from bakeoff.bench.capabilities import cores
from bakeoff.bench.results import Measurement, ResultData
from bakeoff.reports.model.candidates import Standing, candidates_on, standing_on
from bakeoff.reports.model.cost import CostModel


class Targets:
    """Prints figures next to their targets, and remembers whether one was not met."""

    def __init__(self) -> None:
        self.unmet = False

    def verdict(self, ok: bool | None, target: object) -> str:
        """Return the text after a figure; None: its error leaves it open whether the target is met."""
        self.unmet |= not ok
        word = "undecided" if ok is None else "ok" if ok else "MISSED"
        return f"{word} (target {target})"

    def show(self, what: str, found: str, target: str, *, ok: bool) -> None:
        """Print a figure in words, and its verdict."""
        click.echo(f"{what:50}{found:>24}  {self.verdict(ok, target)}")

    def at_most(self, what: str, value: float, most: float, unit: str = "") -> None:
        """Print a figure that must not be larger than its target, and its verdict."""
        found = f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
        target = f"at most {most:,.0f}" if most >= 1000 else f"at most {most:g}"
        self.show(what, f"{found} {unit}".strip(), f"{target} {unit}".strip(), ok=value <= most)


def benchmark(measure: Callable[..., None]) -> click.Command:
    """Return the command of a function of `Targets` and click's options; its exit code is 1 on a miss."""

    @functools.wraps(measure)
    def command(**options: Any) -> None:
        targets = Targets()
        measure(targets, **options)
        sys.exit(targets.unmet)

    return click.command()(command)


def in_processes(count: int, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return what a function says in `count` fresh processes, one after another.

    Where things lie in memory moves a ratio by one per cent from one process to the next.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        return list(pool.map(function, *([argument] * count for argument in arguments)))


def interval(ratios: Iterable[float]) -> tuple[float, float, float]:
    """Return mean, low and high of the ratios that the processes say."""
    return stats.interval([Measurement(ratio, ratio, ratio) for ratio in ratios])


def run_bakeoff(*arguments: str | Path) -> str:
    """Run a command of bakeoff and return what it printed.

    Raises:
        click.ClickException: It failed.
    """
    command = [sys.executable, "-P", "-m", "bakeoff", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(done.stderr or done.stdout)
    return done.stdout


def standing(result: ResultData) -> Standing:
    """Return how a report ranks the codecs on the first corpus of a result."""
    corpus = result.corpora[0].name
    return standing_on(result, corpus, candidates_on(result, corpus), CostModel())


@contextlib.contextmanager
def busy(pause: float = 0.5) -> Iterator[None]:
    """Keep every core busy in bursts of up to half a second.

    Args:
        pause: Longest time between two bursts, in seconds; 0 for none.
    """
    context = multiprocessing.get_context("spawn")
    neighbors = [context.Process(target=_bursts, args=(core, pause), daemon=True) for core in cores()]
    for neighbor in neighbors:
        neighbor.start()
    try:
        yield
    finally:
        for neighbor in neighbors:
            neighbor.kill()
            neighbor.join()


def _bursts(core: int, pause: float) -> None:
    os.sched_setaffinity(0, [core])
    while os.getppid() != 1:
        end = time.monotonic() + random.uniform(0, 0.5)
        while time.monotonic() < end:
            sorted(range(1000))
        time.sleep(random.uniform(0, pause))
