"""Targets for reports: ``python3 tasks.py benchmarks reports``.

A result file of 30 codecs, 5 corpora and 30 processes is reported as text within 2 s and as a page within
5 s and 2 MB, process start included; the made-up figures are never shown to anybody.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

import madeup
from bakeoff.bench.results import write

WANTED = {"text": 2.0, "html": 5.0}
WANTED_BYTES = 2_000_000
TRIES = 3


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
        write(madeup.result(processes=30), results)
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
