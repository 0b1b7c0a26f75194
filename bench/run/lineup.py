"""Who is timed: all healthy cells of a corpus, without the codecs that there is no time for."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from ..figure import Figure
from ..ledger import RoughEntry
from ..messages.check import Checked
from ..method import Processes
from ..operations import operation
from ..operations.base import length_of_slice
from ..results import BASELINE, Cell
from .context import Run, Stage
from .options import Options
from .state import FAILED


def call_seconds(cell: Cell, checks: Mapping[str, Checked]) -> float:
    """Return a rough estimate of the seconds of a call of a cell; 0 for the baseline."""
    if cell.codec == BASELINE:
        return 0.0
    checked, base = checks[cell.codec], operation(cell.operation_name).base
    return checked.rough.get(base, 0.0) * checked.calls.get(base, 1)


def wanted(options: Options) -> int:
    """Return the number of processes that there should be time for."""
    return min(Processes.CHOSEN, options.fewest)


class Lineup:
    """The cells of a corpus that are timed.

    Attributes:
        took: Expected seconds of the next turn, from the last ones.
        codecs_took: The part of them for the codecs in Python.
    """

    def __init__(self, run: Run, stage: Stage) -> None:
        self.took = 0.0
        self.codecs_took = 0.0
        self._run = run
        self._stage = stage
        self._out: set[str] = set()

    def cells(self) -> list[Cell]:
        """Return the cells that still run."""
        found = []
        for name in self._run.options.timed():
            for codec in (*(name for name in self._stage.checks if name not in self._out), BASELINE):
                cell = operation(name).cell(self._stage.name, codec)
                checked = self._stage.checks.get(codec)
                skipped = operation(name).schema and (checked is None or not checked.fixes)
                if not skipped and self._run.state.outcome(cell) not in (*FAILED, None):
                    found.append(cell)
        return found

    def reads(self) -> list[Cell]:
        """Return the cells of readers that still run, also of codecs that there is no time for in Python."""
        return [cell for cell in self._stage.reads if self._run.state.outcome(cell) not in FAILED]

    def codecs(self) -> list[str]:
        """Return the codecs that are still timed."""
        return list(dict.fromkeys(cell.codec for cell in self.cells() if cell.codec != BASELINE))

    def choose(self) -> None:
        """Leave out the codecs that there is no time for, as estimated from their checks.

        Figures of the run before it was resumed stay.
        """
        seconds = {codec: self._expected(codec) for codec in self.codecs()}
        self._out |= seconds.keys() - set(self._stage.schedule.processes(seconds))

    def thin(self) -> None:
        """Leave out the slowest codecs if the requested processes would take too long."""
        options, schedule, state = self._run.options, self._stage.schedule, self._run.state
        missing = min(wanted(options), Processes.FEWEST) - state.processes(self._stage.name)
        if options.no_time_limit or missing <= 0:
            return
        spent: dict[str, float] = {}
        for cell in self.cells():
            if cell.codec != BASELINE and state.samples(cell):
                seconds = Processes.OVERHEAD * self._usual_slices(cell)
                spent[cell.codec] = spent.get(cell.codec, 0.0) + seconds
        usual = median(spent.values()) if spent else 0.0
        # Estimated without the slow codecs; leaving out others would save nothing.
        for codec in sorted(spent, key=spent.__getitem__, reverse=True):
            left = schedule.codecs_share * schedule.left(schedule.stretched)
            if missing * self.codecs_took <= left or spent[codec] < Processes.SLOW * usual:
                break
            self.took -= spent[codec]
            self.codecs_took -= spent[codec]
            self._leave(codec)

    def lost(self, figures: Mapping[Cell, Figure]) -> float:
        """Return the seconds that a disturbance has added to a turn that is not recorded yet."""
        lost = 0.0
        for cell, found in figures.items():
            if cell.codec != BASELINE:
                lost += found.duration - self._usual_slices(cell, found.duration)
        return lost

    def _leave(self, codec: str) -> None:
        """Stop timing a codec; its few figures are only rough."""
        for cell in [cell for cell in self.cells() if cell.codec == codec]:
            if samples := self._run.state.samples(cell):
                self._run.record(RoughEntry(cell.name, samples[-1].value))
        self._out.add(codec)

    def _expected(self, codec: str) -> float:
        """Return a rough estimate of the seconds of one process for a codec."""
        cells = (operation(name).cell(self._stage.name, codec) for name in self._run.options.timed())
        return Processes.OVERHEAD * sum(map(self._expected_slices, cells))

    def _expected_slices(self, cell: Cell) -> float:
        """Return a rough estimate of the seconds of a cell's slices, from its check."""
        options = self._run.options
        rounds = options.rounds_for(len(options.timed()) * len(self._stage.checks))
        call = call_seconds(cell, self._stage.checks)
        slices = rounds * length_of_slice(options.slice_seconds, call, operation(cell.operation_name).fewest)
        calls = 1 if call > Processes.SINGLE * options.slice else Processes.CALLS
        # Each call includes making a new record or payload.
        return max(2 * slices, calls * call)

    def _usual_slices(self, cell: Cell, *durations: float) -> float:
        """Return the seconds of a cell's slices in a process that nothing disturbs.

        They are those of the process with the shortest ones. One process alone may have been disturbed, so
        its seconds count only if they are less than the check lets expect.

        Args:
            durations: The seconds in a process that is not recorded yet.
        """
        found = [*durations, *(sample.duration for sample in self._run.state.samples(cell))]
        return min(found if len(found) > 1 else [*found, self._expected_slices(cell)])
