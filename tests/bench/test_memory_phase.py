"""Which memory figures a run asks for, when there is not time for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.bench.figure import Figure
from bakeoff.bench.jobs import CorpusInputs, Ended
from bakeoff.bench.ledger import CellEntry, CodecEntry, ProcessEntry, WarningEntry
from bakeoff.bench.messages.alone import Alone, AloneAnswer
from bakeoff.bench.messages.check import Checked
from bakeoff.bench.operations import MEMORY
from bakeoff.bench.results import Cell, CellFinding, CheckFacts, CodecFacts
from bakeoff.bench.run import memory, schedule
from bakeoff.bench.run.context import Run, Stage
from bakeoff.bench.run.memory import measure_memory
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.schedule import Schedule
from bakeoff.bench.run.state import State

CODECS = ("quick", "usual", "slow")


class Clock:
    """A clock that only advances for measurements, by a second each."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (memory, schedule):
        monkeypatch.setattr(module, "time", made)
    return made


def measured(
    clock: Clock,
    seconds: float,
    calls: dict[str, float],
    times: Mapping[str, float] | None = None,
    before: Sequence[str] = (),
    **options: Any,
) -> tuple[list[tuple[str, str]], str]:
    """Return the codecs measured in the remaining seconds, and the message about the others.

    Args:
        seconds: That are left.
        clock: Clock for the measurements.
        calls: Seconds of a call of each codec in its check.
        times: Those of a dump and a load as they were timed; none were if it is None.
        before: Codecs that were measured before the run was resumed.
        options: Of the run.
    """
    asked: list[tuple[str, str]] = []
    said: list[str] = []

    def submit(job: Alone, **more: object) -> Future[Ended]:
        asked.append((job.operation, job.codec))
        clock.now += 1.0
        done: Future[Ended] = Future()
        done.set_result(Ended(AloneAnswer(1.0), "ok"))
        return done

    def write(*entries: Any) -> None:
        said.extend(entry.text for entry in entries if isinstance(entry, WarningEntry))

    chosen = Options(("made",), tuple(calls), ("dump", "load", *MEMORY), budget=100.0, **options)
    stage = Stage("made", CorpusInputs(""), (), {}, tuple(calls), Schedule(chosen, side=1, begun=seconds))
    stage.checks |= {
        name: Checked("ok", facts=CheckFacts(10, 10), rough={"dump": call, "load": call})
        for name, call in calls.items()
    }
    run = Run(
        chosen,
        State(),
        cast("Any", SimpleNamespace(write=write)),
        cast("Any", SimpleNamespace(submit=submit)),
        lambda text, done, total: None,
    )
    for name in MEMORY:
        for codec in calls:
            run.record(CellEntry(CellFinding(Cell("made", name, codec), "ok")))
    if times is not None:
        _record_times(run, times)
    for name in MEMORY:
        for codec in before:
            run.record(CellEntry(CellFinding(Cell("made", name, codec), "ok"), 1.0))
    measure_memory(run, stage)
    return asked, said[-1]


def _record_times(run: Run, times: Mapping[str, float]) -> None:
    cells = {codec: [Cell("made", name, codec) for name in ("dump", "load")] for codec in times}
    for codec, both in cells.items():
        run.record(CodecEntry(CodecFacts(codec, "json", codec, "1", None)))
        run.record(*(CellEntry(CellFinding(cell, "ok")) for cell in both))
    figures = {
        cell.name: Figure(times[codec], times[codec]) for codec, both in cells.items() for cell in both
    }
    for pair in range(3):
        run.record(ProcessEntry("made", pair, 1.0, figures))


def test_all_is_measured_where_there_is_time(clock: Clock) -> None:
    asked, said = measured(clock, 90.0, dict.fromkeys(CODECS, 1e-6))

    kinds = [name.partition("-")[0] for name, _ in asked]
    assert ["peak"] * 6 + ["growth"] * 6 == kinds
    assert "" == said


def test_a_kind_that_there_is_no_time_for_is_not_begun(clock: Clock) -> None:
    asked, said = measured(clock, 3.0, {"quick": 0.05, "usual": 0.05})

    assert {"peak-dump", "peak-load"} == {name for name, _ in asked}
    assert said.startswith("made: not enough time for growth dump and growth load; use a longer")


@pytest.mark.parametrize(
    ("seconds", "growing"),
    [
        (90.0, ["quick", "usual", "best"]),
        (54.0, ["quick", "best"]),
        (30.0, ["best"]),
        (12.0, []),
    ],
)
def test_codecs_with_the_best_ranks_are_measured_in_a_short_time(
    clock: Clock, seconds: float, growing: list[str]
) -> None:
    """Not those that are measured in the shortest time, and not all of them or none."""
    calls = {"usual": 0.01, "quick": 0.01, "best": 0.02}
    asked, said = measured(clock, seconds, calls, {"best": 1.0, "quick": 1.5, "usual": 2.0})

    found = list(dict.fromkeys(codec for name, codec in asked if name.startswith("growth")))
    missing = [codec for codec in calls if codec not in growing]
    assert growing == sorted(found, key=["quick", "usual", "best"].index)
    assert found == [codec for codec in ("best", "quick", "usual") if codec in growing]
    assert (f"growth dump and growth load of {', '.join(missing)};" in said) == bool(missing and growing)


def test_a_slow_codec_alone_is_left_out(clock: Clock) -> None:
    """It would cost the others their figures."""
    asked, said = measured(clock, 20.0, {"quick": 1e-6, "usual": 1e-6, "slow": 2.0})

    assert {"quick", "usual"} == {codec for _, codec in asked}
    assert 8 == len(asked)
    assert "peak dump and peak load of slow; growth dump and growth load of slow; use a longer" in said


@pytest.mark.parametrize("no_time_limit", [False, True])
def test_a_resumed_run_measures_the_others(clock: Clock, no_time_limit: bool) -> None:
    calls = dict.fromkeys(CODECS, 1e-6)
    asked, said = measured(clock, 90.0, calls, before=["quick"], no_time_limit=no_time_limit)

    assert {"usual", "slow"} == {codec for _, codec in asked}
    assert "" == said


@pytest.mark.parametrize(("seconds", "no_time_limit", "number"), [(0.0, False, 0), (0.0, True, 12)])
def test_without_time_nothing_is_begun_unless_it_takes_what_it_takes(
    clock: Clock, seconds: float, no_time_limit: bool, number: int
) -> None:
    asked, said = measured(clock, seconds, dict.fromkeys(CODECS, 1e-6), no_time_limit=no_time_limit)

    assert number == len(asked)
    assert no_time_limit == ("" == said)
    assert no_time_limit or said.count("made: not enough time for peak dump and peak load; growth dump") == 1
