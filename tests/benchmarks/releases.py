"""``python3 tasks.py benchmarks releases``: are regressions of a release found, and none invented?

A made-up library in pure Python has eight releases, as local wheels. In 1.2 and 1.6 a load takes 5 % longer
than in 1.0, in 1.3 and 1.7 decoded records retain at least twice the memory, and 1.4 decodes tuples as lists.
Releases 1.1 and 1.5 are 1.0 again. Each run measures all of them and judges each against 1.0, as
`bakeoff upgrade` does.
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
from bakeoff.bench.results import ResultData, read
from bakeoff.reports.decide.releases import between, undecided, worse

from ._frame import Targets, benchmark, run_bakeoff

SLOWER = 0.05
SECONDS = 60.0
EXPECTED: Mapping[str, str] = {
    "1.1": "",
    "1.2": "tiny load:",
    "1.3": "tiny retained-records:",
    "1.4": "tiny: ok → lossy",
    "1.5": "",
    "1.6": "tiny load:",
    "1.7": "tiny retained-records:",
}
"""The beginning of a line that each release must get; nothing for no line at all."""
RETAINING = """large = dict.fromkeys(range(24))
    for n in range(24):
        del large[n]
    for key, value in record.items():
        large[key] = value
    record = large"""
"""Statements for a dict that keeps the size that it had with 24 more keys."""


@contextmanager
def index() -> Iterator[Path]:
    """Make a folder with the releases and records, and the environment of commands that use it."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as name:
        folder = Path(name)
        calls = {
            "": released.source(),
            "tiny load:": released.source(loads=f"for _ in range({turns()}): pass"),
            "tiny retained-records:": released.source(loads=RETAINING),
            "tiny: ok → lossy": released.source(lossy=True),
        }
        for release, expected in {"1.0": "", **EXPECTED}.items():
            released.wheel(folder / "wheels", release, calls[expected])
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


def judged(result: ResultData, release: str, expected: str) -> tuple[bool, str]:
    """Return whether a run says about a release what it should, and what it says."""
    found = between(result, {"tiny==1.0": "tiny"}, {f"tiny=={release}": "tiny"})
    lines, left = worse(found), undecided(found, result)
    right = any(line.startswith(expected) for line in lines) if expected else not lines
    return right, "; ".join([*lines, *(f"undecided: {each}" for each in left)]) or "nothing"


@benchmark
@click.option("--runs", default=15, show_default=True, help="Runs over all releases, of a minute at most.")
def main(targets: Targets, runs: int) -> None:
    """Print how often each planted regression is found, against the targets."""
    found: dict[str, list[bool]] = {}
    with index() as folder:
        command: list[str | Path] = [
            *("releases", "tiny", f"{folder}/rows.py:ROWS"),
            *("-o", folder / "r.json", "--last", "8"),
        ]
        run_bakeoff(*command, "--budget", "1")  # fetches
        took, wide = [], 0
        for number in range(runs):
            begun = time.monotonic()
            run_bakeoff(*command, "--offline")
            took.append(time.monotonic() - begun)
            result = read(folder / "r.json")
            wide += any("was not reached" in text for text in result.warnings)
            click.echo(f"run {number + 1}: {took[-1]:.0f} s")
            for release, expected in EXPECTED.items():
                right, said = judged(result, release, expected)
                found.setdefault(expected, []).append(right)
                if not right or "undecided" in said:
                    click.echo(f"  {release}: {said}{'' if right else ' (MISSED)'}")
    for expected, seen in found.items():
        what = f"{expected.rstrip(':')}: found" if expected else "nothing invented"
        targets.show(what, f"{sum(seen)} of {len(seen)}", f"{len(seen)} of {len(seen)}", ok=all(seen))
    targets.at_most("eight releases, one file", max(took), SECONDS, "s")
    targets.show("±2 % reached", f"{runs - wide} of {runs}", f"{runs} of {runs}", ok=not wide)
