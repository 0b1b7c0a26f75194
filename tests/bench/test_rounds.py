"""One rule for deaths and disturbed processes: each kind of them, in each plan that runs timing processes.

Processes are played: the one at a certain place of the plan dies, is disturbed, or has an error in a cell.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.bench.evolved import CrossReading
from bakeoff.bench.figure import Figure
from bakeoff.bench.foreign.port import WorkerLibrary
from bakeoff.bench.heartbeat import IDLE
from bakeoff.bench.jobs import CorpusInputs, Ended, Failed, Job
from bakeoff.bench.lab.evolution.attempt import timed
from bakeoff.bench.lab.evolution.rereading import Rereading
from bakeoff.bench.lab.evolution.trial import Trial
from bakeoff.bench.ledger import CellEntry
from bakeoff.bench.messages.check import Checked
from bakeoff.bench.messages.evolution import TimeVersions
from bakeoff.bench.messages.reads import ReaderCommand, TimedReads, TimeReads
from bakeoff.bench.messages.timing import Time, Timed
from bakeoff.bench.messages.watch import CallTimes, TimeCalls, TimedCalls
from bakeoff.bench.method import Pace
from bakeoff.bench.results import BASELINE, Cell, CellFinding, CheckFacts
from bakeoff.bench.run.context import Run, Stage
from bakeoff.bench.run.interleaved import LOOKS, Again, _Stage
from bakeoff.bench.run.languages import Language, TimedLibrary
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.processes import why
from bakeoff.bench.run.schedule import Schedule
from bakeoff.bench.run.state import State
from bakeoff.bench.run.time import time_cells
from bakeoff.bench.watch.alternatives import Other
from bakeoff.bench.watch.measure import TimedSites, conducted
from bakeoff.bench.watch.tasks import Effort
from bakeoff.commands._confirm import _remarks
from bakeoff.reports.tables.evolution import Evolution, table
from bakeoff.schemas.difference import compare
from bakeoff.schemas.schema import Schema

CODECS = ("json", "msgpack", "pickle")
VICTIM = "msgpack"
CHANGE = compare(Schema({"id": int}), Schema({"id": int, "name": str}))
TURNS = LOOKS[0]
"""Turns that each plan wants."""
PATIENCE = 60.0
DIRTY = 0.9
"""Share of disturbed slices of a disturbed process."""

CHECKED = Checked("ok", facts=CheckFacts(10, 10), rough={"load": 1e-5}, payloads="p")
DEATHS = {
    "crash": why(-11, ""),
    "exit": why(3, ""),
    "error": why(1, "Traceback ...\nValueError: no"),
    "out of memory": why(1, "MemoryError"),
    "killed": why(-9, ""),
    "hang": Failed(f"made no progress within {PATIENCE:g} s", "timed out", "--cell-timeout"),
}
ERROR = Failed("went over its memory limit", "out of memory", "--cell-memory")
LATE = Failed("not enough time", "unfinished")


@dataclass(frozen=True)
class Event:
    """What happens to a process.

    Attributes:
        death: A key of `DEATHS`, or none.
        cell: The codec that was running; none if no cell was.
        disturbed: Most of its slices were.
        error: The codec that raised an error; the others have figures.
    """

    death: str = ""
    cell: str = ""
    disturbed: bool = False
    error: str = ""


@dataclass
class Played:
    """An executor whose processes of one kind meet events; the others answer.

    Attributes:
        kind: The jobs that meet them.
        first: Number of the process of the first event.
        events: What happens to this process and the following ones.
        asked: The codecs of each process of this kind.
        now: Seconds on its clock; each process takes one, and one that hangs the whole patience.
        budget: Seconds of the plan.
        apart: By how much the figures of successive processes differ.
    """

    kind: type[Job]
    first: int = 0
    events: Sequence[Event] = ()
    asked: list[list[str]] = field(default_factory=list)
    now: float = 0.0
    budget: float = 1000.0
    apart: float = 0.0
    cores: tuple[int, ...] = (0,)
    pace: Pace = Pace.usual

    def submit(self, job: Job, inputs: object = None, **more: Any) -> Future[Ended]:
        event = Event()
        cells = _names(job) if isinstance(job, TimeReads | TimeCalls) else job.measured()
        if isinstance(job, self.kind):
            if 0 <= len(self.asked) - self.first < len(self.events):
                event = self.events[len(self.asked) - self.first]
            self.asked.append(sorted(set(cells)))
        self.now += PATIENCE if event.death == "hang" else 1.0
        done: Future[Ended] = Future()
        done.set_result(self._ended(job, event))
        return done

    def _ended(self, job: Job, event: Event) -> Ended:
        names = _names(job)
        if event.death:
            failed = DEATHS.get(event.death, LATE)
            cell = names.index(event.cell) if event.cell else IDLE
            return Ended(None, failed.outcome, failed.reason, cell=cell, option=failed.option)
        value = float(len(self.asked))  # a number of its own, to know whose figures count
        found = {
            str(n): Figure(value, 1.0 + self.apart * ((n + len(self.asked)) % 2))
            for n, name in enumerate(names)
            if name != event.error
        }
        errors = {str(n): ERROR for n, name in enumerate(names) if name == event.error}
        dirty = DIRTY * event.disturbed
        if isinstance(job, TimeReads):
            return Ended(TimedReads(found, dict.fromkeys(found, 0.0), errors, 1.0, 1.0, dirty))
        if isinstance(job, TimeCalls):
            times = {index: CallTimes((each.raw,), (each.raw,)) for index, each in found.items()}
            return Ended(TimedCalls(times, {}, errors, dirty, 1.0, 1.0))
        return Ended(Timed(found, errors, 1.0, 1.0, dirty, 1.0, 1.0))


def _names(job: Job) -> list[str]:
    """The codec of each cell of a process, in the order that its heartbeat counts them."""
    if isinstance(job, TimeReads):
        return [read.codec for read in job.reads]
    if isinstance(job, TimeCalls):
        return [call.library for call in job.calls]
    assert isinstance(job, Time | TimeVersions)
    return [cell.codec for cell in job.cells for _ in range(1 + isinstance(job, TimeVersions))]


@dataclass
class Seen:
    """What a plan has kept.

    Attributes:
        reasons: Why codecs have no figure.
        figures: The turns of each codec that has figures, by the raw figure of each.
        said: What the user reads about disturbed processes.
    """

    reasons: dict[str, str]
    figures: dict[str, list[float]]
    said: Sequence[str]


def _run(played: Played, *, readers: bool = False) -> Seen:
    options = Options(
        ("made",),
        CODECS,
        ("load",),
        budget=played.budget,
        fewest=TURNS,
        readers=("other",) if readers else (),
    )
    stage = Stage("made", CorpusInputs(""), (), {}, CODECS, Schedule(options, side=1, begun=0.0))
    stage.checks |= dict.fromkeys(CODECS, CHECKED)
    reads = {name: Cell("made", "read", name, place="other.json") for name in CODECS} if readers else {}
    library = WorkerLibrary("json", "1", "json")
    language = Language("other", "Other", "1", (library,), ReaderCommand(("other",), "."))
    for name, cell in reads.items():
        stage.reads[cell] = TimedLibrary(language, library, f"p{name}", None, 1e-6, 0.1, 0.1, True)
    run = Run(
        options,
        State(),
        cast("Any", SimpleNamespace(write=lambda *_: None)),
        cast("Any", played),
        lambda *_: None,
    )
    timed = {name: Cell("made", "load", name) for name in (*CODECS, BASELINE)}
    for cell in (*timed.values(), *reads.values()):
        run.record(CellEntry(CellFinding(cell, "ok")))
    time_cells(run, stage)
    cells = reads or {name: timed[name] for name in CODECS}
    result = run.state.result(duration=1.0, complete=True)
    found = {cell.cell: cell for cell in result.cells}
    failed = {name: found[cell] for name, cell in cells.items() if found[cell].outcome != "ok"}
    outcomes = {failed.outcome for failed in DEATHS.values()}
    assert all(each.outcome in outcomes and not each.samples for each in failed.values())
    return Seen(
        {name: each.reason for name, each in failed.items()},
        {name: [s.raw for s in found[cell].samples] for name, cell in cells.items() if name not in failed},
        [each.removeprefix("made: ") for each in result.warnings if "measured again" in each],
    )


def _readers(played: Played) -> Seen:
    return _run(played, readers=True)


def _confirm(played: Played) -> Seen:
    options = Options(("made",), CODECS, ("load",), no_time_limit=True)
    side: Any = SimpleNamespace()
    again = Again()
    executors = cast("Any", (played, played))
    stage = _Stage(options, (side, side), executors, CorpusInputs(""), (), {}, again)
    stage.cells = [Cell("made", "load", name) for name in CODECS]
    for checks in stage.checks:
        checks |= dict.fromkeys(CODECS, CHECKED)
    for state in stage.states:
        for cell in stage.cells:
            state.apply(CellEntry(CellFinding(cell, "ok")))
    stage.measure(lambda *_: True, played.budget, LOOKS, lambda *_: None)
    return Seen(
        {cell.codec: reason for cell, reason in again.failed.items()},
        {cell.codec: [sample.raw for sample in one] for cell, (one, _) in again.samples.items()},
        [each for each in _remarks(again, same=False) if "disturbed" in each],
    )


def _versions(played: Played) -> Seen:
    job = TimeVersions(versions="v", cells=(), rounds=1)
    payloads: Any = {(name, "old→new"): "p" for name in CODECS}

    def left() -> float:
        return played.budget - played.now if plan.done < TURNS else 0.0

    plan = Rereading(cast("Any", played), job, payloads, left)
    trials = [Trial(name, CrossReading(1), CrossReading(1)) for name in CODECS]
    found = timed(trials, plan, PATIENCE)
    names = {name for name, _ in found.costs}
    figures = {
        name: [
            answer.cells[str(2 * plan.cells[turn].index((name, "old→new")))].raw
            for turn, answer in enumerate(plan.answers)
        ]
        for name in names
    }
    remarks = table(Evolution("old", "new", CHANGE, *found, 1)).sections[0].remarks
    return Seen(
        {trial.codec: trial.backward.untimed for trial in found.trials if trial.backward.untimed},
        figures,
        [each for each in remarks if "disturbed" in each],
    )


def _watch(played: Played) -> Seen:
    """Time three libraries at a call site, without the watched function."""
    site: Any = SimpleNamespace(libraries=[Other("made", name) for name in CODECS])
    plan = TimedSites(
        cast("Any", played), TimeCalls(tasks=""), [site], Effort(processes=TURNS), lambda _share: None
    )
    measured = conducted(plan, PATIENCE)
    (found,) = measured.found
    return Seen(
        {other.library: reason for other, reason in found.refused.items()},
        {other.library: [one.calls[0] for one in times] for other, times in found.times.items()},
        measured.notes,
    )


@dataclass(frozen=True)
class Planned:
    """A plan that runs timing processes.

    Attributes:
        go: Runs it.
        kind: Its jobs.
        sides: Processes of a turn.
    """

    go: Callable[[Played], Seen]
    kind: type[Job]
    sides: int = 1


PLANS = {
    "run": Planned(_run, Time),
    "confirm": Planned(_confirm, Time, sides=2),
    "readers": Planned(_readers, TimeReads),
    "versions": Planned(_versions, TimeVersions),
    "watch": Planned(_watch, TimeCalls),
}
WHOLE = sorted(CODECS)
REACHED = ("run", "readers")
"""Plans that do not say that processes were repeated if the precision was reached."""
AGAIN = "disturbed by neighbors and measured again"
WITHOUT = sorted(set(CODECS) - {VICTIM})


PLACES = [
    pytest.param(plan, turn, side, id=f"{plan}, turn {turn}, side {side}")
    for plan, planned in PLANS.items()
    for turn in (0, 1, 4)
    for side in range(planned.sides)
]
"""Each plan, and where in it a process meets an event."""


class Playing:
    """Runs plans on a clock that only processes move."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(
        self, plan: str, turn: int, side: int, *events: Event, budget: float = 1000.0, apart: float = 0.0
    ) -> tuple[Played, Seen]:
        """Run a plan; the processes from a turn and a side on meet some events."""
        planned = PLANS[plan]
        played = Played(planned.kind, turn * planned.sides + side, events, budget=budget, apart=apart)
        self._patch.setattr(time, "monotonic", lambda: played.now)
        return played, planned.go(played)


@pytest.fixture
def playing(monkeypatch: pytest.MonkeyPatch) -> Playing:
    return Playing(monkeypatch)


def said(plan: str, failed: Failed, when: str) -> str:
    """What is recorded: `bakeoff run` has the option that sets the limit, and a watch says the outcome."""
    option = f" ({failed.option})" if failed.option and plan in ("run", "readers") else ""
    outcome = f"{failed.outcome}: " if failed.outcome != "error" and plan == "watch" else ""
    return outcome + when.format(failed.reason) + option


def figures(seen: Seen) -> dict[str, int]:
    """The number of figures of each codec, all of different processes."""
    assert all(len(found) == len(set(found)) for found in seen.figures.values())
    return {name: len(found) for name, found in seen.figures.items() if found}


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_a_death_in_a_cell_costs_that_cell(
    plan: str, turn: int, side: int, death: str, playing: Playing
) -> None:
    """And its turn, which is repeated without the cell."""
    played, seen = playing(plan, turn, side, Event(death, VICTIM))

    assert {VICTIM: said(plan, DEATHS[death], "{}, while being timed")} == seen.reasons
    assert dict.fromkeys(WITHOUT, TURNS) == figures(seen)
    assert [WHOLE] * (played.first + 1) == played.asked[: played.first + 1]
    assert [WITHOUT] * (TURNS * PLANS[plan].sides - played.first + side) == played.asked[played.first + 1 :]


@pytest.mark.parametrize("deaths", [1, 2])
@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_a_process_that_dies_before_its_first_cell_is_replaced(
    plan: str, turn: int, side: int, death: str, deaths: int, playing: Playing
) -> None:
    dying = [*[Event()] * side, Event(death)]
    played, seen = playing(plan, turn, side, *(dying * deaths)[side:])

    assert {} == seen.reasons
    assert dict.fromkeys(WHOLE, TURNS) == figures(seen)
    assert [WHOLE] * (TURNS * PLANS[plan].sides + deaths * (1 + side)) == played.asked


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_the_third_death_in_a_row_costs_all_cells(
    plan: str, turn: int, side: int, death: str, playing: Playing
) -> None:
    """A turn of two sides does not count because one of them has answered."""
    dying = [*[Event()] * side, Event(death)]
    played, seen = playing(plan, turn, side, *(dying * 3)[side:])

    reason = said(plan, DEATHS[death], "{}; 3 processes died while no cell ran")
    assert dict.fromkeys(CODECS, reason) == seen.reasons
    assert {} == figures(seen)
    assert [WHOLE] * (played.first + 3 + 2 * side) == played.asked


@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_a_disturbed_process_is_repeated_at_once(plan: str, turn: int, side: int, playing: Playing) -> None:
    played, seen = playing(plan, turn, side, Event(disturbed=True))

    assert {} == seen.reasons
    assert dict.fromkeys(WHOLE, TURNS) == figures(seen)
    assert [WHOLE] * (TURNS * PLANS[plan].sides + 1) == played.asked
    assert [*seen.said] == ([] if plan in REACHED else ["1 process was " + AGAIN])
    assert played.first + 1 not in {raw for found in seen.figures.values() for raw in found}


@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_not_more_than_half_as_often_as_processes_count(
    plan: str, turn: int, side: int, playing: Playing
) -> None:
    played, seen = playing(plan, turn, side, *[Event(disturbed=True)] * 2)

    assert {} == seen.reasons
    assert dict.fromkeys(WHOLE, TURNS) == figures(seen)
    assert [WHOLE] * (TURNS * PLANS[plan].sides + min(2, 1 + turn // 2)) == played.asked
    number = "2 processes were " if turn > 1 else "1 process was "
    assert [*seen.said] == ([] if plan in REACHED else [number + AGAIN])


@pytest.mark.parametrize("plan", REACHED)
def test_a_run_says_so_if_it_misses_its_precision(plan: str, playing: Playing) -> None:
    _, seen = playing(plan, 1, 0, Event(disturbed=True), budget=30.0, apart=0.5)

    assert ["1 process was " + AGAIN] == [*seen.said]


@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_a_repeated_process_may_die(plan: str, turn: int, side: int, playing: Playing) -> None:
    played, seen = playing(plan, turn, side, Event(disturbed=True), Event("crash", VICTIM))

    assert {VICTIM: said(plan, DEATHS["crash"], "{}, while being timed")} == seen.reasons
    assert dict.fromkeys(WITHOUT, TURNS) == figures(seen)
    assert WITHOUT == played.asked[played.first + 2]


@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_an_error_costs_its_cell_but_not_the_turn(plan: str, turn: int, side: int, playing: Playing) -> None:
    played, seen = playing(plan, turn, side, Event(error=VICTIM))

    assert {VICTIM: said(plan, ERROR, "while being timed: {}")} == seen.reasons
    assert dict.fromkeys(WITHOUT, TURNS) == figures(seen)
    assert TURNS * PLANS[plan].sides == len(played.asked)


@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_a_process_that_is_out_of_time_ends_the_plan(
    plan: str, turn: int, side: int, playing: Playing
) -> None:
    """The turns before it count."""
    played, seen = playing(plan, turn, side, Event("late"))

    assert dict.fromkeys(WHOLE if turn else (), turn) == figures(seen)
    assert {} == seen.reasons
    assert [WHOLE] * (played.first + 1) == played.asked


@pytest.mark.parametrize(("plan", "turn", "side"), PLACES)
def test_a_process_that_hung_does_not_tell_how_long_a_turn_takes(
    plan: str, turn: int, side: int, playing: Playing
) -> None:
    """Less time is left than it took, but enough for all turns."""
    _, seen = playing(plan, turn, side, Event("hang", VICTIM), budget=1.5 * PATIENCE)

    # Three turns share the time at first: that of the readers is over, and the codecs' part counts.
    missed = plan == "readers" and turn < 2
    assert dict.fromkeys(WITHOUT, TURNS - missed) == figures(seen)
