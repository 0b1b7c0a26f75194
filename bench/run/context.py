"""What the phases of a run share: what is known, where it is written, who works, and whether to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..jobs import Checked, CorpusInputs
from ..results import Cell, Outcome, without_defaults
from .journal import Journal
from .options import Options
from .processes import LocalExecutor
from .schedule import Schedule
from .state import Entry, State

__all__ = ["Run", "Show", "Stage"]

Show = Callable[[str, float, float], object]
"""``show(text, done, total)``: what is going on, and how much of it is done."""


@dataclass(slots=True)
class Stage:
    """A corpus that is ready to be measured.

    Attributes:
        name: Of the corpus.
        corpus: Its sample, and what goes with it.
        path: What workers need in `sys.path`.
        modules: What they import before they work.
        codecs: Those that are entered on it.
        checks: What the check found, by codec; only codecs that may be timed.
        schedule: What its time is for.
        changed: Codecs that are not of the version that this run began with, in words.
        libraries: Modules that the records need, to be imported once for all checks.
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


@dataclass(slots=True)
class Run:
    """One run.

    Attributes:
        options: What was asked for.
        state: What has been found so far.
        journal: Where it is written down.
        executor: Where workers run.
        show: Where progress goes.
        look: Called when more is known.
        resumed: It resumes an earlier run.
        stopping: Nothing new is to be begun.
        begun: When it began, on the monotonic clock.
        before: Seconds that it took before it was resumed.
    """

    options: Options
    state: State
    journal: Journal
    executor: LocalExecutor
    show: Show
    look: Callable[[], object] = lambda: None
    resumed: bool = False
    stopping: bool = False
    begun: float = field(default_factory=time.monotonic)
    before: float = 0.0

    def spent(self) -> float:
        """Return the seconds that the run has taken, those before it was resumed included."""
        return self.before + time.monotonic() - self.begun

    def record(self, *entries: Entry) -> None:
        """Take entries into account and write them down."""
        for entry in entries:
            self.state.apply(entry)
        self.journal.write(*entries)

    def fail(self, cell: Cell, outcome: Outcome, reason: str, stderr: str = "") -> None:
        """Record that a cell has no figure, and why."""
        found = {"outcome": outcome, "reason": reason, "stderr": stderr}
        self.record({"kind": "cell", "cell": without_defaults(cell), **found})
