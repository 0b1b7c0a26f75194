"""Times the tasks of a watch in several processes: the plan, and what becomes of their answers."""

from __future__ import annotations

import dataclasses
import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ..contention import alike
from ..jobs import Ended, Executor
from ..messages.watch import CallTimes, TimeCalls, TimedCalls, WatchedCall
from ..method import Budget
from ..run.processes import LocalExecutor
from ..run.rounds import Finished, Rounds, TimingProcess, of_disturbed
from .alternatives import OWN, Other
from .tasks import Effort, Task

ELSEWHERE: Final = "timed out at another call site"
"""Why a library that hangs has no times at the other call sites."""
_FOR_INTERVAL: Final = 2
"""Processes without which there is no interval."""

Cell = tuple[int, Other]
"""The number of a task, and a library."""


class Found(NamedTuple):
    """What is known of one call site.

    Attributes:
        times: What each process found, by library; the watched function's under `OWN`. Empty if that could
            not be timed.
        refused: Why a library has no times: of each one, unless it is due to the watched function.
    """

    times: Mapping[Other, Sequence[CallTimes]]
    refused: Mapping[Other, str]


class SiteFindings(NamedTuple):
    """What the processes found.

    Attributes:
        found: What is known of each task.
        notes: What disturbed them, a sentence each.
    """

    found: Sequence[Found]
    notes: Sequence[str] = ()


def measure(tasks: Sequence[Task], effort: Effort, show: Callable[[float], object]) -> SiteFindings:
    """Time the tasks in several processes.

    Args:
        tasks: At least one.
        effort: How many.
        show: Called with the share that is done.

    Raises:
        RunError: There is no folder for temporary files.
    """
    with LocalExecutor() as executor:
        job = TimeCalls(memory=Budget.CELL_MEMORY, tasks=executor.blobs.put(pickle.dumps(list(tasks))))
        plan = TimedSites(executor, job, tasks, effort, show)
        return conducted(plan, executor.pace.patience)


def conducted(plan: TimedSites, patience: float) -> SiteFindings:
    """Run the processes of a plan; Ctrl-C ends them, and what was found until then counts.

    Args:
        plan: The plan.
        patience: Seconds without progress, after which a process is ended.
    """
    rounds, notes = Rounds(plan, patience=patience), []
    try:
        rounds.conduct()
    except KeyboardInterrupt:
        notes.append(plan.interrupted())
    return SiteFindings(plan.found(), (*notes, *of_disturbed(rounds.replaced)))


class TimedSites:
    """The plan of a watch: a number of processes, each with all libraries at all call sites.

    Args:
        executor: Runs them.
        job: The job, without calls.
        tasks: What to time.
        effort: How many processes.
        show: Called with the share that is done.

    Attributes:
        done: Processes that count.
        free_level: Contention of a free core as measured so far.
    """

    def __init__(
        self,
        executor: Executor,
        job: TimeCalls,
        tasks: Sequence[Task],
        effort: Effort,
        show: Callable[[float], object],
    ) -> None:
        self.done = 0
        self.free_level = 0.0
        self._executor = executor
        self._job = job
        self._effort = effort
        self._spent = 0.0
        self._show = show
        self._times: dict[Cell, list[CallTimes]] = {
            (number, other): [] for number, task in enumerate(tasks) for other in task.libraries
        }
        self._refused: list[dict[Other, str]] = [{} for _ in tasks]
        self._contention: dict[int, float] = {}

    def next_turn(self) -> list[TimingProcess[Cell]]:
        """Return a process with all that has not failed."""
        if not self._times or self.done >= self._effort.processes:
            return []
        if self.done >= self._effort.fewest and self._spent > self._effort.limit:
            return []
        self._show(self.done / self._effort.processes)
        cells = list(self._times)
        calls = tuple(WatchedCall(number, other.form, other.library) for number, other in cells)
        return [TimingProcess(self._executor, cells, dataclasses.replace(self._job, calls=calls))]

    def take(self, turn: Sequence[Finished[Cell]]) -> None:
        """Keep the times of a process."""
        for finished in turn:
            answer = finished.answer
            assert isinstance(answer, TimedCalls)
            for index, reason in answer.refused.items():
                self._leave_out(finished.cells[int(index)], reason)
            for index, found in answer.cells.items():
                if (cell := finished.cells[int(index)]) in self._times:
                    self._times[cell].append(found)
            self._spent += finished.seconds
            self._contention[self.done] = answer.contention
            self.free_level = answer.free_level
            self.done += 1

    def fail(self, cell: Cell, ended: Ended) -> None:
        """Time a library no more at a call site; one that hangs, which takes long, at none."""
        self._leave_out(cell, ended.sentence)
        _, library = cell
        if ended.outcome == "timed out" and library != OWN:
            for each in [each for each in self._times if each[1] == library]:
                self._leave_out(each, ELSEWHERE)

    def _leave_out(self, cell: Cell, reason: str) -> None:
        number, other = cell
        self._refused[number][other] = reason
        # Without the watched function there is nothing to compare with.
        gone = [each for each in self._times if each == cell or (other == OWN and each[0] == number)]
        for each in gone:
            del self._times[each]

    def look(self) -> None:
        """Do nothing: the number of processes and their time end it."""

    def left(self) -> float:
        """Return that there is time: the tasks say how long a process takes."""
        return math.inf

    def late(self) -> bool:
        """Return that no process is late, for the same reason."""
        return False

    def interrupted(self) -> str:
        """Leave out all call sites if too few processes were timed; return how many were, in a sentence."""
        if self.done < _FOR_INTERVAL:
            for cell in [cell for cell in self._times if cell[1] == OWN]:
                self._leave_out(cell, "the timing was interrupted")
        processes = f"{self.done} of {self._effort.processes} processes"
        return f"the timing of other libraries was interrupted after {processes}"

    def found(self) -> list[Found]:
        """Return what the processes on a free core found, if there are enough of these."""
        chosen = sorted(alike(self._contention, self.free_level))
        found = [Found({}, refused) for refused in self._refused]
        for (number, other), times in self._times.items():
            found[number] = found[number]._replace(
                times={**found[number].times, other: [times[process] for process in chosen]}
            )
        return found
