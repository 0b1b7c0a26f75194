"""``python3 tasks.py benchmarks releases``: are regressions of a release found, and none invented?

A made-up library in pure Python has eight releases, as local wheels. Release 1.1 is release 1.0 again. In
1.2 a load takes 5 % longer, in 1.3 decoded records retain at least twice the memory, and 1.4 decodes tuples
as lists. Each run measures all of them and judges each against 1.0, as `bakeoff upgrade` does. The other
three are 1.0 again: they are there for the time that eight releases take.
"""

from __future__ import annotations

import os
import tempfile
import time
import timeit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import released
from bakeoff.bench.results import read
from bakeoff.reports.decide.releases import between, worse

from ._frame import Targets, benchmark, run_bakeoff

SLOWER = 0.05
SECONDS = 60.0
EXPECTED: Mapping[str, str] = {
    "1.1": "",
    "1.2": "tiny load:",
    "1.3": "tiny retained-records:",
    "1.4": "tiny: ok → lossy",
}
"""The beginning of a line that each release must get; nothing for no line at all."""
RETAINING = """large = dict.fromkeys(range(24))
    for n in range(24):
        del large[n]
    for key, value in record.items():
        large[key] = value
    record = large"""
"""Statements for a dict that keeps the size that it had with 24 more keys."""
FURTHER = ("1.5", "1.6", "1.7")


@contextmanager
def index() -> Iterator[Path]:
    """Make a folder with the releases and records, and the environment of commands that use it."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as name:
        folder = Path(name)
        calls = {
            "1.2": released.source(loads=f"for _ in range({turns()}): pass"),
            "1.3": released.source(loads=RETAINING),
            "1.4": released.source(lossy=True),
        }
        for release in ("1.0", *EXPECTED, *FURTHER):
            released.wheel(folder / "wheels", release, calls.get(release, released.source()))
        (folder / "rows.py").write_text(released.ROWS)
        os.environ |= released.environment(folder) | {"BAKEOFF_PAST_RUNS": "off"}
        try:
            yield folder
        finally:
            os.environ.clear()
            os.environ |= before


def turns() -> int:
    """Return the turns of an empty loop that take `SLOWER` of a load."""
    names: dict[str, Any] = {}
    exec(released.source(), names)
    payloads = [names["dumps"](row) for row in [{"id": 7, "at": (7, 14), "name": "a" * 10}] * 100]
    load = (
        min(timeit.repeat(lambda: [names["loads"](data) for data in payloads], number=100, repeat=20)) / 1e4
    )
    turn = min(timeit.repeat("for _ in range(1000): pass", number=100, repeat=20)) / 1e5
    return round(SLOWER * load / turn)


@benchmark
@click.option("--runs", default=30, show_default=True, help="Runs over all releases.")
def main(targets: Targets, runs: int) -> None:
    """Print how often each planted regression is found, against the targets; a minute for each run."""
    found = dict.fromkeys(EXPECTED, 0)
    with index() as folder:
        command: list[str | Path] = [
            "releases",
            "tiny",
            f"{folder}/rows.py:ROWS",
            "-o",
            folder / "r.json",
            "--last",
            "8",
        ]
        run_bakeoff(*command, "--budget", "1")  # fetches
        took, wide = [], 0
        for number in range(runs):
            begun = time.monotonic()
            run_bakeoff(*command, "--offline")
            took.append(time.monotonic() - begun)
            result = read(folder / "r.json")
            wide += any("was not reached" in text for text in result.warnings)
            for release, expected in EXPECTED.items():
                lines = worse(between(result, {"tiny==1.0": "tiny"}, {f"tiny=={release}": "tiny"}))
                right = any(line.startswith(expected) for line in lines) if expected else not lines
                found[release] += right
                if not right:
                    click.echo(f"run {number + 1}, {release}: {'; '.join(lines) or 'nothing'}")
    for release, expected in EXPECTED.items():
        what = f"{release}: {expected.rstrip(':')} found" if expected else f"{release}: nothing invented"
        targets.show(what, f"{found[release]} of {runs}", f"{runs} of {runs}", ok=found[release] == runs)
    targets.at_most("eight releases, one file", max(took), SECONDS, "s")
    targets.show("±2 % reached", f"{runs - wide} of {runs}", f"{runs} of {runs}", ok=not wide)


if __name__ == "__main__":
    main()
