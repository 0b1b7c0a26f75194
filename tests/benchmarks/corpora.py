"""Targets for corpora: ``python3 tasks.py benchmarks corpora``.

Movies, streamed on one core: at least 1,000,000 records/s, and at least 5 times mimesis on the same four
fields (which picks each text out of 28 sentences, always the same objects, while ours are made letter by
letter). With ``--file-records 10000000``: a JSON Lines file of so many records is read, checked,
hashed, sampled and profiled in one pass within 300 MB resident, at the same time per record as
one of 10,000.
"""

from __future__ import annotations

import re
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

from ._frame import Targets, benchmark, in_processes

WANTED_RATE = 1_000_000
WANTED_RATIO = 5
WANTED_MEGABYTES = 300
OURS, THEIRS = 200_000, 10_000


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


def _rates(targets: Targets, rounds: int) -> None:
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
    target = f"at least {WANTED_RATE:,}"
    targets.show("movies, streamed", f"{rate:,.0f} records/s", target, ok=rate >= WANTED_RATE)
    spread = f"{ratio:.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
    targets.show("times as many as mimesis", spread, f"at least {WANTED_RATIO}", ok=ratio >= WANTED_RATIO)


def _read(path: Path) -> tuple[float, float]:
    """Return the microseconds that a record of a file takes, and the megabytes resident at the most."""
    source = corpus(path)
    source.sample(1_000)
    start = time.perf_counter()
    deque(source.records(), maxlen=0)
    seconds = time.perf_counter() - start
    # ru_maxrss would also count what the parent process held
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert peak is not None
    return seconds / source.count() * 1e6, int(peak[1]) * 1024 / 1e6


def _file(targets: Targets, records: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for count in (10_000, records):
            path = Path(folder, f"{count}.jsonl")
            with path.open("wb") as file:
                codec("json").dump(corpus("movies", count).records(), file)
            ((microseconds, megabytes),) = in_processes(1, _read, path)
            path.unlink()
            what = f"{count:,} records in a file, {microseconds:.2f} µs each"
            targets.at_most(what, megabytes, WANTED_MEGABYTES, "MB")


@benchmark
@click.option("--rounds", type=click.IntRange(1), default=15, show_default=True)
@click.option(
    "--file-records", type=click.IntRange(1), help="Also read a JSON Lines file of so many records."
)
def main(targets: Targets, rounds: int, file_records: int | None) -> None:
    """Measure the targets for corpora; exit 1 when one is missed."""
    _rates(targets, rounds)
    if file_records is not None:
        _file(targets, file_records)
