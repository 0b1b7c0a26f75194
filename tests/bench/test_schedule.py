"""The budget of a run: the codecs that are left out if it is too short, and the message about them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bakeoff.bench.results import ResultData, read
from bakeoff.bench.run.check import check_position
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.schedule import Schedule
from installed import install
from launched import launch

SLOW = """
import json, time
from bakeoff import Codec

def codec(name, seconds):
    def encode(record):
        time.sleep(seconds)
        return json.dumps(record).encode()
    return Codec(name=name, format="json", encode=encode, decode=json.loads)

def slow():
    return codec("slow", 0.6)

def endless():
    return codec("endless", 3600)
"""

UNHURRIED = """
import sys, time
now, begun = time.monotonic, time.monotonic()
time.monotonic = lambda: begun + (now() - begun) / 20

from bakeoff.bench.method import Pace
from bakeoff.bench.run import schedule
from bakeoff.bench.run.state import State
from bakeoff.cli import main

Pace.usual = Pace(forks=True)
State.free = lambda self, corpus: True

if sys.argv[1] == "ended":
    schedule.Schedule.check_over = lambda self, finished: finished > 0
main(["run", *sys.argv[2:], "--precision", "99%"])
"""
"""A run for which time passes twenty times slower, and which does not wait for a free core: how busy the
machine is does not matter. With `ended`, the time for checks is over when the first has come to its end."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(tmp_path, "dawdlers", SLOW, ["slow", "endless"])
    (tmp_path / "rows.json").write_text('{"id": 1}')
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return launch(folder, "run", *arguments, PYTHONPATH=str(folder))


def unhurried(folder: Path, ending: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `UNHURRIED` where the package is."""
    return subprocess.run(
        [sys.executable, "-P", "-c", UNHURRIED, ending, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=600,
    )


def samples(result: ResultData, codec: str) -> int:
    (cell,) = (c for c in result.cells if (c.cell.operation_name, c.cell.codec) == ("dump", codec))
    return len(cell.samples)


@pytest.mark.slow
def test_slow_codecs_are_left_out_and_told(folder: Path) -> None:
    chosen = ("rows.json", "--quick", "--budget", "2.5", "-c", "json,msgpack,slow")
    done = unhurried(folder, "all", *chosen)
    result = read(folder / "bakeoff.json")
    (slow,) = (line for line in done.stdout.splitlines() if line.startswith("slow "))

    assert done.returncode == 0
    assert samples(result, "json") == samples(result, "msgpack") > 0 == samples(result, "slow")
    assert "≈" in slow
    assert "exact" in slow
    assert "not timed" in slow
    assert "not timed, as there was not enough time: slow; ≈ is roughly what the check took" in done.stdout


@pytest.mark.slow
def test_a_check_without_end_costs_its_own_row(folder: Path) -> None:
    done = unhurried(folder, "ended", "rows.json", "--quick", "-c", "json,endless")

    assert done.returncode == 0
    assert samples(read(folder / "bakeoff.json"), "json") > 0
    assert "endless: unfinished: not enough time for the check; use --all" in done.stdout


@pytest.mark.slow
def test_all_takes_its_time(folder: Path) -> None:
    run(folder, "rows.json", "--quick", "--budget", "2.5", "-c", "json,slow")
    done = run(folder, "--resume", "bakeoff.json", "--all", "--budget", "0")
    result = read(folder / "bakeoff.json")

    assert done.returncode == 0
    assert samples(result, "slow") > 0
    assert "not timed" not in done.stdout


@pytest.mark.slow
def test_usual_codecs_are_entered(folder: Path) -> None:
    plain = run(folder, "rows.json", "--quick", "--dry-run").stdout
    everything = run(folder, "rows.json", "--quick", "--all", "--dry-run").stdout

    assert "msgpack/pure" not in plain
    assert "msgpack/tuple" not in plain
    assert "pickle/2" not in plain
    assert "plist" not in plain
    assert "msgpack/pure" in everything
    assert "plist/binary" in everything


def test_what_one_asks_for_first_is_checked_first() -> None:
    order = ["avro", "orjson+schema", "orjson", "avro/bare", "pydantic-json/model", "json", "yaml"]
    entered = ["msgpack/tuple", *order[5:][::-1], *order[3:5], *order[1:3], "avro"]

    assert [*order, "msgpack/tuple"] == sorted(entered, key=check_position)


class TestSchedule:
    def schedule(self, budget: float, **options: bool) -> Schedule:
        return Schedule(Options(("movies",), ("json", "yaml"), ("dump", "load"), budget=budget, **options))

    def test_the_quickest_are_chosen(self) -> None:
        found = self.schedule(10).processes({"b": 0.4, "a": 0.1, "slow": 30.0, "c": 0.5})

        assert found == ["a", "b", "c"]

    def test_one_alone_tells_nothing(self) -> None:
        """Unless it was the only one that was asked for."""
        assert self.schedule(10).processes({"a": 1.0, "slow": 30.0}) == []
        assert self.schedule(10).processes({"a": 1.0}) == ["a"]

    def test_checks_of_the_last_few_are_given_up_earlier(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Than those of more, while a few are needed at any rate: what is left of the time is for timing."""
        schedule = Schedule(Options(("movies",), tuple("abcdefghij"), budget=100.0), begun=0.0)

        def given_up(seconds: float) -> list[int]:
            monkeypatch.setattr("bakeoff.bench.run.schedule.time", SimpleNamespace(monotonic=lambda: seconds))
            return [finished for finished in range(10) if schedule.check_over(finished)]

        assert [[], [9], [4, 5, 6, 7, 8, 9]] == [given_up(seconds) for seconds in (49.0, 55.0, 61.0)]
        assert list(range(10)) == given_up(121.5)

    def test_with_patience_all_take_part(self) -> None:
        schedule = self.schedule(1, no_time_limit=True)

        assert schedule.processes({"slow": 1e6, "a": 1.0}) == ["a", "slow"]
        assert not any([schedule.check_over(9), schedule.all_over()])
