"""Runs with --burst: each call is timed by itself after other work, and ranked like all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.bench.results import BASELINE, ResultData, read
from bakeoff.bench.run.options import Options
from bakeoff.bench.worker import work
from inprocess import bakeoff

FAST = ("movies", "-n", "20", "--all", "--budget", "0", "--quick", "--ops", "dump,load,size,dump-nogc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of the same codecs."""
    made = tmp_path_factory.mktemp("burst")
    for file, more in (("slices.json", ()), ("burst.json", ("--burst",))):
        done = bakeoff(made, "run", *FAST, "-c", "json,msgpack", "-o", file, *more)
        assert 0 == done.returncode, done.stderr
        (made / f"{file}.txt").write_text(done.stdout)
    return made


def result(folder: Path) -> ResultData:
    return read(folder / "burst.json")


def test_every_codec_and_the_baseline_have_figures_and_a_rank(folder: Path) -> None:
    found = result(folder)
    (ranking,) = found.rankings
    timed = {cell.cell.name for cell in found.cells if cell.samples and cell.cell.operation != "size"}

    assert {"json", "msgpack"} == set(ranking.order) == set(ranking.first)
    assert timed == {
        f"movies/{operation}/{codec}"
        for operation in ("dump", "load", "dump-nogc")
        for codec in ("json", "msgpack", BASELINE)
        if (operation, codec) != ("dump-nogc", BASELINE)
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_tables_say_how_the_figures_were_measured(folder: Path, form: str) -> None:
    said = "each call followed other work and was timed by itself (--burst)"

    assert said in bakeoff(folder, "report", "burst.json", "-f", form).stdout
    assert "--burst" not in bakeoff(folder, "report", "slices.json", "-f", form).stdout


def refused(folder: Path, *arguments: str) -> str:
    done = bakeoff(folder, *arguments)
    assert done.returncode
    return done.stderr


def test_regimes_are_not_compared_with_each_other(folder: Path) -> None:
    assert "option burst: default → True" in refused(folder, "compare", "slices.json", "burst.json")


@pytest.mark.slow
def test_a_resumed_run_keeps_its_regime(folder: Path) -> None:
    assert "burst: was False, is now True" in refused(folder, "run", "--resume", "slices.json", "--burst")


def test_cold_and_burst_are_two_runs(folder: Path) -> None:
    assert "--burst and --cold are two states of the caches" in refused(
        folder, "run", *FAST[:1], "--burst", "--cold"
    )


def test_more_time_for_a_slice_means_fewer_rounds() -> None:
    plain, burst = (Options(("movies",), ("json",), burst=burst) for burst in (False, True))

    assert plain.slice == plain.slice_seconds < burst.slice_seconds
    assert plain.rounds_for(2) > burst.rounds_for(2) >= burst.rounds


@pytest.mark.parametrize(
    ("operation", "apart"),
    [("load", True), ("dump-nogc", True), ("dump-cold", False), ("get@sqlite:SM", False)],
)
def test_operations_with_other_work_of_their_own(operation: str, apart: bool) -> None:
    """A store does it already, and other data have taken the codec's out of the caches."""
    assert apart == work.baseline(operation, _Sample(), apart=True).apart  # type: ignore[arg-type]


class _Sample:
    pickles = (b"1", b"2")
