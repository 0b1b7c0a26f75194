"""Targets for synthetic data: ``python3 tasks.py benchmarks synthetic [FILE...]``.

On synthetic records (``bakeoff generate --like``) the ratio of any two codecs, in dump, load and bytes, is
within 5 % of that on the originals: the built-in corpora, a document of statuses, and a file in which records
of several kinds take turns. Both are measured in one run, by the statistics of its reports. What is printed
for each is the pair of codecs that is furthest off, and half the 95 % interval of that; a target is missed
where even the end of the interval is beyond. Bytes carry no noise.
"""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import click

import bakeoff
from bakeoff.bench import stats
from bakeoff.bench.results import Measurement, ResultData, read
from bakeoff.datasets import names

from ._frame import Targets, benchmark, run_bakeoff

WANTED = 0.05
RECORDS = 2_000
OPERATIONS = ("dump", "load", "size")


class Off(NamedTuple):
    """How far the ratio of two codecs on synthetic records is from that on the original, on the log scale."""

    by: float
    half: float
    pair: str

    def __str__(self) -> str:
        return f"{math.expm1(self.by):.1%} ±{math.expm1(self.half):.1%} {self.pair}"


def _files(folder: Path) -> Iterator[Path]:
    encode = bakeoff.codec("json")
    mixed: list[Any] = []
    for name in names():
        records = list(bakeoff.corpus(name, records=RECORDS).records())
        # As they are read out of a file: dates are text.
        mixed += [encode.decode(encode.encode(record)) for record in records[: RECORDS // 8]]
        with (folder / f"{name}.jsonl").open("wb") as file:
            encode.dump(records, file)
        yield folder / f"{name}.jsonl"
    statuses = [encode.decode(encode.encode(one)) for one in bakeoff.corpus("text", records=300).records()]
    (folder / "statuses.json").write_text(json.dumps({"meta": {"count": 300}, "statuses": statuses}))
    yield folder / "statuses.json"
    random.Random(1).shuffle(mixed)
    with (folder / "mixed.jsonl").open("wb") as file:
        encode.dump(mixed, file)
    yield folder / "mixed.jsonl"


def _log(result: ResultData, corpus: str, operation: str, pair: tuple[str, str]) -> tuple[float, float]:
    """Return the logarithm of the ratio of two codecs, and half its interval."""
    one, other = (_samples(result, corpus, operation, codec) for codec in pair)
    found = stats.ratio(one, other, exact=operation == "size")
    half = (math.log(found.high) - math.log(found.low)) / 2 if operation != "size" else 0.0
    return math.log(found.value), half


def _samples(result: ResultData, corpus: str, operation: str, codec: str) -> tuple[Measurement, ...]:
    cell = result.cell(corpus, operation, codec)
    return cell.samples if cell is not None else ()


def _furthest(result: ResultData, operation: str) -> Off:
    original, synthetic = (corpus.name for corpus in result.corpora)
    codecs = [
        name
        for name in dict.fromkeys(cell.cell.codec for cell in result.cells)
        if name != "baseline"
        and all(_samples(result, corpus, operation, name) for corpus in (original, synthetic))
    ]
    found = [Off(0.0, 0.0, f"({len(codecs)} codecs)")]
    for pair in combinations(codecs, 2):
        (a, half_a), (b, half_b) = (_log(result, corpus, operation, pair) for corpus in (original, synthetic))
        found.append(Off(abs(a - b), math.hypot(half_a, half_b), "/".join(pair)))
    return max(found)


@benchmark
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--budget", default=60, show_default=True, help="Seconds for each of the two.")
@click.option("-c", "--codec", "codecs", multiple=True, metavar="NAME", help="As in `bakeoff run`.")
def main(targets: Targets, files: tuple[Path, ...], budget: int, codecs: tuple[str, ...]) -> None:
    """Print how far ratios on synthetic records are off, against the target; exit 1 when one is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in files or _files(folder):
            synthetic = folder / f"synthetic-{path.name}"
            output = folder / "result.json"
            run_bakeoff("generate", "--like", path, "-o", synthetic)
            chosen = [part for codec in codecs for part in ("-c", codec)]
            measured = ("--budget", f"{budget}s", "--sample", str(2 * RECORDS), "--no-memory", "--ratios")
            run_bakeoff("run", path, synthetic, "-o", output, *measured, *chosen)
            result = read(output)
            output.unlink()
            off = {operation: _furthest(result, operation) for operation in OPERATIONS}
            words = "; ".join(f"{operation} {one}" for operation, one in off.items())
            ok = all(one.by - one.half <= math.log1p(WANTED) for one in off.values())
            click.echo(f"{path.name:18}{words}  {targets.verdict(ok, f'{WANTED:.0%}')}")
