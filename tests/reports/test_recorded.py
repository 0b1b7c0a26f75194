"""The recorded result file of format 1 stays readable, and gives the figures that it gave."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.bench.results import (
    GrowthFacts,
    PeakFacts,
    PipelineFacts,
    PipelineSetup,
    ResultData,
    StoreFacts,
    StoreSetup,
    read,
    write,
)
from bakeoff.reports import OUTPUT_FORMATS, recommendation, render
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.candidates import measured
from bakeoff.reports.model.files import load
from untraced import untraced

FOLDER = Path(__file__).parents[1] / "data" / "results"
FILE = FOLDER / "version-1.json"


def figures(result: ResultData) -> str:
    lines = ["cell,outcome,unit,value,low,high"]
    for cell in result.cells:
        unit = result.operation(cell.cell.operation_name).unit
        found = measured(cell)
        numbers = found[:3] if found is not None else (None, None, None)
        texts = ("" if number is None else f"{number:.6g}" for number in numbers)
        lines.append(",".join((cell.cell.name, cell.outcome, unit, *texts)))
    return "\n".join([*lines, ""])


def test_it_gives_the_figures_that_it_gave() -> None:
    assert (FOLDER / "version-1.csv").read_text() == figures(load(FILE))


def test_all_that_is_known_of_cells_is_read() -> None:
    result = read(FILE)

    assert {GrowthFacts, PeakFacts, StoreFacts, PipelineFacts} <= {type(cell.facts) for cell in result.cells}
    assert {StoreSetup, PipelineSetup} <= {type(facts.setup) for facts in result.operations}
    assert StoreSetup("SM", 100, batch=50) == result.operation("put-batch@sqlite:SMx50").setup
    assert PipelineSetup(1, rate=500) == result.operation("cpu@pipe:1x500").setup
    assert all(cell.check is not None for cell in result.cells if cell.cell.codec != "baseline")
    assert any(cell.steady is not None for cell in result.cells)
    assert any("p50" in cell.extras for cell in result.cells)


def test_it_is_written_as_it_was(tmp_path: Path) -> None:
    write(read(FILE), tmp_path / "again.json")

    assert read(FILE) == read(tmp_path / "again.json")


@pytest.mark.parametrize("form", OUTPUT_FORMATS)
def test_reports(form: str) -> None:
    text = render([load(FILE)], form)

    assert all(name in text for name in ("json", "msgpack", "msgpack/tuple", "orjson"))


def test_recommendation_and_pick_agree() -> None:
    result = load(FILE)

    assert recommendation(result).startswith("orjson costs least")
    assert "orjson" == pick([result], Requirements()).winner.name


def test_it_compares_with_itself() -> None:
    result = load(FILE)

    assert {"same", "not significant"} >= {c.verdict for c in compare(result, result).changes}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["show", "stats", "check", "metadata", "dump", "slowest", "hist"])
def test_pyperf_reads_it(command: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "pyperf", command, FILE], check=True, capture_output=True, env=untraced()
    )
