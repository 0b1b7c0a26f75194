"""What a codec costs over its library's own calls, on every shape of record, in instructions.

Run ``python3 tasks.py benchmarks shapes``. Each shape of `benchmarks._shapes`, each codec that defines its
library's calls (``raw`` in its declaration; the implementations in pure Python are left out), dump and load.
Their call is the one that users of the library write for such records: the first of `RawCalls.all_ways` that
writes and reads them like the codec. If there is none, the library cannot write the shape without help; such
cells are only counted.

Valgrind counts instructions, so a figure is the same on a busy machine. They are no times: a check that
stalls nothing costs less than its instructions say, and one that misses caches more.
A cell above its target is explained if the codec says so: in `bakeoff.codecs.safety.guards`, or in a note
about such records with the most that they cost (`bakeoff.codecs.conventions.notes.Cost`).
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import click

from bakeoff.bench import valgrind
from bakeoff.bench.worker.raw import reads_alike, writes_alike
from bakeoff.codecs import CodecError, available, codec, describe
from bakeoff.codecs.conventions.notes import FIGURES, VERSION, Cost
from bakeoff.codecs.safety.guards import GUARDS
from bakeoff.codecs.spec import RawCalls
from bakeoff.datasets.profile import profile

from ._frame import Targets, benchmark
from ._shape_counts import Task, ways
from ._shapes import SHAPES, records

LARGE = 1000
"""Bytes of a payload from which on the lower target holds."""
MOST, MOST_SMALL = 1.03, 1.15
NEVER = 1.25
"""Most of any cell, explained or not."""
CALL = 700
"""Most instructions that a call of ours takes beyond the library's, whatever the record."""
SHARE = 0.97
"""Least share of the cells within their targets."""
SLOW = ("yaml", "plist")
"""Formats that are not tried on documents: their libraries are in Python, or nearly so."""
QUICK = (
    "json",
    "orjson",
    "msgspec-json",
    "msgpack",
    "ormsgpack",
    "msgspec-msgpack",
    "cbor2",
    "bson",
    "pickle",
)


@dataclass(frozen=True)
class Cell:
    """One operation of one codec on one shape.

    Attributes:
        option: The library's call, by its options; empty for the plain call.
        ours: Instructions of the codec's call.
        theirs: Instructions of the library's.
        size: Mean bytes of a payload.
        most: The target for `ratio`.
        why: What explains a figure above the target; empty if nothing does.
    """

    codec: str
    shape: str
    operation: str
    option: str
    ours: float
    theirs: float
    size: int
    most: float
    why: str = ""

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours / self.theirs

    @property
    def within(self) -> bool:
        """Whether it meets its target."""
        return self.ratio <= self.most


@dataclass(frozen=True)
class Plan:
    """What can be counted of one codec.

    Attributes:
        tasks: What the worker counts.
        sizes: Mean bytes of a payload, by shape.
        absent: Cells that the library cannot carry by itself.
    """

    codec: str
    tasks: list[Task]
    sizes: dict[str, int]
    absent: list[tuple[str, str]]


def comparable() -> list[str]:
    """Return the codecs that define their library's calls, without the implementations in pure Python."""
    return [
        name
        for name in available()
        if not name.endswith("/pure") and isinstance(describe(name).raw(), RawCalls)
    ]


def planned(name: str, shapes: Sequence[str]) -> Plan:
    """Return what is to be counted of a codec, with the library's call for each shape."""
    known, ours = ways(name), codec(name, trusted=True)
    plan = Plan(name, [], {}, [])
    for shape in shapes:
        large = SHAPES[shape].large
        if large and ours.format in SLOW:
            continue
        items = list(records(shape))
        try:
            payloads = [ours.encode(item) for item in items]
        except CodecError:
            plan.absent.extend((shape, operation) for operation in ("dump", "load"))
            continue
        plan.sizes[shape] = sum(map(len, payloads)) // len(payloads)
        able = {
            operation: [
                way for way, calls in known.items() if all(alike(calls, ours, item) for item in items)
            ]
            for operation, alike in (("dump", writes_alike), ("load", reads_alike))
        }
        both = [way for way in able["dump"] if way in able["load"]]
        for operation, found in able.items():
            if not found:
                plan.absent.append((shape, operation))
                continue
            held = items if operation == "dump" else payloads
            way = (both or found)[0]
            plan.tasks.append(Task(name, shape, operation, way, pickle.dumps(held, 5), not large))
    return plan


def counted(plan: Plan) -> list[Cell]:
    """Return the cells of a codec, which a worker under Valgrind counts.

    Raises:
        click.ClickException: The worker failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "plan")
        path.write_bytes(pickle.dumps(plan.tasks, 5))
        done = subprocess.run(
            [*valgrind.command(Path(folder)), sys.executable, "-m", "benchmarks._shape_counts", str(path)],
            env=valgrind.environment() | {"TMPDIR": folder},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise click.ClickException(f"{plan.codec}: {done.stderr[-2000:]}")
        pairs = json.loads(path.with_suffix(".json").read_text())
    cells = []
    for task, (ours, theirs) in zip(plan.tasks, pairs, strict=True):
        size = plan.sizes[task.shape]
        most = MOST if size >= LARGE else MOST_SMALL
        cell = Cell(*task[:4], ours, theirs, size, most)
        cells.append(cell if cell.within else Cell(*task[:4], ours, theirs, size, most, explained(cell)))
    return cells


@cache
def _profile(shape: str) -> frozenset[str]:
    items = list(records(shape))
    return frozenset(profile(items, len(items)))


def explained(cell: Cell) -> str:
    """Return what the codec says about a cost beyond the target; empty if it says nothing, or less."""
    if cell.ours - cell.theirs <= CALL:
        return f"a call of ours takes up to {CALL} instructions more"
    for guard in GUARDS.get(cell.codec, ()):
        if guard.operation == cell.operation and cell.ratio <= cell.most + guard.share:
            return guard.what
    for note in codec(cell.codec, trusted=True).notes:
        if (
            isinstance(note, Cost)
            and note.operation == cell.operation
            and (note.about in (FIGURES, VERSION) or note.about in _profile(cell.shape))
            and cell.ratio <= note.most
        ):
            return note
    return ""


def matrix(codecs: Sequence[str], shapes: Sequence[str]) -> Iterator[tuple[Plan, list[Cell]]]:
    """Yield what each codec can carry and costs, as many at a time as there are processors."""

    def one(name: str) -> tuple[Plan, list[Cell]]:
        # Planned here, as a document's records would take a hundred times as long in the worker.
        plan = planned(name, shapes)
        return plan, counted(plan) if plan.tasks else []

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(one, codecs)


def printed(cell: Cell) -> str:
    """Return a cell as a line."""
    where = f"{cell.codec} {cell.operation} of {cell.shape}"
    target = "" if cell.within else f"  target {cell.most:g}{cell.why and f': {cell.why}'}"
    option = f"  [{cell.option}]" if cell.option else ""
    return f"{where:58}{cell.ratio:7.3f}  {cell.ours:13,.0f} {cell.theirs:13,.0f}{target}{option}"


@benchmark
@click.option("-c", "--codecs", help="Only these codecs, a comma between them.")
@click.option("-s", "--shapes", help="Only these shapes, a semicolon between them.")
@click.option("--quick", is_flag=True, help="The part for CI: nine codecs, and the shapes that differ most.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write all cells there, as JSON.")
@click.option("--all", "every", is_flag=True, help="Print all cells, not only those beyond their targets.")
def main(
    targets: Targets, codecs: str | None, shapes: str | None, quick: bool, output: Path | None, every: bool
) -> None:
    """Print the matrix next to its targets; exit with 1 if one is missed, with 0 without Valgrind."""
    if reason := valgrind.missing():
        click.echo(f"SKIPPED, nothing was counted: {reason}")
        return
    names = codecs.split(",") if codecs else [n for n in comparable() if not quick or n in QUICK]
    chosen = shapes.split(";") if shapes else [n for n, s in SHAPES.items() if not quick or s.quick]
    cells: list[Cell] = []
    absent: list[tuple[str, str, str]] = []
    for plan, found in matrix(names, chosen):
        cells += found
        absent += [(plan.codec, *cell) for cell in plan.absent]
        for cell in found:
            if every or not cell.within:
                click.echo(printed(cell))
    if output is not None:
        lines = [{**asdict(cell), "ratio": round(cell.ratio, 4), "within": cell.within} for cell in cells]
        output.write_text(json.dumps({"cells": lines, "absent": absent}, indent=1))
    summary(targets, cells, len(absent))


def summary(targets: Targets, cells: Sequence[Cell], absent: int) -> None:
    """Print the worst cells, and the targets of the whole matrix."""
    click.echo("\nthe worst ten:")
    for cell in sorted(cells, key=lambda cell: -cell.ratio)[:10]:
        click.echo(printed(cell))
    click.echo(f"\n{len(cells):,} cells; {absent:,} that the library cannot carry by itself")
    within = sum(cell.within for cell in cells) / max(len(cells), 1)
    targets.show(
        "cells within 1.03, or 1.15 below 1 kB", f"{within:.1%}", f"at least {SHARE:.0%}", ok=within >= SHARE
    )
    worst = max((cell.ratio for cell in cells), default=math.inf)
    targets.at_most("the worst cell", worst, NEVER)
    unexplained = [cell for cell in cells if not cell.within and not cell.why]
    targets.at_most("cells beyond their target without an explanation", len(unexplained), 0)
