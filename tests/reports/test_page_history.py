"""The page of a history: each line has its own color and dashes, and a name."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

import madeup
from bakeoff.bench.results import ResultData
from bakeoff.reports.decide.history import history
from bakeoff.reports.page.history import render

MANY = {f"codec-{n}": {"load": 1e-6 * (n + 1)} for n in range(40)}
LINE = re.compile(r'<g class="steady" style="([^"]*)"><polyline')
KEY = re.compile(r'style="([^"]*)"><path [^>]*/></g></svg>([^<]*)</li>')


def test_every_line_has_a_look_of_its_own_which_the_legend_names() -> None:
    page = render(history(madeup.weekly(6, MANY, processes=3)))
    lines, keys = LINE.findall(page), KEY.findall(page)

    assert len(MANY) == len(set(lines))
    assert sorted(lines) == sorted(style for style, _ in keys)
    assert set(MANY) == {name for _, name in keys}
    for (one, _), (other, _) in pairwise(keys):
        assert not set(one.split("; ")) & set(other.split("; "))


def test_a_changed_line_is_in_the_legend_of_its_chart() -> None:
    runs = madeup.weekly(16, change=("orjson", "load", 1.2), at=9, apart=0.002)
    page = render(history(runs, operations=["load"]))

    assert ["orjson", "json"] == [name for _, name in KEY.findall(page)]
    assert "Thick: with a change point. Thin: without one." in page


TWICE = {name: {"dump": 2e-6, "load": 4e-6, "size": 1500} for name in ("orjson", "json")}
LOAD = ("orjson", "load", 1.2)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (madeup.weekly(16, change=LOAD, at=9, apart=0.002), "orjson load 1.20× slower since 2026-03-09"),
        (madeup.weekly(6, {"orjson": {"size": 50}}), "No figure changed"),
        (
            [
                *madeup.weekly(8),
                *(replace(run, started=f"2027{run.started[4:]}") for run in madeup.weekly(8, TWICE)),
            ],
            "4 of 6 figures changed",
        ),
    ],
)
def test_the_headline_says_what_changed(runs: list[ResultData], said: str) -> None:
    page = render(history(runs))

    assert [said] == re.findall("<h1[^>]*>([^<]*)<", page)


def test_an_operation_that_never_changed_is_named_instead_of_drawn() -> None:
    figures = {name: {"load": 1e-6, "size": 50} for name in ("orjson", "json")}
    page = render(history(madeup.weekly(6, figures, noise=0.0)))

    assert "size never changed (no chart)" in page
    assert "not drawn" not in page
