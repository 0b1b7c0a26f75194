"""Instructions: what the interface costs over the libraries' own calls, and how well counts repeat.

Run ``python3 tasks.py benchmarks counts``. The first part counts every codec of the default set that
defines its library's own calls, and these calls, on `messages`: no noise, so it is a gate of `.ci/run`
(``--repetitions 0``). The second part repeats counts while every core is busy, and derives from their
spread how often a planted change is found.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

import click

from bakeoff.bench import valgrind
from bakeoff.bench.results import read
from bakeoff.codecs import default_set, describe
from bakeoff.codecs.spec import RawCalls

from ._frame import Targets, benchmark, busy, run_bakeoff

MOST = 1.03
"""Most that the interface may cost, over the instructions of the library's own call."""
KNOWN = {
    ("orjson", "dump"): (1.08, "searches the payload for wrong times, or before 3.12 the record for lists"),
    ("pydantic-core", "dump"): (1.09, "looks for types that the library writes in forms of its own"),
    ("ormsgpack", "load"): (1.08, "finds the end of the value, as the library ignores data after it"),
    ("cbor2", "dump"): (1.07, "counts levels, as a deep record crashes the library"),
    ("cbor2", "load"): (1.05, "finds the end of the value, as the library ignores data after it"),
    ("marshal", "dump"): (1.2, "looks for objects with buffers, which the library writes as bytes"),
    ("bson", "load"): (1.04, "checks lengths, as the library reads beyond the end of a payload"),
}
"""Codecs that may cost more, and why; see `bakeoff.codecs.safety.guards`."""
SLOW = ("yaml",)
"""Formats whose calls take a thousand times as long as the interface: it is lost in them."""
NINE = "json,orjson,msgspec-json,msgpack,ormsgpack,msgspec-msgpack,cbor2,pickle,marshal"
LIMIT = 0.005
"""Of ``bakeoff compare --counts``."""

Counts = dict[tuple[str, str], float]
"""Instructions of a call, by codec and "dump" or "load"."""


def counted(codecs: str, *options: str) -> Counts:
    """Return the instructions of some codecs on `messages`."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "counts.json")
        operations = "count-dump,count-load"
        run_bakeoff(
            "run",
            "messages",
            "-n",
            "1000",
            "--all",
            "--ops",
            operations,
            "-c",
            codecs,
            "-o",
            output,
            *options,
        )
        cells = read(output).cells
    return {
        (cell.cell.codec, cell.cell.operation.removeprefix("count-")): cell.samples[0].value
        for cell in cells
        if cell.samples
    }


def interface(targets: Targets) -> None:
    """Print what the interface costs of each codec."""
    names = [
        name
        for name in default_set()
        if describe(name).format not in SLOW and isinstance(describe(name).raw(), RawCalls)
    ]
    found = counted(",".join(names), "--raw")
    for name in names:
        own = f"{name.removesuffix('/unguarded')}/raw"
        for operation in ("dump", "load"):
            most, why = KNOWN.get((name, operation), (MOST, ""))
            what = f"{name} {operation}{why and f' ({why})'}"
            ours, theirs = found.get((name, operation)), found.get((own, operation))
            if ours is None or theirs is None:
                targets.show(what, "not counted", f"at most {most}", ok=False)
            else:
                targets.at_most(what, ours / theirs, most)


def repeated(targets: Targets, repetitions: int) -> None:
    """Print the spread of counts, and what it means for a planted change."""
    codecs = "json,orjson,msgpack"
    with busy():
        runs = [counted(codecs) for _ in range(repetitions)]
    spreads = {}
    for key in runs[0]:
        values = [run[key] for run in runs]
        spreads[key] = (max(values) - min(values)) / statistics.fmean(values)
    worst = max(spreads, key=spreads.__getitem__)
    what = f"spread of {repetitions} runs, worst is {' '.join(worst)}"
    targets.at_most(what, 100 * spreads[worst], 0.05, "%")
    pairs = [random.Random(seed).sample(runs, 2) for seed in range(300)]
    false = sum(any(b[key] / a[key] > 1 + LIMIT for key in a) for a, b in pairs)
    hit = sum(all(1.01 * b[key] / a[key] > 1 + LIMIT for key in a) for a, b in pairs[:100])
    targets.at_most("pairs of runs that differ by more than 0.5 %, of 300", false, 0)
    targets.show("pairs with 1 % more that do, in all cells", f"{hit} of 100", "100 of 100", ok=hit == 100)


@benchmark
@click.option("--repetitions", default=20, show_default=True, help="Runs whose spread is shown; 0 for none.")
def main(targets: Targets, repetitions: int) -> None:
    """Print counts next to their targets; exit with 1 if one is missed, with 0 without Valgrind."""
    if reason := valgrind.missing():
        click.echo(f"SKIPPED, nothing was counted: {reason}")
        return
    interface(targets)
    if not repetitions:
        return
    begun = time.monotonic()
    counted(NINE)
    targets.at_most("nine codecs on one file", time.monotonic() - begun, 60, "s")
    repeated(targets, repetitions)
