"""Codecs that there is no time for: one disturbed process does not decide. Clock and processes are played."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.bench.figure import Figure
from bakeoff.bench.jobs import CorpusInputs, Ended
from bakeoff.bench.ledger import CellEntry
from bakeoff.bench.messages.check import Checked
from bakeoff.bench.messages.timing import Time, Timed
from bakeoff.bench.results import Cell, CellFinding, CheckFacts
from bakeoff.bench.run.context import Run, Stage
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.schedule import Schedule
from bakeoff.bench.run.state import State
from bakeoff.bench.run.time import time_cells

CODECS = ("json", "msgpack", "pickle", "bson")
Duration = Callable[[str, int], float]
"""``duration(codec, number)`` returns the seconds that a codec takes in a process."""


@dataclass
class Clock:
    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


@dataclass
class Timing:
    """The codecs of each process, and those that have a figure at the end."""

    processes: list[tuple[str, ...]]
    timed: set[str]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("time.monotonic", made.monotonic)
    return made


def timing(clock: Clock, duration: Duration, *, call: float = 0.05, budget: float = 40.0) -> Timing:
    """Time loads of all codecs.

    Args:
        duration: What the processes show.
        call: Seconds of a call of bson as its check estimates them; those of others take 0.05.
        budget: Seconds for everything.
    """
    asked: list[tuple[str, ...]] = []

    def submit(job: Time, **more: object) -> Future[Ended]:
        names = tuple(cell.codec for cell in job.cells if cell.codec in CODECS)
        asked.append(names)
        took = {name: duration(name, len(asked)) for name in names}
        clock.now += 0.5 + sum(took.values())
        figures = {
            str(place): Figure(1.0, 1.0, duration=took.get(cell.codec, 0.0))
            for place, cell in enumerate(job.cells)
        }
        done: Future[Ended] = Future()
        done.set_result(Ended(Timed(figures, {}, 1.0, 1.0, 0.0, 1.0, 1.0)))
        return done

    options = Options(("made",), CODECS, ("load",), budget=budget, fewest=5, precision=0.5)
    stage = Stage("made", CorpusInputs(""), (), {}, CODECS, Schedule(options, side=1, begun=0.0))
    for name in CODECS:
        rough = call if name == "bson" else 0.05
        stage.checks[name] = Checked("ok", facts=CheckFacts(10, 10), rough={"load": rough})
    run = Run(
        options,
        State(),
        cast("Any", SimpleNamespace(write=lambda *entries: None)),
        cast("Any", SimpleNamespace(submit=submit, cores=[0])),
        lambda text, done, total: None,
    )
    cells = {name: Cell("made", "load", name) for name in CODECS}
    for cell in cells.values():
        run.record(CellEntry(CellFinding(cell, "ok")))
    time_cells(run, stage)
    return Timing(asked, {name for name, cell in cells.items() if run.state.samples(cell)})


def test_all_are_timed_if_nothing_disturbs_them(clock: Clock) -> None:
    found = timing(clock, lambda codec, number: 0.15)

    assert [CODECS] * 5 == found.processes
    assert set(CODECS) == found.timed


@pytest.mark.parametrize("disturbed", CODECS)
def test_a_codec_that_one_process_has_disturbed_stays(clock: Clock, disturbed: str) -> None:
    """And so do all others, though the process took half of the time."""
    found = timing(clock, lambda codec, number: 20.0 if (codec, number) == (disturbed, 1) else 0.15)

    assert [CODECS] * 5 == found.processes
    assert set(CODECS) == found.timed


def test_a_process_that_took_long_does_not_end_the_run(clock: Clock) -> None:
    """There is time for another one that nothing disturbs, but not for another one that takes as long."""
    found = timing(clock, lambda codec, number: 25.0 if (codec, number) == ("msgpack", 3) else 0.15)

    assert [CODECS] * 5 == found.processes


def test_a_codec_that_is_slow_in_several_processes_is_left_out(clock: Clock) -> None:
    found = timing(clock, lambda codec, number: 16.0 if codec == "bson" else 0.15)

    assert [CODECS] * 2 == found.processes[:2]
    assert set(CODECS) - {"bson"} == found.timed
    assert {CODECS[:3]} == set(found.processes[2:])


def test_a_codec_that_there_is_no_time_for_is_not_timed(clock: Clock) -> None:
    found = timing(clock, lambda codec, number: 0.15, call=20.0)

    assert [CODECS[:3]] * 5 == found.processes
    assert set(CODECS) - {"bson"} == found.timed
