"""Where codecs overtake one another: found where they do, with a range, and nowhere else."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import inprocess
from bakeoff.bench.results import Measurement, ResultData, read
from bakeoff.reports import render
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.crossover import crossovers, leaders
from bakeoff.reports.model.numbers import bytes_said
from bakeoff.reports.model.swept import scaled, series
from bakeoff.reports.page import charts
from bakeoff.reports.tables.sweep import overtaking
from madeup import planted

SIZES = [16.0 * 4**step for step in range(9)]
NOISE = 0.01


def line(fixed: float, per_byte: float, seed: int, noise: float = NOISE) -> dict[float, list[Measurement]]:
    """Return what processes say of a codec that has a cost for each call and one for each byte."""
    drawn = random.Random(seed)
    found = {}
    for size in SIZES:
        values = [(fixed + per_byte * size) * drawn.lognormvariate(0, noise) for _ in range(8)]
        found[size] = [Measurement(v, v, v, pair) for pair, v in enumerate(values)]
    return found


def test_two_lines_cross_where_they_cost_the_same() -> None:
    (found,) = crossovers({"simple": line(1e-6, 2e-9, 1), "clever": line(2e-6, 1e-9, 2)})

    assert ("simple", "clever") == (found.below, found.above)
    assert found.low < found.size < found.high
    assert 1000 == pytest.approx(found.size, rel=0.2)  # lines of logarithms bend between two sizes
    assert 3e-6 == pytest.approx(found.time, rel=0.2)


def test_neither_parallels_nor_ties_cross() -> None:
    """However often noise changes their order."""
    assert [] == crossovers({"a": line(1e-6, 1e-9, 1), "b": line(2e-6, 2e-9, 2)})
    twins = {str(seed): line(1e-6, 1e-9, seed) for seed in range(12)}
    assert [] == crossovers(twins)
    few = {name: {s: m[:2] for s, m in one.items()} for name, one in twins.items()}
    assert [] == crossovers(few)


def at_sizes(figures: dict[float, dict[str, float]], noise: float, seed: int) -> ResultData:
    """Return a run on records of several sizes, with the seconds of a dump by size and codec."""
    runs = [
        planted(
            {name: {"dump": value, "load": value, "size": size} for name, value in own.items()},
            corpora=[f"c-{size:g}"],
            noise=noise,
            seed=seed + number,
            facts={name: {"format": name} for name in own},
        )
        for number, (size, own) in enumerate(figures.items())
    ]
    corpora = [
        replace(run.corpora[0], profile={"scaled_from": "c", "scaled_to": size})
        for run, size in zip(runs, figures, strict=True)
    ]
    cells = tuple(cell for run in runs for cell in run.cells)
    return replace(runs[0], cells=cells, corpora=tuple(corpora))


@pytest.mark.slow
def test_pick_contradicts_no_crossover_of_random_sweeps() -> None:
    """At measured sizes beyond the range, `pick` between both never answers the other one."""
    found = ties = 0
    for seed in range(150):
        rng = random.Random(seed)
        near, noise = rng.choice([0.002, 0.02, 0.5]), rng.choice([0.0, 0.001, 0.01])
        lines = {
            f"c{n}": (math.exp(rng.gauss(0, near)), math.exp(rng.gauss(0, near)) / 1000)
            for n in range(rng.choice([2, 3, 4]))
        }
        bumps = {name: {size: math.exp(rng.gauss(0, near / 9)) for size in SIZES[:6]} for name in lines}
        figures = {
            size: {name: 1e-6 * (a + b * size) * bumps[name][size] for name, (a, b) in lines.items()}
            for size in SIZES[:6]
        }
        run = at_sizes(figures, noise, seed)
        ((_, sizes),) = scaled(run).items()
        for one in crossovers(series(run, sizes, "dump")):
            found += 1
            for size in figures:
                if one.low <= size <= one.high or not one.since < size < one.until:
                    continue
                first = one.below if size < one.low else one.above
                requirements = Requirements(
                    CostModel(0.0), formats=(one.below, one.above), corpora=(f"c-{size:g}",)
                )
                choice = pick([run], requirements)
                ties += bool(choice.tied)
                assert first in {choice.name, *choice.tied, *dict(choice.unresolved)}, (seed, one, size)
    assert found > 50
    assert ties > 0


def exact(figures: Sequence[float]) -> dict[float, list[Measurement]]:
    """Return figures by size on which all processes agree."""
    return {
        size: [Measurement(value, value, value, pair) for pair in range(8)]
        for size, value in zip(SIZES, figures, strict=False)
    }


def test_a_tie_whose_order_changes_is_no_crossover() -> None:
    """However sure the order is: half a percent decides nothing."""
    assert [] == crossovers({"a": exact([1.0, 1.0]), "b": exact([1.005, 0.995])})
    assert 1 == len(crossovers({"a": exact([1.0, 1.0]), "b": exact([1.02, 0.98])}))


def test_a_size_without_a_figure_or_with_a_figure_of_nothing_is_left_out() -> None:
    a, b = exact([1.0, 1.0, 1.0, 1.0]), exact([2.0, 9.0, 9.0, 0.5])
    whole = crossovers({"a": a, "b": {size: one for size, one in b.items() if size in (SIZES[0], SIZES[3])}})
    nothing = [Measurement(0.0, 0.0, 0.0, pair) for pair in range(8)]

    assert 1 == len(whole)
    assert whole == crossovers({"a": a, "b": b | {SIZES[1]: [], SIZES[2]: nothing}})[:1]
    assert ["a", "b"] == [
        name for name, _, _ in leaders({"a": exact([1.0, 1.0]), "b": {SIZES[0]: [], SIZES[1]: b[SIZES[3]]}})
    ]


def test_two_that_cross_twice_are_said_to_lead_between() -> None:
    assert [
        "least mean: a at 16 B, b at 64 B, a at 256 B",
        "a is faster below 32 B (32 B to 32 B), b up to 128 B",
        "b is faster from 32 B to 128 B (128 B to 128 B), a above",
    ] == list(overtaking({"a": exact([1.0, 2.0, 1.0]), "b": exact([2.0, 1.0, 2.0])}))


def test_the_quickest_is_told_by_size() -> None:
    found = leaders({"simple": line(1e-6, 2e-9, 1, 0), "clever": line(2e-6, 1e-9, 2, 0)})

    assert [("simple", 16.0, 256.0), ("clever", 1024.0, SIZES[-1])] == found


def test_sizes_in_words() -> None:
    assert ["14 B", "256 B", "1 KiB", "1.5 KiB", "64 KiB", "1 MiB"] == [
        bytes_said(n) for n in (14, 256, 1023.2, 1536, 65534.7, 1048572.8)
    ]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sizes")
    how = ("--quick", "--all", "--budget", "0", "--sample", "20", "--record-sizes", "64B..1KB")
    done = inprocess.bakeoff(folder, "run", "movies", "-c", "json,msgpack", *how)
    assert done.returncode == 0, done.stderr
    return folder / "bakeoff.json"


def test_each_size_is_a_corpus_of_the_result(swept: Path) -> None:
    result = read(swept)

    assert ["movies-64B", "movies-256B", "movies-1KiB"] == [corpus.name for corpus in result.corpora]
    assert all(
        0.7 * size < float(corpus.profile["scaled_to"] or 0) <= size
        for corpus, size in zip(result.corpora, (64, 256, 1024), strict=True)
    )
    times = [
        cell.samples[0].value
        for corpus in result.corpora
        if (cell := result.cell(corpus.name, "dump", "json")) is not None
    ]
    assert sorted(times) == times


def test_the_report_has_a_table_by_size(swept: Path) -> None:
    result = read(swept)
    sections = json.loads(render([result], "json"))["sections"]

    assert ["movies: dump by size", "movies: load by size", "movies: bytes by size"] == [
        section["corpus"] for section in sections
    ]
    heads = [column["header"] for column in sections[0]["columns"]]
    assert heads[0] == "codec"
    assert ["256 B", "1 KiB"] == [f"{re.sub('^25.', '256', head)}" for head in heads[2:]]
    assert any("least mean" in line for line in sections[0]["remarks"])
    asked = json.loads(render([result], "json", columns="dump"))["sections"]
    assert ["movies-64B", "movies-256B", "movies-1KiB"] == [section["corpus"] for section in asked]


@pytest.mark.slow
def test_sizes_are_drawn(swept: Path) -> None:
    for dark in (False, True):
        drawn = charts.render([read(swept)], "sizes", dark=dark).decode()
        assert drawn.startswith("<svg")
        assert ">msgpack<" in drawn
        assert "movies: load" in drawn


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["movies", "--record-sizes", "1MB..16B"], "ends below its beginning"),
        (["movies", "--record-sizes", "many"], "not a valid size"),
        (["movies", "--record-sizes", "1GB"], "goes beyond 16MiB"),
        (["-", "--record-sizes", "16B,1KB"], "save it to a file"),
    ],
)
def test_what_cannot_be_is_said_at_once(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = inprocess.bakeoff(tmp_path, "run", *arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert said in done.stderr
