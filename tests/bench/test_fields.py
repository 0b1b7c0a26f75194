"""Measurements of reading and changing fields: a real run, and its reports."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bakeoff.bench.operations import operation
from bakeoff.bench.results import CellResult, ResultData, write
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import Session
from bakeoff.errors import UsageError
from bakeoff.reports import render
from hurried import IN_FULL
from inprocess import exit_code

CODECS = ("msgpack", "pickle", "msgpack+schema", "json/raw")
PEEK, UPDATE, SPLICED = "peek:order.address.city", "update:50", "update-spliced:50"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ResultData:
    options = Options(
        corpora=("messages",),
        codecs=CODECS,
        operations=("load", PEEK, UPDATE, SPLICED),
        records="200",
        infer=True,
        no_time_limit=True,
    )
    file = tmp_path_factory.mktemp("run") / "r.json"
    return Session(dataclasses.replace(options.quick(), budget=0.0), file, pace=IN_FULL).run()


def value(result: ResultData, codec: str, name: str) -> float:
    cell = result.cell("messages", name, codec)
    assert cell is not None
    assert cell.outcome == "ok", cell.reason
    return sum(sample.value for sample in cell.samples) / len(cell.samples)


def test_fields_and_updates_are_measured_and_checked(result):
    assert value(result, "msgpack", PEEK) < value(result, "msgpack", "load")
    assert value(result, "msgpack", UPDATE) > 1_000
    assert value(result, "msgpack", SPLICED) > value(result, "msgpack", UPDATE)
    assert value(result, "msgpack+schema", PEEK) > value(result, "msgpack", PEEK)
    assert value(result, "pickle", PEEK) > 0
    for codec, name in (
        ("pickle", SPLICED),
        ("msgpack+schema", SPLICED),
        ("json/raw", PEEK),
        ("json/raw", UPDATE),
    ):
        assert "unsupported" == result.cell("messages", name, codec).outcome, (codec, name)


@pytest.mark.slow
def test_what_is_wrong_is_no_figure(tmp_path):
    options = Options(
        corpora=("movies",), codecs=("json",), operations=("peek:titel",), records="50", no_time_limit=True
    )
    cell = Session(dataclasses.replace(options.quick(), budget=0.0), tmp_path / "r.json").run().cells[0]
    assert ("unsupported", True) == (cell.outcome, "no $.titel: $ has id, title" in cell.reason)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("peek", "name a field by keys"),
        ("peek:a..b", "a part is empty"),
        ("peek@sqlite:a", "has no place"),
        ("update", "number of items"),
        ("update:-5", "number of items"),
        ("update:99999999", "up to 10,000,000"),
        ("update-spliced", "number of items"),
        ("update-spliced@sqlite", "has no place"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_where_it_is_typed(name, words):
    with pytest.raises(UsageError, match=words):
        operation(name)


def test_an_update_in_a_store_is_another_operation():
    assert ("second", "integer") == (operation("update@sqlite").unit, operation("update:10").unit)


def steady(cell: CellResult, factor: float = 1.0) -> CellResult:
    """Return a cell times a factor, and without the noise of the machine: samples differ by 0.1 %."""
    samples = []
    for n, sample in enumerate(cell.samples):
        first, times = cell.samples[0], factor * (1 + n / 1000)
        samples.append(
            dataclasses.replace(
                sample, value=first.value * times, raw=first.raw * times, paired=first.paired * times
            )
        )
    return dataclasses.replace(cell, samples=tuple(samples))


def test_more_updates_a_second_are_better_everywhere(result, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    base = [steady(cell) for cell in result.cells]
    slow = [
        steady(cell, 0.5) if cell.cell.operation_name == UPDATE else steady(cell) for cell in result.cells
    ]
    write(dataclasses.replace(result, cells=tuple(base)), Path("base.json"))
    write(dataclasses.replace(result, cells=tuple(slow)), Path("slow.json"))

    assert "/s ↑" in render([result], columns=f"{UPDATE},{SPLICED}")
    assert 1 == exit_code("compare", "base.json", "slow.json", "--fail-above", "5%")
    assert "2.00× less" in capsys.readouterr().out
    assert 0 == exit_code("compare", "slow.json", "base.json", "--fail-above", "5%")
    assert "2.00× more" in capsys.readouterr().out
    assert 0 == exit_code("report", "base.json", "-o", "page.html")
    assert "↑" in Path("page.html").read_text()


@pytest.mark.slow
def test_every_mean_says_what_it_is_made_of(result):
    lines = render([result], "text", layout="stats", width=200).splitlines()
    rows = {cells[0]: cells[1:] for line in lines if (cells := line.replace(",", "").split())}
    samples = result.cell("messages", UPDATE, "msgpack").samples

    counts = [str(sum(sample.loops for sample in samples)), str(len(samples))]
    assert ["thrpt", *counts] == rows[f"{UPDATE}/msgpack"][:3]
    assert "ops/s" == rows[f"{UPDATE}/msgpack"][-1]
    assert "avgt" == rows["load/pickle"][0]


def test_two_posts_stand_beside(result):
    graph, datomic = render([result], layout="graph"), render([result], layout="datomic")
    assert ["0.165", "0.573", "47.9"] == [
        word for word in graph.split() if word in ("0.165", "0.573", "47.9")
    ]
    assert "290×" in graph
    assert f"{SPLICED}/msgpack" in graph
    assert "raw index" in datomic
    assert f"{PEEK}/msgpack" in datomic
    bare = dataclasses.replace(
        result, cells=tuple(cell for cell in result.cells if cell.cell.operation_name == "load")
    )
    for layout in ("graph", "datomic"):
        with pytest.raises(UsageError, match="nothing to show"):
            render([bare], layout=layout)
    with pytest.raises(UsageError, match="nothing was timed"):
        render([dataclasses.replace(result, cells=())], layout="stats")
