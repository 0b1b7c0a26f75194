"""Tables of codecs in stores, and those of two posts, of results that are made up."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from bakeoff.bench.results import StoreFacts
from bakeoff.errors import UsageError
from bakeoff.reports import render
from bakeoff.reports.model.placed import STORES, kind_of_all
from madeup import changed, planted

TOTAL, PART, FLOOR = 8e-6, 2e-6, 6.5e-6


def measured(store: str, *states: str, times: float = 1.0) -> dict[str, float]:
    found = {}
    for state in states:
        for operation in ("put", "get", "update", "scan", "put-batch", "open"):
            where = f"@{store}:{state}"
            found |= {
                f"{operation}{where}": TOTAL * times,
                f"{operation}-codec{where}": PART * times,
                f"{operation}-baseline{where}": FLOOR * times,
            }
        found[f"stored@{store}:{state}"] = 200
    return found


def results(*states: str, **more: object):
    names = ("sqlite", "kyoto", "log")
    figures = {
        codec: {k: v for store in names for k, v in measured(store, *states, times=times).items()}
        for codec, times in (("json", 3.0), ("msgpack", 1.0))
    }
    for codec in figures:
        for name in [
            name for name in figures[codec] if name.startswith(("get-", "scan-")) and "@log" in name
        ]:
            del figures[codec][name]
        for state in states:
            figures[codec][f"open-nogc@log:{state}"] = TOTAL / 2
    return planted(figures, corpora=("movies",), baseline=False, **more)


def test_total_codec_share_and_baseline_stand_side_by_side():
    rows = list(csv.DictReader(io.StringIO(render([results("MD")], "csv"))))
    first = {(row["store"], row["codec"]): row for row in rows if "put, get" in row["corpus"]}

    assert 6 == len(first)
    row = first["sqlite", "json"]
    near = pytest.approx
    assert near([3 * TOTAL, 3 * PART, 3 * FLOOR], rel=0.01) == [
        float(row[key]) for key in ("put", "put-codec", "put-baseline")
    ]
    assert near(0.25, rel=0.01) == float(row["put-share"])
    assert ("", "", True) == (
        first["log", "json"]["get-codec"],
        first["log", "json"]["get-share"],
        first["log", "json"]["get"] != "",
    )
    last = {(row["store"], row["codec"]): row for row in rows if "open" in row["corpus"]}
    assert near(1_000 * TOTAL, rel=0.01) == float(last["kyoto", "msgpack"]["open"])
    assert near(1_000 * TOTAL / 2, rel=0.01) == float(last["log", "msgpack"]["open-nogc"])
    assert 200 == float(last["kyoto", "msgpack"]["stored"])


@pytest.mark.parametrize("form", ["text", "md", "rst", "latex", "html", "json"])
def test_every_output_has_the_tables(form):
    text = render([results("SM", "LG")], form)

    for state in ("100 records (SM)", "50,000 records (LG)"):
        for operations in ("put, get", "update, scan", "put at once, open"):
            assert f"movies in stores of {state}: {operations}" in text.replace("\\", "")
    assert text.index("sqlite") < text.index("kyoto")
    assert text.index("msgpack") < text.index("json", text.index("sqlite") if form != "json" else 0)


def test_terms_and_clock_stand_below():
    facts = StoreFacts({"synchronous": "normal"}, clock_added_ns=48.2, clock_counted_ns=20.9)
    text = render([changed(results("MD"), operation="stored@sqlite:MD", facts=facts)])

    assert "sqlite: synchronous=normal" in text
    assert "the codec's clock adds 48 ns to a call; the 21 ns of them that it counts are subtracted" in text


def test_what_failed_says_why():
    made = results("MD")
    bad = {"outcome": "error", "reason": "no space left", "samples": ()}
    cells = [
        replace(cell, **bad)
        if cell.cell.codec == "json" and cell.cell.place == "kyoto"
        else replace(cell, **bad | {"reason": "too slow"})
        if cell.cell.name == "movies/get@sqlite:MD/msgpack"
        else cell
        for cell in made.cells
    ]
    rows = list(csv.DictReader(io.StringIO(render([replace(made, cells=tuple(cells))], "csv"))))
    text = render([replace(made, cells=tuple(cells))])

    assert "json in kyoto: error: no space left" in text
    assert "[a] get@sqlite:MD: too slow" in text
    failed = next(
        row for row in rows if (row["store"], row["codec"], row["get"]) == ("sqlite", "msgpack", "error")
    )
    assert ("error", "get@sqlite:MD: too slow") == (failed["outcome"], failed["reason"])
    assert 5 == len([row for row in rows if "put, get" in row["corpus"]])


def test_the_post_of_2011_stands_beside_ours():
    table = json.loads(render([results("MD")], "json", layout="kyoto"))
    (section,) = table["sections"]
    rows = {row["codec"]: row["entries"] for row in section["rows"]}

    assert "movies: seconds for 100,000 records" == section["corpus"]
    assert 1.23 == rows["Kyoto Cabinet, JSON"]["then"]["value"]
    assert pytest.approx(2.4, rel=0.01) == rows["Kyoto Cabinet, JSON"]["now"]["value"]
    assert pytest.approx(0.6, rel=0.01) == rows["Kyoto Cabinet, JSON"]["codec-now"]["value"]
    assert pytest.approx(1.65 / 0.8, rel=0.01) == rows["Kyoto Cabinet, MessagePack"]["x"]["value"]
    assert "put-batch@sqlite, json" == rows["SQL, bulk insert"]["as"]["text"]
    assert "not measured: --store sqlmodel" == rows["Elixir; SQLModel"]["as"]["text"]
    assert "no codec has a part in it" == rows["update in one statement"]["as"]["text"]


def test_the_post_of_2013_has_four_operations_at_three_sizes():
    """A column for each store; a list of users is one of all users."""
    table = json.loads(render([results("SM", "MD", "LG")], "json", layout="acidstate"))
    sections = {section["corpus"]: section for section in table["sections"]}

    assert {"movies, json", "movies, msgpack"} == set(sections)
    rows = {row["codec"]: row["entries"] for row in sections["movies, msgpack"]["rows"]}
    whats = ("insert user", "list users", "insert item", "look up user")
    assert [f"{what}, {size}" for what in whats for size in ("SM", "MD", "LG")] == list(rows)
    assert pytest.approx(TOTAL, rel=0.01) == rows["insert user, LG"]["sqlite"]["value"]
    assert pytest.approx(50_000 * TOTAL, rel=0.01) == rows["list users, LG"]["sqlite"]["value"]
    assert rows["list users, LG"]["sqlite"]["text"].endswith(" ms")


@pytest.mark.parametrize(
    ("layout", "row", "column"),
    [("kyoto", "Kyoto Cabinet, JSON", "now"), ("acidstate", "insert user, MD", "kyoto")],
)
def test_the_posts_say_what_failed_and_how_exact_a_figure_is(layout, row, column):
    made = results("MD")
    reason = "put@kyoto:MD raised OSError: no space left"
    failed = changed(made, operation="put@kyoto:MD", outcome="error", reason=reason, samples=())
    read = [
        next(
            each
            for each in csv.DictReader(io.StringIO(render([result], "csv", layout=layout)))
            if row in each.values()
        )
        for result in (made, failed)
    ]

    assert float(read[0][f"{column}_low"]) <= float(read[0][column]) <= float(read[0][f"{column}_high"])
    assert "error" == read[1][column]
    assert f"[a] {reason}" in render([failed], layout=layout)


def test_the_layout_follows_what_was_measured():
    codecs = planted(corpora=("movies",))

    assert kind_of_all([results("MD")]) == STORES
    assert not kind_of_all([codecs])
    assert "in stores of" not in render([codecs])
    assert "put@sqlite:MD" in render([results("MD")], "csv", columns="codec,put@sqlite:MD")
    for layout in ("stores", "kyoto", "acidstate"):
        with pytest.raises(UsageError, match="nothing was measured in a store"):
            render([codecs], layout=layout)
        with pytest.raises(UsageError, match=f"the layout {layout} takes no option sort"):
            render([results("MD")], layout=layout, sort="put")
    with pytest.raises(UsageError, match="no layout 'kioto'"):
        render([codecs], layout="kioto")


def with_rare(dear: int, rare: float):
    return changed(
        results("MD"), operation="put@sqlite:MD", sample=lambda sample: replace(sample, dear=dear, rare=rare)
    )


def test_where_too_few_rare_calls_were_seen_it_says_so():
    said = "in sqlite few slow calls were seen that take much of the time of put (40%)"

    assert said in render([with_rare(1, 0.4)])
    assert "few slow calls" not in render([with_rare(2, 0.4)])
    assert "few slow calls" not in render([with_rare(0, 0.0)])
    assert "few slow calls" not in render([with_rare(1, 0.001)])


def test_sizes_alone_are_a_table_of_codecs() -> None:
    result = planted({"json": {"size": 20}, "msgpack": {"size": 10}}, corpora=("movies",), baseline=False)

    assert kind_of_all([result]) == ""
