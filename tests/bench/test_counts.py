"""Instruction counts: a real run, outcomes without Valgrind, and the comparison of two runs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.bench import valgrind
from bakeoff.bench.results import CheckFacts, Measurement, Outcome, ResultData, read
from bakeoff.errors import UsageError
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.decide.compare_output import summary
from inprocess import bakeoff
from madeup import planted
from needed import leave_out

RECORDS = '{"id": 1, "text": "one"}\n' * 30


def counted(dump: float | None, **extras: str) -> ResultData:
    """Return a result with one count; None if there was no Valgrind."""
    samples = () if dump is None else (Measurement(dump, dump, dump),)
    outcome: Outcome = "unsupported" if dump is None else "ok"
    made = planted({"json": {"count-dump": 1.0}})
    (cell,) = (cell for cell in made.cells if cell.cell.operation == "count-dump")
    facts = CheckFacts(records=1, encoded=1)
    found = replace(cell, outcome=outcome, samples=samples, extras=extras, check=facts)
    return replace(made, cells=(found,))


@pytest.mark.slow
def test_a_run_counts_with_valgrind(tmp_path: Path) -> None:
    if not shutil.which("valgrind"):
        leave_out("Valgrind; apt-get install valgrind")
    (tmp_path / "r.jsonl").write_text(RECORDS)
    done = bakeoff(tmp_path, "run", "r.jsonl", "--ops", "count-dump,count-load", "-c", "json", "-o", "o.json")

    assert 0 == done.returncode, done.stderr
    dump, load = read(tmp_path / "o.json").cells
    assert ("count-dump", "count-load") == (dump.cell.operation, load.cell.operation)
    assert min(dump.samples[0].value, load.samples[0].value) > 100
    assert "0" == dump.extras["hash_seed"]


@pytest.mark.slow
def test_without_valgrind_only_counts_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valgrind.shutil, "which", lambda name: None)
    (tmp_path / "r.jsonl").write_text(RECORDS)
    done = bakeoff(tmp_path, "run", "r.jsonl", "--ops", "size,count-dump", "-c", "json", "-o", "o.json")

    assert 0 == done.returncode, done.stderr
    assert "no Valgrind: apt install valgrind" in done.stdout
    assert "ok" == read(tmp_path / "o.json").cells[0].outcome


@pytest.mark.slow
def test_a_process_without_a_count_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Valgrind wrote something else, or the call ended its process."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(valgrind, "_forked", lambda call: 7)
    (tmp_path / "instructions.7").write_text("events: Ir\n")
    with pytest.raises(valgrind.UncountableError, match="no count"):
        valgrind.difference(int, int)
    monkeypatch.undo()
    with pytest.raises(valgrind.UncountableError, match="exit code 1 under Valgrind"):
        valgrind.difference(int, lambda: 1 / 0)


@pytest.mark.parametrize(
    ("before", "after", "gate"),
    [
        (1000, 1000, "passed"),
        (1000, 1004, "passed"),
        (1000, 1006, "failed"),
        (1000, 900, "passed"),
        (1000, None, "failed"),
        (None, 1000, "failed"),
        (None, None, "failed"),
    ],
)
def test_counts_pass_up_to_their_limit(before: float | None, after: float | None, gate: str) -> None:
    found = compare(counted(before), counted(after), counts=True)

    assert gate == found.gate(0.005), summary(found, 0.005)


def test_counts_of_other_conditions_are_refused() -> None:
    with pytest.raises(UsageError, match="hash_seed: 0 → 1"):
        compare(counted(1, hash_seed="0"), counted(1, hash_seed="1"), counts=True)
    with pytest.raises(UsageError, match="build of"):
        compare(counted(1, build="a"), counted(1, build="b"), counts=True)
    with pytest.raises(UsageError, match="bakeoff run --count"):
        compare(planted({"json": {"dump": 1.0}}), counted(1), counts=True)
