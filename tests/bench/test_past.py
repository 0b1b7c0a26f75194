"""The past runs of a machine: the differences between past runs, for the next comparison."""

from __future__ import annotations

import math
import random
import sqlite3
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import madeup
from bakeoff.bench import past
from bakeoff.bench.past import (
    VARIABLE,
    Past,
    PastCell,
    between,
    free_core,
    path_of_runs,
    recall,
    remember,
    rows_of,
)
from bakeoff.bench.results import Cell, CheckFacts, Facts, ReadFacts, ResultData, StoreFacts
from bakeoff.bench.stats import RUN_TO_RUN

LOAD = Cell("messages", "load", "json")


def run(number: int, *, shift: float = 0.0, contention: float = 1.0, **fields: object) -> ResultData:
    """A run of the second `number`, all of whose times are shifted by a log."""
    times = {name: {"load": value * math.exp(shift)} for name, value in (("json", 2e-6), ("msgpack", 1e-6))}
    made = madeup.planted(times, noise=0.002, seed=number, **fields)  # type: ignore[arg-type]
    made = madeup.changed(made, sample=lambda s: replace(s, reference_kernel=6e-6, contention=contention))
    return replace(made, started=f"2026-11-23T10:{number // 60:02}:{number % 60:02}+00:00")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test keeps past runs."""
    path = tmp_path / "state" / "past-runs.sqlite"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def machines(*results: ResultData) -> set[str]:
    return {row.machine for result in results for row in rows_of(result)}


def test_past_runs_know_a_free_core(file: Path) -> None:
    """The next run may have a neighbor that never rests; a few runs are too few to say."""
    facts = run(0).environment
    for number in range(9):
        remember(run(number, contention=1.1 if number % 2 else 0.7))
    assert 0.0 == free_core(facts)
    remember(run(9, contention=0.7))

    assert 0.7 == free_core(facts)
    assert 0.0 == free_core({**facts, "cpu_model_name": "another"})


class TestFile:
    def test_a_run_is_remembered(self, file: Path) -> None:
        assert "" == remember(run(1))
        rows = recall(machines(run(1)))

        assert 2 == len(rows) == len({row.identity for row in rows})
        assert {1.0} == {row.contention for row in rows}
        assert [pytest.approx(math.log(time), abs=0.005) for time in (1e-6, 2e-6)] == sorted(
            row.log for row in rows
        )
        assert 0o600 == stat.S_IMODE(file.stat().st_mode)

    def test_nothing_is_named(self, file: Path) -> None:
        remember(run(1))
        content = file.read_bytes()

        assert not [name for name in (b"msgpack", b"messages", b"bench-1", b"load") if name in content]

    def test_a_run_that_is_resumed_counts_once(self, file: Path) -> None:
        remember(run(1))
        remember(run(1, shift=0.1))

        assert 2 == len(recall(machines(run(1))))

    def test_the_size_is_bounded(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(past, "_MOST", 6)
        for number in range(9):
            remember(run(number))

        assert {f"2026-11-23T10:00:0{n}+00:00" for n in (6, 7, 8)} == {
            row.started for row in recall(machines(run(1)))
        }

    @pytest.mark.slow
    def test_concurrent_runs_lose_nothing(self, file: Path) -> None:
        root = Path(__file__).resolve().parents[2]
        script = f"""
import sys
sys.path[:0] = [{str(root)!r}, {str(root / "tests")!r}]
from bakeoff.bench.past import remember
from tests.bench.test_past import run
for n in range(5):
    assert not remember(run(int(sys.argv[1]) * 10 + n))
"""
        started = [subprocess.Popen([sys.executable, "-c", script, str(n)]) for n in range(4)]

        assert [0] * 4 == [process.wait() for process in started]
        assert 40 == len(recall(machines(run(1))))

    def test_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(VARIABLE, "off")

        assert path_of_runs() is None
        assert "" == remember(run(1))
        assert [] == recall(machines(run(1)))

    def test_a_damaged_file_fails_no_run(self, file: Path) -> None:
        file.parent.mkdir()
        file.write_bytes(b"no database" * 100)

        assert "file is not a database" in remember(run(1))
        assert [] == recall(machines(run(1)))
        assert b"no database" * 100 == file.read_bytes()

    def test_a_file_without_a_place_fails_no_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "taken").touch()
        monkeypatch.setenv(VARIABLE, str(tmp_path / "taken" / "past.sqlite"))

        assert remember(run(1)).endswith(f": {tmp_path / 'taken'}: File exists")

    @pytest.mark.parametrize("column", ["started", "log", "error", "contention"])
    @pytest.mark.parametrize("value", ["1e300", "-1e300", "9e999", "-1", "0", "1e-320", "''", "x'00'", "'9'"])
    def test_odd_values_fail_no_comparison(self, file: Path, column: str, value: str) -> None:
        for number in range(6):
            remember(run(number))
        with sqlite3.connect(file) as rows:
            rows.execute(f"update or ignore cells set {column} = {value}")
        rows.close()

        sessions = Past([run(7), run(8)]).sessions()
        assert all(0 < session.deviation < math.inf for session in sessions.values())
        assert 0 <= free_core(run(7).environment) < math.inf

    def test_where_it_is(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """In the user's state folder, by XDG, whose relative paths do not count."""
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.delenv(VARIABLE)
        monkeypatch.setenv("HOME", str(tmp_path))
        found = []
        for folder in ("", "relative", str(tmp_path / "mine")):
            monkeypatch.setenv("XDG_STATE_HOME", folder)
            found.append(path_of_runs())

        usual = tmp_path / ".local/state/bakeoff/past-runs.sqlite"
        assert [usual, usual, tmp_path / "mine/bakeoff/past-runs.sqlite"] == found


class TestPast:
    def test_nothing_known(self) -> None:
        assert RUN_TO_RUN == Past([run(1), run(2)], []).sessions()[LOAD]

    def test_runs_apart_widen(self) -> None:
        rng = random.Random(5)
        apart = [row for n in range(3, 43) for row in rows_of(run(n, shift=rng.gauss(0, 0.1)))]
        agreed = [row for n in range(3, 43) for row in rows_of(run(n))]
        wide, narrow = (Past([run(1), run(2)], rows).sessions()[LOAD] for rows in (apart, agreed))

        assert wide.deviation == pytest.approx(0.141, rel=0.25)
        assert narrow.deviation < 0.5 * RUN_TO_RUN.deviation
        assert 40 == wide.runs == narrow.runs

    def test_two_runs_that_agree_prove_little(self) -> None:
        """The assumed value counts with four degrees of freedom."""
        rows = [row for n in (3, 4) for row in rows_of(run(n))]
        found = Past([run(1), run(2)], rows).sessions()[LOAD]

        assert found.deviation > 0.85 * RUN_TO_RUN.deviation
        assert RUN_TO_RUN.degrees + 1 == found.degrees

    def test_the_compared_runs_do_not_count(self) -> None:
        """A regression is not evidence that runs differ."""
        sides = run(1), run(2, shift=0.2)
        rows = [row for side in sides for row in rows_of(side)]

        assert RUN_TO_RUN == Past(sides, rows).sessions()[LOAD]

    @pytest.mark.parametrize(
        "other",
        [
            {"environment": {"python_version": "3.13.1"}},
            {"environment": {"hostname": "another"}},
            {"facts": {"json": {"version": "9.9"}}},
            {"conditions": {"gc": "off"}},
            {"contention": 1.6},
        ],
    )
    def test_runs_of_something_else_lower_nothing(self, other: dict[str, object]) -> None:
        """Another version, machine, option or contention is another cell."""
        rows = [row for n in range(3, 23) for row in rows_of(run(n, **other))]  # type: ignore[arg-type]

        assert RUN_TO_RUN == Past([run(1), run(2)], rows).sessions()[LOAD]

    def test_options_of_length_do_not_matter(self) -> None:
        rows = [row for n in range(3, 6) for row in rows_of(run(n, options={"budget": 99.0}))]

        assert 3 == Past([run(1), run(2)], rows).sessions()[LOAD].runs

    def test_other_cells_say_nothing(self) -> None:
        """Neither a codec of an unsteady project on this machine, nor one that agrees in each run."""
        rng = random.Random(5)
        apart = [row for n in range(3, 23) for row in rows_of(run(n, shift=rng.gauss(0, 0.3)))]
        fresh = [run(n, facts={"json": {"version": "9.9"}}) for n in (1, 2)]
        found = Past(fresh, apart).sessions()

        assert RUN_TO_RUN == found[LOAD]
        assert found[replace(LOAD, codec="msgpack")].deviation > 0.2

    @pytest.mark.parametrize("factor", [1.07, 1.34, 0.5])
    def test_an_edit_is_no_noise(self, factor: float) -> None:
        """Runs before and after an edit of a codec's code, each around its own mean."""

        def version(n: int) -> ResultData:
            edited = n % 2
            code = {"own": f"digest {edited}"}
            made = run(n, shift=math.log(factor) * edited)
            return madeup.changed(made, check=CheckFacts(1000, 1000, code=code))

        rows = [row for n in range(3, 13) for row in rows_of(version(n))]
        same, edited = Past([version(1), version(13)], rows), Past([version(1), version(2)], rows)

        assert same.sessions()[LOAD].deviation < RUN_TO_RUN.deviation
        assert edited.sessions()[LOAD].deviation < RUN_TO_RUN.deviation
        assert (5, 10) == (same.sessions()[LOAD].runs, edited.sessions()[LOAD].runs)

    @pytest.mark.parametrize(
        "facts",
        [
            [ReadFacts("Go", "encoding/json", version, 9) for version in ("1.22", "1.23")],
            [StoreFacts({"durability": durability}) for durability in ("full", "off")],
        ],
        ids=["another reader", "another setting of a store"],
    )
    def test_figures_of_another_place_lower_nothing(self, facts: list[Facts]) -> None:
        rows = [row for n in range(3, 13) for row in rows_of(madeup.changed(run(n), facts=facts[0]))]
        same, other = ([madeup.changed(run(n), facts=each) for n in (1, 2)] for each in facts)

        assert 10 == Past(same, rows).sessions()[LOAD].runs
        assert RUN_TO_RUN == Past(other, rows).sessions()[LOAD]

    def test_edits_of_bakeoff_are_no_noise(self) -> None:
        rows = [
            row
            for n in range(3, 13)
            for row in rows_of(run(n, shift=0.3 * (n % 2), environment={"bakeoff_code": f"digest {n % 2}"}))
        ]
        sides = [run(n, environment={"bakeoff_code": "digest 1"}) for n in (1, 2)]

        assert Past(sides, rows).sessions()[LOAD].deviation < RUN_TO_RUN.deviation

    def test_a_new_version_is_judged_by_the_past_of_both(self) -> None:
        """Runs before and after an upgrade both count, each around its own mean."""

        def release(n: int) -> ResultData:
            versions = {name: {"version": str(n % 2)} for name in ("json", "msgpack")}
            return run(n, shift=0.3 * (n % 2), facts=versions)

        rows = [row for n in range(3, 13) for row in rows_of(release(n))]
        sides = [release(n) for n in (1, 2)]
        found = Past(sides, rows).sessions()[LOAD]

        assert 10 == found.runs
        assert found.deviation < RUN_TO_RUN.deviation


@given(
    deviation=st.floats(0.005, 0.1),
    noise=st.floats(0.0, 0.03),
    runs=st.integers(2, 12),
    seed=st.integers(0, 999),
)
def test_the_estimate_is_never_absurd(deviation: float, noise: float, runs: int, seed: int) -> None:
    """It has the degrees of freedom of its runs, and lies above what the assumed value alone leaves of it."""
    rng = random.Random(seed)
    rows = [
        PastCell("a", "m", str(n), rng.gauss(0, math.hypot(deviation, noise)), noise, 1.0)
        for n in range(runs)
    ]
    found = between([rows])

    assert RUN_TO_RUN.degrees + runs - 1 == found.degrees
    assert found.deviation >= RUN_TO_RUN.deviation * math.sqrt(RUN_TO_RUN.degrees / found.degrees) * (
        1 - 1e-12
    )
    assert found.deviation < 10 * math.hypot(deviation, noise) + RUN_TO_RUN.deviation
