"""``python3 tasks.py benchmarks neighbors [FILE...]``: is the first answer right while neighbors come and go?

``--quick`` on three documents of half a megabyte to two, with every core busy half of the time in bursts.
Truth is a plain loop over all codecs, the least of several rounds. Of all pairs of codecs that differ by a
factor of 1.3 or more, printed are those in the right order, those that are not distinguishable, and those in
the wrong order; and the codecs without a time.
"""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import click

import bakeoff
from bakeoff.bench.results import read

from . import _frame

CODECS = (
    *("json", "simplejson", "orjson", "ujson", "rapidjson", "msgspec-json"),
    *("msgspec-msgpack", "msgpack", "ormsgpack", "pickle", "bson", "cbor2"),
)
APART = 1.3
TOLD = 0.97
TRIES = 7


def _documents(folder: Path) -> list[Path]:
    """Write documents of three kinds: text, numbers, and small objects."""
    messages = list(bakeoff.corpus("messages", records=400).records())
    accounts = list(bakeoff.corpus("accounts", records=6_000).records())
    made: Mapping[str, Any] = {
        "statuses": {"meta": {"count": 400}, "statuses": messages},
        "floats": {"type": "x", "coordinates": [[[0.1 * i, 1 / (i + 1)] for i in range(50_000)]]},
        "accounts": {"accounts": json.loads(json.dumps(accounts, default=str))},
    }
    paths = [folder / f"{name}.json" for name in made]
    for path, document in zip(paths, made.values(), strict=True):
        path.write_text(json.dumps(document))
    return paths


def truth(path: Path) -> dict[str, float]:
    """Return the seconds of a dump and a load of a document, by codec: the least of several rounds."""
    document = json.loads(path.read_bytes())
    limits = {"size": 1 << 30, "items": 10**8}
    codecs = {name: bakeoff.codec(name, trusted=True).with_limits(**limits) for name in CODECS}
    payloads = {name: codec.encode(document) for name, codec in codecs.items()}
    spent = {name: [math.inf, math.inf] for name in codecs}
    for _ in range(TRIES):
        for name, codec in codecs.items():
            begun = perf_counter()
            codec.encode(document)
            halfway = perf_counter()
            codec.decode(payloads[name])
            ended = perf_counter()
            spent[name] = [min(spent[name][0], halfway - begun), min(spent[name][1], ended - halfway)]
    return {name: sum(both) for name, both in spent.items()}


def answer(path: Path, true: Mapping[str, float]) -> tuple[int, int, int, list[str]]:
    """Run once; return the pairs in order, not distinguishable and in the wrong order, and who is untimed."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "quick.json"
        _frame.run_bakeoff("run", path, "--quick", "-c", ",".join(CODECS), "-o", output)
        standing = _frame.standing(read(output))
    told, unclear, wrong = 0, 0, 0
    for a, b in combinations(CODECS, 2):
        low, high = sorted((a, b), key=true.__getitem__)
        if true[high] / true[low] < APART or not {a, b} <= standing.costs.keys():
            continue
        verdict = standing.judged[low, high][0]
        told += verdict == "faster"
        wrong += verdict == "slower"
        unclear += verdict in ("same", "unresolved")
    return told, unclear, wrong, [name for name in CODECS if name not in standing.costs]


@_frame.benchmark
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--runs", default=5, show_default=True, help="Runs for each document.")
@click.option("--quiet", is_flag=True, help="Without neighbors.")
def main(targets: _frame.Targets, files: tuple[Path, ...], runs: int, quiet: bool) -> None:
    """Print how many pairs a first answer puts in the right order; three minutes."""
    total = [0, 0, 0]
    missing = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files or _documents(Path(folder)):
            true = truth(path)
            for _ in range(runs):
                with contextlib.nullcontext() if quiet else _frame.busy():
                    *counts, untimed = answer(path, true)
                total = [a + b for a, b in zip(total, counts, strict=True)]
                missing += len(untimed)
                words = "{} in order, {} not distinguishable, {} wrong".format(*counts)
                click.echo(f"{path.name:20} {words}, untimed: {', '.join(untimed) or 'none'}")
    told = total[0] / max(1, sum(total))
    share = f"{told:.1%} of {sum(total)}"
    targets.show("pairs in order", share, f"at least {TOLD:.0%}", ok=told >= TOLD)
    targets.at_most("pairs in the wrong order", total[2], 0)
    targets.at_most("codecs without a time", missing, 0)
