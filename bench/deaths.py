"""What the death of a timing process costs: one rule for everything that runs such processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from .jobs import Ended
from .method import Processes

T = TypeVar("T", bound=Hashable)


class Blame(NamedTuple, Generic[T]):
    """The cells that a death costs.

    Attributes:
        cells: None, if the process only has to be replaced.
        reason: Why they have no figure, in a sentence.
    """

    cells: Sequence[T]
    reason: str


class Deaths(Generic[T]):
    """The deaths of the timing processes of one set of cells.

    The cell that ran when a process died is out, and the next process runs without it. A process that died
    while no cell ran is replaced; the third such death in a row costs all its cells, since nothing else would
    end it.
    """

    def __init__(self) -> None:
        self._nameless: Counter[T] = Counter()

    def blame(self, ended: Ended, cells: Sequence[T]) -> Blame[T]:
        """Return what a death costs.

        Args:
            ended: A process without an answer.
            cells: Its cells, in the order that its heartbeat counts them.
        """
        if 0 <= ended.cell < len(cells):
            return Blame([cells[ended.cell]], f"{ended.reason}, while being timed")
        self._nameless.update(dict.fromkeys(cells, 1))
        given_up = [cell for cell in dict.fromkeys(cells) if self._nameless[cell] >= Processes.NAMELESS]
        return Blame(given_up, f"{ended.reason}; {Processes.NAMELESS} processes died while no cell ran")

    def forget(self) -> None:
        """Start the count of deaths while no cell ran again: all processes of a turn have answered."""
        self._nameless.clear()
