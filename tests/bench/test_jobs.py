"""Jobs and answers of workers: complete, typed, and also from a worker that dies."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil
import pytest

import bakeoff.bench
from bakeoff.bench.blobs import Blobs
from bakeoff.bench.figure import Figure
from bakeoff.bench.jobs import FEATURES, OVER_MEMORY, CorpusInputs, Failed, decode, encode, failed
from bakeoff.bench.messages.alone import Alone
from bakeoff.bench.messages.check import Check, Checked
from bakeoff.bench.messages.describe import Describe
from bakeoff.bench.messages.prepare import Prepare, Prepared
from bakeoff.bench.messages.timing import Time, Timed, TimedCell
from bakeoff.bench.results import CheckFacts
from bakeoff.bench.run import processes
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.worker.records import make_sample
from bakeoff.errors import RunError

CORPUS = CorpusInputs("5a", schema="5c")
RECORDS = [
    Prepare(
        source="a.jsonl",
        records=None,
        seed=1,
        how={"at": "$.items", "encoding": "latin-1", "null": ["NA", ""]},
        sample=10,
        bytes=1000,
        infer=True,
        batch=1,
        path=("here",),
    ),
    Check(corpus=CORPUS, codec="json+schema", seconds=1.5, operations=("dump", "size"), memory=1 << 30),
    Time(
        corpus=CORPUS,
        cells=(TimedCell("json", "load", "77"), TimedCell("baseline", "load")),
        rounds=3,
        slice=1e-3,
    ),
    Alone(corpus=CORPUS, codec="json", operation="peak-load", payloads="77", options={"windows": 96}),
    Prepared(
        {"name": "movies"}, CORPUS, (("line 3", "cut off"),), "one record", ("here",), {"rows": "rows.py"}
    ),
    Checked(
        "ok",
        figures={"size": 12.5},
        failed={"peek": ("wrong", "other")},
        facts=CheckFacts(9, 9, limits={"depth": 7}),
    ),
    Timed(
        {"0": Figure(1e-6, 2.0)},
        {"1": Failed("gone", "out of memory", "--cell-memory")},
        reference_kernel=1e-7,
        harness=8.0,
        dirty=0.1,
    ),
    Failed("no such codec"),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.kind)
def test_jobs_and_answers_come_back(record: object) -> None:
    assert record == decode(encode(record))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [b'{"kind": "dance"}', b"{}"])
def test_an_unknown_kind_is_an_error(text: bytes) -> None:
    with pytest.raises(ValueError, match="no kind of job or answer"):
        decode(text)


def test_what_a_job_does_not_know_is_an_error() -> None:
    with pytest.raises(TypeError, match="codek"):
        decode(b'{"kind": "describe", "codek": "json"}')


def test_the_messages_of_every_feature_are_known_and_every_job_has_a_function() -> None:
    folder = Path(bakeoff.bench.__file__).parent
    files = [*folder.glob("messages/[!_]*.py")]
    names = {".".join(("bakeoff.bench", *path.relative_to(folder).with_suffix("").parts)) for path in files}
    declared = [each for name in names for each in vars(import_module(name)).values()]
    jobs = [each for each in declared if isinstance(each, type) and hasattr(each, "module")]

    assert names == {*FEATURES}
    assert len(jobs) > len(FEATURES)
    assert all(callable(import_module(job.module).run) for job in jobs)


def test_a_kind_is_known_before_its_module_is_imported() -> None:
    job = encode(Describe(codec="json"))
    script = f"from bakeoff.bench.jobs import decode; print(decode({job!r}).codec)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert "json\n" == done.stdout


def test_blobs_are_kept_once_and_found_by_digest(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    digest = blobs.put(b"payload")

    assert digest == blobs.put(b"payload")
    assert (dict(blobs), len(blobs)) == ({digest: b"payload"}, 1)
    with pytest.raises(KeyError):
        blobs["ab" * 32]


@pytest.mark.slow
def test_checks_are_forked_and_what_times_is_not(tmp_path: Path) -> None:
    with LocalExecutor() as executor:
        corpus = CorpusInputs(executor.blobs.put(make_sample([{"a": 1}] * 3).stored()))
        warm = executor.warm_up()
        assert warm is executor.warm_up()
        answers = [
            executor.work(Check(corpus=corpus, codec=name, seconds=5.0)).answer for name in ("json", "bson")
        ]
        assert [("ok", 3)] * 2 == [(answer.outcome, answer.facts.records) for answer in answers]
        assert not psutil.Process(warm.pid).children()

        (tmp_path / "stderr").touch()
        (tmp_path / "job").write_text("{}")
        fork = warm.fork(tmp_path / "job")
        assert 1 == fork.wait()
        assert "KeyError" in (tmp_path / "stderr").read_text()

        os.kill(warm.pid, signal.SIGKILL)
        with pytest.raises(RunError, match="no more checks can be started"):
            executor.work(Check(corpus=corpus, codec="json", seconds=5.0))
        cells = (TimedCell("json", "load", answers[0].payloads),)
        timed = executor.work(Time(corpus=corpus, cells=cells, rounds=3, slice=1e-4)).answer
        assert timed.cells["0"].raw > 0


@pytest.mark.slow
def test_a_codec_that_is_not_there_is_an_answer(executor: LocalExecutor) -> None:
    ended = executor.work(Describe(codec="jsom"), patience=60)

    assert (None, "error") == (ended.answer, ended.outcome)
    assert "json" in ended.reason


@pytest.mark.slow
def test_no_file_keeps_what_a_worker_is_told(
    executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may contain a server's password: only the owner can read it, and the worker deletes it first."""
    folders, modes, left = [], [], []
    started = processes._started

    def watched(python: str, folder: Path, *more: Any, **named: Any) -> Any:
        folders.append(folder)
        modes.append(stat.S_IMODE((folder / "job").stat().st_mode))
        return started(python, folder, *more, **named)

    monkeypatch.setattr(processes, "_started", watched)
    monkeypatch.setattr(processes.shutil, "rmtree", lambda folder: left.extend(folder.iterdir()))
    executor.work(Describe(codec="json"))

    assert [0o600] == modes
    assert folders
    assert "job" not in {path.name for path in left}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), OVER_MEMORY),
        (ValueError("no"), Failed("ValueError: no")),
        (ValueError(), Failed("ValueError")),
    ],
)
def test_an_error_says_why_a_cell_has_no_figure(error: Exception, expected: Failed) -> None:
    assert expected == failed(error)
