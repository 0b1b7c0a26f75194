"""The conductor of timing processes: one set of rules for runs, confirmations, readers, versions, watches.

A *turn* is one process for each side, in succession. Who is on which side, how long this goes on and what
becomes of the figures is decided by a `Plan`. What is the same for every plan is decided here:

- A turn counts if all of its processes answer. After a death, the plan is asked for another turn, without the
  cells that the death costs; see `bench.deaths`.
- A process with too many disturbed slices is repeated at once, if there is time and few were repeated.
- A turn stays on one core, and the next one has the next core.
- A process that makes no progress is ended, and so is one that is still at work long after the plan's end.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from ..deaths import Deaths
from ..figure import Figure
from ..jobs import Ended, Executor
from ..messages.evolution import TimeVersions
from ..messages.reads import TimedReads, TimeReads
from ..messages.timing import Time, Timed
from ..messages.watch import TimeCalls, TimedCalls
from ..method import Processes

T = TypeVar("T", bound=Hashable)

GRACE = 5.0
"""Seconds after the end of a plan until a process that is still at work is ended, unless it has a budget."""

TimingJob: TypeAlias = Time | TimeReads | TimeVersions | TimeCalls
TimingAnswer: TypeAlias = Timed | TimedReads | TimedCalls


def of_disturbed(number: int) -> tuple[str, ...]:
    """Say that some disturbed processes were repeated, if there are any."""
    those = "1 process was" if number == 1 else f"{number} processes were"
    return (f"{those} disturbed by neighbors and measured again",) if number else ()


class TimingProcess(NamedTuple, Generic[T]):
    """One process of a turn.

    Attributes:
        executor: Runs it.
        cells: What it times, in the order in which its heartbeat and its answer count.
        job: The job; its core and its baseline of the contention are set by the conductor.
    """

    executor: Executor
    cells: Sequence[T]
    job: TimingJob


class Finished(NamedTuple, Generic[T]):
    """A process that answered.

    Attributes:
        cells: Its cells.
        answer: Its answer.
        seconds: Seconds that it took; those that died or were disturbed before it do not count.
    """

    cells: Sequence[T]
    answer: TimingAnswer
    seconds: float

    def figures(self) -> dict[T, Figure]:
        """Return the figures of the cells that have some; calls have times instead."""
        assert not isinstance(self.answer, TimedCalls)
        return {self.cells[int(index)]: found for index, found in self.answer.cells.items()}


class Plan(Protocol[T]):
    """Decides who is timed, how long, and what becomes of the figures."""

    @property
    def done(self) -> int:
        """The number of turns that count."""
        ...

    @property
    def free_level(self) -> float:
        """Contention of a free core as measured so far; 0 if unknown."""
        ...

    def next_turn(self) -> Sequence[TimingProcess[T]]:
        """Return the processes of the next turn, in their order; none to end."""
        ...

    def take(self, turn: Sequence[Finished[T]]) -> None:
        """Keep the figures of a turn; it is empty if a process died."""
        ...

    def fail(self, cell: T, ended: Ended) -> None:
        """Time a cell no more, for the reason that `ended` says."""
        ...

    def look(self) -> None:
        """Judge the figures; called after certain numbers of turns."""
        ...

    def left(self) -> float:
        """Return the seconds for further processes; not above 0 if there must be none."""
        ...

    def late(self) -> bool:
        """Return whether to end a process that is still at work. Called in any thread."""
        ...


class Rounds(Generic[T]):
    """The timing processes of one plan.

    Args:
        plan: What to time.
        patience: Seconds without progress, after which a process is ended.
        looks: Numbers of turns after which the plan looks at its figures.
        orders: Successive turns on the same core: one for each order of the sides, if it alternates.
        running: Called regularly with the cell that runs.

    Attributes:
        replaced: Disturbed processes that were repeated.
        out_of_time: A process was ended, or not begun, as there was no time.
    """

    def __init__(
        self,
        plan: Plan[T],
        *,
        patience: float,
        looks: Collection[int] = (),
        orders: int = 1,
        running: Callable[[T], object] = lambda cell: None,
    ) -> None:
        self.replaced = 0
        self.out_of_time = False
        self._plan = plan
        self._patience = patience
        self._looks = looks
        self._orders = orders
        self._running = running
        self._deaths: Deaths[T] = Deaths()

    def conduct(self) -> None:
        """Run turns until the plan ends or is out of time."""
        while sides := self._plan.next_turn():
            turn = self._turn(sides)
            if self.out_of_time:
                return
            self._plan.take(turn)
            if turn and self._plan.done in self._looks:
                self._plan.look()

    def _turn(self, sides: Sequence[TimingProcess[T]]) -> list[Finished[T]]:
        """Run one process for each side; return nothing if one of them has no answer."""
        turn = []
        for side in sides:
            finished = self._finished(side, len(sides))
            if finished is None:
                return []
            turn.append(finished)
            for index, failed in finished.answer.errors.items():
                reason = f"while being timed: {failed.reason}"
                self._plan.fail(
                    side.cells[int(index)], Ended(None, failed.outcome, reason, option=failed.option)
                )
        self._deaths.forget()
        return turn

    def _finished(self, side: TimingProcess[T], sides: int) -> Finished[T] | None:
        """Run a process of a turn of so many, again if it was disturbed; return None if it died."""
        begun = time.monotonic()
        ended = self._run(side)
        if ended.outcome == "unfinished":
            self.out_of_time = True
            return None
        answer: TimingAnswer | None = ended.answer
        if answer is None:
            blame = self._deaths.blame(ended, side.cells)
            for cell in blame.cells:
                self._plan.fail(cell, dataclasses.replace(ended, reason=blame.reason))
            return None
        took = time.monotonic() - begun
        if answer.dirty > Processes.DIRTY and self._can_replace(sides * took):
            self.replaced += 1
            return self._finished(side, sides)
        return Finished(side.cells, answer, took)

    def _run(self, side: TimingProcess[T]) -> Ended:
        cores = side.executor.cores
        core = cores[self._plan.done // self._orders % len(cores)] if len(cores) > 1 else None

        def watch(index: int, beats: int) -> None:
            if 0 <= index < len(side.cells):
                self._running(side.cells[index])

        return side.executor.submit(
            dataclasses.replace(side.job, core=core, free_level=self._plan.free_level),
            patience=self._patience,
            over=self._plan.late,
            watch=watch,
        ).result()

    def _can_replace(self, turn: float) -> bool:
        """Return whether a disturbed process may be repeated: there is time, and few were repeated.

        Args:
            turn: Seconds of a turn, roughly.
        """
        missing = max(1, Processes.FEWEST - self._plan.done)
        return self.replaced <= self._plan.done // 2 and self._plan.left() > missing * turn
