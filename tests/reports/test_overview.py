"""The overview of several corpora: the shape of their records, and who leads on each."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

import madeup
from bakeoff.bench.results import Fact, ResultData
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.shape import FACETS, Shape
from bakeoff.reports.model.view import View
from bakeoff.reports.page.overview import Overview, overview
from bakeoff.reports.page.page import render

PAGE_BYTES = 500_000

SMALL = {"dump": 1e-6, "load": 9e-6, "size": 100}
FAST = {"dump": 2e-6, "load": 2e-6, "size": 90}


def overview_of(*results: ResultData, cost: CostModel | None = None) -> Overview:
    found = overview(View.of(results, cost).corpora)
    assert found is not None
    return found


def collected(**kinds: Mapping[str, Mapping[str, float]]) -> list[ResultData]:
    """Return a result for each corpus, from its codecs with their figures."""
    return [
        madeup.shaped(madeup.planted(codecs), name, number)
        for number, (name, codecs) in enumerate(kinds.items(), start=1)
    ]


@pytest.mark.parametrize(
    ("profile", "classes"),
    [
        (madeup.SHAPES["flat"], {"size": "tiny", "values": "text", "nesting": "flat", "kind": "dicts"}),
        (madeup.SHAPES["events"], {"size": "medium", "values": "text", "nesting": "nested", "kind": "dicts"}),
        (
            madeup.SHAPES["shapes"],
            {"size": "small", "values": "numbers", "nesting": "nested", "kind": "lists"},
        ),
        (
            madeup.SHAPES["frames"],
            {"size": "large", "values": "numbers", "nesting": "flat", "kind": "arrays"},
        ),
        (
            madeup.SHAPES["orders"],
            {"size": "small", "values": "mixed", "nesting": "flat", "kind": "objects", "texts": "ascii"},
        ),
        (
            {"type_float": 1.0, "depth_max": 0, "record_other": 1.0},
            {"values": "numbers", "nesting": "flat", "kind": "numbers"},
        ),
        (
            {"type_str": 1.0, "depth_max": 0, "record_other": 1.0, "ascii_share": 0.75},
            {"values": "text", "nesting": "flat", "kind": "texts", "texts": "some"},
        ),
        (
            {"type_str": 0.5, "type_dict": 0.5, "depth_max": 1, "ascii_share": 0.25},
            {"values": "text", "nesting": "flat", "kind": "dicts", "texts": "non-ascii"},
        ),
    ],
)
def test_records_have_a_class_of_each_facet(profile: Mapping[str, Fact], classes: dict[str, str]) -> None:
    shape = Shape.of(profile)

    assert shape is not None
    assert classes == shape.classes
    assert all(classes[facet.key] in facet.classes for facet in FACETS if facet.key in classes)


def test_shares_are_of_the_values_that_hold_no_others() -> None:
    shape = Shape.of({"type_str": 0.3, "type_int": 0.1, "type_dict": 0.4, "type_list": 0.2, "depth_max": 2})

    assert shape is not None
    assert pytest.approx([0.75, 0.25]) == [shape.text, shape.numbers]


def test_records_without_a_profile_have_no_shape() -> None:
    runs = [madeup.planted(corpora=("a", "b", "c"))]
    (row, *_) = overview_of(*runs).rows

    assert Shape.of({}) is None
    assert {"–"} == set(row.shape.values())
    assert () == overview_of(*runs).filters


def test_few_corpora_have_no_overview() -> None:
    assert overview(View.of([madeup.result(corpora=2)]).corpora) is None
    assert 'id="overview"' not in render([madeup.result(corpora=2, codecs=4, processes=2)])


def test_filters_have_the_classes_that_occur_and_tell_corpora_apart() -> None:
    codecs = {"json": FAST, "msgpack": SMALL}
    found = overview_of(*collected(flat=codecs, events=codecs, names=codecs)).filters
    shown = {each.key: list(each.classes) for each in found}

    # All are dicts of mostly texts on one machine.
    assert {
        "size": ["tiny", "small", "medium"],
        "nesting": ["flat", "nested"],
        "texts": ["ascii", "non-ascii"],
    } == shown


def test_a_row_names_the_leader_and_how_far_it_is_ahead() -> None:
    codecs = {"orjson": FAST, "json": {"dump": 4e-6, "load": 4e-6, "size": 90}, "msgpack": SMALL}
    lead = overview_of(*collected(flat=codecs, events=codecs, names=codecs)).rows[0].lead

    assert ("orjson", "") == (lead.names, lead.remark)
    assert "json" == lead.next.remark
    assert 2.0 == pytest.approx(float(lead.next.text.rstrip("×")), rel=0.01)
    assert 2.5 == pytest.approx(float(lead.others["msgpack"].text.rstrip("×")), rel=0.01)


def test_at_the_reads_that_a_row_names_the_other_codec_leads() -> None:
    codecs = {"orjson": FAST, "msgpack": {"dump": 1e-6, "load": 3.5e-6, "size": 90}}
    results = collected(flat=codecs, events=codecs, names=codecs)
    here = overview_of(*results).rows[0].lead
    turn = re.fullmatch(r"msgpack up to (0\.6\d*) reads", here.turns)

    # Both costs are equal at two thirds of a read.
    assert "orjson" == here.names
    assert turn
    assert "msgpack" == overview_of(*results, cost=CostModel(float(turn[1]))).rows[0].lead.names


def test_a_codec_of_another_version_is_compared_too() -> None:
    codecs = {"orjson": FAST, "json": {"dump": 4e-6, "load": 4e-6, "size": 90}}
    first, *others = collected(flat=codecs, events=codecs, names=codecs)
    newer = replace(first, codecs=tuple(replace(codec, version="9") for codec in first.codecs))
    lead = overview_of(newer, *others).rows[0].lead

    assert "json @9" == lead.next.remark
    assert 2.0 == pytest.approx(float(lead.others["json"].text.rstrip("×")), rel=0.01)


def test_ties_and_what_is_not_known_are_said() -> None:
    near = {"orjson": FAST, "msgpack": FAST}
    tie, unsure, few, *_ = (
        madeup.shaped(madeup.planted(near, noise=noise, processes=processes), name, number)
        for number, (name, noise, processes) in enumerate(
            [("flat", 0.0005, 8), ("events", 0.1, 8), ("names", 0.003, 2)]
        )
    )
    rows = overview_of(tie, unsure, few).rows
    said = [(set(row.lead.names.split(" and ")), row.lead.remark) for row in rows]

    assert ({"orjson", "msgpack"}, "tie within 1%") == said[0]
    assert ({"orjson", "msgpack"}, "not distinguishable") == said[1]
    assert "lowest mean of 2 processes" == said[2][1]
    assert rows[2].lead.next.text.startswith("(")


def test_a_lossy_codec_does_not_lead_and_shows_its_loss() -> None:
    codecs = {"json": FAST, "msgpack": SMALL}
    lossy = madeup.planted(codecs, losses={"json": ("`tuple` came back as `list`",)})
    rows = overview_of(
        *(madeup.shaped(lossy, name, n) for n, name in enumerate(["flat", "events", "names"]))
    ).rows

    assert ("msgpack", "lossy") == (rows[0].lead.names, rows[0].lead.others["json"].remark)


def test_a_corpus_without_a_safe_codec_says_so() -> None:
    lossy = madeup.planted({"json": FAST}, losses={"json": ("`tuple` came back as `list`",)})
    sizes = madeup.planted({"json": {"size": 90}})
    runs = [madeup.shaped(run, name, n) for n, (name, run) in enumerate([("flat", lossy), ("events", sizes)])]
    results = [*runs, *collected(names={"json": FAST})]
    rows = overview_of(*results).rows

    assert "no cost was measured" in render(results)
    assert ["no safe codec is exact", "no cost was measured", ""] == [row.lead.remark for row in rows]


def test_each_machine_has_a_row_and_a_leader() -> None:
    here = collected(flat={"json": FAST, "msgpack": SMALL}, events={"json": FAST}, names={"json": FAST})
    (other,) = collected(flat={"json": SMALL, "msgpack": FAST})
    there = replace(other, environment={**other.environment, "hostname": "bench-2"})
    found = overview_of(*here, there)
    rows = [(row.name, row.machine, row.lead.names) for row in found.rows]

    assert [("flat", "bench-1", "json"), ("flat", "bench-2", "msgpack")] == rows[:2]
    assert ["bench-1", "bench-2"] == list(found.filters[-1].classes)


@pytest.fixture(scope="module")
def large() -> str:
    return render(madeup.collection())


def test_a_page_of_many_corpora_stays_small(large: str) -> None:
    assert len(large.encode()) <= PAGE_BYTES


def test_a_page_of_many_corpora_carries_all_data(large: str) -> None:
    packed = re.search(r'id="packed">([^<]*)<', large)
    assert packed
    found = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    (machine,) = found["result"]

    row = '<tr role="row" data-view="'

    assert sum(len(result.cells) for result in madeup.collection()) == len(machine["cells"])
    # Those of the overview, and of the tables with their baselines.
    assert 14 + 14 * (17 + 1) == large.count(row) + found["rows"].count(row)
    assert 14 == len({key for key in found["bars"]["dump"] if key.isdigit()})


def test_its_names_are_escaped() -> None:
    hostile = '"><script>alert(1)</script>'
    runs = madeup.collection(14, 12, 3)
    run = madeup.renamed(runs[3], "ujson", hostile)
    corpus = replace(run.corpora[0], name=hostile)
    cells = tuple(replace(cell, cell=replace(cell.cell, corpus=hostile)) for cell in run.cells)
    page = render([*runs[:3], replace(run, corpora=(corpus,), cells=cells), *runs[4:]])
    packed = re.search(r'id="packed">([^<]*)<', page)

    assert "<script>alert" not in page
    assert packed
    assert "<script>alert" not in json.loads(gzip.decompress(base64.b64decode(packed[1])))["rows"]
