"""History: lines over many runs, their change points, and the gate for the newest run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import madeup
from bakeoff.bench.results import ResultData, write
from bakeoff.bench.stats import between_runs
from bakeoff.commands._earlier import print_comparison
from bakeoff.reports.decide.history import Line, Series, history, regressions
from bakeoff.reports.decide.history_output import figures, table
from bakeoff.reports.tables import csv_json, markup, text
from needed import chromium

SLOWER = ("orjson", "load", 1.1)
ONE = {"orjson": {"load": 2e-6}}


def version(library: str, number: str) -> dict[str, Any]:
    return {"facts": {"orjson": {"library": library, "version": number}}}


def found(
    runs: Sequence[ResultData], **options: Any
) -> dict[tuple[str, str], list[tuple[int, Sequence[str]]]]:
    """The change points by codec and operation: run and causes."""
    lines = [line for series in history(runs, **options) for line in series.lines]
    return {
        (line.cell.codec, line.cell.operation): [(change.run, change.causes) for change in line.changes]
        for line in lines
        if line.changes
    }


def only(runs: Sequence[ResultData], **options: Any) -> tuple[Series, Line]:
    (series,) = history(runs, **options)
    (line,) = series.lines
    return series, line


@pytest.mark.slow
def test_a_history_without_a_change_has_none() -> None:
    changed = [found(madeup.weekly(30, ONE, seed=seed, processes=4)) for seed in range(20)]

    assert sum(map(bool, changed)) <= 1


@pytest.mark.parametrize("at", [3, 15, 29])
def test_a_step_is_found_where_it_is(at: int) -> None:
    runs = madeup.weekly(30, change=SLOWER, at=at, apart=0.005)

    assert {("orjson", "load"): [(at, ())]} == found(runs)


def test_two_steps_and_the_way_back() -> None:
    runs = madeup.weekly(24, change=("orjson", "load", 1.3), at=8)
    runs = [*runs[:16], *madeup.weekly(24)[16:]]
    _, line = only(runs, codecs=["orjson"], operations=["load"])
    up, down = line.changes

    assert (8, 16) == (up.run, down.run)
    assert up.ratio.low < 1.3 < up.ratio.high
    assert down.ratio.low < 1 / 1.3 < down.ratio.high


def test_a_single_odd_run_is_no_change() -> None:
    runs = madeup.weekly(20, change=("orjson", "load", 1.3), at=10)
    runs = [*runs[:11], *madeup.weekly(20)[11:]]

    assert {} == found(runs)


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        (version("orjson", "3.11.9"), version("orjson", "3.12.0"), ("orjson 3.11.9 → 3.12.0",)),
        ({}, {"environment": {"python_version": "3.13.1"}}, ("Python 3.11.7 → 3.13.1",)),
        ({}, {"environment": {"bakeoff_version": "9.9"}}, ("bakeoff none → 9.9",)),
        ({}, {"environment": {"platform": "Linux 7"}}, ("platform Linux → Linux 7",)),
        ({}, {"environment": {"zstandard_version": "1"}}, ()),
        ({}, {"environment": {"uptime": 5}}, ()),
    ],
)
def test_a_change_names_its_causes(before: Any, after: Any, cause: tuple[str, ...]) -> None:
    runs = madeup.weekly(14, change=("orjson", "load", 1.5), at=7, after=after, **before)

    assert {("orjson", "load"): [(7, cause)]} == found(runs)


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (lambda run: replace(run, environment={**run.environment, "hostname": "other"}), 2),
        (lambda run: replace(run, corpora=(replace(run.corpora[0], sha256="ff"),)), 2),
        (lambda run: replace(run, conditions={"gc": "off"}), 2),
        (lambda run: replace(run, options={"budget": 5.0}), 1),
        (lambda run: replace(run, environment={**run.environment, "platform": "new"}), 1),
    ],
)
def test_other_conditions_are_other_lines(change: Callable[[ResultData], ResultData], lines: int) -> None:
    runs = madeup.weekly(12, ONE, change=("orjson", "load", 1.5), at=6)
    made = history([*runs[:6], *map(change, runs[6:])])

    assert lines == sum(len(series.lines) for series in made)
    assert (lines == 1) == any(line.changes for series in made for line in series.lines)


def test_a_new_line_says_why() -> None:
    runs = madeup.weekly(8, ONE)
    other = [replace(run, corpora=(replace(run.corpora[0], sha256="ff"),)) for run in runs[4:]]
    first, second = history([*runs[:4], *other])
    shown = text.render(table([second]))

    assert () == first.since
    assert not first.current
    assert "not in one line with runs before 2026-02-02: corpus messages has other records (0000" in shown


def test_a_new_line_names_its_own_corpus_only() -> None:
    """Names of corpora may begin alike."""
    runs = [
        replace(
            run,
            corpora=(replace(run.corpora[0], name="a"), replace(run.corpora[0], name="ab", sha256=sha256)),
            cells=tuple(
                replace(cell, cell=replace(cell.cell, corpus=name))
                for name in ("a", "ab")
                for cell in run.cells
            ),
            conditions={"gc": gc},
        )
        for run, sha256, gc in zip(
            madeup.weekly(4, ONE), ("00", "00", "ff", "ff"), ("on", "on", "off", "off"), strict=True
        )
    ]
    since = {series.corpus.name: series.since for series in history(runs) if series.since}

    assert since["a"] == ("option gc: on → off",)
    assert "other records" in since["ab"][0]


@pytest.mark.parametrize(
    ("operation", "factor", "changed"),
    [
        ("size", 1.005, False),
        ("size", 1.02, True),
        ("retained-records", 1.08, False),
        ("retained-records", 1.5, True),
    ],
)
def test_bytes_have_no_noise_and_memory_a_tolerance(operation: str, factor: float, changed: bool) -> None:
    runs = madeup.weekly(4, {"orjson": {operation: 3000}}, change=("orjson", operation, factor), at=2)

    assert changed == bool(found(runs))


def test_figures_of_another_contention_do_not_count() -> None:
    runs = madeup.weekly(12, ONE, change=("orjson", "load", 1.5), at=8)
    runs = [
        madeup.changed(run, sample=lambda s, n=number: replace(s, contention=0.7 if n < 8 else 1.2))
        for number, run in enumerate(runs)
    ]
    series, line = only(runs)

    assert () == line.changes
    assert 12 == len(line.points)
    assert "4 figures do not count" in text.render(table([series]))


def test_the_assumed_difference_between_runs_counts() -> None:
    """Two runs that agree by chance prove little; many show their own variation."""
    few = between_runs([0.0], [0.05])
    many = between_runs([0.0, 0.001] * 10, [0.05, 0.051] * 10)

    assert few.low < 1 < few.high
    assert few.p > 0.05 > many.p


def test_a_single_run_of_other_records_is_named() -> None:
    *runs, last = madeup.weekly(5, ONE)
    made = history([*runs, replace(last, corpora=(replace(last.corpora[0], sha256="ff"),))])
    shown = text.render(table(made))

    assert [1, 0] == [len(series.lines) for series in made]
    assert "a single run, 2026-02-02" in shown
    assert "nothing to compare it with yet" in shown
    assert [] == regressions(made, 0.0)


class TestNewest:
    """The gate: the newest run against the level before it."""

    @pytest.mark.parametrize(
        ("factor", "limit", "fails"), [(1.3, 0.05, True), (1.3, 0.5, False), (0.7, 0.05, False)]
    )
    def test_worse_by_more_than_the_limit(self, factor: float, limit: float, fails: bool) -> None:
        newest = history(madeup.weekly(12, change=("orjson", "load", factor), at=11))
        older = history(madeup.weekly(12, change=("orjson", "load", factor), at=6))

        assert fails == bool(regressions(newest, limit))
        assert [] == regressions(older, limit)

    def test_a_codec_that_fails(self) -> None:
        runs = madeup.weekly(5)
        runs[-1] = madeup.changed(runs[-1], "orjson", "load", outcome="crashed", samples=())
        made = history(runs)

        assert ["crashed"] == [line.failed for _, line in regressions(made, 9.0)]
        assert "crashed" in text.render(table(made))


@pytest.fixture
def weeks(tmp_path: Path) -> Path:
    """A folder of a history with one change, next to files of other kinds."""
    folder = tmp_path / "results"
    (folder / "deeper").mkdir(parents=True)
    runs = madeup.weekly(
        14,
        change=("orjson", "load", 1.8),
        at=10,
        after=version("orjson", "3.12.0"),
        **version("orjson", "3.11.9"),
    )
    for number, run in enumerate(runs):
        write(run, folder / ("deeper" if number % 2 else "") / f"{'zyxwvutsrqponm'[number]}.json")
    write(runs[0], folder / "copy.json")
    (folder / "notes.txt").write_text("my notes")
    (folder / ".hidden").write_text("not read")
    return folder


Command = Callable[..., tuple[int, str, str]]


class TestCommand:
    def test_text(self, bakeoff: Command, weeks: Path) -> None:
        code, out, err = bakeoff("history", weeks)

        assert 0 == code
        assert "14 runs from 2026-01-05 to 2026-04-06" in out
        assert "2026-03-16, orjson 3.11.9 → 3.12.0: orjson load 1.8" in out
        assert "│" in out
        assert max(map(len, out.splitlines())) <= 100
        assert err.startswith("skipped: ")
        assert ["notes.txt" in line for line in err.splitlines()] == [True]

    def test_filters(self, bakeoff: Command, weeks: Path) -> None:
        _, out, _ = bakeoff("history", weeks, "-c", "*,!orjson", "--ops", "load,size", "-f", "json")
        (series,) = json.loads(out)["series"]

        assert [("json", "load"), ("json", "size")] == [(x["codec"], x["operation"]) for x in series["lines"]]

    @pytest.mark.slow
    def test_other_formats(self, bakeoff: Command, weeks: Path) -> None:
        _, out, _ = bakeoff("history", weeks, "-c", "orjson", "--ops", "load", "-f", "json")
        (line,) = json.loads(out)["series"][0]["lines"]
        _, out, _ = bakeoff("history", weeks, "-c", "orjson", "--ops", "load", "-f", "csv")
        rows = list(csv.DictReader(io.StringIO(out)))
        _, out, _ = bakeoff("history", weeks, "-f", "md")

        assert ([10], [["orjson 3.11.9 → 3.12.0"]]) == tuple(
            [change[key] for change in line["changes"]] for key in ("run", "causes")
        )
        assert [p["value"] for p in line["points"]] == [float(row["value"]) for row in rows]
        assert all(float(row["value_low"]) < float(row["value"]) < float(row["value_high"]) for row in rows)
        assert ["2026-03-16T08:00:00+00:00"] == [row["started"] for row in rows if row["cause"]]
        assert "| orjson" in out

    @pytest.mark.slow
    def test_the_gate(self, bakeoff: Command, weeks: Path) -> None:
        assert 0 == bakeoff("history", weeks, "--fail-above", "5%")[0]
        worse = madeup.weekly(15, change=("json", "dump", 1.5), at=14, after=version("orjson", "3.12.0"))[-1]
        write(worse, weeks / "new.json")
        code, _, err = bakeoff("history", weeks, "--fail-above", "5%", "-o", "out.txt")

        assert 1 == code
        assert "worse than the runs before it by more than 5%: messages: json dump 1." in err

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["missing"], "missing: no such file or folder"),
            (["empty"], "empty: no result file"),
            (["one"], "no machine has two runs of the same records and options (there is one run)"),
            (["results", "-c", "orjsn"], "no codec 'orjsn' in these results; did you mean orjson or json?"),
            (["results", "--ops", "dmp"], "no operation 'dmp' in these results; did you mean dump?"),
            (["results", "-o", "results/copy.json"], "is a result file"),
        ],
    )
    def test_usage_errors(
        self, bakeoff: Command, weeks: Path, tmp_path: Path, arguments: list[str], message: str
    ) -> None:
        for name in ("empty", "one"):
            (tmp_path / name).mkdir()
        write(madeup.planted(started="2026-01-01"), tmp_path / "one" / "a.json")
        code, _, err = bakeoff("history", *arguments)

        assert 2 == code
        assert message in err

    def test_machines_of_one_run_each(self, bakeoff: Command, tmp_path: Path) -> None:
        for number in (1, 2):
            run = madeup.planted(started=f"2026-01-0{number}", environment={"hostname": f"runner-{number}"})
            write(run, tmp_path / f"{number}.json")

        assert "hostname: runner-1 → runner-2" in bakeoff("history", tmp_path)[2]


def test_hostile_texts_are_inert(tmp_path: Path) -> None:
    runs = [madeup.renamed(run, "orjson", "<img src=x>\x1b[2J") for run in madeup.weekly(4)]
    from bakeoff.reports.page.history import render

    made = history(runs)
    page = render(made)

    assert "<img" not in page
    for shown in (page, text.render(table(made)), markup.markdown(table(made)), csv_json.csv(figures(made))):
        assert "\x1b" not in shown


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_on_a_phone(weeks: Path, tmp_path: Path, bakeoff: Command) -> None:
    path = chromium()
    from playwright.sync_api import expect, sync_playwright

    bakeoff("history", weeks, "-f", "html", "-o", "history.html")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
        page = context.new_page()
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto((tmp_path / "history.html").as_uri())
        page.locator(".changed").tap()
        expect(page.locator("#tip")).to_contain_text("2026-03-16: orjson load")
        expect(page.locator("#tip")).to_contain_text("slower")
        wide = page.evaluate("document.documentElement.scrollWidth")
        browser.close()

    assert ([], 390) == (told, wide)


ENDING = "exit code 0: the run succeeded"


class TestBaseline:
    """`run --baseline`: the newest comparable result."""

    def test_the_newest_of_the_same_work(self, capsys: pytest.CaptureFixture[str]) -> None:
        *earlier, result = madeup.weekly(4)
        earlier[2] = replace(earlier[2], conditions={"gc": "off"})
        print_comparison(earlier, result, ENDING)

        assert "compared with the run of 2026-01-12T08:00:00+00:00" in (out := capsys.readouterr().out)
        assert f"{ENDING}; --baseline does not change it: 0 of" in out.splitlines()[-1]

    @pytest.mark.parametrize(
        ("earlier", "message"),
        [
            ([], "it has no earlier run"),
            ([{"environment": {"hostname": "a"}}], "hostname: a → bench-1"),
            ([{"conditions": {"gc": "off"}}], "option gc: off → default"),
            ([{"corpora": ("other",)}], "no corpus, operation and codec in common"),
        ],
    )
    def test_none_is_comparable(
        self, capsys: pytest.CaptureFixture[str], earlier: list[dict[str, Any]], message: str
    ) -> None:
        *_, result = madeup.weekly(2)
        print_comparison(
            [madeup.planted(started="2026-01-01", **fields) for fields in earlier], result, ENDING
        )
        out, err = capsys.readouterr()

        assert "" == out
        assert message in err
        assert err.startswith(f"{ENDING}; not compared with --baseline: ")
        assert 1 == len(err.splitlines())


class TestBencher:
    def test_every_figure_is_a_metric(self, bakeoff: Command, tmp_path: Path) -> None:
        """The shape of Bencher's JSON Schema: benchmark, measure, numbers; only the value is required."""
        result = madeup.result(codecs=4, corpora=1)
        write(result, tmp_path / "a.json")
        code, out, _ = bakeoff("report", "a.json", "-f", "bencher")
        metrics = json.loads(out)
        found = {cell.cell.name for cell in result.cells if cell.cell.codec != "baseline" and cell.samples}

        assert 0 == code
        assert found == metrics.keys()
        assert {"latency", "bytes", "memory"} == {measure for each in metrics.values() for measure in each}
        for metric in (metric for each in metrics.values() for metric in each.values()):
            assert {"value"} <= metric.keys() <= {"value", "lower_value", "upper_value"}
            assert all(isinstance(number, float) for number in metric.values())
            assert metric.get("lower_value", metric["value"]) <= metric["value"]
        dump = metrics["movies/dump/orjson"]["latency"]
        assert 10 < dump["value"] < 10_000, "nanoseconds"
        assert {"value", "lower_value", "upper_value"} == dump.keys()

    def test_several_machines(self, bakeoff: Command, tmp_path: Path) -> None:
        for name in "ab":
            write(madeup.planted(environment={"hostname": name}), tmp_path / f"{name}.json")

        assert "several machines (a, b)" in bakeoff("report", "a.json", "b.json", "-f", "bencher")[2]
