"""Targets for fields: ``python3 tasks.py benchmarks fields``.

Reading one field of a message by `codec.peek` of `msgspec-msgpack` takes at most 0.2 of its full decode, and
adding to a set of 10,000, stored as a list, by `codec.append`, which splices, is at least 50 times as quick
as decoding, adding and encoding. Both are measured by `bakeoff run`, in the same processes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from bakeoff.bench import stats
from bakeoff.bench.results import ResultData
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session

from ._frame import Targets, benchmark

PATH = "order.address.city"
ITEMS = 10_000
PEEK = 0.2
SPLICED = 50.0
CODECS = ("msgspec-msgpack", "msgpack", "ormsgpack", "cbor2", "bson", "orjson", "msgspec-json", "json")
"""The first has the promised figure; the others are shown next to it."""
PROMISED = CODECS[0]


def ratio(result: ResultData, codec: str, over: str, under: str) -> tuple[float, float, float]:
    """Return the ratio of two cells of a codec, paired, with its interval."""
    first, second = (result.cell("messages", name, codec) for name in (over, under))
    assert first is not None
    assert second is not None
    found = stats.ratio(first.samples, second.samples)
    return found.value, found.low, found.high


@benchmark
@click.option("--budget", default=90.0, help="Seconds of the run.")
def main(targets: Targets, budget: float) -> None:
    """Print what one field takes of the whole, read and changed; exit 1 when a target is missed."""
    operations = ("load", f"peek:{PATH}", f"update:{ITEMS}", f"update-spliced:{ITEMS}")
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as name:
        options = Options(
            corpora=("messages",), codecs=CODECS, operations=operations, records="MD", budget=budget
        )
        result = Session(options, Path(name) / "fields.json").run()
    for codec in CODECS:
        for what, over, under in (
            (f"peek {PATH} over load", operations[1], "load"),
            (f"append to {ITEMS:,} over decode, add, encode", operations[3], operations[2]),
        ):
            value, low, high = ratio(result, codec, over, under)
            verdict = ""
            if codec == PROMISED and under == "load":
                verdict = targets.verdict(value <= PEEK, f"at most {PEEK:g}")
            elif codec == PROMISED:
                verdict = targets.verdict(value >= SPLICED, f"at least {SPLICED:g}")
            click.echo(f"{codec:18}{what:44}{value:9.3g}x  [{low:.3g}, {high:.3g}]  {verdict}")
