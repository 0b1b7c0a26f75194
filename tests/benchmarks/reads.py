"""Readers in the rounds of a run: what they change in its other figures, and which differences are found.

Run ``python3 tasks.py benchmarks reads``, after ``bakeoff readers go``. Runs of `messages` with and without
readers in Go take turns: the times of Python's codecs must not depend on them. Then a second language is the
same worker of Go, behind a program that makes its figures 5 % higher, or leaves them as they are.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import click

import bakeoff
from bakeoff.bench import stats
from bakeoff.bench.foreign import builds
from bakeoff.bench.results import Measurement

from ._frame import Targets, benchmark, interval

CODECS = ["orjson", "ormsgpack", "msgpack"]
READ = "ormsgpack"
LIBRARY = "tinylib-msgp"
PLANTED = 0.05
MOST = 0.01
"""Most that readers may change the figures of Python's codecs."""
PROXY = """
import json, subprocess, sys
factor, *command = sys.argv[1:]
worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def passed(read, write, change):
    prefix = read(18)
    if not prefix:
        sys.exit()
    head = json.loads(read(int(prefix[:8], 16)))
    content = read(int(prefix[9:17], 16) + 1)
    text = json.dumps(change(head)).encode()
    write.write(b"%08x%b%b%b" % (len(text), prefix[8:], text, content))
    write.flush()

def slower(head):
    if head["kind"] == "times":
        head["slices"] = [each * float(factor) for each in head["slices"]]
    return head

while True:
    passed(sys.stdin.buffer.read, worker.stdin, lambda head: head)
    passed(worker.stdout.read, sys.stdout.buffer, slower)
"""

Samples = Mapping[tuple[str, str], Sequence[Measurement]]
"""Samples by operation and codec."""


def measured(codecs: Sequence[str], budget: float, readers: Sequence[str], records: int = 1000) -> Samples:
    """Return the samples of one run."""
    result = bakeoff.run(
        "messages",
        codecs,
        records=records,
        budget=budget,
        precision=0.002,
        ops=["dump", "load", "size"],
        readers=readers,
        progress=False,
    )
    return {(c.cell.operation_name, c.cell.codec): c.samples for c in result.data.cells if c.samples}


@contextmanager
def second_language(folder: Path, factor: float) -> Iterator[None]:
    """Make "other" a language whose figures are those of Go, times a factor."""
    path = folder / "proxy.py"
    path.write_text(PROXY)
    known = builds.command

    def command(language: str) -> tuple[tuple[str, ...], Path]:
        arguments, there = known("go")
        own = (sys.executable, str(path), str(factor)) if language == "other" else ()
        return (*own, *arguments), there

    with patch.object(builds, "command", command):
        yield


def difference(budget: float, factor: float) -> stats.Ratio | None:
    """Return the ratio of the two languages in one run; None if it had no time for them."""
    with tempfile.TemporaryDirectory() as name, second_language(Path(name), factor):
        found = measured([READ], budget, ["go", "other"], records=200)
    theirs, ours = (found.get((f"read@{language}-{LIBRARY}", READ)) for language in ("go", "other"))
    return stats.ratio(ours, theirs) if ours and theirs else None


def changes(pairs: int, budget: float) -> Mapping[tuple[str, str], Sequence[float]]:
    """Return the times of Python's codecs with readers over those without, for each pair of runs."""
    found: dict[tuple[str, str], list[float]] = {}
    for number in range(pairs):
        runs: dict[bool, Samples] = {}
        for with_readers in (True, False) if number % 2 else (False, True):
            readers = ["go"] if with_readers else []
            runs[with_readers] = measured(CODECS, budget * (1 + with_readers / 2), readers)
        for key in runs[False].keys() & runs[True].keys():
            if key[0] != "size" and key[1] in CODECS:
                times = {each: stats.interval(samples[key])[0] for each, samples in runs.items()}
                found.setdefault(key, []).append(times[True] / times[False])
        click.echo(f"pair {number + 1} of {pairs}")
    return found


@benchmark
@click.option("--trials", default=3, show_default=True, help="Runs with a planted difference, and without.")
@click.option("--pairs", default=5, show_default=True, help="Pairs of runs with and without readers.")
@click.option("--budget", default=12.0, show_default=True, help="Seconds of a run.")
def main(targets: Targets, trials: int, pairs: int, budget: float) -> None:
    """Print what readers change, and which differences are found; exit 1 when a target is missed."""
    for (operation, codec), found in sorted(changes(pairs, budget).items()):
        mean, low, high = interval(found)
        what = f"{operation} of {codec} with readers, over without"
        ok = abs(mean - 1) <= MOST or low <= 1 <= high
        targets.show(what, f"{mean:.4f} ({low:.4f} to {high:.4f})", f"1 ±{MOST:.0%}", ok=ok)
    for planted, wanted in ((PLANTED, trials), (0.0, 0)):
        ratios = [difference(budget, 1 + planted) for _ in range(trials)]
        seen = sum(found is not None and not found.low <= 1 <= found.high for found in ratios)
        # At 95 %, one of twenty equal pairs differs by chance.
        ok = seen == wanted if planted else seen <= max(1, trials // 8)
        target = f"{wanted}" if planted else "5 %"
        shown = f"{seen} of {trials}" + f", {ratios.count(None)} not measured" * (None in ratios)
        targets.show(f"runs that find a difference of {planted:.0%}", shown, target, ok=ok)
