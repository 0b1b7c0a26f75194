"""``python3 tasks.py benchmarks history``: does a history find changes, and only those?

Makes up histories of 30 runs of four codecs whose figures vary from run to run as assumed, on a machine whose
clock varies by 10 %. It prints how many histories have a change point though nothing changed, how many show a
planted step of 10 % in one figure, how many show it within one run of its place, and the time for a history
of thirty codecs on five corpora. ``--histories`` is how many are made up.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace

import click

import madeup
from bakeoff.bench.method import Verdicts
from bakeoff.reports.decide.history import history

from ._frame import Targets, benchmark

FALSE, FOUND, SECONDS = 0.05, 0.95, 30.0
_RUNS = 30
_APART = Verdicts.SESSION / 2**0.5
_FIGURES = {name: {"dump": 1e-6, "load": 2e-6, "size": 900} for name in ("orjson", "json", "msgpack", "bson")}


@benchmark
@click.option("--histories", default=400, show_default=True, help="Made-up histories of each kind.")
def main(targets: Targets, histories: int) -> None:
    """Print how many changes are found and how many are false; exit with 1 where a target is missed."""
    rng = random.Random(1)
    false = found = placed = 0
    for seed in range(histories):
        at = rng.randrange(3, _RUNS - 2)
        none = history(madeup.weekly(_RUNS, _FIGURES, apart=_APART, seed=seed))
        false += any(line.changes for series in none for line in series.lines)
        change = ("orjson", "load", rng.choice((1.1, 1 / 1.1)))
        one = history(madeup.weekly(_RUNS, _FIGURES, change=change, at=at, apart=_APART, seed=seed))
        (line,) = (line for line in one[0].lines if line.cell.name == "messages/load/orjson")
        runs = [point.run for point in line.changes]
        found += bool(runs)
        placed += any(abs(run - at) <= 1 for run in runs)
    targets.at_most("share of histories with a false change point", false / histories, FALSE)
    for what, count in (("a step of 10 %: found", found), ("within one run of its place", placed)):
        share = count / histories
        targets.show(what, f"{share:.3g}", f"at least {FOUND:g}", ok=share >= FOUND)
    large = [replace(madeup.result(seed=n), started=f"2026-{n:02}") for n in range(_RUNS)]
    started = time.perf_counter()
    history(large)
    targets.at_most("30 runs of 30 codecs on 5 corpora", time.perf_counter() - started, SECONDS, "s")
