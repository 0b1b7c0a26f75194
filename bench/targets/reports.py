"""Targets for reports: ``python -m bakeoff.bench.targets.reports``.

A result file of 30 codecs, 5 corpora and 30 processes is reported as text within 2 s and as a page within
5 s and 2 MB, process start included; the made-up figures are never shown to anybody.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from ..results import UNITS, Cell, CellResult, CodecFacts, CorpusFacts, Result, Sample, write

CODECS, CORPORA, PROCESSES = 30, 5, 30
OPERATIONS = {
    "dump": 2e-6,
    "load": 3e-6,
    "size": 1500.0,
    "peak-dump": 2e6,
    "peak-load": 4e6,
    "retained-records": 3000.0,
    "retained-payloads": 1533.0,
}
WANTED = {"text": 2.0, "html": 5.0}
WANTED_BYTES = 2_000_000
TRIES = 3


def made_up() -> Result:
    """Return a big run: every codec a little slower than the one before it, with 1 % noise."""
    rng = random.Random(1)

    def samples(value: float, operation: str) -> tuple[Sample, ...]:
        noise = 0.01 if UNITS[operation] == "second" else 0.0
        values = [value * math.exp(rng.gauss(0, noise)) for _ in range(PROCESSES)]
        return tuple(Sample(v, v, v, pair, 1000, 0.01, 20) for pair, v in enumerate(values))

    names = [f"codec-{number:02d}" for number in range(CODECS)]
    cells = tuple(
        CellResult(
            Cell(f"corpus-{corpus}", operation, name),
            "ok",
            samples=samples(value * 1.03**number, operation),
        )
        for corpus in range(CORPORA)
        for number, name in enumerate(names)
        for operation, value in OPERATIONS.items()
    )
    return Result(
        cells=cells,
        codecs=tuple(CodecFacts(name, f"format-{n % 6}", name, "1.0", True) for n, name in enumerate(names)),
        corpora=tuple(
            CorpusFacts(f"corpus-{n}", f"corpus-{n}", f"{n:064x}", 100_000, 1_000) for n in range(CORPORA)
        ),
        command="bakeoff run",
    )


def _report(results: Path, form: str, output: Path) -> float:
    """Return the seconds of the quickest of some reports."""
    command = [sys.executable, "-m", "bakeoff", "report", str(results), "-f", form, "-o", str(output)]
    seconds = []
    for _ in range(TRIES):
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


@click.command()
def main() -> None:
    """Print seconds and bytes of the big report against the targets; exit 1 when one is missed."""
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "big.json"
        write(made_up(), results)
        for form, wanted in WANTED.items():
            output = Path(folder) / f"report.{form}"
            seconds = _report(results, form, output)
            missed |= seconds > wanted
            click.echo(f"{form}: {seconds:.2f} s (wanted: at most {wanted:g} s)")
        size = output.stat().st_size
        missed |= size > WANTED_BYTES
        click.echo(f"html: {size:,} bytes (wanted: at most {WANTED_BYTES:,})")
    sys.exit(missed)


if __name__ == "__main__":
    main()
