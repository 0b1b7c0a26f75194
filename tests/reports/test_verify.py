"""`bakeoff verify`, and what `bakeoff report --publishable` asks for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bakeoff.bench.results import Measurement, read, write
from bakeoff.bench.run.options import Options
from bakeoff.bench.stats import RunToRun
from bakeoff.errors import UsageError
from bakeoff.reports.decide.verify import agreement, candidates, draw
from bakeoff.reports.model.publishable import lacking
from inprocess import bakeoff as in_a_hurry
from madeup import PLANTED, changed

CODECS = set(PLANTED)


def stretched(sample: Measurement) -> Measurement:
    return replace(sample, value=1.5 * sample.value, paired=1.5 * sample.paired)


@pytest.mark.parametrize(
    ("factor", "limit", "deviation", "verdict"),
    [
        (1, 0.1, 0.001, "agrees"),
        (1, 0.1, 0.3, "cannot decide"),
        (1.5, 0.1, 0.001, "disagrees"),
        (1.5, 0.6, 0.001, "agrees"),
    ],
)
def test_ratios_are_compared(result_of, factor, limit, deviation, verdict):
    before, after = (result_of({"json": PLANTED["json"], "bson": PLANTED["bson"]}, seed=s) for s in (1, 2))
    cells = draw(candidates(before, CODECS), seed=1)
    if factor > 1:
        after = changed(after, cells[0].codec, cells[0].operation_name, sample=stretched)
    sessions = dict.fromkeys(cells, RunToRun(deviation, 30))

    assert verdict == agreement(before, after, cells, limit, sessions).verdict
    assert verdict == agreement(after, before, cells, limit, sessions).verdict


def test_a_slower_machine_agrees(result_of):
    """Only what cells are to each other counts."""
    before = result_of(PLANTED, seed=1)
    cells = draw(candidates(before, CODECS), seed=1)

    assert "agrees" == agreement(before, changed(before, sample=stretched), cells, 0.1, {}).verdict


@pytest.mark.parametrize(
    ("outcome", "verdict"), [("missing", "cannot decide"), ("wrong", "disagrees"), ("lossy", "agrees")]
)
def test_a_cell_without_a_figure(result_of, outcome, verdict):
    before = result_of(PLANTED, seed=1)
    cells = draw(candidates(before, CODECS), seed=1)
    gone = {} if outcome == "lossy" else {"samples": ()}
    after = changed(before, cells[0].codec, outcome=outcome, reason="", **gone)

    assert verdict == agreement(before, after, cells, 0.1, {}).verdict


def test_cells_are_drawn_by_their_seed(result_of):
    result = result_of(PLANTED, corpora=("messages", "movies"))
    there = candidates(result, {"json", "bson"})
    drawn = [draw(there, seed) for seed in range(20)]

    assert {"json", "bson"} == {cell.codec for cell in there}
    assert drawn == [draw(there, seed) for seed in range(20)]
    assert {3} == {len(set(cells)) for cells in drawn}
    assert {1} == {len({cell.corpus for cell in cells}) for cells in drawn}
    with pytest.raises(UsageError, match="no corpus has 3 cells, timed in several processes"):
        draw(candidates(result, {"json"}), 1)


@pytest.mark.slow
def test_cells_of_a_file_are_measured_again(tmp_path):
    in_a_hurry(tmp_path, "run", "movies", "--quick", "-c", "json", "-c", "msgpack", "--sample", "20")
    found = in_a_hurry(tmp_path, "verify", "--seed", "7", "--budget", "1", "--within", "99%")

    assert "movies: 3 of 4 cells, drawn with --seed 7" in found.stdout
    assert found.returncode in (0, 1, 2)
    assert 3 == sum(line.endswith(("agrees", "disagrees", "decide")) for line in found.stdout.splitlines())


@pytest.mark.parametrize(
    ("sha256", "code", "said"),
    [("", 0, ""), ("f" * 64, 2, "messages: not the records of the file: 1,000, sha256 000000000000, then; ")],
)
def test_other_records_are_refused(result_of, bakeoff, monkeypatch, sha256, code, said):
    result = result_of(PLANTED, options=Options(("messages",), tuple(PLANTED)).flat())
    write(result, Path("bakeoff.json"))
    facts = replace(result.corpora[0], name="others", sha256=sha256 or result.corpora[0].sha256)
    cells = tuple(replace(each, cell=replace(each.cell, corpus="others")) for each in result.cells)
    again = SimpleNamespace(interrupted=False, run=lambda: replace(result, corpora=(facts,), cells=cells))
    monkeypatch.setattr("bakeoff.bench.run.session.Session", lambda *_, **__: again)
    ended, _, printed = bakeoff("verify", "--seed", "1")

    assert (code, True) == (ended, said in printed)


@pytest.mark.parametrize("source", ["evil:records", "evil.py:records"])
def test_a_function_that_only_the_file_names_is_not_imported(result_of, bakeoff, source):
    Path("evil.py").write_text("open('ran', 'w').close()\nrecords = [{'a': 1}]\n")
    result = result_of(PLANTED, options=Options(("messages",), tuple(PLANTED)).flat())
    write(replace(result, corpora=(replace(result.corpora[0], source=source),)), Path("bakeoff.json"))
    ended, _, printed = bakeoff("verify", "--seed", "1")

    assert (2, False) == (ended, Path("ran").exists())
    assert (
        f"refusing to import {source} named in the result file; to allow it, pass it with --corpus" in printed
    )


@pytest.mark.parametrize(("stretches", "code", "said"), [(True, 1, "disagrees"), (False, 0, "agrees")])
def test_the_verdict_is_said_once(result_of, bakeoff, monkeypatch, stretches, code, said):
    result = result_of(PLANTED, options=Options(("messages",), tuple(PLANTED)).flat(), noise=0.001)
    write(result, Path("bakeoff.json"))
    cell = draw(candidates(result, CODECS), 1)[0]
    after = changed(result, cell.codec, cell.operation_name, sample=stretched) if stretches else result
    monkeypatch.setattr("bakeoff.commands.verify._again", lambda *_: after)
    ended, out, err = bakeoff("verify", "--seed", "1")

    assert (code, 1) == (ended, (out + err).count(f"This machine {said} with the file"))


@pytest.fixture
def whole(result_of, tmp_path):
    result = result_of(PLANTED, environment={"cpu_count": 2, "bakeoff_version": "1.0"})
    write(result, tmp_path / "bakeoff.json")
    return result


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ({}, []),
        ({"command": ""}, ["command: how the figures were made"]),
        ({"corpora": ()}, ["data: no corpus is named"]),
        (
            {"environment": {"python_version": "3.11", "bakeoff_version": "1.0"}},
            ["machine: processor, number of cores, operating system"],
        ),
    ],
)
def test_what_published_figures_lack_is_listed(whole, tmp_path, change, lacks):
    file = tmp_path / "bakeoff.json"

    assert lacks == lacking([replace(whole, **change)], [file], tmp_path / "report.md")
    assert len(lacks) + 1 == len(lacking([replace(whole, **change)], [file], None))


def test_hashes_versions_and_intervals_are_asked_for(whole, tmp_path):
    bare = replace(
        whole,
        corpora=tuple(replace(corpus, sha256="") for corpus in whole.corpora),
        codecs=tuple(replace(codec, version="") for codec in whole.codecs[:1]),
        cells=tuple(replace(cell, samples=cell.samples[:2]) for cell in whole.cells),
    )
    profiled = replace(bare, corpora=tuple(replace(c, profile={"records": 1}) for c in whole.corpora))
    found = lacking([bare], [tmp_path / "bakeoff.json"], tmp_path / "report.md")

    assert ["data", "versions", "intervals"] == [line.partition(":")[0] for line in found]
    assert "fewer than 3 processes of messages/dump/json, " in found[-1]
    assert 2 == len(lacking([profiled], [tmp_path / "bakeoff.json"], tmp_path / "report.md"))


def test_a_report_that_may_not_be_published_is_not_written(whole, bakeoff, tmp_path):
    code, _, said = bakeoff("report", "--publishable", "--anonymous", "-o", "page.html")
    assert (1, False) == (code, Path("page.html").exists())
    assert "bakeoff: this report cannot be published; it lacks:\n- command: how" in said

    assert (0, "", "") == bakeoff("report", "--publishable", "-o", "page.md")
    assert read(tmp_path / "bakeoff.json").command in Path("page.md").read_text()
