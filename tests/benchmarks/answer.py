"""Targets for the first answer: ``python3 tasks.py benchmarks answer [FILE...]``.

On whatever people bring (documents of one record, large and small; lists of small messages; wide CSV; a
folder of YAML; half a gigabyte of JSON Lines) ``--quick`` ends within 15 s, ``--budget S`` within
1.2 S + 5 s, the default run within 90 s and the table so far stands on a terminal within 5 s. ``--quick``
tells every codec that costs 1.2 times as much as the best from it; with both processors busy (``--busy``)
1.5 times.
``--dry-run`` foretells ``--quick`` and the default run within a factor of 1.5.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

import bakeoff
from bakeoff.bench.results import read

from . import _frame

QUICK, DEFAULT, SO_FAR = 15.0, 90.0, 5.0
BUDGET = 5.0
LATE = 1.2 * BUDGET + 5
TOLD, TOLD_BUSY = 1.2, 1.5
FORETOLD = 1.5


def _files(folder: Path) -> Iterator[Path]:
    """Write files of all kinds that people bring."""
    messages = list(bakeoff.corpus("messages", records=3_000).records())
    numbers = list(bakeoff.corpus("numbers", records=3_000).records())
    movies = list(bakeoff.corpus("movies", records=20_000).records())
    for name, document in {
        "statuses.json": {"meta": 1, "statuses": messages[:300]},
        "floats.json": {"type": "x", "coordinates": [[list(r.values()) for r in numbers]]},
        "large.json": {"meta": 1, "statuses": messages * 11},
        "list.json": movies,
    }.items():
        (folder / name).write_text(json.dumps(document))
        yield folder / name
    lines = [json.dumps(message) + "\n" for message in messages]
    for name, size in {"small.jsonl": 10**6, "half-a-gigabyte.jsonl": 5 * 10**8}.items():
        with (folder / name).open("w") as file:
            while file.tell() < size:
                file.writelines(lines[: max(1, (size - file.tell()) // 1_700)])
        yield folder / name
    with (folder / "wide.csv").open("w", newline="") as file:
        parts = ([movies[n], *numbers[3 * n : 3 * n + 3]] for n in range(900))
        rows = ([str(value) for part in row for value in part.values()][:27] for row in parts)
        csv.writer(file).writerows([[f"c{n}" for n in range(27)], *rows])
    yield folder / "wide.csv"
    manifests = folder / "manifests"
    manifests.mkdir()
    yaml = bakeoff.codec("yaml")
    for number, message in enumerate(messages[:60]):
        (manifests / f"{number}.yaml").write_bytes(yaml.encode(message))
    yield manifests


def _seconds(*arguments: str | Path) -> float:
    """Return the seconds that a run took."""
    begun = time.perf_counter()
    _frame.run_bakeoff("run", *arguments)
    return time.perf_counter() - begun


def _so_far(path: Path, output: Path) -> float:
    """Return the seconds until the first table appears on a terminal."""
    ours, theirs = pty.openpty()
    begun = time.perf_counter()
    command = [sys.executable, "-m", "bakeoff", "run", str(path), "--quick", "-o", str(output)]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        try:
            while b"so far" not in said:
                said += os.read(ours, 65536)
            found = time.perf_counter() - begun
        except OSError:  # it has ended without
            found = float("inf")
        process.terminate()
        os.close(ours)
    return found


def _missed(output: Path, factor: float) -> tuple[list[str], int]:
    """Return the codecs that cost so many times the best and are not told from it, and the number timed."""
    standing = _frame.standing(read(output))
    least = min((figure.value for figure in standing.costs.values()), default=0.0)
    far = [name for name, figure in standing.costs.items() if figure.value > factor * least]
    return [name for name in far if standing.ranks[name] == 1], len(standing.costs)


def _foretold(*arguments: str | Path) -> float:
    found = re.search(r"takes +about ([\d,]+) s", _frame.run_bakeoff("run", *arguments, "--dry-run"))
    return float(found[1].replace(",", "")) if found else float("nan")


@_frame.benchmark
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--busy", is_flag=True, help="Keep all processors busy meanwhile.")
@click.option("--quick-only", is_flag=True, help="Leave the default runs out, which take 90 s each.")
def main(targets: _frame.Targets, files: tuple[Path, ...], *, busy: bool, quick_only: bool) -> None:
    """Print wall times for each file against the targets; exit 1 when one is missed."""
    factor = TOLD_BUSY if busy else TOLD
    neighbors = _frame.busy(pause=0) if busy else contextlib.nullcontext()
    click.echo(
        f"{'file':24}{'table':>7}{'quick':>7}{'(told)':>8}{'budget':>8}{'default':>9}{'(told)':>8}  "
        f"timed, not told at {factor:g} times the best"
    )
    with tempfile.TemporaryDirectory() as name, neighbors:
        folder = Path(name)
        for path in files or _files(folder):
            output = folder / "result.json"
            table = _so_far(path, folder / "stopped.json")
            quick = _seconds(path, "--quick", "-o", output)
            untold, timed = _missed(output, factor)
            foretold = _foretold(path, "--quick")
            budget = _seconds(path, "--quick", "--budget", str(BUDGET), "-o", folder / "budget.json")
            default = 0.0 if quick_only else _seconds(path, "-o", folder / "default.json")
            foretold_default = 0.0 if quick_only else _foretold(path)
            quick_enough = table <= SO_FAR and quick <= QUICK and budget <= LATE and default <= DEFAULT
            well_told = all(
                took / FORETOLD <= told <= took * FORETOLD
                for took, told in ((quick, foretold), (default, foretold_default))
            )
            verdict = targets.verdict(quick_enough and well_told and not untold, "below")
            click.echo(
                f"{path.name:24}{table:7.1f}{quick:7.1f}{foretold:8.0f}{budget:8.1f}"
                f"{default:9.1f}{foretold_default:8.0f}  {timed}, {' '.join(untold) or 'none'}  {verdict}"
            )
    click.echo(
        f"targets: table {SO_FAR:g}, quick {QUICK:g}, budget {LATE:g}, default {DEFAULT:g} s at most; "
        f"foretold within {FORETOLD:g} times; all told"
    )
