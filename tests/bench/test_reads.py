"""Readers in other languages in the rounds of a run, with the reference worker as their language."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bakeoff.bench.foreign import builds
from bakeoff.bench.foreign.port import WorkerLibrary
from bakeoff.bench.heartbeat import IDLE
from bakeoff.bench.jobs import CorpusInputs, Ended, Job
from bakeoff.bench.messages.reads import ReadCell, ReaderCommand, TimedReads, TimeReads
from bakeoff.bench.results import Cell, CellResult, ReadFacts, ResultData, read
from bakeoff.bench.run.languages import Language, TimedLibrary
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.readers import fitting
from bakeoff.bench.run.time import readers_first
from bakeoff.bench.worker import time_reads
from bakeoff.bench.worker.records import CheckedPayloads
from inprocess import bakeoff

REFERENCE = Path(builds.__file__).with_name("pypy") / "worker.py"
LINES = '{"id": 9007199254740993, "x": 0.5}\n{"id": 2, "x": 1.5}\n'
QUICK = [
    *("--quick", "--all", "--budget", "0", "--no-memory"),
    *("-c", "json,orjson,msgpack,json|zlib", "--readers", "python"),
]

Change = Callable[[str, str], None]


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Change:
    """Make the reference worker a language, and return a function that changes its code."""
    (tmp_path / "mine.jsonl").write_text(LINES)
    path = tmp_path / "worker.py"
    path.write_text(REFERENCE.read_text())
    command = (sys.executable, str(path)), tmp_path
    monkeypatch.setattr(builds, "command", lambda language: command)

    def change(before: str, after: str) -> None:
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    return change


def measured(folder: Path, *arguments: str) -> ResultData:
    done = bakeoff(folder, "run", *arguments)
    assert done.returncode == 0, done.stderr
    return read(folder / "bakeoff.json")


def reads(result: ResultData) -> dict[str, CellResult]:
    return {f"{c.cell.place} {c.cell.codec}": c for c in result.cells if c.by_reader}


@pytest.mark.slow
def test_every_library_reads_the_payloads_of_its_format(worker: Change, tmp_path: Path) -> None:
    result = measured(tmp_path, "mine.jsonl", *QUICK)

    found = reads(result)
    dump = result.cell("mine", "dump", "json")
    facts = found["python-json json"].facts
    assert sorted(found) == ["python-json json", "python-json orjson", "python-msgpack msgpack"]
    assert isinstance(facts, ReadFacts)
    assert (facts.language, facts.library, facts.exact, facts.changed) == ("Python", "json", 2, 0)
    assert facts.warmup > 0
    assert dump is not None
    for cell in found.values():
        assert cell.outcome == "ok"
        assert [s.pair for s in cell.samples] == [s.pair for s in dump.samples]
        assert [s.reference_kernel for s in cell.samples] == [s.reference_kernel for s in dump.samples]
    # The two write the same bytes, which are read once.
    assert found["python-json json"].samples == found["python-json orjson"].samples


@pytest.mark.slow
def test_payloads_are_read_by_the_schema_of_their_codec(worker: Change, tmp_path: Path) -> None:
    result = measured(tmp_path, "mine.jsonl", *QUICK, "-c", "avro,avro/bare,avro/registry", "--infer")

    found = reads(result)
    single, *others = (found[f"python-fastavro avro{way}"] for way in ("", "/bare", "/registry"))
    assert isinstance(single.facts, ReadFacts)
    assert (single.outcome, single.facts.exact) == ("ok", 2)
    assert single.samples
    # They differ only in the bytes before the body, which is read once.
    assert [single.samples] * 2 == [other.samples for other in others]


@pytest.mark.slow
def test_changes_and_refusals_are_kept_apart(worker: Change, tmp_path: Path) -> None:
    worker(
        'return ["int" if isinstance(value, int) else "decimal", str(value)]',
        "return canonical(float(value))",
    )
    worker('if library == "msgpack":', 'if library == "msgpack":\n        raise ValueError("no ints")')

    result = measured(tmp_path, "mine.jsonl", *QUICK)

    found = reads(result)
    changed, refused = found["python-json json"], found["python-msgpack msgpack"]
    assert changed.outcome == "lossy"
    assert len(changed.loss) == 1
    assert changed.loss[0].startswith("$.id: int ")
    assert changed.samples
    assert (refused.outcome, refused.samples) == ("unsupported", ())
    assert refused.reason == "refuses 2 of 2 payloads: ValueError: no ints"
    # It says nothing about the codecs.
    ranking = result.rankings[0]
    assert ranking.winner
    assert set(ranking.order) == {"json", "orjson", "msgpack", "json|zlib"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("sys.exit('out of flour')", "while being timed: it ended with exit code 1: out of flour"),
        ("return {'kind': 'times', 'slices': [1], 'warmup_ns': 1}, b''", "it did not send 2 times"),
    ],
)
def test_a_worker_that_dies_or_lies_costs_its_rows(
    worker: Change, tmp_path: Path, code: str, reason: str
) -> None:
    where = "    begin = time.perf_counter_ns()\n    warm_up"
    worker(where, f"    if head['library'] == 'msgpack' and head['slices'] > 1:\n        {code}\n{where}")

    result = measured(tmp_path, "mine.jsonl", *QUICK)

    found = reads(result)
    assert found["python-msgpack msgpack"].outcome == "error"
    assert reason in found["python-msgpack msgpack"].reason
    assert found["python-json json"].samples
    assert all(cell.samples for cell in result.cells if cell.cell.operation == "dump")


@pytest.mark.slow
def test_a_resumed_run_times_the_same_readers(worker: Change, tmp_path: Path) -> None:
    measured(tmp_path, "mine.jsonl", *QUICK)
    again = measured(tmp_path, "--resume", "bakeoff.json", "--all", "--budget", "0.1")

    load, cell = again.cell("mine", "load", "json"), reads(again)["python-json json"]
    assert again.options["readers"] == "python"
    assert load is not None
    # Not their number: figures on a shared core are left out.
    assert [s.pair for s in cell.samples] == [s.pair for s in load.samples]
    assert cell.samples


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--readers", "klingon"], "no reader 'klingon'"),
        (["--readers", ","], "--readers ',': nothing on one side of a comma"),
        (
            ["--readers", "go", "--on", "ssh://somewhere"],
            "--readers needs this machine and interpreter; remove --on",
        ),
        (["--ops", "dump,read@go-encoding-json"], "name their languages: --readers"),
    ],
)
def test_wrong_requests_are_refused_before_anything_is_measured(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = bakeoff(tmp_path, "run", "movies", *arguments)

    assert done.returncode == 2
    assert said in done.stderr


def planned(language: str, library: str, rough: float, *, exact: bool = True) -> tuple[Cell, TimedLibrary]:
    """Return a reader of JSON that needs a second to start, and another one to warm up."""
    known = WorkerLibrary(library, "1", "json")
    spoken = Language(language, language.title(), "1", (known,), ReaderCommand((language,), "."))
    cell = Cell("mine", "read", "json", place=f"{language}-{library}")
    return cell, TimedLibrary(spoken, known, "payloads", None, rough, warmup=1.0, start=1.0, exact=exact)


@pytest.mark.slow
def test_payloads_that_cannot_be_read_cost_only_their_reader(tmp_path: Path) -> None:
    """And a process that dies of them knows whose they are."""
    beats: list[int] = []
    blobs = {"good": CheckedPayloads([b"[1]"] * 9, {}).stored(), "bad": b"not payloads"}
    context: Any = SimpleNamespace(blobs=blobs, beat=beats.append)
    job = TimeReads(
        corpus=CorpusInputs(""),
        workers=(ReaderCommand((sys.executable, str(REFERENCE)), str(tmp_path)),),
        reads=(ReadCell(0, "json", "json", "bad"), ReadCell(0, "json", "orjson", "good")),
        records=9,
        slice=0.001,
        seconds=math.inf,
        patience=60.0,
        free_level=0.0,
        repeats=0.0,
    )
    answer = time_reads.run(job, context)

    assert isinstance(answer, TimedReads)
    assert (["1"], ["0"]) == ([*answer.cells], [*answer.errors])
    assert [0, 1, IDLE] == beats[:3]


def test_short_time_is_for_the_best_library_of_each_language() -> None:
    reads = dict(
        [
            planned("go", "exact", 3e-5),
            planned("go", "slow", 9e-5),
            planned("go", "lossy", 1e-5, exact=False),
            planned("node", "only", 2e-5),
        ]
    )

    def chosen(seconds: float) -> list[str]:
        return [cell.place for cell in fitting(reads, [*reads], seconds)[0]]

    assert set(chosen(60)) == {cell.place for cell in reads}
    assert set(chosen(4.9)) == {"go-exact", "node-only"}
    assert len(chosen(2.5)) == 1
    assert chosen(1) == []


def test_cells_that_share_payloads_share_a_turn() -> None:
    cell, known = planned("go", "exact", 3e-5)
    twin = dataclasses.replace(cell, codec="orjson")
    reads = {cell: known, twin: dataclasses.replace(known, twin=cell)}

    found, seconds = fitting(reads, [*reads], 60)

    assert found == [cell, twin]
    assert seconds == fitting({cell: known}, [cell], 60)[1]


@pytest.mark.slow
def test_a_disturbed_process_of_readers_is_repeated(
    worker: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float] = []

    def run(self: LocalExecutor, job: Job, *more: Any) -> Ended:
        ended = worked(self, job, *more)
        if not isinstance(job, TimeReads):
            return ended
        shares.append(0.0 if shares else 1.0)
        return dataclasses.replace(ended, answer=dataclasses.replace(ended.answer, dirty=shares[-1]))

    worked = LocalExecutor._run
    monkeypatch.setattr(LocalExecutor, "_run", run)
    result = measured(tmp_path, "mine.jsonl", *QUICK)

    processes = {len(cell.samples) for cell in reads(result).values()}
    assert {len(shares) - 1} == processes


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 5])
def test_readers_are_first_on_each_core_as_often_as_not(cores: int) -> None:
    turns = range(6 * cores)

    assert {(core, first): 3 for core in range(cores) for first in (False, True)} == Counter(
        (turn % cores, readers_first(turn, cores)) for turn in turns
    )
