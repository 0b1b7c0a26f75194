"""Charts as files, and the rows that they draw."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import madeup
from bakeoff.bench.results import ResultData
from bakeoff.errors import RunError, UsageError
from bakeoff.reports.model.candidates import BASELINE
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.view import CorpusView, View
from bakeoff.reports.page import arrange, chart_rows, charts


@pytest.fixture(scope="module")
def one() -> ResultData:
    return madeup.result(codecs=12, corpora=1, processes=6)


def view_of(result: ResultData, **weights: Any) -> CorpusView:
    return View.of([result], CostModel(**weights)).corpora[0]


@pytest.mark.parametrize("kind", [kind for kind in charts.KINDS if kind != "sizes"])
def test_each_kind_is_drawn_as_svg_that_parses(one: ResultData, kind: Any) -> None:
    text = charts.render([one], kind, "svg")
    root = ElementTree.fromstring(text)

    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert b"msgspec-msgpack/struct" in text
    assert b"href" not in text


def test_a_dark_chart_has_other_colours(one: ResultData) -> None:
    light, dark = (charts.render([one], "pareto", "svg", dark=dark).decode() for dark in (False, True))

    assert charts.LIGHT.surface in light
    assert charts.DARK.surface in dark
    assert not [colour for colour in (charts.LIGHT.ink, *charts.LIGHT.families) if colour in dark]


def test_hostile_names_are_text_in_a_drawing(one: ResultData) -> None:
    hostile = "<script>alert(1)</script>\"'&]]>"
    text = charts.render([madeup.renamed(one, "orjson", hostile)], "bars", "svg")
    root = ElementTree.fromstring(text)

    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert any("<script>" in (element.text or "") for element in root.iter())


@pytest.mark.parametrize(("kind", "format_"), [("pie", "svg"), ("bars", "gif")])
def test_unknown_charts_are_refused_with_the_choices(one: ResultData, kind: Any, format_: Any) -> None:
    with pytest.raises(UsageError, match="there are"):
        charts.render([one], kind, format_)


def test_nothing_to_draw_is_said() -> None:
    with pytest.raises(RunError, match="no codec has a figure"):
        charts.render([ResultData(cells=(), codecs=(), corpora=())], "bars")


def test_a_missing_extra_names_the_command(one: ResultData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UsageError, match=r"pip install 'bakeoff\[report\]'"):
        charts.render([one], "pareto")


def test_the_front_holds_what_nothing_beats(one: ResultData) -> None:
    rows = chart_rows.points(view_of(one))
    edge = sorted((row for row in rows if row["edge"]), key=lambda row: row["size"])
    costs = [row["cost"] for row in edge]

    assert costs == sorted(costs, reverse=True)
    assert {row["codec"] for row in edge} <= {row["codec"] for row in rows if row["front"]}
    for row in rows:
        if not row["front"]:
            assert any(e["size"] <= row["size"] and e["cost"] <= row["cost"] for e in edge)


def test_the_baseline_is_no_competitor(one: ResultData) -> None:
    rows = chart_rows.bars(view_of(one), "dump")
    baseline = next(row for row in rows if row["codec"] == BASELINE)

    assert baseline["format"] == ""
    assert BASELINE not in {row["codec"] for row in chart_rows.points(view_of(one))}
    assert BASELINE not in {row["codec"] for row in chart_rows.summary([view_of(one)], "dump")}


@pytest.mark.parametrize("outcome", ["wrong", "crashed", "error"])
def test_a_failed_cell_is_never_drawn(one: ResultData, outcome: Any) -> None:
    view = view_of(madeup.changed(one, "orjson", "load", outcome=outcome), reads=0.0)

    assert "orjson" not in {row["codec"] for row in chart_rows.bars(view, "load")}
    assert "orjson" not in {row["codec"] for row in chart_rows.points(view)}


def lengths(*microseconds: float) -> list[tuple[float, bool]]:
    """Return how long the bars of dumps are drawn, and whether they are cut."""
    planted = {f"p{n}": {"dump": t * 1e-6, "load": 1e-6, "size": 50} for n, t in enumerate(microseconds)}
    rows = chart_rows.bars(view_of(madeup.planted(planted, baseline=False, noise=0.0)), "dump")
    return [(row["length"], row["cut"] is not None) for row in rows]


def test_only_bars_far_beyond_the_others_are_cut() -> None:
    assert [cut for _, cut in lengths(0.4, 0.5, 0.6, 0.7, 0.8, 2.1, 2.67, 36.2)] == [False] * 7 + [True]
    (json, _), (simplejson, _), (yaml, _) = lengths(0.4, 0.5, 0.6, 0.7, 0.8, 2.1, 2.67, 36.2)[-3:]
    assert simplejson / json == pytest.approx(2.67 / 2.1, rel=1e-3)
    assert yaml == 1.0


def test_bars_that_are_cut_keep_their_order() -> None:
    found = lengths(1, 1.1, 1.2, 1.3, 1.4, 1.5, 40, 90, 2900)

    assert [cut for _, cut in found] == [False] * 6 + [True] * 3
    assert found == sorted(set(found))


def test_a_summary_leaves_out_what_was_not_measured_everywhere() -> None:
    views = View.of([madeup.result(corpora=5, processes=4)]).corpora
    codecs = {row["codec"] for row in chart_rows.summary(views, "dump")}

    assert "orjson" in codecs
    assert "marshal" not in codecs  # cannot do the corpus `types`


def test_formats_keep_their_colour_and_shape() -> None:
    few = charts._scale(["msgpack"], charts.LIGHT.families)
    many = charts._scale(["avro", "json", "msgpack"], charts.LIGHT.families)

    assert few["range"] == [many["range"][many["domain"].index("msgpack")]]
    assert len(set(many["range"])) == 3


@pytest.mark.parametrize(
    ("sizes", "beyond"),
    [
        ((59, 69, 79, 93, 124, 421), ["p5"]),
        ((59, 69, 79, 93, 124, 200), []),
        ((59, 59, 59, 400), ["p3"]),
        ((59, 400, 410), []),
        ((59, 60, 61, 62, 63, 64, 65, 66, *range(67, 75), 400, 410), ["p16", "p17"]),
    ],
)
def test_an_outlier_does_not_take_the_axis(result_of: Any, sizes: tuple[int, ...], beyond: list[str]) -> None:
    planted = {f"p{n}": {"dump": 1e-6 + n * 1e-8, "load": 1e-6, "size": size} for n, size in enumerate(sizes)}
    rows = chart_rows.points(view_of(result_of(planted)))
    inside = [row for row in rows if row["x"] == row["size"]]

    assert [row["codec"] for row in rows if row not in inside] == beyond
    assert all(row["name"] == f"{row['codec']} → {row['size']:g} B" for row in rows if row not in inside)
    assert all(row["x"] > max(row["size"] for row in inside) for row in rows if row not in inside)


NODE = shutil.which("node")


def scattered(rng: random.Random) -> list[dict[str, Any]]:
    sizes = [rng.choice([80, 100, 120, 121, 400]) for _ in range(rng.randint(1, 30))]
    return [
        {
            "codec": f"p{n}",
            "corpus": "c",
            "name": rng.choice(["", f"codec {n}", f"msgpack/list-hook+schema {n}"]),
            "x": size,
            "y": rng.choice([1e-6, 1.01e-6, 2e-6, 3e-5 * rng.random() + 1e-6]),
            "front": rng.random() < 0.2,
        }
        for n, size in enumerate(sizes)
    ]


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_the_page_places_names_as_python_does() -> None:
    """The script's twin gives the same pixels, for narrow drawings and wide ones."""
    rng = random.Random(7)
    cases = [(scattered(rng), rng.choice([300, 640, 1080])) for _ in range(40)]
    templates = Path(arrange.__file__).parent / "templates"
    sources = [(templates / name).read_text("utf-8") for name in ("ranking.js", "arrange.js")]
    height, span = arrange.HEIGHT, chart_rows.LEAST_SPAN
    ask = f"""{"".join(sources)}
        const state = {{}};
        const cases = JSON.parse(require("node:fs").readFileSync(0, "utf-8"));
        const found = cases.map(([rows, width]) => arranged(rows, width, {height}, {span}));
        console.log(JSON.stringify(found));"""
    done = subprocess.run(
        [str(NODE), "-e", ask], input=json.dumps(cases), capture_output=True, text=True, check=True
    )

    for (rows, width), theirs in zip(cases, json.loads(done.stdout), strict=True):
        ours = arrange.arranged(rows, width)
        assert theirs["x"] == pytest.approx(ours.x)
        for row, other in zip(ours.rows, theirs["rows"], strict=True):
            assert other == pytest.approx(row)


def test_names_are_at_their_points(result_of: Any) -> None:
    planted = {f"p{n}": {"dump": 1e-6 * 1.001**n, "load": 1e-6, "size": 50} for n in range(12)}
    planted |= {f"q{n}": {"dump": 2e-6 * 2.0**n, "load": 1e-6, "size": 60 + n} for n in range(6)}
    rows = arrange.arranged(chart_rows.points(view_of(result_of(planted))), 640).rows
    near = [row for row in rows if row["lx"] is None]

    assert {f"q{n}" for n in range(6)} <= {row["codec"] for row in near}
    for row in near:
        assert math.dist((row["px"], row["py"]), (row["nx"], row["ny"])) < 16
    for a, b in combinations(rows, 2):
        assert abs(a["px"] - b["px"]) >= 5 or abs(a["py"] - b["py"]) >= 5
        assert a["align"] != b["align"] or abs(a["ny"] - b["ny"]) >= 11 or abs(a["nx"] - b["nx"]) >= 11
