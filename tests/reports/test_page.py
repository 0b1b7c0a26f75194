"""The page as text: complete, inert, self-contained."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import madeup
from bakeoff.bench.results import Cell, CellResult, CheckFacts, ResultData
from bakeoff.errors import UsageError
from bakeoff.reports.model.view import View
from bakeoff.reports.page import page
from bakeoff.reports.page import placed as page_placed
from bakeoff.reports.tables.placed_answer import answers, headline


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self.text: list[str] = []
        self._script: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self._script = dict(attrs).get("id") or "main"
            self.scripts[self._script] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text.append(data)
        else:
            self.scripts[self._script] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def small() -> ResultData:
    return madeup.result(codecs=9, corpora=2, processes=5)


@pytest.fixture(scope="module")
def text(small: ResultData) -> str:
    return page.render([small])


@pytest.fixture(scope="module")
def read(text: str) -> Reader:
    return Reader(text)


@pytest.mark.slow
def test_it_loads_nothing_from_elsewhere(read: Reader) -> None:
    assert not [attrs for _, attrs in read.elements if "src" in attrs]
    for attrs in read.all("a"):
        assert (attrs["href"] or "").startswith("#")
    assert [attrs["href"] for attrs in read.all("link")] == ["data:,"]


@pytest.mark.slow
def test_its_policy_allows_only_its_own_scripts(read: Reader) -> None:
    policy = next(a["content"] or "" for a in read.all("meta") if a.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(read.scripts["main"].encode()).digest()).decode()
    scripts = re.search(r"script-src ([^;]*)", policy)

    assert "default-src 'none'" in policy
    assert scripts
    assert f"'sha256-{digest}'" in scripts[1]
    assert "unsafe" not in scripts[1]


def test_it_carries_the_raw_data(read: Reader, small: ResultData) -> None:
    (machine,) = json.loads(read.scripts["result"])
    samples = sum(cell.get("samples", {}).get("count", 0) for cell in machine["cells"])

    assert len(machine["cells"]) == len(small.cells)
    assert samples == sum(len(cell.samples) for cell in small.cells)
    assert machine["command"] == small.command


@pytest.fixture(scope="module")
def words(read: Reader) -> str:
    return " ".join(" ".join(read.text).split())


def test_it_says_what_a_reader_needs(words: str, small: ResultData) -> None:
    signs = "A ratio in parentheses is not distinguishable from 1, and a codec with a range of ranks"

    assert "costs least" in words or "are not distinguishable" in words
    for wanted in (
        small.command,
        small.warnings[0],
        small.corpora[0].sha256,
        "Made-up CPU",
        "fastavro",
        signs,
    ):
        assert wanted in words


def test_a_peak_is_that_of_a_call(read: Reader, words: str) -> None:
    (peak,) = [a["title"] for a in read.all("button") if a.get("data-sort") == "peak"]

    assert peak == "most memory held above the input during a call, dump or load"
    assert "peak memory of a dump" in words
    assert "peak memory of a load" in words


@pytest.mark.slow
def test_failed_cells_show_their_outcome_instead_of_a_time() -> None:
    result = madeup.result(codecs=30, corpora=3, processes=3)
    kept = [c for c in result.cells if (c.cell.corpus, c.cell.codec) != ("types", "marshal")]
    wrong = CellResult(Cell("types", "dump", "marshal"), "wrong", "1 came back as True")
    size = next(c for c in result.cells if c.cell == Cell("types", "size", "json"))
    size = replace(size, cell=Cell("types", "size", "marshal"))
    html = page.render([replace(result, cells=(*kept, wrong, size))])
    row = next(r for r in html.split("<tr ")[1:] if 'data-view="2" data-codec="marshal"' in r)
    dump = next(c for c in row.split("<td ")[1:] if 'data-column="dump"' in c)

    assert "wrong" in dump
    assert "data-value" not in dump
    assert "1 came back as True" in html


def test_numbers_that_json_lacks_do_not_break_the_data() -> None:
    result = madeup.result(codecs=2, corpora=1, processes=3)
    html = page.render([replace(result, environment={"limit": float("inf")})])

    assert json.loads(Reader(html).scripts["result"])[0]["environment"] == {"limit": None}


@pytest.mark.slow
def test_machines_are_kept_apart(small: ResultData) -> None:
    other = replace(small, environment={**small.environment, "hostname": "beta"})
    here = replace(small, environment={**small.environment, "hostname": "alpha"})
    read = Reader(page.render([here, other]))
    state = json.loads(read.scripts["state"])

    assert {view["machine"] for view in state["views"]} == {"alpha", "beta"}
    assert [attrs["label"] for attrs in read.all("optgroup")] == ["alpha", "beta"]


def test_nothing_measured_still_makes_a_page() -> None:
    failed = CellResult(Cell("movies", "dump", "json"), "crashed", "died of SIGSEGV")
    html = page.render([ResultData(cells=(failed,), codecs=(), corpora=())])

    assert "died of SIGSEGV" in html
    with pytest.raises(UsageError, match="nothing to show"):
        page.render([ResultData(cells=(), codecs=(), corpora=())])


@pytest.mark.slow
def test_sliders_begin_where_the_options_say(small: ResultData) -> None:
    state = json.loads(Reader(page.render([small], reads=7, bandwidth="3MB/s")).scripts["state"])
    sliders = state["sliders"]

    assert sliders["reads"]["stops"][sliders["reads"]["at"]] == 7
    assert sliders["bandwidth"]["stops"][sliders["bandwidth"]["at"]] == 3e6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": "dump"}, "takes no columns"),
        ({"sort": "speed"}, "cannot sort by"),
        ({"relative_to": "x"}, "relative-to"),
    ],
)
def test_options_it_lacks_are_refused(small: ResultData, options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        page.render([small], **options)


@pytest.mark.slow
def test_a_crowded_page_stays_small() -> None:
    assert len(page.render([madeup.result()]).encode()) <= 2_000_000


def test_stores_have_tables_of_their_own() -> None:
    in_place = {"put@log": 2e-6, "put-codec@log": 1e-6, "put-baseline@log": 1e-6, "visit@left": 3e-6}
    cells = {"json": in_place, "<b>": {name: 2 * seconds for name, seconds in in_place.items()}}
    html = page.render([madeup.planted(cells, baseline=False)])
    read = Reader(html)

    hidden = {attrs["id"] for attrs in read.all("section") if "hidden" in attrs}
    assert {"use", "charts", "results"} == hidden
    (label,) = [attrs["aria-label"] for attrs in read.all("div") if "placed" in attrs.get("id", "")]
    assert "put, per record, messages in log, 1,000 records (MD): json 2.000 µs, codec 50%" in label
    assert label.count("codec 50%") == 2
    assert "messages in stores of 1,000 records (MD): put" in "".join(read.text)
    assert "<b>" in "".join(read.text)
    drawn = {attrs["data-operation"] for attrs in read.all("figure") if "data-operation" in attrs}
    assert {"visit@left"} == drawn
    assert "messages: visit" in "".join(read.text)
    columns = {attrs.get("data-column") for attrs in read.all("th")}
    assert not {name for name in columns if name and ("put" in name or "visit" in name)}


def in_store(put: dict[str, float]) -> ResultData:
    """A run in one store whose puts take a given time, one microsecond of it the codec's."""
    cells = {
        codec: {"put@sqlite": seconds, "put-codec@sqlite": 1e-6, "get@sqlite": 2e-6, "get-codec@sqlite": 1e-6}
        for codec, seconds in put.items()
    }
    return madeup.planted(cells, baseline=False)


@pytest.mark.parametrize(
    ("put", "said"),
    [
        ({"json": 8e-6}, "The codec is 20% of the time of one write and one read."),
        (
            {"json": 8e-6, "bson": 18e-6},
            "The codec is 10% to 20% of the time of one write and one read; json takes least.",
        ),
        (
            {"json": 8e-6, "bson": 8e-6},
            "The codec is 20% of the time of one write and one read; codecs cost the same, within 1%.",
        ),
        (
            {"json": 8e-6, "bson": 8e-6, "yaml": 18e-6},
            "The codec is 10% to 20% of the time of one write and one read; json and bson cost "
            "the same, within 1%, and the others take longer.",
        ),
    ],
)
def test_the_headline_of_a_store_is_the_codecs_share_and_the_best(put: dict[str, float], said: str) -> None:
    (answer,) = answers(View.of([in_store(put)]))

    assert answer.place == "messages in sqlite (MD)"
    assert answer.words.replace("bson and json", "json and bson") == said
    assert said.split(";")[0].rstrip(".") in "".join(Reader(page.render([in_store(put)])).text)


@pytest.mark.parametrize(
    ("slower", "said"),
    [
        ((1, 1), "In both setups codecs cost the same, within 1%; the codec is 20% of"),
        ((3, 1), "json takes least in 1 of 2 setups; the codec is 6.7% to 20% of"),
        ((3, 0.3), "json takes least in 1 of 2 setups and bson takes least in 1 of 2 setups; the codec is"),
    ],
)
def test_several_stores_have_one_answer(slower: tuple[float, float], said: str) -> None:
    part = {f"{call}-codec@{store}": 1e-6 for store in ("sqlite", "lmdb") for call in ("put", "get")}
    whole = {name.replace("-codec", ""): 5e-6 for name in part}
    times = {"sqlite": slower[0], "lmdb": slower[1]}
    other = {name: seconds * times[name.partition("@")[2]] for name, seconds in whole.items()}
    run = madeup.planted({"json": part | whole, "bson": part | other}, baseline=False)

    assert headline(answers(View.of([run]))).startswith(said)


def test_a_store_is_opened_once_for_all_of_its_records() -> None:
    cells = {"json": {"put@log": 2e-6, "put-codec@log": 1e-6, "open@log": 3e-6, "open-codec@log": 1e-6}}
    opened, put = [
        panel.words for panel in page_placed.panels(View.of([madeup.planted(cells, baseline=False)]))
    ][::-1]

    assert "put, per record, messages in log, 1,000 records (MD): json 2.000 µs, codec 50%." == put
    assert "open, messages in log, 1,000 records (MD): json 3.000 ms, codec 33%." == opened


def test_runs_of_several_corpora_say_how_many_processes_each_had() -> None:
    one = {"json": {"dump": 1e-6, "load": 1e-6}}
    runs = [madeup.planted(one, corpora=[name], processes=many) for name, many in (("x", 5), ("y", 9))]

    assert "5 to 9 processes" in "".join(Reader(page.render(runs)).text)


def test_a_page_leaves_out_what_only_a_lock_needs() -> None:
    checked = CheckFacts(3, 3, definition="message Order {}", dictionary="QUJD")
    run = madeup.planted({"json": {"dump": 1e-6, "load": 1e-6}})
    cells = tuple(replace(cell, check=checked) for cell in run.cells)
    text = page.render([replace(run, cells=cells)])
    (machine,) = json.loads(Reader(text).scripts["result"])

    assert {"records": 3, "encoded": 3, "lossy": 0, "as_is": False} == machine["cells"][0]["check"]


def test_what_the_first_corpus_lacks_is_hidden_at_first() -> None:
    one, fixed = {"dump": 1e-6, "load": 1e-6, "size": 90}, {"fix": 1e-6}
    read = Reader(
        page.render(
            [
                madeup.planted({"json": one}, corpora=["x"]),
                madeup.planted(
                    {"json": one | fixed}, corpora=["y"], outcomes={"bad": ("crashed", "SIGSEGV")}
                ),
            ]
        )
    )
    (panel,) = [attrs for attrs in read.all("figure") if attrs.get("data-operation") == "fix"]
    (absent,) = [attrs for attrs in read.all("p") if attrs.get("class") == "absent"]

    assert "hidden" in panel
    assert "hidden" in absent
    assert "1" == absent["data-views"]


def test_corpora_machine_and_types_are_described_in_words(read: Reader, words: str) -> None:
    assert "str 52.0%, int 31.0%, float 17.0%" in words
    assert "dicts whose keys are integers" in words
    raw = words[words.index("Everything that the result file says") :]
    for key in ("cpu_model", "gc_enabled"):
        assert key in raw
        assert key not in words[: -len(raw)]


def test_intervals_that_reach_far_are_cut_at_the_edge_of_a_chart() -> None:
    made = madeup.changed(
        in_store({"json": 8e-6, "bson": 9e-6}),
        sample=lambda s: replace(s, value=s.value * (100 if s.pair == 0 else 1)),
    )
    found = page_placed.panels(View.of([made]))

    assert [panel.heading for panel in found] == ["put, per record", "get, per record"]
    for panel in found:
        for row in panel.rows:
            assert 0 < row["part"] <= row["length"] <= row["end"] <= 1
            assert row["high"] <= 1


def test_the_modules_that_scripts_name_as_their_twins_exist():
    scripts = (Path(page.__file__).parent / "templates").glob("*.js")
    twins = {
        name
        for script in scripts
        for comment in re.findall(r"^ *(?://|/\*\*) .*(?:\n// .*)*", script.read_text("utf-8"), re.M)
        for name in re.findall(r"bakeoff(?:\.[a-z_]+)+", comment)
    }

    assert len(twins) > 9
    assert [] == [name for name in sorted(twins) if importlib.util.find_spec(name) is None]
