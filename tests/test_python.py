"""`bakeoff.run`, `bakeoff.load` and their results: the benchmark from a program."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bakeoff
import madeup
from bakeoff.bench.results import Measurement
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.session import stored_options
from bakeoff.codecs import names
from bakeoff.testing import assert_not_slower

pytestmark = pytest.mark.usefixtures("hurried")

RECORDS = [{"id": number, "tags": ["a", "b"]} for number in range(20)]
SHORT: dict[str, Any] = {"quick": True, "all": True, "budget": 0, "ops": ["size"], "progress": False}
"""All of a run but its timing."""


def outcomes(result: bakeoff.Result) -> dict[str, str]:
    return {cell.codec: cell.outcome for cell in result.cells}


@pytest.fixture(scope="module")
def planted() -> bakeoff.Result:
    return bakeoff.Result(madeup.planted())


def made() -> Iterator[dict[str, Any]]:
    yield from RECORDS


def source_of(kind: str, folder: Path) -> Any:
    path = folder / "mine.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    return {
        "list": RECORDS,
        "iterator": made(),
        "text": str(path),
        "path": path,
        "corpus": bakeoff.corpus(path, records=5),
        "generated": bakeoff.corpus("movies", records=5),
        "name": "movies",
    }[kind]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "records"),
    [
        ("list", "records", 20),
        ("iterator", "records", 20),
        ("text", "mine", 20),
        ("path", "mine", 20),
        ("corpus", "mine", 5),
        ("generated", "movies", 5),
        ("name", "movies", 10_000),
    ],
)
def test_records_come_from_memory_files_and_corpora(
    kind: str, name: str, records: int, tmp_path: Path
) -> None:
    result = bakeoff.run(source_of(kind, tmp_path), "json,msgpack", **SHORT)

    assert {"json": "ok", "msgpack": "ok"} == outcomes(result)
    assert [(name, records)] == [(corpus.name, corpus.records) for corpus in result.data.corpora]
    assert result.data.complete


@pytest.mark.slow
def test_the_same_records_in_memory_are_the_same_corpus() -> None:
    """So that two runs on them can be compared."""
    first, second = (bakeoff.run([dict(r) for r in RECORDS], "json", **SHORT) for _ in range(2))

    assert [] == [change.cell.name for change in first.compare(second).regressions(0.05)]


@pytest.mark.slow
def test_codecs_are_names_objects_and_pairs_of_calls() -> None:
    before = names()
    codecs = ["json", bakeoff.codec("msgpack"), {"mine": (json.dumps, json.loads), "module": json}]

    result = bakeoff.run(RECORDS, codecs, **SHORT)

    assert dict.fromkeys(("json", "msgpack", "mine", "module"), "ok") == outcomes(result)
    assert before == names()


@pytest.mark.slow
def test_a_codec_is_measured_as_it_is_given() -> None:
    strict = bakeoff.codec("json", policies={"nonfinite": "reject"})

    result = bakeoff.run([{"x": float("inf")}], ["json", {"strict": strict}], **SHORT)

    assert {"json": "ok", "strict": "unsupported"} == outcomes(result)


@pytest.mark.slow
def test_codecs_that_were_registered_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bakeoff.codecs.registry._registered", {})
    bakeoff.codecs.register(bakeoff.codec((json.dumps, json.loads), name="house"))

    assert {"house": "ok"} == outcomes(bakeoff.run(RECORDS, "house", **SHORT))


MAIN = """
import bakeoff
class Order:
    pass
def dumps(record): return b""
try:
    bakeoff.run({what}, quick=True)
except bakeoff.RunError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("[1, Order()]", "record 2 cannot be sent to the worker processes: class Order is defined in this"),
        (
            "[1], {'mine': (dumps, dumps)}",
            "codec mine cannot be sent to the worker processes: function",
        ),
    ],
)
def test_what_only_the_program_defines_cannot_travel(what: str, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAIN.format(what=what)], capture_output=True, text=True, check=True
    )

    assert said in done.stdout
    assert "move it to a module" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "options", "error", "said"),
    [
        ({"id": 1}, {}, bakeoff.UsageError, "expected a list of records, got dict"),
        (b"{}", {}, bakeoff.UsageError, "expected a list of records, got bytes"),
        (7, {}, bakeoff.UsageError, "expected a list of records, got int"),
        ([], {}, bakeoff.UsageError, "there are no records; give at least one"),
        ("moviez", {}, bakeoff.UsageError, "did you mean movies"),
        ([1, lambda: 1], {}, bakeoff.RunError, "record 2 cannot be sent to the worker processes"),
        ([1], {"codecs": "jsn"}, bakeoff.UnknownCodec, "did you mean json"),
        ([1], {"codecs": [json]}, bakeoff.UsageError, "a bakeoff.Codec, or {'NAME'"),
        ([1], {"codecs": {"json": json}}, bakeoff.UsageError, "there is a codec of this name already"),
        ([1], {"codecs": {"a b": json}}, bakeoff.UsageError, "expected a name of letters"),
        ([1], {"codecs": {"a": bakeoff.codec("json|zlib")}}, bakeoff.UsageError, "without schema and compr"),
        ([1], {"ops": ["dmp"]}, bakeoff.UsageError, "did you mean dump"),
        ([1], {"ops": "dump"}, bakeoff.UsageError, "ops is 'dump'"),
        ([1], {"budget": "fast"}, bakeoff.UsageError, "budget is 'fast'"),
        ([1], {"budget": -1}, bakeoff.UsageError, "budget is -1"),
        ([1], {"sample": 0}, bakeoff.UsageError, "sample is 0"),
        ([1], {"records": "all"}, bakeoff.UsageError, "records is 'all'"),
        ([1], {"gc": "maybe"}, bakeoff.UsageError, "gc is 'maybe'"),
        ([1], {"precision": float("nan")}, bakeoff.UsageError, "precision is nan"),
        ([1], {"codecs": 3}, bakeoff.UsageError, "codecs is 3"),
        ([1], {"infer": True, "schema": "x"}, bakeoff.UsageError, "--infer and --schema both say"),
        (bakeoff.corpus("movies"), {"records": 3}, bakeoff.UsageError, "has its number of records"),
    ],
)
def test_mistakes_are_said_at_once(
    source: Any, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as caught:
        bakeoff.run(source, **{"codecs": "json", **SHORT, **options})

    assert said in str(caught.value)


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.bench.run import session

    def interrupted(*arguments: Any) -> None:
        found(*arguments)
        os.kill(os.getpid(), signal.SIGINT)

    found = session.time_cells
    monkeypatch.setattr(session, "time_cells", interrupted)

    result = bakeoff.run(RECORDS, "json", **{**SHORT, "ops": ["dump", "load", "size"]})

    assert not result.data.complete
    assert {"ok"} == {cell.outcome for cell in result.cells}
    assert all(cell.value for cell in result.cells)


def test_cells_are_typed_rows(planted: bakeoff.Result) -> None:
    cell = next(cell for cell in planted.cells if (cell.codec, cell.operation) == ("json", "dump"))

    assert (cell.corpus, cell.outcome, cell.unit, cell.direction) == ("messages", "ok", "second", "lower")
    assert cell.low is not None
    assert cell.high is not None
    assert cell.value == pytest.approx(2.4e-6, rel=0.05)
    assert cell.low < 2.4e-6 * 1.05
    assert cell.high > 2.4e-6 * 0.95
    assert "baseline" not in {cell.codec for cell in planted.cells}


def test_ranks_are_those_of_the_table(planted: bakeoff.Result) -> None:
    found = [(rank.codec, rank.best, rank.worst) for rank in planted.ranks]

    assert [("msgpack", 1, 1), ("bson", 2, 2), ("json", 3, 3), ("yaml", 4, 4)] == found
    assert {"messages"} == {rank.corpus for rank in planted.ranks}


def test_the_best_codec_depends_on_the_use(planted: bakeoff.Result) -> None:
    assert "msgpack" == planted.best().name
    assert "bson" == planted.best(reads=24).name
    assert planted.best().sentence in repr(planted.best())
    with pytest.raises(bakeoff.UsageError, match="no type 'datetme'"):
        planted.best(needs=["datetme"])


def test_it_prints_as_the_table(planted: bakeoff.Result) -> None:
    assert planted.table() == f"{planted}\n" == f"{planted!r}\n"
    assert "msgpack" in planted.table("md", columns="codec,load")


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_data_frames_have_a_row_for_each_cell(
    planted: bakeoff.Result, frame: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = getattr(planted, f"to_{frame}")()

    assert len(planted.cells) == len(made)
    assert {"corpus", "operation", "codec", "value", "low", "high", "unit"} <= set(made.columns)
    monkeypatch.setitem(sys.modules, frame, None)
    with pytest.raises(bakeoff.UsageError, match=f"pip install {frame}"):
        getattr(planted, f"to_{frame}")()


def test_a_result_is_saved_and_loaded(planted: bakeoff.Result, tmp_path: Path) -> None:
    planted.save(tmp_path / "mine.json")
    loaded = bakeoff.load(tmp_path / "mine.json")

    assert [c.cell for c in planted.cells] == [c.cell for c in loaded.cells]
    with pytest.raises(bakeoff.UsageError, match="no such file"):
        bakeoff.load(tmp_path / "gone.json")


def test_what_was_measured_from_objects_is_not_resumed(planted: bakeoff.Result, tmp_path: Path) -> None:
    """Its records are not there any more, which is said; those of a built-in corpus are."""
    for source in ("records", "movies"):
        options = Options((source,), ("json",)).flat()
        command = f"bakeoff.run({source!r}, ['json'])"
        bakeoff.Result(replace(planted.data, options=options, command=command)).save(tmp_path / source)

    assert ("movies",) == stored_options(tmp_path / "movies").corpora
    with pytest.raises(bakeoff.UsageError, match="measured from Python objects, so it cannot be resumed"):
        stored_options(tmp_path / "records")


def test_a_comparison_shows_itself(planted: bakeoff.Result) -> None:
    slower = madeup.changed(planted.data, "json", "dump", sample=tripled)
    worse = bakeoff.Result(slower)
    found = planted.compare(worse)

    assert ["messages/dump/json"] == [change.cell.name for change in found.regressions(0.05)]
    assert "3.00× slower" in str(found)
    assert "3.00× slower" in found._repr_html_()


def tripled(sample: Measurement) -> Measurement:
    return replace(sample, value=3 * sample.value, raw=3 * sample.raw, paired=3 * sample.paired)


class TestAssertNotSlower:
    def test_equal_results_pass(self, planted: bakeoff.Result, tmp_path: Path) -> None:
        planted.save(tmp_path / "base.json")

        assert_not_slower(planted, planted)
        assert_not_slower(tmp_path / "base.json", str(tmp_path / "base.json"))

    def test_a_regression_fails(self, planted: bakeoff.Result) -> None:
        slower = bakeoff.Result(madeup.changed(planted.data, "json", "dump", sample=tripled))

        with pytest.raises(AssertionError, match=r"beyond 5%: messages/dump/json(?s:.*)3.00× slower"):
            assert_not_slower(planted, slower)

    def test_a_missing_figure_fails(self, planted: bakeoff.Result) -> None:
        missing = bakeoff.Result(madeup.changed(planted.data, "json", "dump", samples=()))

        with pytest.raises(AssertionError, match="measured before and not after: messages/dump/json"):
            assert_not_slower(planted, missing)

    def test_what_cannot_be_decided_fails(self) -> None:
        one, other = (bakeoff.Result(madeup.planted(noise=0.3, seed=seed)) for seed in (1, 2))

        with pytest.raises(AssertionError, match=r"changes are known to ±(?s:.*)compare --confirm"):
            assert_not_slower(one, other)


def test_a_notebook_gets_table_and_chart(planted: bakeoff.Result) -> None:
    html = planted._repr_html_()

    assert "<table>" in html
    assert "<svg" in html
    assert "light-dark(" in html
    assert "<script" not in html


def test_a_wide_table_in_a_notebook_keeps_what_decides() -> None:
    html = bakeoff.Result(madeup.result(codecs=4, corpora=1))._repr_html_()

    assert re.search(r"<th[^>]*>rank", html)
    assert "dump:x" in html.partition("not shown: ")[2]


def test_the_chart_in_a_notebook_needs_no_library(
    planted: bakeoff.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("jinja2", "resvg_py"):
        monkeypatch.setitem(sys.modules, name, None)
    html = planted._repr_html_()

    assert "<table>" in html
    assert "<svg" in html
