"""What Dask's variables cost a codec: ``python3 tasks.py benchmarks dask``.

Times msgpack's `packb` in processes that a worker of a local cluster starts: with the variables that Dask
sets, without those that an agent removes, and in the environment of this process. The three take turns, and
a figure is the least of all turns, as other work can only add to it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from bakeoff.bench.run.environment import scrub

from ._frame import Targets, benchmark

MOST = 1.1
"""Times the figure of this process's environment, without Dask's variables."""

TIMED = """
from timeit import repeat
import msgpack
import bakeoff
records = list(bakeoff.corpus("messages", records=200).records())
def pack():
    for record in records:
        msgpack.packb(record)
print(min(repeat(pack, number=5, repeat=20)) / 5 / len(records) * 1e6)
"""


def timed(environment: Mapping[str, str]) -> float:
    """Return the microseconds of a `packb` in a new process."""
    return float(subprocess.check_output((sys.executable, "-c", TIMED), env=environment))


def in_worker() -> tuple[float, float, str]:
    """Return the microseconds with Dask's variables and without them, and these variables."""
    environment = dict(os.environ)
    with_all = timed(environment)
    removed = scrub(environment)
    return with_all, timed(environment), removed


@benchmark
@click.option("--turns", default=5, show_default=True, help="How often each is timed.")
def main(targets: Targets, turns: int) -> None:
    """Compare the three environments."""
    distributed: Any = import_module("distributed")
    bare = dict(os.environ)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        worker = min(client.scheduler_info()["workers"])
        found = [
            (*client.submit(in_worker, workers=[worker], pure=False).result(), timed(bare))
            for _ in range(turns)
        ]
    dask, scrubbed, here = (min(turn[number] for turn in found) for number in (0, 1, 3))
    click.echo(f"removed: {found[0][2]}")
    click.echo(
        f"packb with Dask's variables: {dask:.2f} µs, {dask / here:.2f} times that of this environment"
    )
    click.echo(f"packb without them: {scrubbed:.2f} µs; in this environment: {here:.2f} µs")
    targets.at_most("packb without Dask's variables", scrubbed / here, MOST, "times this environment")
