"""The plan of the processes that time how codecs read the other version."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...jobs import Digest, Ended, Executor
from ...messages.evolution import TimeVersions
from ...messages.timing import Timed, TimedCell
from ...run.rounds import GRACE, Finished, TimingProcess
from .cost import Key, ReadingCost, costs


@dataclass(slots=True)
class Rereading:
    """The plan of the timing processes: all cells, while there is time, but one process in any case.

    Attributes:
        executor: Runs them.
        job: The job, without cells.
        payloads: Digest of the payloads of each cell.
        left: Returns the seconds that are left; see `rounds.Plan`.
        cells: The cells of each process, by the index of its answer.
        answers: The answers.
        failed: Why a cell has no cost, in a sentence.
        took: Seconds of the last process that answered.
    """

    executor: Executor
    job: TimeVersions
    payloads: dict[Key, Digest]
    left: Callable[[], float]
    cells: dict[int, list[Key]] = field(default_factory=dict)
    answers: list[Timed] = field(default_factory=list)
    failed: dict[Key, str] = field(default_factory=dict)
    took: float = 0.0

    @property
    def done(self) -> int:
        """The number of processes that answered."""
        return len(self.answers)

    @property
    def free_level(self) -> float:
        """Contention of a free core as measured so far."""
        return self.answers[-1].free_level if self.answers else 0.0

    def next_turn(self) -> list[TimingProcess[tuple[Key, int]]]:
        """Return a process in which each cell has two decodes."""
        if not self.payloads or (self.answers and self.left() <= self.took):
            return []
        cells = tuple(TimedCell(name, way, digest) for (name, way), digest in self.payloads.items())
        decodes = [(key, decode) for key in self.payloads for decode in (0, 1)]
        return [TimingProcess(self.executor, decodes, dataclasses.replace(self.job, cells=cells))]

    def take(self, turn: Sequence[Finished[tuple[Key, int]]]) -> None:
        """Keep the answer of a process."""
        for finished in turn:
            assert isinstance(finished.answer, Timed)
            self.took = finished.seconds
            self.cells[self.done] = list(dict.fromkeys(key for key, _ in finished.cells))
            self.answers.append(finished.answer)

    def fail(self, cell: tuple[Key, int], ended: Ended) -> None:
        """Time a cell no more; it has no cost."""
        self.payloads.pop(cell[0], None)
        self.failed[cell[0]] = ended.reason

    def look(self) -> None:
        """Do nothing: only the time ends it."""

    def late(self) -> bool:
        """Return whether to end a process that is not the first one."""
        return bool(self.answers) and self.left() < -GRACE

    def costs(self) -> dict[Key, ReadingCost]:
        """Return the costs of the cells that did not fail."""
        return {key: found for key, found in costs(self.cells, self.answers).items() if key in self.payloads}
