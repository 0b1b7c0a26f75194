"""Tables of codecs between a producer and its consumers, of results that are made up."""

from __future__ import annotations

import csv
import dataclasses
import io

import pytest

from bakeoff.bench.results import BASELINE, PipelineFacts, ResultData
from bakeoff.errors import UsageError
from bakeoff.reports import render
from bakeoff.reports.model.placed import PIPELINE, kind_of_all
from bakeoff.reports.page.page import render as page
from madeup import changed, facts_of, planted

OPERATIONS = ("latency-p50", "latency-p99", "delivered", "cpu", "cpu-codec")


def results(*, dear: float = 2.0, behind: str = "", **more: object) -> ResultData:
    """Return a run of two codecs and the baseline through a pipe, with one consumer and with four.

    Args:
        dear: How many times msgpack's processor time json takes.
        behind: What stands behind the consumers.
    """
    figures: dict[str, dict[str, float]] = {}
    for codec, times in (("json", dear), ("msgpack", 1.0), (BASELINE, 0.5)):
        found = figures.setdefault(codec, {} if codec == BASELINE else {"size": 100 * times})
        for consumers in (1, 4):
            taken = (5e-5, 1e-3 * times, 3000.0, 4e-5 * consumers * times, 1e-5 * consumers * times)
            for operation, value in zip(OPERATIONS, taken, strict=True):
                if codec != BASELINE or operation != "cpu-codec":
                    found[f"{operation}@pipe:{consumers}{behind}"] = value
    made = planted(figures, corpora=("movies",), baseline=False, **more)  # type: ignore[arg-type]
    return dataclasses.replace(made, codecs=tuple(c for c in made.codecs if c.name != BASELINE))


def rows(result: ResultData, title: str) -> dict[tuple[str, str], dict[str, str]]:
    found = csv.DictReader(io.StringIO(render([result], "csv")))
    return {(row["consumers"], row["codec"]): row for row in found if title in row["corpus"]}


def test_latency_processor_time_and_the_codecs_part_stand_side_by_side():
    found = rows(results(), "movies through pipe, 3,000 records a second")

    assert [
        ("1", "msgpack"),
        ("1", "json"),
        ("1", BASELINE),
        ("4", "msgpack"),
        ("4", "json"),
        ("4", BASELINE),
    ] == list(found)
    json, baseline = found["4", "json"], found["4", BASELINE]
    assert pytest.approx(3.2e-4, rel=0.02) == float(json["cpu"])
    assert pytest.approx(2e-3, rel=0.02) == float(json["latency-p99"])
    assert pytest.approx(0.25, rel=0.02) == float(json["share"])
    assert ("2", "", "") == (json["rank"], baseline["rank"], baseline["share"])
    assert ("200.0", "100.0") == (json["size"], baseline["size"])


def test_the_last_table_says_how_far_codecs_are_apart_or_that_they_tie():
    apart, tied = render([results()]), render([results(dear=1.0)])

    assert "movies: where the codec stops mattering" in apart
    assert 2 == apart.count("2 ranks of 2")
    assert 4 == apart.partition("stops mattering")[2].count("2.00×")
    assert 2 == tied.count("none: all tie")
    assert "2 ranks" not in tied
    assert "\nmovies through pipe to 1 at 3,000/s: The codec is 25% of the processor time" in apart
    assert "; msgpack takes least.\n" in apart


def test_what_is_not_known_is_no_tie():
    few = render([results(processes=2)])

    assert 6 == few.count("  unclear")
    assert "all tie" not in few
    assert "ranks of" not in few


def test_a_rate_that_is_not_held_shows_what_arrived_in_place_of_a_latency():
    reason = "not held: 802 of 3,000 records a second arrived"
    made = results()
    for operation in ("latency-p50", "latency-p99"):
        made = changed(made, "json", f"{operation}@pipe:4", outcome="unsupported", reason=reason, samples=())
    made = changed(
        made,
        "json",
        "delivered@pipe:4",
        sample=lambda s: dataclasses.replace(s, value=802.0, raw=802.0, paired=802.0),
    )
    text = render([made])

    assert 1 == text.count("802/s")
    assert "802" == rows(made, "through pipe")["4", "json"]["latency-p99"].split(".")[0]
    assert "not held: fewer records a second arrived than were due" in text


def test_what_was_lost_is_said():
    cell = changed(results(), "json", "cpu@pipe:1", facts=PipelineFacts(2900.0, 0.021, 0.3))

    text = render([cell])
    assert "json [a]" in text
    assert "[a] 2.1% of the deliveries were lost on the way" in text
    assert "lost" not in render([results()])


def test_what_came_twice_is_said():
    facts = PipelineFacts(2900.0, 0.021, 0.3, repeated=0.004)
    text = render([changed(results(), "json", "cpu@pipe:1", facts=facts)])

    assert "json [a,b]" in text
    assert "[a] 2.1% of the deliveries were lost on the way" in text
    assert "[b] 0.4% of the deliveries arrived again" in text


@pytest.mark.parametrize("write", [lambda made: render([made]), lambda made: page([made])])
def test_the_settings_of_a_transport_are_shown(write):
    facts = PipelineFacts(2900.0, 0.0, 0.3, settings={"compression.type": "lz4", "acks": "1"})

    assert "pipe: compression.type=lz4, acks=1" in write(
        changed(results(), "json", "cpu@pipe:1", facts=facts)
    )
    assert "compression.type" not in write(results())


def test_a_transport_that_cannot_be_had_is_one_line():
    made = results()
    gone = tuple(
        dataclasses.replace(
            cell,
            cell=dataclasses.replace(cell.cell, place="redis"),
            outcome="missing",
            reason="Redis cannot be reached",
            samples=(),
        )
        for cell in made.cells
        if cell.cell.place
    )
    known = {each.name: each for each in made.operations} | facts_of(gone)
    text = render([dataclasses.replace(made, cells=made.cells + gone, operations=tuple(known.values()))])

    assert 1 == text.count("redis: missing: Redis cannot be reached")
    assert "movies through pipe, 3,000 records a second" in text


def test_the_rate_that_was_asked_for_stands_above():
    assert "movies through pipe, 500 records a second" in render([results(behind="x500")])


def test_results_of_pipelines_have_that_layout():
    assert kind_of_all([results()]) == PIPELINE
    assert not kind_of_all([planted()])
    with pytest.raises(UsageError, match="nothing was measured in a pipeline; run `bakeoff pipeline` first"):
        render([planted()], layout="pipeline")


def test_the_page_has_the_tables():
    html = page([results()])

    assert '<a href="#pipeline">Pipeline</a>' in html
    assert "where the codec stops mattering" in html


def test_what_there_was_no_time_for_is_named():
    def without(consumers: str, *codecs: str) -> str:
        made = results()
        cells = [
            dataclasses.replace(cell, samples=())
            if consumers in cell.cell.operation_name and cell.cell.codec in codecs
            else cell
            for cell in made.cells
        ]
        return render([dataclasses.replace(made, cells=tuple(cells))])

    assert "json with 4 consumers: not timed: not enough time" in without(":4", "json")
    assert "all codecs with 4 consumers: not timed" in without(":4", "json", "msgpack", BASELINE)
    assert "pipe: not timed" in without("@pipe", "json", "msgpack", BASELINE)
    assert "not timed" not in without(":9", "json")
