"""Whether what watch predicts comes true, and what it costs: ``python3 tasks.py benchmarks watch``.

Each program of `benchmarks._watched` runs as it is, under watch, and with another codec, in turns. Printed
are the saving that watch predicts for that codec and the real one, both in shares of the program's CPU time,
and what watching costs. A prediction may be off by 10 % of the real saving, or by 1 % of the program's time.
Before that, what a call that does next to nothing takes more when it is watched, of a C function and of a
Python function, and what the start of a process takes more.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from bakeoff.bench.watch import answer, parts
from bakeoff.bench.watch.start import environment, run

from ._frame import Targets, benchmark

CALL = 60
"""Nanoseconds of a watched call, at most."""
START = 30
"""Milliseconds of processor time that the start of a process takes more, at most."""
TRIES = 5
"""Pairs of processes, of which the fastest on each side count."""
STARTS = 15
"""Pairs of processes, of whose differences the median counts."""
EMPTY = (sys.executable, "-c", "import json; json.dumps([1])")
COST = 0.02
"""Share of a program's CPU time, at most."""
OFF = 0.10
"""Difference between predicted and real saving, as a share of the real one, at most."""
OR_OFF = 0.01
"""The same as a share of the program's time; one of the two suffices."""
PYTHON = (sys.executable, "-W", "ignore")
PROGRAM = Path(__file__).with_name("_watched.py")
LIBRARIES = {"consumer": "ormsgpack"}
"""What programs use with ``other``; orjson if they are not listed."""

_CALLS = """
import json, os, sys, time, orjson
def best(call, times=50_000):
    found = []
    for _ in range(10):
        begin = time.thread_time()
        for _ in range(times):
            call(1)
        found.append((time.thread_time() - begin) / times)
    return min(found)
print(best(eval(sys.argv[1])) * 1e9)
"""


@benchmark
@click.option("--turns", default=7, help="Runs of each program in each of the three ways.")
@click.option("--only", default="", help="One program.")
def main(targets: Targets, turns: int, only: str) -> None:
    """Print predictions, what came true, and the cost; exit with 1 if a target is missed."""
    from . import _watched

    if not only:
        for name in ("orjson.dumps", "json.dumps"):
            pairs = [(_call(name, watched=False), _call(name, watched=True)) for _ in range(TRIES)]
            plain, watched = (min(side) for side in zip(*pairs, strict=True))
            targets.at_most(f"a watched call of {name} takes more", watched - plain, CALL, "ns")
        with tempfile.TemporaryDirectory() as folder:
            variables = os.environ | environment(Path(folder), records=True)
            pairs = [(_busy(*EMPTY), _busy(*EMPTY, env=variables)) for _ in range(STARTS)]
        more = statistics.median(watched - plain for plain, watched in pairs)
        targets.at_most("the start of a process takes more", more * 1e3, START, "ms")
    click.echo(f"{'':12}{'CPU s':>8}{'predicted %':>16}{'real %':>9}{'cost %':>9}")
    for name in [only] if only else _watched.PROGRAMS:
        _one(targets, name, turns)


def _one(targets: Targets, name: str, turns: int) -> None:
    plain, watched, other, predicted, halves = [], [], [], [], []
    for turn in range(turns):
        plain.append(_plain(name))
        other.append(_plain(name, "other"))
        with tempfile.TemporaryDirectory() as folder:
            ended = run([*PYTHON, str(PROGRAM), name], Path(folder), records=True)
            watched.append(ended.busy)
            if turn < 3:
                watch = parts.read(Path(folder))
                share, half = _predicted(name, watch, ended.busy - watch.own)
                predicted.append(share)
                halves.append(half)
    before, after = statistics.median(plain), statistics.median(other)
    real, said = 1 - after / before, statistics.median(predicted)
    cost = statistics.median(b / a for a, b in zip(plain, watched, strict=True)) - 1
    ok = abs(said - real) <= max(OFF * abs(real), OR_OFF) and cost <= COST
    click.echo(
        f"{name:12}{before:8.2f}{100 * said:10.1f} ± {100 * statistics.median(halves):.1f}{100 * real:9.1f}"
        f"{100 * cost:9.1f}  {targets.verdict(ok, '10 % of the saving or 1 % of the time; cost 2 %')}"
    )


def _predicted(name: str, watch: parts.Watch, busy: float) -> tuple[float, float]:
    """Return the share that watch predicts to be saved, and half the width of its interval."""
    library = LIBRARIES.get(name, "orjson")
    found = [each for each in answer.savings(watch, busy, lambda _: None) if each.library == library]
    return (found[0].seconds / busy, found[0].half / busy) if found else (0.0, 0.0)


def _plain(*arguments: str) -> float:
    """Return the CPU time of a program that is not watched."""
    return _busy(*PYTHON, str(PROGRAM), *arguments)


def _busy(*command: str, env: Mapping[str, str] | None = None) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _call(name: str, *, watched: bool) -> float:
    """Return the nanoseconds of a call in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        more = environment(Path(folder), records=True) if watched else {}
        done = subprocess.run(
            [sys.executable, "-c", _CALLS, name],
            env=os.environ | more,
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout)


if __name__ == "__main__":
    main()
