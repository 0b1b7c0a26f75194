"""A column is one entry; an operation without one is shown by the facts in its result file."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from bakeoff.bench.operations import operation
from bakeoff.bench.results import OperationFacts, ResultData
from bakeoff.errors import UsageError
from bakeoff.reports import render
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.decide.compare_output import table
from bakeoff.reports.model.columns import COLUMNS, columns
from bakeoff.reports.model.view import View
from bakeoff.reports.page import chart_rows, charts, page
from madeup import added, changed

FOUND = OperationFacts("found", "integer", "higher", "records found", "time", "records found in a second")
HELD = OperationFacts("held@lmdb", "byte", "lower", "held by lmdb", "memory", "bytes of a store")


@pytest.fixture
def strange(result_of) -> ResultData:
    """Two operations of another package: bson finds most, and holds least."""
    cells = {
        "json": {"dump": 2e-6, "load": 2e-6, "size": 100, "found": 1000, "held@lmdb": 4096},
        "bson": {"dump": 3e-6, "load": 3e-6, "size": 120, "found": 4000, "held@lmdb": 1024},
        "yaml": {"dump": 9e-5, "load": 9e-5, "size": 90, "found": 10},
    }
    return replace(result_of(cells, baseline=False), operations=(FOUND, HELD))


def column(result: ResultData, key: str, **options: object) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(render([result], "csv", **options)))
    return {row["codec"]: row[key] for row in rows}


def test_heading_unit_and_direction(strange):
    whole, placed = json.loads(render([strange], "json"))["sections"]
    heads, of_places = (
        {head["key"]: (head["header"], head["unit"], head["direction"]) for head in section["columns"]}
        for section in (whole, placed)
    )

    assert ("records found", "/s", "higher") == heads["found"]
    assert "held@lmdb" not in heads
    assert "messages: held" == placed["corpus"]
    assert ("held", "KiB/record", "lower") == of_places["held"]
    assert ["lmdb"] * 2 == [row["entries"]["place"]["text"] for row in placed["rows"]]
    assert "↑ higher is better" in render([strange])
    assert "↑" not in render([strange], columns="dump,load,held@lmdb,rank")


@pytest.mark.parametrize("key", [key for key in COLUMNS if key != "value"])
def test_a_column_shows_operations_that_exist(key):
    for name in COLUMNS[key].operations:
        assert name == operation(name).name


@pytest.mark.parametrize(
    ("phase", "unit", "direction", "per", "chart"),
    [
        ("time", "second", "lower", "record", ("bars", "heading, per record")),
        ("time", "integer", "higher", "", ("bars", "heading")),
        ("alone", "second", "lower", "", ("bars", "heading")),
        ("memory", "byte", "lower", "record", ("memory", "heading")),
        ("check", "byte", "lower", "record", None),
    ],
)
def test_a_column_of_facts_says_per_what(strange, phase, unit, direction, per, chart):
    facts = OperationFacts("found", unit, direction, "heading", phase, "summary")
    spec = columns([replace(strange, operations=(facts, HELD))])["found"]

    assert (per, chart) == (spec.per, spec.chart and (spec.chart.kind, spec.chart.heading))


def test_ratios_are_to_the_best(strange):
    ratios = column(strange, "found:x", columns="found:x")

    assert {"bson": 1.0, "json": 0.25, "yaml": 0.0025} == {
        codec: pytest.approx(float(text)) for codec, text in ratios.items()
    }


def test_sorted_by_it_the_best_comes_first(strange):
    assert ["bson", "json", "yaml"] == list(column(strange, "found", columns="found", sort="found"))
    assert ["yaml", "json", "bson"] == list(column(strange, "found", columns="found", sort="-found"))


def test_more_is_better_in_a_comparison(strange, result_of):
    fewer = result_of({"json": {"dump": 2e-6, "load": 2e-6, "size": 100, "found": 500}})
    found = compare(strange, replace(fewer, operations=(FOUND,)), force=True)
    change = next(change for change in found.changes if change.cell.operation_name == "found")

    assert ("worse", "2.00× less") == (change.verdict, change.words)
    assert change.beyond(0.5)
    assert not change.beyond(1.5)
    assert {"found ↑", "dump ↓"} <= {
        row.entries["operation"].text for section in table(found).sections for row in section.rows
    }


def test_drawn_in_its_own_unit(strange):
    (view,) = View.of([strange]).corpora
    drawing = charts.render([strange], "bars").decode()

    assert ["bson", "json", "yaml"] == [row["codec"] for row in chart_rows.bars(view, "found")]
    assert "4.00 KiB" in chart_rows.bars(view, "held@lmdb")[-1]["label"]
    assert "records found" in drawing
    assert "higher is better" in drawing
    assert "held by lmdb" in charts.render([strange], "memory").decode()


def test_times_that_have_no_chart_are_times(result_of):
    (view,) = View.of([result_of({"json": {"dump-nogc": 2e-6, "load": 1e-6}})]).corpora

    assert chart_rows.bars(view, "dump-nogc")[0]["label"].endswith(" µs ±0.3%")


@pytest.mark.slow
def test_on_the_page(strange):
    text = page.render([strange])

    assert 'data-sort="found" data-higher title="records found in a second">records found ↑</button>' in text
    assert "lower is better, but higher below ↑" in text
    assert '<p class="sub">higher is better</p>' in text
    assert "data-higher" not in page.render([replace(strange, operations=())])


def test_no_other_column_is_known(strange, result_of):
    assert "1000.0" == column(strange, "found", columns="found")["json"]
    with pytest.raises(UsageError, match="no column 'found'"):
        render([result_of()], columns="found")


def test_a_strange_name_hides_no_column(result_of):
    result = result_of({"json": {"dump": 2e-6, "load": 2e-6, "fidelity": 3.0}})
    facts = OperationFacts("fidelity", "integer", "higher", "fidelity", "check")

    assert "exact" in render([replace(result, operations=(facts,))])


def test_keys_are_unique():
    places = [p for s in COLUMNS.values() for p in (s.dispensable, s.dispensable_ratio) if p]

    assert sorted(set(places)) == sorted(places)
    assert "codec" == next(iter(COLUMNS))


def test_an_operation_that_a_codec_has_not_is_no_fault_of_it(result_of):
    bson = {"dump": 9e-6, "load": 9e-6}
    made = result_of({"json": {"dump": 2e-6, "load": 2e-6, "size": 100}, "bson": bson})
    table = render([added(made, "json", "peek:id", outcome="unsupported", reason="no record has it")])

    assert "exact" in next(line for line in table.splitlines() if line.startswith("json "))
    assert "  use     json: " in table


def test_a_table_without_figures_says_whose_they_are(result_of):
    made = result_of({"json": {"batch-dump:1": 2e-6, "batch-dump:10": 1e-6}}, baseline=False)
    first, *_ = json.loads(render([made], "json"))["sections"]

    assert ["codec", "library", "fidelity"] == [head["key"] for head in first["columns"]]


def test_a_sweep_says_why_a_column_has_no_figure(result_of):
    made = result_of({"json": {f"batch-dump:{n}": 1e-6 * n for n in (10, 100)}}, baseline=False)
    reason = "the frame is too long"
    found = changed(made, operation="batch-dump:100", outcome="error", reason=reason, samples=())

    assert f"[a] batch-dump:100: {reason}" in render([found])
    rows = csv.DictReader(io.StringIO(render([found], "csv")))
    (swept,) = [row for row in rows if row["corpus"].endswith(": batch-dump")]
    assert ("error", f"batch-dump:100: {reason}") == (swept["outcome"], swept["reason"])
