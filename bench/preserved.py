"""What `bakeoff fidelity` found: what became of values in codecs, and in libraries of other languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

FOREIGN_OUTCOMES: Final = ("exact", "changed", "refused", "unreadable", "crash", "not written")
"""The outcomes of a value in a library of another language, from best to worst."""


@dataclass(frozen=True, slots=True)
class FidelityCell:
    """The result for one value.

    Attributes:
        outcome: ``"exact"``, ``"changed"``, ``"encode error"``, ``"decode error"``, ``"needs a schema"`` or
            ``"crash"``; of a library of another language ``"refused"`` if it raised an error,
            ``"unreadable"`` if Python's codec refused what it wrote, or ``"not written"``.
        became: Type (or value) that was decoded, or the error.
    """

    outcome: str
    became: str = ""

    def __str__(self) -> str:
        """Return the cell in short: ``=``, ``~type``, ``E``, ``D``, ``-`` or ``crash``."""
        if self.outcome in ("needs a schema", "not written"):
            return "-"
        short = {"exact": "=", "encode error": "E", "decode error": "D"}
        return f"~{self.became}" if self.outcome == "changed" else short.get(self.outcome, self.outcome)


class ForeignLibrary(NamedTuple):
    """A library of another language.

    Attributes:
        format: The format that it reads.
        writer: Name under which it writes; empty if it does not.
    """

    language: str
    library: str
    version: str
    format: str
    writer: str


Place = tuple[str, str, ForeignLibrary]
"""A codec, the name of a value, and a library."""


@dataclass(frozen=True, slots=True)
class ForeignReads:
    """What was read in one direction.

    Attributes:
        direction: ``"read"``: Python writes, and the libraries read. ``"written"``: they write what they have
            read exactly, and Python reads.
        libraries: The libraries.
        formats: Format of each codec.
        python: What Python made of a value, by codec and value.
        cells: What a library made of it, or Python of what the library wrote.
    """

    direction: Literal["read", "written"]
    libraries: Sequence[ForeignLibrary]
    formats: Mapping[str, str]
    python: Mapping[tuple[str, str], FidelityCell]
    cells: Mapping[Place, FidelityCell]

    def codecs(self, form: str) -> list[str]:
        """Return the codecs of a format."""
        return [codec for codec, known in self.formats.items() if known == form]

    def values(self, form: str) -> list[str]:
        """Return the values that Python preserves with one of the codecs of a format, and that were read."""
        kept = (
            value
            for (codec, value, _), cell in self.cells.items()
            if self.formats[codec] == form and cell.outcome != "not written"
        )
        return [value for value in dict.fromkeys(kept) if self.preserving(value, form)]

    def preserving(self, value: str, form: str) -> list[str]:
        """Return the codecs of a format with which Python preserves a value."""
        found = {codec: self.python.get((codec, value)) for codec in self.codecs(form)}
        return [codec for codec, cell in found.items() if cell is not None and cell.outcome == "exact"]

    def name(self, library: ForeignLibrary) -> str:
        """Return the name of a library in this direction."""
        return library.writer if self.direction == "written" else library.library

    @property
    def silent(self) -> list[ForeignLibrary]:
        """The libraries that read a value here and do not write."""
        return list(dict.fromkeys(library for _, _, library in self.cells if not library.writer))

    def outcome(self, value: str, library: ForeignLibrary) -> str:
        """Return the worst outcome of a value in a library, of the codecs with which Python preserves it."""
        codecs = self.preserving(value, library.format)
        outcomes = (self.cells[codec, value, library].outcome for codec in codecs)
        return max(outcomes, key=FOREIGN_OUTCOMES.index)
