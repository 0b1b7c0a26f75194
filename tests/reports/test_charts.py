"""Charts as files, and the rows that they draw."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import struct
import subprocess
import sys
from functools import partial
from itertools import combinations, pairwise, product
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
from bakeoff.reports.page import arrange, axis, chart_rows, charts, draw, themes
from needed import leave_out


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

    assert themes.LIGHT.surface in light
    assert themes.DARK.surface in dark
    assert not [colour for colour in (themes.LIGHT.ink, *themes.LIGHT.families) if colour in dark]


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
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(UsageError, match=r"pip install 'bakeoff\[png\]'; a chart as \.svg needs none"):
        charts.render([one], "pareto", "png")
    assert charts.render([one], "pareto", "svg")


def test_without_a_font_there_is_no_png_without_words(
    one: ResultData, monkeypatch: pytest.MonkeyPatch
) -> None:
    resvg = pytest.importorskip("resvg_py")
    without = partial(resvg.svg_to_bytes, skip_system_fonts=True)
    monkeypatch.setattr(resvg, "svg_to_bytes", without)
    with pytest.raises(RunError, match=r"none of these is here: Arial, .*; install one, or write \.svg"):
        charts.render([one], "pareto", "png")


def test_a_png_has_words_on_a_machine_with_one_font(one: ResultData, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's servers have DejaVu only, which is none of the fonts that a chart asks for."""
    resvg = pytest.importorskip("resvg_py")
    font = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    if not font.exists():
        leave_out("a font; apt-get install fonts-dejavu-core")
    only = partial(resvg.svg_to_bytes, skip_system_fonts=True, font_files=[str(font)])
    monkeypatch.setattr(resvg, "svg_to_bytes", only)

    assert charts.render([one], "pareto", "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["pareto", "bars"])
def test_a_png_is_the_drawing_at_twice_its_size(one: ResultData, kind: Any) -> None:
    pytest.importorskip("resvg_py")
    png = charts.render([one], kind, "png")
    width, height = struct.unpack(">II", png[16:24])
    root = ElementTree.fromstring(charts.render([one], kind, "svg"))

    assert png.startswith(b"\x89PNG")
    assert (width, height) == pytest.approx(
        [2 * float(root.attrib[side]) for side in ("width", "height")], abs=2
    )


@pytest.mark.parametrize("kind", ["pareto", "bars"])
def test_a_chart_has_a_title_for_screen_readers(one: ResultData, kind: Any) -> None:
    root = ElementTree.fromstring(charts.render([one], kind, "svg"))
    title = root.find("{http://www.w3.org/2000/svg}title")

    assert title is not None
    assert title.text == root.get("aria-label")
    assert "img" == root.get("role")


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
    few = themes.looks(["msgpack"], themes.LIGHT)
    many = themes.looks(["avro", "json", "msgpack", "its own"], themes.LIGHT)

    assert few["msgpack"] == many["msgpack"]
    assert (
        4 == len({look["color"] for look in many.values()}) == len({look["shape"] for look in many.values()})
    )


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
    sizes = [rng.choice([80, 100, 120, 121, 400, 90_000]) for _ in range(rng.randint(1, 30))]
    spread = rng.choice([0.3, 1.0, 30.0, 1e4])
    return [
        {
            "codec": f"p{n}",
            "corpus": rng.choice("ab"),
            "format": rng.choice(["json", "msgpack", "its own"]),
            "name": rng.choice(["", f"codec {n}", f"msgpack/list-hook+schema {n}", f'"<&é→ {n}']),
            "tip": f"p{n} & more",
            "x": size if rng.random() < 0.8 else 100,
            "y": rng.choice([1e-6, 1.01e-6, 1e-6 * (1 + spread * rng.random())]),
            "lossy": rng.random() < 0.2,
            "front": (front := rng.random() < 0.3),
            "edge": front and rng.random() < 0.8,
        }
        for n, size in enumerate(sizes)
    ]


def stretched(rng: random.Random) -> list[dict[str, Any]]:
    rows = []
    parts = rng.random() < 0.3
    for n in range(rng.randint(1, 25)):
        length = rng.random()
        known = rng.random() < 0.7
        row = {
            "codec": rng.choice(
                ["orjson", f"msgspec-msgpack/struct+schema|zstd {n}", "日本語のコーデック" * 3]
            ),
            "format": rng.choice(["json", "msgpack", "its own", ""]),
            "length": length,
            "low": length * 0.9 if known else None,
            "high": length * 1.1 if known else None,
            "end": length * 1.1,
            "cut": 0.91 if rng.random() < 0.1 else None,
            "lossy": rng.random() < 0.2,
            "label": f"{n} µs ±1.2%",
        }
        rows.append(row | ({"part": length / 3} if parts else {}))
    return rows


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@pytest.mark.parametrize("kind", ["front", "bars"])
def test_the_page_draws_as_python_does(kind: str) -> None:
    """The script's twin gives the same elements at the same pixels, for narrow drawings and wide ones."""
    rng = random.Random(7)
    made = {"front": scattered, "bars": stretched}[kind]
    cases = [(made(rng), rng.choice([300, 640, 1080])) for _ in range(60)]
    pen = draw.Pen.of(["json", "msgpack", "its own"], themes.PAGE)
    state = {"charts": {"looks": pen.looks}, "axes": chart_rows.axes()}
    templates = Path(draw.__file__).parent / "templates"
    names = ("numbers.js", "ranking.js", "arrange.js", "draw.js")
    ask = f"""{"".join((templates / name).read_text("utf-8") for name in names)}
        const {{ state, cases }} = JSON.parse(require("node:fs").readFileSync(0, "utf-8"));
        console.log(JSON.stringify(cases.map(([rows, width]) => {kind}(rows, width))));"""
    done = subprocess.run(
        [str(NODE), "-e", ask],
        input=json.dumps({"state": state, "cases": cases}),
        capture_output=True,
        text=True,
        check=True,
    )

    for (rows, width), theirs in zip(cases, json.loads(done.stdout), strict=True):
        ours = getattr(draw, kind)(rows, pen, width).svg()
        assert NUMBER.sub("0", ours) == NUMBER.sub("0", theirs)
        # The last digit of a logarithm may differ, and with it the way a pixel is rounded.
        assert [*map(float, NUMBER.findall(theirs))] == pytest.approx(
            [*map(float, NUMBER.findall(ours))], abs=0.11
        )


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def corners(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]


def texts(drawing: ElementTree.Element) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Return the texts of a drawing with the room that they take at most."""
    found = []
    for each in drawing.iter("text"):
        text, size = each.text or "", float(each.get("font-size", 0))
        long = arrange.wide(text, size)
        if turned := re.fullmatch(r"translate\((.*),(.*)\) rotate\(-90\)", each.get("transform", "")):
            x, y = map(float, turned.groups())
            found.append((text, (x - 5, y - long / 2, x + 5, y + long / 2)))
            continue
        left = float(each.get("x", 0)) - {"middle": long / 2, "end": long}.get(each.get("text-anchor", ""), 0)
        base = float(each.get("y", 0))
        found.append((text, (left, base - 9, left + long, base + 1)))
    return found


def touching(found: list[tuple[str, tuple[float, float, float, float]]]) -> list[tuple[str, str]]:
    return [
        (one, other)
        for (one, a), (other, b) in combinations(found, 2)
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


def parts(path: str) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return [*pairwise(corners(path))]


@pytest.mark.parametrize("width", [330, 640, 1108])
@pytest.mark.parametrize("seed", range(12))
def test_no_text_touches_another_or_the_frontier(width: int, seed: int) -> None:
    rng = random.Random(seed)
    planted = {
        f"codec-{n}": {"dump": 1e-6 * 4 ** rng.random(), "load": 1e-6, "size": rng.randint(100, 320)}
        for n in range(10)
    }
    rows = chart_rows.points(view_of(madeup.planted(planted, baseline=False)))
    pen = draw.Pen.of([row["format"] for row in rows], themes.PAGE)
    drawing = ElementTree.fromstring(draw.front(rows, pen, width).svg())
    found = texts(drawing)
    lines = [each.get("d", "") for each in drawing.iter("path") if each.get("stroke-opacity") == ".55"]

    assert {row["name"] for row in rows} <= {text for text, _ in found}
    assert [] == touching(found)
    for (text, box), ((x1, y1), (x2, y2)) in product(found, [one for line in lines for one in parts(line)]):
        crossed = (
            min(x1, x2) < box[2] and max(x1, x2) > box[0] and min(y1, y2) < box[3] and max(y1, y2) > box[1]
        )
        assert not crossed, text


@pytest.mark.parametrize("seed", range(12))
def test_no_text_of_lines_over_sizes_touches_another(seed: int) -> None:
    rng = random.Random(seed)
    rows = [
        {
            "codec": f"codec-{n}",
            "format": "json",
            "size": 16.0 * 4**step,
            "pace": pace * rng.uniform(0.8, 1.2),
        }
        for n in range(rng.choice([1, 5, 30]))
        for pace in [10 ** rng.uniform(-12, rng.choice([-11.9, -6]))]
        for step in range(rng.choice([2, 6, 12]))
    ]
    drawing = ElementTree.fromstring(draw.sizes(rows, draw.Pen.of(["json"], themes.PAGE), 780).svg())

    assert [] == touching(texts(drawing))


def test_the_line_is_named_where_there_is_one() -> None:
    two = {
        "small": {"dump": 2e-6, "load": 1e-6, "size": 50},
        "fast": {"dump": 1e-6, "load": 1e-6, "size": 90},
    }
    one = {
        "best": {"dump": 1e-6, "load": 1e-6, "size": 50},
        "worse": {"dump": 2e-6, "load": 1e-6, "size": 90},
    }
    drawn = [charts.render([madeup.planted(each, baseline=False)]).decode() for each in (two, one)]

    assert [True, False] == [draw.FRONTIER in text for text in drawn]


@pytest.mark.parametrize(
    ("values", "logarithmic", "labels"),
    [
        ((218, 299), False, [220, 240, 260, 280, 300]),
        ((218, 437), True, [250, 300, 350, 400, 450]),
        ((100, 100), False, [90, 95, 100, 105, 110]),
        ((1e-7, 9e-6), True, [1e-7, 2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5]),
    ],
)
def test_an_axis_is_logarithmic_only_over_a_wide_range(
    values: tuple[float, ...], logarithmic: bool, labels: list[float]
) -> None:
    found = axis.Axis.of(values, 640, 34)

    assert logarithmic == found.logarithmic
    assert labels == pytest.approx(found.ticks())
    assert all(0 <= found.share(tick) <= 1 for tick in found.ticks())


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
