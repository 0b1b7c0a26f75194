"""A cell and its text, and a cell's contents in result files besides its figures."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.bench.operations import OPERATIONS, operation
from bakeoff.bench.operations.base import Measured
from bakeoff.bench.results import (
    Cell,
    CellResult,
    CheckFacts,
    FigureDetails,
    GrowthFacts,
    PeakFacts,
    PipelineFacts,
    PipelineSetup,
    PyperfFacts,
    ResultData,
    ResultFileError,
    StoreFacts,
    StoreSetup,
    averaged,
    from_suite,
    plain_cell,
    read,
    to_suite,
    typed,
    write,
)
from bakeoff.bench.verdict import costs
from madeup import added, cell_of, facts_of
from madeup import result as made_up

KNOWN = {each.operation: each for each in OPERATIONS.values()}
VARIANTS = {
    name: sorted({each.variant.name for each in OPERATIONS.values() if each.operation == name})
    for name in KNOWN
}

names = st.text(st.characters(codec="utf-8", exclude_characters="/@:"), min_size=1)
parts = st.text(st.characters(codec="utf-8", exclude_characters="/@:"))
parameters = st.text(st.characters(codec="utf-8", exclude_characters="/"))
codecs = st.text(min_size=1)


@given(st.data(), names, parts, parameters, codecs)
def test_the_text_of_a_cell_gives_the_cell(
    data: st.DataObject, corpus: str, place: str, parameter: str, codec: str
) -> None:
    name = data.draw(st.sampled_from(sorted(KNOWN)))
    variant = data.draw(st.sampled_from(VARIANTS[name]))
    cell = Cell(corpus, name, codec, variant=variant, place=place, parameter=parameter)

    assert cell == Cell.parse(cell.name, KNOWN)
    assert cell.name == Cell.parse(cell.name, ()).name


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("movies/load/msgpack/tuple", Cell("movies", "load", "msgpack/tuple")),
        ("movies/load-nogc/json", Cell("movies", "load", "json", variant="nogc")),
        ("movies/put-batch/json", Cell("movies", "put-batch", "json")),
        (
            "movies/put-batch-baseline@lmdb:LGx1000/json",
            Cell("movies", "put-batch", "json", variant="baseline", place="lmdb", parameter="LGx1000"),
        ),
        ("movies/peek:a.b@c/json", Cell("movies", "peek", "json", parameter="a.b@c")),
        ("movies/visit-codec@left/json", Cell("movies", "visit-codec", "json", place="left")),
    ],
)
def test_a_text_is_read(text: str, cell: Cell) -> None:
    assert cell == Cell.parse(text, KNOWN)
    assert text == cell.name


@pytest.mark.parametrize("text", ["movies", "movies/load"])
def test_a_text_of_fewer_parts_is_no_cell(text: str) -> None:
    with pytest.raises(ValueError, match="values to unpack"):
        Cell.parse(text, KNOWN)


@pytest.mark.parametrize(
    ("name", "setup"),
    [
        ("get@sqlite", StoreSetup("MD", 1_000)),
        ("get-codec@sqlite:LG", StoreSetup("LG", 50_000)),
        ("put-batch@sqlite", StoreSetup("MD", 1_000, batch=100)),
        ("put-batch-baseline@sqlite:SMx7", StoreSetup("SM", 100, batch=7)),
        ("stored@sqlite:SM", StoreSetup("SM", 100)),
        ("cpu@pipe:24", PipelineSetup(24, rate=3000)),
        ("latency-p99-baseline@pipe:1x500", PipelineSetup(1, rate=500)),
        ("rate@pipe:4", PipelineSetup(4, bound=10)),
        ("rate@pipe:4x25", PipelineSetup(4, bound=25)),
        ("update:100", None),
        ("dump", None),
    ],
)
def test_an_operation_says_what_holds_where_its_name_says_nothing(
    name: str, setup: StoreSetup | PipelineSetup | None
) -> None:
    assert setup == operation(name).facts().setup
    assert name == operation(name).cell("movies", "json").operation_name


FOUND = [
    CellResult(Cell("movies", "dump", "json"), "ok"),
    CellResult(
        Cell("movies", "load", "json", variant="nogc"),
        "lossy",
        "why",
        ("a loss",),
        "its last words",
        CheckFacts(9, 10, 1, {"depth": 500}, "{}", as_is=True, dictionary_id=7, dictionary="YQ=="),
        rough=1e-6,
        steady=False,
    ),
    CellResult(Cell("movies", "growth-load", "json"), "ok", facts=GrowthFacts("growing", where="a.c:1")),
    CellResult(Cell("movies", "peak-load", "json"), "ok", facts=PeakFacts("a method"), resolution=65536),
    CellResult(
        Cell("movies", "stored", "json", place="lmdb"), "ok", facts=StoreFacts({"sync": "off"}, 48.0, 20.0)
    ),
    CellResult(
        Cell("movies", "cpu", "json", place="pipe", parameter="4"), "ok", facts=PipelineFacts(3e3, 0.0, 0.3)
    ),
    CellResult(Cell("movies", "value", "json"), "ok", facts=PyperfFacts("byte")),
    CellResult(
        Cell("movies", "visit", "json", place="left"), "ok", extras={"p50": 0.0, "seen": None, "text": ""}
    ),
]


@pytest.mark.parametrize("found", FOUND, ids=lambda found: found.cell.operation_name)
def test_a_cell_as_json_is_read_again(found: CellResult) -> None:
    plain = plain_cell(found)

    assert found == typed(CellResult, json.loads(json.dumps(plain)))
    assert None not in plain.values()


def test_what_processes_found_becomes_a_mean() -> None:
    first, second = PipelineFacts(3000.0, 0.1, 0.3), PipelineFacts(2000.0, 0.3, 0.4)

    assert dataclasses.replace(first, delivered=2500.0, lost=0.2, window_seconds=0.35) == averaged(
        first, second, 2
    )
    assert {"a": 2.0, "b": "new", "c": 1.0} == averaged(
        {"a": 1.5, "b": "old"}, {"a": 3.0, "b": "new", "c": 1.0}, 3
    )


def test_what_a_result_file_cannot_hold_becomes_text() -> None:
    """Another package's operation may return anything, and the run continues."""
    found = Measured(1.0, {"seen": {1}, "bad": float("nan"), "good": 2}).details()  # type: ignore[dict-item]

    assert FigureDetails({"seen": "{1}", "bad": "nan", "good": 2}) == found


CODEC = made_up(codecs=2, corpora=1).codecs[0].name


def with_zero(name: str) -> ResultData:
    """Return a run whose last cell is a figure of 0 of `CODEC`."""
    run = made_up(codecs=2, corpora=1, processes=3)
    same = cell_of(run.corpora[0].name, name, CODEC)
    kept = tuple(cell for cell in run.cells if cell.cell != same)
    run = added(dataclasses.replace(run, cells=kept), CODEC, name, 0.0)
    return dataclasses.replace(run, operations=tuple(facts_of(run.cells).values()))


@pytest.mark.parametrize(
    "name",
    [each.name for each in OPERATIONS.values() if each.unit == "byte" and not (each.place or each.parameter)],
)
def test_a_figure_of_0_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    """Payloads may be empty, and memory may not grow."""
    run = with_zero(name)
    write(run, tmp_path / "r.json")

    assert run.cells[-1] == read(tmp_path / "r.json").cells[-1]


@pytest.mark.parametrize("name", ["dump", "put@sqlite"])
def test_only_figures_of_bytes_may_be_0(name: str, tmp_path: Path) -> None:
    document, suite = forged(name)

    with pytest.raises(ResultFileError, match="figures belong in a benchmark"):
        from_suite(tmp_path / "r.json", suite(document))


def test_a_file_that_says_that_dumps_count_bytes_has_no_cost(tmp_path: Path) -> None:
    document, suite = forged("dump")
    for facts in document["operations"]:
        facts["unit"] = "byte"
    found = from_suite(tmp_path / "r.json", suite(document))

    assert () == costs({"dump": found.cells[-1]}, reads=0)


def forged(name: str) -> tuple[Any, Callable[[Any], Any]]:
    """Return a document with a figure of 0 for an operation, and a function that makes a suite of it."""
    suite = to_suite(with_zero(name))
    holder = suite.get_benchmarks()[0]
    document = json.loads(holder.get_metadata()["bakeoff_document"])
    document["cells"][-1]["samples"] = [{"raw": 0.0, "paired": 0.0, "value": 0.0}]

    def made(changed: Any) -> Any:
        holder.update_metadata({"bakeoff_document": json.dumps(changed)})
        return suite

    return document, made
