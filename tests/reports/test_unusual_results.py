"""Results that lack what most results have, in every format: a report, or a sentence on what is missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.results import BASELINE, ResultData, read, write
from bakeoff.reports.page.charts import KINDS
from hostile_files import RESULT, steering
from inprocess import bakeoff


def _kept(wanted: Callable[[str, str], bool]) -> ResultData:
    """Return a recorded result with some of its cells, by operation and codec, as if no other was run."""
    whole = read(RESULT)
    cells = tuple(c for c in whole.cells if wanted(c.cell.operation_name, c.cell.codec))
    named = {c.cell.operation_name for c in cells}
    operations = tuple(facts for facts in whole.operations if facts.name in named)
    codecs = tuple(facts for facts in whole.codecs if facts.name in {c.cell.codec for c in cells})
    return dataclasses.replace(whole, cells=cells, operations=operations, codecs=codecs, rankings=())


def _failed() -> ResultData:
    whole = read(RESULT)
    cells = (dataclasses.replace(c, outcome="error", reason="because", samples=()) for c in whole.cells)
    return dataclasses.replace(whole, cells=tuple(cells), rankings=())


RESULTS: dict[str, Callable[[], ResultData]] = {
    "only dump": lambda: _kept(lambda operation, _: operation == "dump"),
    "only load": lambda: _kept(lambda operation, _: operation == "load"),
    "only sizes": lambda: _kept(lambda operation, _: operation == "size"),
    "no size": lambda: _kept(lambda operation, _: operation != "size"),
    "only memory": lambda: _kept(lambda operation, _: operation in ("peak-load", "growth-load")),
    "only a store": lambda: _kept(lambda operation, _: "@sqlite" in operation),
    "only a pipeline": lambda: _kept(lambda operation, _: "@pipe" in operation),
    "one codec": lambda: _kept(lambda _, codec: codec in ("json", BASELINE)),
    "only the baseline": lambda: _kept(lambda _, codec: codec == BASELINE),
    "no cell": lambda: _kept(lambda *_: False),
    "no corpus": lambda: dataclasses.replace(_kept(lambda *_: False), corpora=()),
    "no codec that works": _failed,
    "one process": lambda: madeup.planted(processes=1),
    "figures of 0": lambda: madeup.planted(
        {"json": {"dump": 2e-6, "load": 3e-6, "size": 0.0, "peak-dump": 0.0}}
    ),
}
LINES = (
    *(
        f"report r.json -f {form}"
        for form in ("text", "md", "csv", "json", "latex", "rst", "html", "bencher")
    ),
    "report r.json -f pyperf -o suites",
    *(f"report r.json -f {form} --chart {kind} -o r.{form}" for form in ("svg", "png") for kind in KINDS),
    *(f"report r.json --layout {name}" for name in ("codecs", "stores", "pipeline", "stats", "acidstate")),
    "report r.json --stats --scale-to 1000 --columns all",
    "report r.json --reads 24 --bandwidth 1Gbit -f md",
    *(f"compare r.json r.json -f {form} --fail-above 5%" for form in ("text", "md", "json")),
    *(f"history . -f {form}" for form in ("text", "md", "csv", "json", "html")),
    "pick r.json --explain",
    "pick r.json --trusted --allow-loss --core-year 100 --gigabyte 0.1 --rate 100/s",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_every_format_is_written_or_says_what_is_missing(tmp_path: Path, name: str) -> None:
    result = RESULTS[name]()
    write(result, tmp_path / "r.json")
    write(dataclasses.replace(result, started="2027-01-01T00:00:00+00:00"), tmp_path / "later.json")
    for line in LINES:
        done = bakeoff(tmp_path, *line.split())

        assert done.returncode in (0, 1, 2), line
        assert "Traceback" not in done.stderr, line
        assert done.returncode == 0 or done.stderr.startswith(("bakeoff: ", "skipped: ")), line
        assert not steering(done.stdout + done.stderr), line
