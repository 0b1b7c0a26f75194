"""Figures of the default set: dump and load of every codec that is worth comparing on any records.

Run ``python3 tasks.py benchmarks defaults``. With ``--write``, the figures replace those of
`codecs/defaults.toml`, from which `bakeoff.codecs.default_set` derives the codecs that wait to be named. All
codecs take turns on each corpus, so that a neighbor slows all of them; figures are medians of the rounds.
"""

from __future__ import annotations

import datetime
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import click

import bakeoff
from bakeoff.codecs import describe, missing, names
from bakeoff.codecs.defaults import FILE, field
from bakeoff.grid import draw

from ._frame import Targets, benchmark

CORPORA = ("messages", "movies", "text", "numbers")
RECORDS = 200


def timed(call: Callable[[Any], object], subjects: Sequence[Any]) -> float:
    """Return the CPU time of a call in nanoseconds."""
    before = time.thread_time_ns()
    for subject in subjects:
        call(subject)
    return (time.thread_time_ns() - before) / len(subjects)


def measured(corpus: str, rounds: int) -> dict[str, tuple[float, float]]:
    """Return the dump and load of each codec, in nanoseconds."""
    candidates = [name for name in names() if describe(name).in_default_set and missing(name) is None]
    made = [bakeoff.codec(name, trusted=True) for name in candidates]
    records = list(bakeoff.corpus(corpus, records=RECORDS).records())
    payloads = {codec.name: [codec.encode(record) for record in records] for codec in made}
    times: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for _ in range(rounds):
        for codec in made:
            # Decoded records, so that no text has a cached form.
            fresh = [codec.decode(payload) for payload in payloads[codec.name]]
            times[codec.name][0].append(timed(codec.encode, fresh))
            times[codec.name][1].append(timed(codec.decode, payloads[codec.name]))
    return {
        name: (statistics.median(dumps), statistics.median(loads)) for name, (dumps, loads) in times.items()
    }


@benchmark
@click.option("--rounds", default=21, show_default=True, help="Turns of each codec.")
@click.option("--write", is_flag=True, help="Replace the figures of the file.")
def main(targets: Targets, rounds: int, write: bool) -> None:
    """Print the figures, and the codecs that wait."""
    found = {corpus: measured(corpus, rounds) for corpus in CORPORA}
    codecs = list(found[CORPORA[0]])
    rows = [[name, *(f"{sum(found[corpus][name]):,.0f}" for corpus in CORPORA)] for name in codecs]
    click.echo(draw("plain", ["dump + load, ns", *CORPORA], rows, [False] + [True] * len(CORPORA)))
    if write:
        lines = [
            "# By `python3 tasks.py benchmarks defaults --write`: nanoseconds of a dump and a load, "
            f"{datetime.date.today()}.",
            "# The ranks are those of PyPI's most downloaded packages, by hand.",
            "[ranks]",
            *(f'"{library}" = {rank}' for library, rank in field().ranks.items()),
        ]
        for name in codecs:
            lines += ["", f'[figures."{name}"]']
            lines += [
                f"{corpus} = [{found[corpus][name][0]:.0f}, {found[corpus][name][1]:.0f}]"
                for corpus in CORPORA
            ]
        FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        field.cache_clear()
    chosen = bakeoff.codecs.default_set()
    click.echo(f"waiting: {', '.join(name for name in codecs if name not in chosen)}")
    targets.at_most("codecs of the default set", len(chosen), 20)
