"""Shares of codecs in stores and pipelines: their part is measured by itself, and may exceed the whole."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from bakeoff.bench.results import ResultData
from bakeoff.reports import render
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.decide.pick_placed import in_place, said
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.view import View
from bakeoff.reports.page.placed import panels
from madeup import planted


def in_store(part: float) -> ResultData:
    """A run in a store, in which the codec's part came out as a share of the whole."""
    names = ("put", "get", "update", "scan", "put-batch", "open")
    return _made({f"{name}{{}}@sqlite:MD": 8e-6 for name in names}, "stored@sqlite:MD", part)


def through_pipe(part: float) -> ResultData:
    """The same through a pipe."""
    return _made({"cpu{}@pipe:1": 8e-6, "latency-p99{}@pipe:1": 1e-3}, "size", part)


def _made(wholes: dict[str, float], size: str, part: float) -> ResultData:
    figures: dict[str, dict[str, float]] = {}
    for codec, times in (("json", 2.0), ("msgpack", 1.0)):
        figures[codec] = {size: 100.0}
        for name, value in wholes.items():
            figures[codec] |= {name.format(""): value * times}
            if not name.startswith("latency"):
                figures[codec] |= {name.format("-codec"): value * times * part}
    return planted(figures, corpora=("movies",), baseline=False, noise=0.0)


Made = Callable[[float], ResultData]


def shares(text: str) -> set[str]:
    """Return what is written as a share near the whole or above it, except in the notes that explain it."""
    return set(re.findall(r"[≈>]?1\d\d ?%", re.sub(r"the codec's part came out as \d+%", "", text)))


@pytest.mark.parametrize("made", [in_store, through_pipe])
@pytest.mark.parametrize("form", ["text", "md", "rst", "html"])
@pytest.mark.parametrize(
    ("part", "written"), [(0.95, set()), (1.0, {"100%"}), (1.05, {"≈100%"}), (1.5, {">100%"})]
)
def test_a_share_above_the_whole_is_explained(made: Made, form: str, part: float, written: set[str]) -> None:
    body = render([made(part)], form).partition("</style>")
    text = html.unescape(re.sub("<[^>]*>", "", body[2] or body[0]))

    assert (f"the codec's part came out as {part:.0%} of the whole" in text) == (part > 1)
    assert written == shares(text)


@pytest.mark.parametrize("made", [in_store, through_pipe])
@pytest.mark.parametrize(
    ("part", "drawn", "written"), [(0.95, 0.95, set()), (1.05, 1.0, {"≈100%"}), (1.5, 1.0, {">100%"})]
)
def test_a_bar_is_never_longer_than_the_whole(
    made: Made, part: float, drawn: float, written: set[str]
) -> None:
    found = panels(View.of([made(part)]))

    assert found
    for panel in found:
        assert {drawn} == {round(row["part"] / row["length"], 2) for row in panel.rows}
        assert written == shares(panel.words)


@pytest.mark.parametrize("made", [in_store, through_pipe])
@pytest.mark.parametrize(("part", "written"), [(0.95, set()), (1.05, {"≈100%"}), (1.5, {">100%"})])
def test_so_is_that_of_the_picked_codec(made: Made, part: float, written: set[str]) -> None:
    cost = CostModel.of(None)
    asked, known = in_place([made(part)], Requirements(cost=cost), None)

    assert written == shares("\n".join(said(asked, pick(asked, known))))


def test_machine_formats_have_the_figure() -> None:
    assert "1.05" in render([in_store(1.05)], "csv")
