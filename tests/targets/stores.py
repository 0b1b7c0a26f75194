"""Targets for stores: ``python3 tasks.py targets stores``.

The clock in place adds 60 ns to a codec's call at most. `bakeoff stores movies` over three embedded stores
and six codecs ends within a minute. And what one store maker had a billion of: pairs of 16 bytes, a key and
a value of 8 each, put in batches of 10,000; a million and ten million are measured (``--pairs``), nothing is
extrapolated.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

from bakeoff.bench.operations._inside import cost
from bakeoff.bench.stores import kind
from bakeoff.bench.stores.base import Location, StoreError, opaque

__all__ = ["main"]

CLOCK = 60.0
WITHIN = 60.0
BATCH = 10_000
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


@click.command()
@click.option(
    "--pairs", "counts", type=int, multiple=True, default=(1_000_000, 10_000_000), show_default=True
)
@click.option("--store", "stores", multiple=True, default=("log", "lmdb", "sqlite", "kyoto", "rocksdict"))
@click.option("--pairs-only", is_flag=True, help="Leave the clock and the run out.")
def main(counts: tuple[int, ...], stores: tuple[str, ...], *, pairs_only: bool) -> None:
    """Print the clock's cost and a run's time beside their targets, and the pairs; exit 1 on a miss."""
    missed = False
    if not pairs_only:
        added, counted = cost()
        missed |= added > CLOCK
        click.echo(
            f"clock in place: {added:.0f} ns a call, {counted:.0f} of them counted (at most {CLOCK:g})"
        )
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            command = [sys.executable, "-m", "bakeoff", "stores", "movies", "-o", f"{folder}/stores.json"]
            subprocess.run(command, check=True, capture_output=True)
            took = time.perf_counter() - begin
        missed |= took > WITHIN
        click.echo(f"bakeoff stores movies: {took:.1f} s (at most {WITHIN:g})")
    click.echo(f"{'pairs':>12}  {'store':10}{'order':12}{'s':>8}{'pairs/s':>12}{'B/pair':>8}")
    for count in counts:
        for store in stores:
            for order in ("ascending", "from all over"):
                try:
                    spent, size = _put(store, count, shuffled=order != "ascending")
                except StoreError as error:
                    click.echo(f"{count:>12,}  {store:10}{error}")
                    break
                click.echo(
                    f"{count:>12,}  {store:10}{order:13}{spent:7.2f}{count / spent:>12,.0f}{size:8.1f}"
                )
    sys.exit(missed)


if __name__ == "__main__":
    main()
