"""Targets for stores: ``python3 tasks.py benchmarks stores [PART...]``.

The clock in place adds 60 ns to a codec's call at most. `bakeoff stores movies` over three embedded stores
and six codecs ends within a minute. A put in SQLite is what ten thousand puts in a row take, their rare dear
ones included, and intervals cover the mean of simulated calls of which few take long. And what one store
maker had a billion of: pairs of 16 bytes, a key and a value of 8 each, put in batches of 10,000; a million
and ten million are measured, nothing is extrapolated.
"""

from __future__ import annotations

import itertools
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median

import click

import bakeoff
from bakeoff.bench.backends.stores import kind
from bakeoff.bench.backends.stores.base import Location, StoreError, opaque
from bakeoff.bench.operations._inside import cost
from bakeoff.bench.results import read
from bakeoff.bench.stats import interval

from ._frame import Targets, benchmark, run_bakeoff
from ._rare import EVERY, PATTERNS, simulated, truth

CLOCK = 60.0
WITHIN = 60.0
BATCH = 10_000
PAIRS = (1_000_000, 10_000_000)
STORES = ("log", "lmdb", "sqlite", "kyoto", "rocksdict")
PUTS = 10_000
NEAR = 1.25
"""How far the ends of a run's interval may be from puts in a row, before it and after: what the disk takes
differs as much from minute to minute."""
BIAS = 0.02
COVER = 0.9
"""Of intervals, where calls that take long come one by one and at equal distances."""
RUNS = 400
_VALUE = (1 << 64) - 1


def _keys(count: int, *, shuffled: bool) -> Iterator[list[int]]:
    """Yield batches of keys that are all different: one after the other, or from all over."""
    spread = 2**61 - 1  # a prime: multiples of a number stay apart below it
    factor = random.Random(1).randrange(spread) if shuffled else 1
    for start in range(1, count + 1, BATCH):
        yield [key * factor % spread for key in range(start, min(start + BATCH, count + 1))]


def _put(store_name: str, count: int, *, shuffled: bool) -> tuple[float, float]:
    """Put pairs; return the seconds that it took, making them left out, and the bytes of a pair."""
    with tempfile.TemporaryDirectory() as folder:
        store = kind(store_name).open(Location(Path(folder)), opaque())
        spent = 0.0
        for keys in _keys(count, shuffled=shuffled):
            pairs = [(key, (key ^ _VALUE).to_bytes(8, "big")) for key in keys]
            begin = time.perf_counter()
            store.put_many(pairs)
            spent += time.perf_counter() - begin
        begin = time.perf_counter()
        size = store.stored()
        spent += time.perf_counter() - begin
        store.close()
        return spent, size / count


def _in_a_row(records: list[object], codec: str, folder: str) -> list[float]:
    """Return the seconds of puts one after the other, as a script of twenty lines has them.

    As in a run, what others had the processor for is left out of a put that did not itself wait.
    """
    encode = bakeoff.codec(codec).encode
    connection = sqlite3.connect(f"{folder}/{codec}.sqlite", isolation_level=None)
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=normal")
    connection.execute("create table records (key integer primary key, payload blob not null)")
    rows = [(key, encode(records[key % len(records)])) for key in range(1000)]
    connection.execute("begin")
    connection.executemany("insert into records values (?, ?)", rows)
    connection.execute("commit")
    spent = []
    for key in range(1000, 1000 + PUTS):
        record = records[key % len(records)]
        before = resource.getrusage(resource.RUSAGE_THREAD)
        worked, begin = time.thread_time(), time.perf_counter()
        connection.execute("insert or replace into records values (?, ?)", (key, encode(record)))
        took, worked = time.perf_counter() - begin, time.thread_time() - worked
        after = resource.getrusage(resource.RUSAGE_THREAD)
        taken_away = after.ru_nivcsw > before.ru_nivcsw and after.ru_nvcsw == before.ru_nvcsw
        spent.append(worked if taken_away else took)
    connection.close()
    return spent


def _puts(targets: Targets) -> None:
    """Print what a put takes in SQLite, and puts in a row before and after."""
    codecs = ("orjson", "json")
    records = list(itertools.islice(bakeoff.corpus("messages").records(), 100))
    with tempfile.TemporaryDirectory() as folder:
        first = {codec: _in_a_row(records, codec, folder) for codec in codecs}
        file = Path(folder) / "stores.json"
        run_bakeoff("stores", "messages", "-c", ",".join(codecs), "--store", "sqlite,log", "-o", file)
        result = read(file)
        (Path(folder) / "after").mkdir()
        second = {codec: _in_a_row(records, codec, f"{folder}/after") for codec in codecs}
    for codec in codecs:
        spent, means = first[codec] + second[codec], sorted((fmean(first[codec]), fmean(second[codec])))
        cell = result.cell(result.corpora[0].name, "put@sqlite:MD", codec)
        assert cell is not None
        value, low, high = interval(cell.samples)
        dear = [one for one in spent if one > 1e-3]
        verdict = targets.verdict(low / NEAR <= means[1] and means[0] <= high * NEAR, f"{NEAR:g} times")
        calls = sum(sample.loops for sample in cell.samples)
        run = f"{value * 1e6:.1f} us ({low * 1e6:.1f} to {high * 1e6:.1f}, {calls:,} calls)"
        row = f"{means[0] * 1e6:.1f} and {means[1] * 1e6:.1f}, median {median(spent) * 1e6:.1f}"
        rare = f"{len(dear)} of {len(spent):,} above 1 ms take {sum(dear) / sum(spent):.0%}"
        click.echo(f"put@sqlite {codec}: {run}; in a row {row}, {rare}  {verdict}")


def _rare(targets: Targets) -> None:
    """Print what intervals of simulated runs cover."""
    click.echo(
        f"{'one call in':>11}  {'which come':20}{'mean':>6}{'found':>7}{'±':>5}{'seen':>6}{'covered':>9}"
    )
    for every in EVERY:
        for pattern in PATTERNS:
            rng = random.Random(f"{every} {pattern}")
            runs = [simulated(rng, every, pattern) for _ in range(RUNS)]
            wanted = truth(every)
            value = fmean(run.value for run in runs)
            covered = sum(run.covers(wanted) for run in runs) / RUNS
            width = fmean((run.high - run.low) / 2 / run.value for run in runs)
            ok = abs(value / wanted - 1) <= BIAS and (pattern == "in bursts" or covered >= COVER)
            verdict = targets.verdict(ok, f"mean ±{BIAS:.0%}, covered {COVER:.0%}")
            seen = fmean(run.seen for run in runs)
            row = f"{wanted:6.2f}{value:7.2f}{width:5.0%}{seen:6.1f}{covered:9.0%}"
            click.echo(f"{every:>11,}  {pattern:20}{row}  {verdict}")


def _run(targets: Targets) -> None:
    """Print what the clock in place costs, and how long a run takes."""
    added, counted = cost()
    targets.at_most(f"clock in place, a call, {counted:.0f} ns counted", added, CLOCK, "ns")
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        run_bakeoff("stores", "movies", "-o", f"{folder}/stores.json")
        targets.at_most("bakeoff stores movies", time.perf_counter() - begin, WITHIN, "s")


def _pairs(targets: Targets) -> None:
    """Print what pairs of 16 bytes take, which has no target."""
    click.echo(f"{'pairs':>12}  {'store':10}{'order':12}{'s':>8}{'pairs/s':>12}{'B/pair':>8}")
    for count, store in itertools.product(PAIRS, STORES):
        for order in ("ascending", "from all over"):
            try:
                spent, size = _put(store, count, shuffled=order != "ascending")
            except StoreError as error:
                click.echo(f"{count:>12,}  {store:10}{error}")
                break
            click.echo(f"{count:>12,}  {store:10}{order:13}{spent:7.2f}{count / spent:>12,.0f}{size:8.1f}")


PARTS = {"rare": _rare, "puts": _puts, "run": _run, "pairs": _pairs}


@benchmark
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
def main(targets: Targets, parts: tuple[str, ...]) -> None:
    """Print the figures of all parts, or of some, next to their targets; exit with 1 on a miss."""
    for part in parts or PARTS:
        PARTS[part](targets)
