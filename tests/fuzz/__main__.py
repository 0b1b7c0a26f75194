"""Fuzz every decode, every encode, and the compiled parts; see CONTRIBUTING.

Run as ``python3 tasks.py fuzz``. Findings are written to files, each with the line that repeats it.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

import click
from child import Judge, make
from findings import Finding
from rich.progress import Progress, TaskID
from supervise import Order, Result, hunt

from bakeoff import codecs
from bakeoff.console import progress
from bakeoff.grid import draw

sys.path.append(str(Path(__file__).parents[1]))  # `oracle`, for a case that is repeated in this process

_PARTS = ("plan", "ends", "fields", "walk", "codec")
_FILES = (
    "result",
    "watch",
    "journal",
    "lock",
    "profile",
    "avsc",
    "schema",
    "proto",
    "records",
    "requirements",
    "cache",
)
_OBJECTS = 10
"""Payloads for each object; an object tries encode and decode, and takes longer to create."""
_HEADINGS = {
    "runs": "runs",
    "accepted": "accepted",
    "refused": "refused",
    "limited": "LimitError",
    "deaths": "deaths",
    "foreign": "foreign errors",
    "broken": "promises broken",
    "slow": "> 1 s",
    "large": "> 256 MiB",
    "known": "known",
}
_FAULTS = ("deaths", "foreign", "broken", "slow", "large")


def targets(patterns: Sequence[str]) -> list[str]:
    """Return the targets of patterns: all those of a codec, or one of them for ``KIND:NAME``.

    Raises:
        click.UsageError: One of them means nothing.
    """
    # Unguarded codecs promise less.
    guarded = [name for name in codecs.names(needs_schema=True) if not codecs.describe(name).unguarded]
    names = [name for name in guarded if codecs.missing(name) is None]
    everything = [f"decode:{name}" for name in names] + [f"encode:{name}" for name in names]
    everything += [f"values:{name}" for name in names]
    everything += [f"part:{name}" for name in _PARTS] + [f"files:{name}" for name in _FILES]
    chosen: list[str] = []
    for pattern in patterns or ("*",):
        found = [
            t for t in everything if fnmatchcase(t, pattern) or fnmatchcase(t.partition(":")[2], pattern)
        ]
        if not found:
            raise click.UsageError(f"nothing to fuzz is called {pattern!r}; {', '.join(everything)}")
        chosen += [target for target in found if target not in chosen]
    return chosen


def wanted(target: str, order: Order) -> int | None:
    """Return the number of cases for a target."""
    if order.runs is None:
        return None
    return order.runs if target.startswith("decode:") else max(1, order.runs // _OBJECTS)


def table(results: Sequence[Result]) -> str:
    """Return the counts as text."""
    rows = []
    for result in results:
        counts = result.counts
        if counts:
            pace = counts["runs"] / result.seconds if result.seconds else 0.0
            rows.append([result.target, *(counts[key] for key in _HEADINGS), round(pace)])
    if len(rows) > 1:
        rows.append(["all", *(sum(row[at] for row in rows) for at in range(1, len(_HEADINGS) + 1)), ""])
    headers = ["target", *_HEADINGS.values(), "runs/s"]
    shown = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    return draw("plain", headers, shown, [header != "target" for header in headers])


def again(path: Path) -> int:
    """Repeat the case of a finding in this process; return the exit code."""
    finding = Finding.read(path)
    print(f"{finding.target}: {finding.what}\n{finding.shown}\n", flush=True)
    outcome, faults = Judge(make(finding.target))(finding.case)
    for fault in faults:
        print(f"{fault.kind}: {fault.what}")
    print(outcome)
    return 1 if faults else 0


def _run(chosen: Sequence[str], order: Order, jobs: int) -> tuple[list[Result], bool]:
    """Fuzz; return the results, and whether it was interrupted."""
    results = [Result(target) for target in chosen]
    stop = threading.Event()
    with progress() as shown, ThreadPoolExecutor(jobs) as pool:
        overall = shown.add_task(f"{len(results)} targets", total=len(results))

        def one(result: Result) -> None:
            if stop.is_set():
                return
            runs = wanted(result.target, order)
            share = Order(runs, order.seconds, order.seed, order.patience, order.folder)
            task = shown.add_task(result.target, total=runs or order.seconds)
            hunt(result, share, stop, lambda: _advance(shown, task, result, runs))
            shown.remove_task(task)
            shown.advance(overall)

        interrupted = False
        waiting = [pool.submit(one, result) for result in results]
        try:
            for future in waiting:
                future.result()
        except KeyboardInterrupt:
            interrupted = True
            stop.set()
    return results, interrupted


def _advance(shown: Progress, task: TaskID, result: Result, runs: int | None) -> None:
    bad = sum(result.counts[key] for key in _FAULTS)
    words = f"{result.target}: {result.counts['runs']:,}" + (f", {bad:,} faults" if bad else "")
    shown.update(task, completed=result.counts["runs"] if runs else result.seconds, description=words)


@click.command(help=__doc__)
@click.argument("patterns", nargs=-1, metavar="[CODEC | KIND:NAME]...")
@click.option("--runs", type=click.IntRange(min=1), help="Payloads for each codec; a tenth as many objects.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), help="Seconds for each target, in place of --runs."
)
@click.option("--seed", type=int, help="All cases follow from it; a new one each time.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default=True)
@click.option(
    "--patience", type=float, default=10.0, show_default=True, help="Seconds until a case is ended."
)
@click.option(
    "--findings",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("fuzz-findings"),
    show_default=True,
    help="Folder for what is found.",
)
@click.option("--again", "repeated", type=click.Path(path_type=Path, exists=True), help="Repeat one finding.")
def main(
    patterns: Sequence[str],
    runs: int | None,
    seconds: float | None,
    seed: int | None,
    jobs: int,
    patience: float,
    findings: Path,
    repeated: Path | None,
) -> None:
    """Run the command."""
    if repeated is not None:
        sys.exit(again(repeated))
    if runs is None and seconds is None:
        runs = 10_000
    if seed is None:
        seed = random.SystemRandom().getrandbits(32)
    chosen = targets(patterns)
    # The order of sets, and so the seeds, depend on the hash seed of each child.
    os.environ["PYTHONHASHSEED"] = "0"
    # The process that forks the children imports this folder's modules, and does not know our path.
    here, given = Path(__file__).parent, os.environ.get("PYTHONPATH")
    folders = [str(here), str(here.parent), *([given] if given else [])]
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    before = {path: path.stat().st_mtime_ns for path in findings.glob("*.case")}
    click.echo(f"seed {seed}")
    results, interrupted = _run(chosen, Order(runs, seconds, seed, patience, findings), jobs)
    click.echo(table(results))
    for result in results:
        if result.fault:
            click.echo(f"{result.target}: {result.fault}")
    for path in sorted(findings.glob("*.case")):
        if before.get(path) != path.stat().st_mtime_ns:
            finding = Finding.read(path)
            click.echo(f"\n{finding.target}: {finding.kind}: {finding.what}")
            click.echo(f"  python3 tasks.py fuzz --again {path}")
    if any(result.fault or any(result.counts.get(key) for key in _FAULTS) for result in results):
        sys.exit(1)
    if interrupted:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
