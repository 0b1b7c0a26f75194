"""Charts as files, and the rows that they draw."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

import madeup
from bakeoff.bench.results import Result
from bakeoff.errors import RunError, UsageError
from bakeoff.reports.model.candidates import BASELINE
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.view import CorpusView, View
from bakeoff.reports.page import chart_rows, charts

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def one() -> Result:
    return madeup.result(codecs=12, corpora=1, processes=6)


def view_of(result: Result, **weights: Any) -> CorpusView:
    return View.of([result], CostModel(**weights)).corpora[0]


@pytest.mark.parametrize("kind", [kind for kind in charts.KINDS if kind != "sizes"])
def test_each_kind_is_drawn_as_svg_that_parses(one: Result, kind: Any) -> None:
    """Every chart is well-formed SVG that names the codecs and refers to nothing outside."""
    text = charts.render([one], kind, "svg")
    root = ElementTree.fromstring(text)

    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert b"msgspec-msgpack/struct" in text
    assert b"href" not in text


def test_a_dark_chart_has_other_colours(one: Result) -> None:
    """The ground and everything on it; what is drawn stays the same."""
    light, dark = (charts.render([one], "pareto", "svg", dark=dark).decode() for dark in (False, True))

    assert charts.LIGHT.surface in light
    assert charts.DARK.surface in dark
    assert not [colour for colour in (charts.LIGHT.ink, *charts.LIGHT.families) if colour in dark]


def test_a_chart_is_drawn_as_png(one: Result) -> None:
    """A PNG is a PNG."""
    assert charts.render([one], "pareto", "png").startswith(PNG)


def test_hostile_names_are_text_in_a_drawing(one: Result) -> None:
    """Markup in a codec's name stays text."""
    hostile = "<script>alert(1)</script>\"'&]]>"
    text = charts.render([madeup.renamed(one, "orjson", hostile)], "bars", "svg")
    root = ElementTree.fromstring(text)

    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert any("<script>" in (element.text or "") for element in root.iter())


@pytest.mark.parametrize(("kind", "format_"), [("pie", "svg"), ("bars", "gif")])
def test_unknown_charts_are_refused_with_the_choices(one: Result, kind: Any, format_: Any) -> None:
    """A wrong kind or format names the right ones."""
    with pytest.raises(UsageError, match="there are"):
        charts.render([one], kind, format_)


def test_nothing_to_draw_is_said() -> None:
    """A result without a figure gives no empty picture."""
    with pytest.raises(RunError, match="no codec has a figure"):
        charts.render([Result(cells=(), codecs=(), corpora=())], "bars")


def test_a_missing_extra_names_the_command(one: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the charting library the user reads what to install."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UsageError, match=r"pip install 'bakeoff\[report\]'"):
        charts.render([one], "pareto")


def test_the_front_holds_what_nothing_beats(one: Result) -> None:
    """No point of the line is dearer than a smaller one, and every other point is beaten."""
    rows = chart_rows.points(view_of(one))
    edge = sorted((row for row in rows if row["edge"]), key=lambda row: row["size"])
    costs = [row["cost"] for row in edge]

    assert costs == sorted(costs, reverse=True)
    assert {row["codec"] for row in edge} <= {row["codec"] for row in rows if row["front"]}
    for row in rows:
        if not row["front"]:
            assert any(e["size"] <= row["size"] and e["cost"] <= row["cost"] for e in edge)


def test_the_baseline_is_no_competitor(one: Result) -> None:
    """The baseline has a bar of its own but no place among sizes and costs, and sets no best."""
    rows = chart_rows.bars(view_of(one), "dump")
    baseline = next(row for row in rows if row["codec"] == BASELINE)

    assert baseline["format"] == ""
    assert BASELINE not in {row["codec"] for row in chart_rows.points(view_of(one))}
    assert BASELINE not in {row["codec"] for row in chart_rows.summary([view_of(one)], "dump")}


@pytest.mark.parametrize("outcome", ["wrong", "crashed", "error"])
def test_a_failed_cell_is_never_drawn(one: Result, outcome: Any) -> None:
    """A cell with a bad outcome shows no time even when a file holds samples for it."""
    view = view_of(madeup.changed(one, "orjson", "load", outcome=outcome), reads=0.0)

    assert "orjson" not in {row["codec"] for row in chart_rows.bars(view, "load")}
    assert "orjson" not in {row["codec"] for row in chart_rows.points(view)}


def test_long_bars_are_cut_and_say_so() -> None:
    """One slow codec does not flatten the others; its figure carries the mark."""
    rows = chart_rows.bars(view_of(madeup.result(corpora=1, processes=4)), "dump")
    cut = [row for row in rows if row["cut"]]

    assert cut
    assert all(row["label"].startswith("»") for row in cut)
    assert max(row["length"] for row in rows) == 1.0


def test_a_summary_leaves_out_what_was_not_measured_everywhere() -> None:
    """The geometric mean is over all corpora or there is none."""
    views = View.of([madeup.result(corpora=5, processes=4)]).corpora
    codecs = {row["codec"] for row in chart_rows.summary(views, "dump")}

    assert "orjson" in codecs
    assert "marshal" not in codecs  # cannot do the corpus `types`


def test_formats_keep_their_colour_and_shape() -> None:
    """A format looks the same whatever else is in the chart, and unknown ones do not take its place."""
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
    """Few points behind a wide gap are drawn at the axis' end, and their names carry the figure."""
    planted = {f"p{n}": {"dump": 1e-6 + n * 1e-8, "load": 1e-6, "size": size} for n, size in enumerate(sizes)}
    rows = chart_rows.points(view_of(result_of(planted)))
    inside = [row for row in rows if row["x"] == row["size"]]

    assert [row["codec"] for row in rows if row not in inside] == beyond
    assert all(row["name"] == f"{row['codec']} → {row['size']:g} B" for row in rows if row not in inside)
    assert all(row["x"] > max(row["size"] for row in inside) for row in rows if row not in inside)


def test_names_stand_apart_in_the_order_of_cost(result_of: Any) -> None:
    """However close costs are, names are a line apart, within the ends of the axis, and keep the order."""
    planted = {f"p{n}": {"dump": 1e-6 * 1.001**n, "load": 1e-6, "size": 50 + n} for n in range(20)}
    planted |= {f"q{n}": {"dump": 2e-6 * 2.0**n, "load": 1e-6, "size": 60 + n} for n in range(6)}
    rows = sorted(chart_rows.points(view_of(result_of(planted))), key=lambda row: float(row["cost"]))
    places = [math.log(row["at"]) for row in rows]
    low, high = math.log(rows[0]["y"]), math.log(rows[-1]["y"])
    gap = (high - low) * chart_rows.NAME / chart_rows.front_height(len(rows))

    assert min(b - a for a, b in pairwise(places)) == pytest.approx(gap)
    assert low - 1e-9 <= places[0] < places[-1] <= high + 1e-9
