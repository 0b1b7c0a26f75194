"""The shared state of a run's phases: findings, journal, executor, and whether to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..jobs import CorpusInputs, Ended, Executor
from ..ledger import CellEntry, Entry
from ..messages.check import Checked
from ..method import Pace
from ..results import Cell, CellFinding
from .journal import Journal
from .languages import TimedLibrary
from .options import Options
from .schedule import Schedule
from .state import State
from .turns import Turn, turns

Show = Callable[[str, float, float], object]
"""``show(text, done, total)`` shows the current step and its progress."""


@dataclass(slots=True)
class Stage:
    """A corpus that is ready to be measured.

    Attributes:
        name: Name of the corpus.
        corpus: Its sample and related inputs.
        path: Entries of `sys.path` that workers need.
        modules: Modules that workers import before they work.
        codecs: Codecs that are entered on it.
        checks: Findings of the check, by codec; only codecs that may be timed.
        schedule: How its time is allotted.
        changed: Codecs whose version differs from the one that this run began with, in words.
        libraries: Modules that the records need, to be imported once for all checks.
        reads: The cells of readers that may be timed.
    """

    name: str
    corpus: CorpusInputs
    path: tuple[str, ...]
    modules: Mapping[str, str]
    codecs: tuple[str, ...]
    schedule: Schedule
    checks: dict[str, Checked] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    libraries: tuple[str, ...] = ()
    reads: dict[Cell, TimedLibrary] = field(default_factory=dict)


@dataclass(slots=True)
class Run:
    """One run.

    Attributes:
        options: The requested options.
        state: The findings so far.
        journal: The file that keeps them.
        executor: Runs the workers.
        show: Receives progress.
        look: Called after new findings.
        resumed: It resumes an earlier run.
        stopping: Start nothing new.
        abandoned: The run ends at once: what its workers still answer is not recorded.
        turn: Its turn among the runs that share this machine.
        pace: How much it measures, and how careful it is.
        begun: When it began, on the monotonic clock.
        before: Seconds that it took before it was resumed.
    """

    options: Options
    state: State
    journal: Journal
    executor: Executor
    show: Show
    look: Callable[[], object] = lambda: None
    resumed: bool = False
    stopping: bool = False
    abandoned: bool = False
    turn: Turn = field(default_factory=lambda: turns(1)[0])
    pace: Pace = field(default_factory=lambda: Pace.usual)
    begun: float = field(default_factory=time.monotonic)
    before: float = 0.0

    def spent(self) -> float:
        """Return the seconds that the run has taken, including those before it was resumed."""
        return self.before + time.monotonic() - self.begun

    def pass_on(self, schedule: Schedule) -> None:
        """Let the other runs on this machine work once; it takes nothing from the time of the corpus."""
        schedule.begun += self.turn.pass_on()

    def record(self, *entries: Entry) -> None:
        """Apply entries to the state and write them to the journal.

        Raises:
            KeyboardInterrupt: The run was abandoned.
        """
        if self.abandoned:
            raise KeyboardInterrupt
        for entry in entries:
            self.state.apply(entry)
        self.journal.write(*entries)

    def fail(self, cell: Cell, ended: Ended) -> None:
        """Record why a cell has no figure."""
        self.record(CellEntry(CellFinding(cell, ended.outcome, ended.in_run, stderr=ended.stderr)))
