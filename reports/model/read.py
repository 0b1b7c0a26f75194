"""What a library in another language made of a codec's payloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...bench.results import CellResult, ReadFacts


@dataclass(frozen=True, slots=True)
class LibraryResult:
    """A cell of a reader.

    Attributes:
        cell: The cell.
        facts: Its facts.
    """

    cell: CellResult
    facts: ReadFacts

    @property
    def reader(self) -> str:
        """The name of the library, as in ``--readers``: "go-tinylib-msgp"."""
        return self.cell.cell.place

    @property
    def codec(self) -> str:
        """The name of the codec that wrote the payloads."""
        return self.cell.cell.codec

    @property
    def language(self) -> str:
        """The short name of the language, as in ``--readers``."""
        return self.reader.partition("-")[0]

    @property
    def outcome(self) -> str:
        """What became of the values."""
        return self.cell.outcome

    @property
    def who(self) -> str:
        """The library, with its language."""
        return f"{self.facts.library} ({self.facts.language})"

    def remark(self, sample: int) -> str:
        """Say which values the library changes, or why it has no figure; empty if it reads all exactly.

        Args:
            sample: Records that it should have read.
        """
        seen = self.facts.exact + self.facts.changed
        if self.outcome == "ok":
            return f"checked on {seen:,} of {sample:,} records" if seen < sample else ""
        if self.outcome == "lossy":
            loss = self.cell.loss
            more = len(loss) - 2
            return f"changes {'; '.join(loss[:2])}{f'; and {more} more' if more > 0 else ''}"
        return self.cell.reason or self.outcome

    @property
    def sentence(self) -> str:
        """What the library changes or refuses, with its name."""
        if self.outcome in ("lossy", "unsupported"):
            return f"{self.who} {self.remark(0)}"
        return f"{self.who} {self.outcome}: {self.cell.reason}"


def reads_of(cells: Iterable[CellResult]) -> Iterator[LibraryResult]:
    """Yield the cells of readers."""
    for cell in cells:
        if isinstance(cell.facts, ReadFacts):
            yield LibraryResult(cell, cell.facts)


def languages(reads: Iterable[LibraryResult]) -> dict[str, str]:
    """Return the names of languages, by their short names."""
    return {read.language: read.facts.language for read in reads}
