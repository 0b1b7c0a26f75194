"""What the interface costs over the libraries' own calls.

Run ``python3 tasks.py benchmarks interface``. Every codec through ``codec.encode`` and ``codec.decode``
against the calls that its library's users write (``raw`` in its declaration), on records of some 1,500
and of 134 bytes. Where such a call takes further arguments, or text has to become bytes, it is a line of
Python, as it is in users' code. The implementations in pure Python are left out:
there the shell is lost in the noise.

In each round a cell's two calls take turns in short slices (ours, theirs, theirs, ours, or the other way
round), on the clock of the thread's processor time. A process says the median over its rounds of the
ratio; a figure is the mean of several processes, with its interval. A codec with guards may cost what
`bakeoff.codecs.safety.guards` states beyond the target; its variant without them may not. Start-up times are
medians over alternating fresh processes.
"""

from __future__ import annotations

import gc
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, thread_time_ns
from typing import Any, NamedTuple

import click

from bakeoff.bench.worker._slice import time_calls
from bakeoff.codecs import available, codec, describe
from bakeoff.codecs.safety.guards import GUARDS
from bakeoff.codecs.spec import RawCalls
from bakeoff.datasets import corpus

from ._frame import Targets, benchmark, in_processes, interval

SLICE = 250_000
"""Nanoseconds."""
ROUNDS = 40
PROCESSES = 8
STARTS = 15
RECORDS = 64
TARGETS = {"messages": 1.03, "movies": 1.15}
"""Corpus to the most that a codec may cost over its library's own call; of a guarded one, its variant."""
DOCUMENT = "document"
"""All records in a list, as one record. It has no target: levels of so many containers have to be counted."""
SLOW = ("yaml", "plist")
"""Formats that are not tried on the document."""
TINY = ("msgspec-msgpack", "msgspec-json", "orjson")
"""The codecs whose shell is nothing but the shell: what it costs stands in nanoseconds."""


class Cell(NamedTuple):
    """One operation of one codec on one corpus, ours and theirs."""

    codec: str
    corpus: str
    operation: str
    ours: Callable[[Any], object]
    theirs: Callable[[Any], object]
    items: list[Any]


class Figure(NamedTuple):
    """One process's figures for a cell: seconds of the library's call, and the ratio of ours to it."""

    codec: str
    corpus: str
    operation: str
    seconds: float
    ratio: float


def compared(
    count: int, function: Callable[[int], list[Figure]], rounds: int
) -> Iterator[tuple[Figure, str]]:
    """Measure cells in processes and yield what all of them say, with its interval in words."""
    for figures in zip(*in_processes(count, function, rounds), strict=True):
        name, source, operation = figures[0][:3]
        seconds = statistics.median(figure.seconds for figure in figures)
        ratio, low, high = interval(figure.ratio for figure in figures)
        where = f"{source}/{operation}/{name}"
        words = f"{where:34}{seconds * 1e6:10.3f}{ratio:8.3f}×  {low:.3f} to {high:.3f}"
        yield Figure(name, source, operation, seconds, ratio), words


def cells() -> list[Cell]:
    """Return every codec that defines its library's own calls, on every corpus."""
    sources = {name: corpus(name, records=RECORDS).sample(RECORDS) for name in TARGETS}
    sources[DOCUMENT] = [sources["messages"]]
    made = []
    for name in available():
        raw = None if name.endswith("/pure") else describe(name).raw()
        if not isinstance(raw, RawCalls):
            continue  # Not declared, or only for a schema.
        ours = codec(name, trusted=True)
        for source, records in (sources | ({"1": [1]} if name in TINY else {})).items():
            if source == DOCUMENT and ours.format in SLOW:
                continue
            payloads = [ours.encode(record) for record in records]
            # Held twice, as a record in use is: marshal asks how often.
            made.append(Cell(name, source, "dump", ours.encode, raw.encode, list(records)))
            made.append(Cell(name, source, "load", ours.decode, raw.decode, payloads))
    return [cell for cell in made if _takes(cell.theirs, cell.items)]


def _takes(call: Callable[[Any], object], items: list[Any]) -> bool:
    """Whether the library itself supports the records: property lists have no None."""
    try:
        time_calls(call, items, 0, len(items))
    except TypeError:
        return False
    return True


def spent(call: Callable[[Any], object], items: list[Any], start: int, calls: int) -> int:
    """Return the nanoseconds of the thread's processor time that calls take."""
    begin = thread_time_ns()
    time_calls(call, items, start, calls)
    return thread_time_ns() - begin


def measure(rounds: int) -> list[Figure]:
    """Return the figures of all cells as this process has them."""
    return paired(cells(), rounds)


def paired(every: list[Cell], rounds: int) -> list[Figure]:
    """Return the figures of cells, whose two calls take turns."""
    calls = [
        max(
            1,
            SLICE
            * len(cell.items)
            // min(spent(cell.ours, cell.items, 0, len(cell.items)) for _ in range(3)),
        )
        for cell in every
    ]
    found: list[list[tuple[float, float]]] = [[] for _ in every]
    order = list(range(len(every)))
    gc.disable()
    for number in range(rounds):
        random.shuffle(order)
        for index in order:
            cell, count = every[index], calls[index]
            turns = [cell.ours, cell.theirs, cell.theirs, cell.ours]
            if random.random() < 0.5:
                turns = [cell.theirs, cell.ours, cell.ours, cell.theirs]
            start = number * count
            for call in turns[:2]:
                time_calls(call, cell.items, start, (count + 1) // 2)
            sums = {cell.ours: 0, cell.theirs: 0}
            for call in turns:
                sums[call] += spent(call, cell.items, start, count)
            found[index].append((sums[cell.theirs] / 2e9 / count, sums[cell.ours] / sums[cell.theirs]))
        gc.collect()
    return [
        Figure(*cell[:3], *(statistics.median(column) for column in zip(*seen, strict=True)))
        for cell, seen in zip(every, found, strict=True)
    ]


def _start(*command: str) -> float:
    begin = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (perf_counter() - begin) * 1e3


def starts() -> list[tuple[str, float, float]]:
    """Return what, milliseconds and target of the start-up times."""
    python, script = sys.executable, str(Path(sys.executable).with_name("bakeoff"))
    seen = [
        (_start(python, "-c", "pass"), _start(python, "-c", "import bakeoff"), _start(script, "--help"))
        for _ in range(STARTS)
    ]
    bare, imported, helped = (statistics.median(column) for column in zip(*seen, strict=True))
    return [
        ("import bakeoff over python -c pass", imported - bare, 25),
        ("bakeoff --help", helped, 150),
    ]


def limit(cell: Figure) -> tuple[float, str]:
    """Return the most that a cell may cost of the library's own call, and where that stands."""
    guards = [guard for guard in GUARDS.get(cell.codec, ()) if guard.operation == cell.operation]
    return TARGETS[cell.corpus] + sum(guard.share for guard in guards), "guarded" if guards else "target"


@benchmark
@click.option("--processes", "count", default=PROCESSES, show_default=True, help="Processes.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="Rounds of each process.")
def main(targets: Targets, count: int, rounds: int) -> None:
    """Print the cost of the interface next to its targets; exit with 1 if one is missed."""
    for what, milliseconds, most in starts():
        targets.at_most(what, milliseconds, most, "ms")
    click.echo(f"{'':34}{'theirs µs':>10}{'ours':>9}  95 %")
    for found, words in compared(count, measure, rounds):
        if found.corpus in TARGETS:
            most, why = limit(found)
            click.echo(f"{words}  {why}: {targets.verdict(found.ratio <= most, f'{most:g}')}")
        elif found.corpus == DOCUMENT:
            click.echo(words)
        else:
            what = f"{found.codec}: {found.operation} of 1, over theirs"
            targets.at_most(what, (found.ratio - 1) * found.seconds * 1e9, 15, "ns")
