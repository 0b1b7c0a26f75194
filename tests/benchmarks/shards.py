"""Targets for surveys of corpora in shards: ``python3 tasks.py benchmarks shards``.

Movies as 40 JSON Lines files, and as 40 Parquet files: no process of a survey holds more than 300 MB, and the
totals are those of the records that were written. With ``--records 10000000`` on a quiet machine it shows the
rate at which a terabyte would be read.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click

from bakeoff.codecs import codec
from bakeoff.datasets import corpus

from ._frame import Targets, benchmark, in_processes, run_bakeoff

SHARDS = 40
WANTED_MEGABYTES = 300
CODECS = "orjson,msgpack"


def _json_lines(path: Path, records: Iterator[Any]) -> None:
    with path.open("wb") as file:
        codec("json").dump(records, file)


def _parquet(path: Path, records: Iterator[Any]) -> None:
    import pyarrow
    from pyarrow import parquet

    writer = None
    while rows := list(islice(records, 10_000)):
        table = pyarrow.Table.from_pylist(rows)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


WRITERS: dict[str, Callable[[Path, Iterator[Any]], None]] = {"jsonl": _json_lines, "parquet": _parquet}


def _written(folder: Path, ending: str, count: int) -> None:
    records = corpus("movies", count).records()
    for number in range(SHARDS):
        part = islice(records, count * (number + 1) // SHARDS - count * number // SHARDS)
        WRITERS[ending](folder / f"movies-{number:02}.{ending}", part)


def _surveyed(folder: Path) -> tuple[float, float, dict[str, Any]]:
    """Return the seconds of a survey, the most megabytes of one of its processes, and its findings."""
    started = time.perf_counter()
    run_bakeoff(
        "survey", folder, "-c", CODECS, "-o", folder / "survey.out", "--sample-to", folder / "s.msgpack"
    )
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return seconds, peak, json.loads((folder / "survey.out").read_text())


@benchmark
@click.option("--records", type=click.IntRange(SHARDS), default=400_000, show_default=True)
@click.option("--format", "endings", type=click.Choice(list(WRITERS)), multiple=True, default=list(WRITERS))
def main(targets: Targets, records: int, endings: tuple[str, ...]) -> None:
    """Measure the targets for surveys; exit 1 when one is missed."""
    for ending in endings:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            in_processes(1, _written, folder, ending, records)
            size = sum(path.stat().st_size for path in folder.iterdir())
            ((seconds, peak, found),) = in_processes(1, _surveyed, folder)
        rates = f"{records / seconds:,.0f} records/s, {size / seconds / 1e6:,.1f} MB/s"
        click.echo(
            f"{records:,} records, {SHARDS} files of {ending}, {size:,} bytes, {seconds:,.0f} s, {rates}"
        )
        targets.at_most("  largest process", peak, WANTED_MEGABYTES, "MB")
        targets.show(
            "  records found", f"{found['records']:,}", f"{records:,}", ok=found["records"] == records
        )
