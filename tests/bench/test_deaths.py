"""Timing processes that die: the cell that ran is out, and the others are measured, whoever runs them.

A process that dies while no cell runs is replaced, up to the third time. The processes are real, and really
killed: before their first cell, or by a codec in one of its calls. Only those of readers are played.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.bench.deaths import Deaths
from bakeoff.bench.figure import Figure
from bakeoff.bench.foreign.port import WorkerLibrary
from bakeoff.bench.heartbeat import IDLE
from bakeoff.bench.jobs import CorpusInputs, Ended, Job
from bakeoff.bench.lab.evolution.attempt import attempts
from bakeoff.bench.lab.evolution.trial import sample
from bakeoff.bench.ledger import CellEntry
from bakeoff.bench.messages.evolution import TimeVersions
from bakeoff.bench.messages.reads import ReaderCommand, TimedReads, TimeReads
from bakeoff.bench.messages.timing import Time
from bakeoff.bench.messages.watch import TimeCalls
from bakeoff.bench.method import Processes
from bakeoff.bench.results import Cell, CellFinding, ResultData, read
from bakeoff.bench.run import interleaved, processes
from bakeoff.bench.run.context import Run, Stage
from bakeoff.bench.run.interleaved import Side, interleave, options_of
from bakeoff.bench.run.languages import Language, TimedLibrary
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.readers import TimedReaders
from bakeoff.bench.run.schedule import Schedule
from bakeoff.bench.run.session import Session
from bakeoff.bench.run.state import State
from bakeoff.bench.watch.alternatives import OWN, Other
from bakeoff.bench.watch.measure import measure
from bakeoff.bench.watch.parts import Kept
from bakeoff.bench.watch.tasks import Effort, Task
from bakeoff.codecs import registry
from bakeoff.schemas.difference import compare
from bakeoff.schemas.schema import Schema
from hurried import HURRIED, hurry

DEADLY = """
import json, os, signal, sys

def dumps(record):
    return json.dumps(record).encode()

def loads(data):
    if not {"bakeoff.bench.worker.check", "pytest"} & {*sys.modules}:
        os.kill(os.getpid(), signal.SIGKILL)
    return json.loads(data)

deadly = dumps, loads
"""
"""A codec that kills the processes that time its loads, which are not forked from the one of the checks."""
KILLED = "was killed by the kernel"
TIMED = (Time, TimeVersions, TimeCalls)
PACE = replace(HURRIED, forks=False)
"""Timing processes are not forked, so that they can be started dead."""


class Killer:
    """Kills timing processes before their first cell.

    Attributes:
        left: How many more are killed.
    """

    def __init__(self) -> None:
        self.left = 0

    def wants(self) -> bool:
        """Return whether the next process has to die."""
        self.left -= 1
        return self.left >= 0


DYING = ["/bin/sh", "-c", "kill -9 $$"]


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Killer:
    """The killer of the timing processes of this test; the others live."""
    made, timed = Killer(), list[Job]()
    run, started = LocalExecutor._run, processes._started

    def running(self: LocalExecutor, job: Job, *more: Any) -> Ended:
        if not isinstance(job, TIMED):
            return run(self, job, *more)
        timed.append(job)  # it is alone: nothing runs at the same time
        try:
            return run(self, job, *more)
        finally:
            timed.clear()

    def start(*given: Any, **named: Any) -> subprocess.Popen[bytes]:
        if timed and made.wants():
            return subprocess.Popen(DYING, start_new_session=True)
        return started(*given, **named)

    hurry(monkeypatch.setattr, PACE)
    monkeypatch.setattr(LocalExecutor, "_run", running)
    monkeypatch.setattr(processes, "_started", start)
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records, their result, a codec that dies, and a library that dies."""
    made = tmp_path_factory.mktemp("deaths")
    (made / "deadly.py").write_text(DEADLY)
    (made / "ujson.py").write_text("import os\ndumps = loads = lambda data: os.kill(os.getpid(), 9)\n")
    (made / "few.jsonl").write_text("".join(f'{{"id": {n}, "name": "n{n}"}}\n' for n in range(20)))
    _result(made, ["json"])
    (made / "run.json").rename(made / "before.json")
    return made


@pytest.fixture(autouse=True)
def registered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    registry.give({"deadly": f"{folder / 'deadly.py'}:deadly"})


Reasons = dict[str, str]
"""Why a cell has no figure, by its name; an empty text if it has one."""


def run(folder: Path, codecs: Sequence[str], *, isolate: bool = False) -> Reasons:
    """`bakeoff run`: loads, all in one process, or each in its own as with releases."""
    result = _result(folder, codecs, isolate=isolate)
    cells = [cell for cell in result.cells if cell.cell.codec in codecs]
    assert all(bool(cell.samples) == (cell.outcome == "ok") for cell in cells)
    return {cell.cell.codec: cell.reason for cell in cells}


def _result(folder: Path, codecs: Sequence[str], **more: Any) -> ResultData:
    options = Options(
        (str(folder / "few.jsonl"),),
        tuple(codecs),
        ("load",),
        budget=0.0,
        no_time_limit=True,
        fewest=2,
        rounds=3,
        cell_timeout=600.0,
        **more,
    )
    return Session(options, folder / "run.json").run()


def isolated(folder: Path, codecs: Sequence[str]) -> Reasons:
    """`bakeoff run --isolate`."""
    return run(folder, codecs, isolate=True)


def confirm(folder: Path, codecs: Sequence[str]) -> Reasons:
    """`bakeoff compare --confirm`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interleaved, "same_core", lambda one, other: True)
        result = read(folder / "before.json")
        sides = (Side(sys.executable, result), Side(sys.executable, result))
        cells = [Cell("few", "load", codec) for codec in codecs]
        options = options_of(result, (), schema=None, trust_files=False)
        found = interleave(sides, cells, options, lambda *_: True, budget=600.0, looks=[2])
    for before, after in found.samples.values():
        assert [0, 1] == [each.pair for each in before] == [each.pair for each in after]
    return {cell.codec: found.failed.get(cell, "" if cell in found.samples else "lost") for cell in cells}


def evolve(folder: Path, codecs: Sequence[str]) -> Reasons:
    """`bakeoff evolve`."""
    difference = compare(
        Schema({"id": int, "name": str}), Schema({"id": int, "name": str, "age": int | None})
    )
    trials, costs, _ = attempts(codecs, difference, *sample(difference, 20), 0.0, lambda *_: None)
    assert not any(trial.backward.failed for trial in trials)
    assert all(bool(trial.backward.untimed) != ((trial.codec, "old→new") in costs) for trial in trials)
    return {trial.codec: trial.backward.untimed for trial in trials}


def watch(folder: Path, codecs: Sequence[str]) -> Reasons:
    """`bakeoff watch`: the codecs are libraries that could replace `json.loads`."""
    libraries = {"json": "orjson", "msgpack": "msgspec", "deadly": "ujson"}
    task = Task("json.loads", {}, [Kept('{"a": 1}', 1)] * 10, 0.01)
    with pytest.MonkeyPatch.context() as patch:
        if "deadly" in codecs:
            patch.setenv("PYTHONPATH", str(folder))
        (found,) = measure([task], Effort(processes=2), lambda share: None).found
    reasons = {}
    for codec in codecs:
        library = Other("json", libraries[codec])
        reasons[codec] = found.refused.get(library, found.refused.get(OWN, ""))
        assert bool(reasons[codec]) != (library in found.times)
    assert {2} >= {len(times) for times in found.times.values()}
    # It does not say what has killed a process.
    return {codec: reason.replace("ran out of memory", KILLED) for codec, reason in reasons.items()}


def timed_reads(count: int) -> TimedReads:
    numbers = list(map(str, range(count)))
    figures = dict.fromkeys(numbers, Figure(1e-6, 1e-6))
    return TimedReads(figures, dict.fromkeys(numbers, 0.0), {}, 1.0, 1.0)


def readers(folder: Path, codecs: Sequence[str], deaths: int) -> Reasons:
    """`bakeoff run --readers`, with played processes: those that die while no cell runs come first."""
    asked: list[tuple[str, ...]] = []

    def submit(job: TimeReads, **more: object) -> Future[Ended]:
        asked.append(tuple(read.codec for read in job.reads))
        done: Future[Ended] = Future()
        if len(asked) <= deaths:
            done.set_result(Ended(None, "out of memory", KILLED, cell=IDLE))
        elif "deadly" in asked[-1]:
            done.set_result(Ended(None, "out of memory", KILLED, cell=asked[-1].index("deadly")))
        else:
            done.set_result(Ended(timed_reads(len(asked[-1]))))
        return done

    options = Options(("few",), tuple(codecs), no_time_limit=True)
    library = WorkerLibrary("json", "1", "json")
    language = Language("other", "Other", "1", (library,), ReaderCommand(("other",), "."))
    cells = {codec: Cell("few", "read", codec, place="other.json") for codec in codecs}
    stage = Stage("few", CorpusInputs(""), (), {}, tuple(codecs), Schedule(options))
    for cell in cells.values():
        stage.reads[cell] = TimedLibrary(language, library, "", None, 1e-6, 0.0, 0.0, True)
    reasons = {}

    def write(entry: CellEntry) -> None:
        reasons[entry.found.cell.codec] = entry.found.reason

    journal, executor = SimpleNamespace(write=write), SimpleNamespace(submit=submit, cores=[0])
    run = Run(options, State(), cast("Any", journal), cast("Any", executor), lambda *_: None)
    for cell in cells.values():
        run.record(CellEntry(CellFinding(cell, "ok")))
    found = TimedReaders(run, stage, repeats=1.0).measure(list(cells.values()), float("inf"), lambda: None)
    assert all((cells[codec].name in found.cells) == (not reason) for codec, reason in reasons.items())
    return reasons


Conductor = Callable[[Path, Sequence[str]], Reasons]


@pytest.mark.slow
@pytest.mark.parametrize("deaths", [1, 2])
@pytest.mark.parametrize("conductor", [run, isolated, confirm, evolve, watch])
def test_a_process_that_dies_before_its_first_cell_is_replaced(
    conductor: Conductor, deaths: int, killer: Killer, folder: Path
) -> None:
    killer.left = deaths

    assert {"json": "", "msgpack": ""} == conductor(folder, ["json", "msgpack"])
    assert killer.left < 0


@pytest.mark.slow
@pytest.mark.parametrize("conductor", [run, confirm, evolve, watch])
def test_the_third_one_costs_all_cells(conductor: Conductor, killer: Killer, folder: Path) -> None:
    killer.left = 3
    reasons = conductor(folder, ["json", "msgpack"])

    assert {"json", "msgpack"} == reasons.keys()
    assert all(KILLED in reason for reason in reasons.values())
    assert killer.left == 0


@pytest.mark.slow
@pytest.mark.parametrize("deaths", [0, 2])
@pytest.mark.parametrize("conductor", [run, isolated, confirm, evolve, watch])
def test_a_death_in_a_cell_costs_that_cell(
    conductor: Conductor, deaths: int, killer: Killer, folder: Path
) -> None:
    """However many processes died before it."""
    killer.left = deaths
    reasons = conductor(folder, ["json", "msgpack", "deadly"])

    assert KILLED in reasons.pop("deadly")
    assert {"json": "", "msgpack": ""} == reasons


@pytest.mark.slow
def test_a_library_that_leaves_without_an_error_is_out_of_the_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ujson.py").write_text("import os\ndumps = loads = lambda data: os._exit(0)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    task = Task("json.loads", {}, [Kept("[1]", 1)] * 10, 0.01)
    (found,) = measure([task], Effort(processes=2), lambda share: None).found

    said = "crashed: ended the process with exit code 0, while being timed"
    assert said == found.refused[Other("json", "ujson")]
    assert {OWN, Other("json", "orjson")} <= found.times.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deaths", "codecs", "lost"),
    [
        (1, "json msgpack", ""),
        (2, "json msgpack", ""),
        (3, "json msgpack", "json msgpack"),
        (0, "json msgpack deadly", "deadly"),
        (2, "json deadly msgpack", "deadly"),
    ],
)
def test_processes_of_readers(deaths: int, codecs: str, lost: str, folder: Path) -> None:
    reasons = readers(folder, codecs.split(), deaths)

    assert set(codecs.split()) == reasons.keys()
    assert set(lost.split()) == {codec for codec, reason in reasons.items() if KILLED in reason}
    assert set(lost.split()) == {codec for codec, reason in reasons.items() if reason}


def test_deaths_of_other_processes_do_not_add_up() -> None:
    """With --isolate, each codec has its own process."""
    deaths, died = Deaths[str](), Ended(None, "crashed", "died", cell=IDLE)
    most = Processes.NAMELESS - 1

    assert [[], []] * most == [deaths.blame(died, [cell]).cells for _ in range(most) for cell in "ab"]
    assert (["a"], "died; 3 processes died while no cell ran") == deaths.blame(died, ["a"])
    assert (["b"], "died, while being timed") == deaths.blame(
        Ended(None, "crashed", "died", cell=1), ["a", "b"]
    )


def test_only_deaths_in_a_row_add_up() -> None:
    deaths, died = Deaths[str](), Ended(None, "crashed", "died", cell=IDLE)
    for _ in range(Processes.NAMELESS):
        assert [] == deaths.blame(died, ["a"]).cells
        deaths.forget()
