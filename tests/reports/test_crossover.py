"""Where codecs overtake one another: found where they do, with a range, and nowhere else."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import inprocess
from bakeoff.bench.results import Measurement, read
from bakeoff.reports import render
from bakeoff.reports.model.crossover import crossovers, leaders
from bakeoff.reports.model.numbers import bytes_said
from bakeoff.reports.page import charts

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
