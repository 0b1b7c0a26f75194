"""Targets for corpora: ``python3 tasks.py benchmarks corpora``.

Movies, streamed on one core: at least 1,000,000 records/s, and at least 5 times mimesis on the same four
fields (which picks each text out of 28 sentences, always the same objects, while ours are made letter by
letter). With ``--file-records 10000000``: a JSON Lines file of so many records is read, checked,
hashed, sampled and profiled in one pass within 300 MB resident, at the same time per record as
one of 10,000.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import click

from bakeoff.codecs import codec
from bakeoff.datasets import corpus

WANTED_RATE = 1_000_000
WANTED_RATIO = 5
WANTED_BYTES = 300_000_000
OURS, THEIRS = 200_000, 10_000

READ = """
import json, re, sys, time
from collections import deque
from bakeoff.datasets import corpus
source = corpus(sys.argv[1])
source.sample(1_000)
start = time.perf_counter()
deque(source.records(), maxlen=0)
seconds = time.perf_counter() - start
# ru_maxrss would also count what the parent process held
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
print(json.dumps({"records": source.count(), "seconds": seconds, "peak": peak}))
"""


def _rate(records: Iterable[Any], count: int) -> float:
    start = time.perf_counter()
    deque(records, maxlen=0)
    return count / (time.perf_counter() - start)


def _mimesis() -> Callable[[], Iterator[dict[str, Any]]]:
    from mimesis import Numeric, Text
    from mimesis.locales import Locale

    text, numeric = Text(Locale.EN, seed=1), Numeric(seed=1)

    def records() -> Iterator[dict[str, Any]]:
        number = 1_000_000
        while True:
            number += 1
            yield {
                "id": number,
                "title": text.title(),
                "year": numeric.integer_number(1888, 2026),
                "description": text.sentence(),
            }

    return records


def _rates(rounds: int) -> bool:
    try:
        peer = _mimesis()
    except ImportError as error:
        raise click.ClickException("mimesis is not installed; pip install --group bench") from error
    ours, ratios = [], []
    for number in range(rounds):
        pair = [
            lambda: _rate(corpus("movies", OURS).records(), OURS),
            lambda: _rate(islice(peer(), THEIRS), THEIRS),
        ]
        # Neither is always the first.
        order = (0, 1) if number % 2 else (1, 0)
        found = {which: pair[which]() for which in order}
        ours.append(found[0])
        ratios.append(found[0] / found[1])
    rate, ratio = median(ours), median(ratios)
    click.echo(
        f"movies, streamed: {rate:,.0f} records/s (wanted: {WANTED_RATE:,}); median of {rounds} rounds"
    )
    spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
    click.echo(f"against mimesis:  {ratio:.1f} times (wanted: {WANTED_RATIO}); {spread}")
    return rate >= WANTED_RATE and ratio >= WANTED_RATIO


def _read(path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", READ, os.fspath(path)], check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _file(records: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for count in (10_000, records):
            path = Path(folder, f"{count}.jsonl")
            with path.open("wb") as file:
                codec("json").dump(corpus("movies", count).records(), file)
            found.append(_read(path))
            path.unlink()
    small, large = ((one["seconds"] / one["records"] * 1e6, one["peak"] / 1e6) for one in found)
    click.echo(f"10,000 records in a file: {small[0]:.2f} µs a record, {small[1]:.0f} MB resident")
    click.echo(f"{records:,}: {large[0]:.2f} µs a record, {large[1]:.0f} MB resident (wanted: 300)")
    return bool(large[1] * 1e6 <= WANTED_BYTES)


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=15, show_default=True)
@click.option(
    "--file-records", type=click.IntRange(1), help="Also read a JSON Lines file of so many records."
)
def main(rounds: int, file_records: int | None) -> None:
    """Measure the targets for corpora; exit 1 when one is missed."""
    met = [_rates(rounds)]
    if file_records is not None:
        met.append(_file(file_records))
    sys.exit(not all(met))


if __name__ == "__main__":
    main()
