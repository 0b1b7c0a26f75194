"""``bakeoff fidelity --readers``: what libraries of other languages read, and what Python reads from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import RunError, UsageError
from ._tables import drawn, paragraphs, split

if TYPE_CHECKING:
    from ..bench.lab.fidelity.matrix import FidelityCell, Tried
    from ..bench.lab.fidelity.readers import ForeignLibrary, ForeignReaders

LEGEND: Final = (
    "= the same value; ~X silently became X; refused: an error.",
    "-f csv has all reasons, and the values that Python itself changes.",
)
_BRIEFER: Final = (
    (r"^~(?:number|float) ", "~"),  # the figure shows it
    (r"^(~(?:key )?tag -?\d+ of \w+) .*", r"\1"),
    (r"(\.\d{4})\d+(?=e)", r"\1…"),
    (r"(\d{4})\.0$", r"\1"),
    (r"^~key text ", "~key "),
)
"""Patterns that make a cell shorter, and what replaces them."""
_OUTCOMES: Final = ("exact", "changed", "refused", "unreadable", "crash", "not written")
"""From best to worst."""


class _Words(NamedTuple):
    """The texts of a direction.

    Attributes:
        above: Heading of the summary.
        values: The values that it counts.
        exact: What is true for most values.
    """

    above: str
    values: str
    exact: str


_READ: Final = _Words(
    "Read: Python writes, and other languages read.",
    "values: those that a round trip in Python preserves, without a schema unless the format needs one",
    "are exact in every library",
)
_WRITTEN: Final = _Words(
    "Written: other languages write what they read, and Python reads.",
    "values: those that the library read exactly; others are not written (-)",
    "return exact from every library that writes them",
)


class _Block(NamedTuple):
    """A table with lines above and below it.

    Attributes:
        rows: The header, then all other rows.
        right: For each column whether it is aligned to the right.
    """

    above: list[str]
    rows: list[list[str]]
    below: list[str]
    right: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Reads:
    """What was read in one direction.

    Attributes:
        words: Texts of the direction.
        readers: The libraries.
        formats: Format of each codec.
        python: What Python made of a value, by codec and value.
        cells: What a library made of it, or Python of what the library wrote, by codec, value and library.
    """

    words: _Words

    readers: Sequence[ForeignLibrary]
    formats: Mapping[str, str]
    python: Mapping[tuple[str, str], FidelityCell]
    cells: Mapping[tuple[str, str, ForeignLibrary], FidelityCell]

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

    def name(self, reader: ForeignLibrary) -> str:
        """Return the name of a library in this direction."""
        return reader.writer if self.words is _WRITTEN else reader.library

    @property
    def silent(self) -> list[ForeignLibrary]:
        """The libraries that read a value here and do not write."""
        return list(dict.fromkeys(reader for _, _, reader in self.cells if not reader.writer))

    def outcome(self, value: str, reader: ForeignLibrary) -> str:
        """Return the worst outcome of a value in a library, of the codecs with which Python preserves it."""
        codecs = self.preserving(value, reader.format)
        return max((self.cells[codec, value, reader].outcome for codec in codecs), key=_OUTCOMES.index)


def started(languages: Sequence[str]) -> ForeignReaders:
    """Start the workers of some languages.

    Raises:
        UsageError: No language, an unknown one, or one whose worker is not built.
        RunError: One does not start.
    """
    from ..bench.foreign.port import WorkerError
    from ..bench.lab.fidelity.readers import ForeignReaders

    if not languages:
        raise UsageError("--readers needs a language, such as go")
    try:
        return ForeignReaders(languages)
    except WorkerError as error:
        raise RunError(f"--readers {','.join(languages)}: {error}") from error


def tried() -> list[str]:
    """Return the installed codecs that write without a schema, or with one that readers get."""
    from ..codecs import available

    return [codec for codec in available(needs_schema=True) if not _has_own_types(codec)]


def _has_own_types(codec: str) -> bool:
    """Return whether a codec needs a schema that readers do not get: it reads into classes of Python."""
    from ..bench.foreign.schemas import FORMATS
    from ..codecs import describe

    known = describe(codec)
    return known.needs_schema and known.format not in FORMATS


def readable(readers: ForeignReaders, codecs: Sequence[str]) -> dict[str, str]:
    """Return the formats of the codecs that a library reads.

    Raises:
        UsageError: There is none.
    """
    from ..codecs import describe

    known = dict.fromkeys(reader.format for reader in readers.libraries)
    formats = {codec: describe(codec).format for codec in codecs}
    found = {codec: form for codec, form in formats.items() if form in known and not _has_own_types(codec)}
    if not found:
        raise UsageError("; ".join([*left_out(codecs, found), f"they read {', '.join(known)}"]))
    return found


def left_out(codecs: Sequence[str], formats: Mapping[str, str]) -> Iterator[str]:
    """Yield notes about codecs that are not among the readable ones."""
    from ..reports.model.lists import some

    unread = [codec for codec in codecs if codec not in formats]
    if own := [codec for codec in unread if _has_own_types(codec)]:
        yield f"readers do not get the schema of {some(own)}"
    if rest := [codec for codec in unread if codec not in own]:
        yield f"no library here reads {some(rest)}"


def read(
    readers: ForeignReaders, columns: Mapping[str, Mapping[str, Tried]], formats: Mapping[str, str]
) -> Reads:
    """Read every payload with every library of its format."""
    python, cells = {}, {}
    for codec, column in columns.items():
        for value, tried in column.items():
            if tried.written is None:
                continue
            python[codec, value] = tried.of_written
            for reader in readers.libraries:
                if reader.format == formats[codec]:
                    cells[codec, value, reader] = readers.cell(reader, tried.written)
    return Reads(_READ, readers.libraries, {codec: formats[codec] for codec in columns}, python, cells)


def reread(readers: ForeignReaders, columns: Mapping[str, Mapping[str, Tried]], reads: Reads) -> Reads:
    """Let every library write what it has read exactly, and Python read it."""
    from ..bench.lab.fidelity.writers import wrote

    places = {place: columns[place[0]][place[1]].written for place in reads.cells}
    cells = wrote(readers, {place: each for place, each in places.items() if each is not None})
    return replace(
        reads, words=_WRITTEN, readers=[each for each in reads.readers if each.writer], cells=cells
    )


def laid_out(directions: Iterable[Reads], notes: Sequence[str], form: str, width: int) -> str:
    """Lay out the summary of each direction, and its table for each format."""
    parts = []
    for block in (block for reads in directions for block in _blocks(reads)):
        folds = form == "text" and block.above and block.rows
        tables = list(split(block.rows, width)) if folds else [block.rows]
        parts += paragraphs(block.above, form)
        parts += [drawn(table, form, block.right) for table in tables if table]
        below = (
            [shorten(line, width, placeholder=" …") for line in block.below]
            if form == "text"
            else block.below
        )
        parts += ["\n".join(paragraphs(below, form))] * bool(below)
    return "\n\n".join([*parts, "\n".join(paragraphs([*LEGEND, *notes], form))]) + "\n"


def lines(reads: Reads, writes: Reads) -> Iterator[list[str]]:
    """Yield the rows of the CSV: every value of every codec in every library."""
    yield [
        "codec", "value", "python", "became_in_python", "language", "library", "version", "outcome", "became",
        "written", "became_when_written",
    ]  # fmt: skip
    for (codec, value, reader), cell in reads.cells.items():
        python = reads.python[codec, value]
        where = [reader.language, reader.library, reader.version]
        back = writes.cells[codec, value, reader]
        found = [each for one in (cell, back) for each in (one.outcome, one.became)]
        yield [codec, value, python.outcome, python.became, *where, *found]


def _blocks(reads: Reads) -> Iterator[_Block]:
    forms = [form for form in dict.fromkeys(reads.formats.values()) if reads.values(form)]
    yield _summary(reads, forms)
    for form in forms:
        yield _format(reads, form)


def _summary(reads: Reads, forms: Sequence[str]) -> _Block:
    had = {cell.outcome for cell in reads.cells.values()}
    shown = [each for each in _OUTCOMES[:-1] if each in ("exact", "changed", "refused") or each in had]
    rows = [["language", "library", "format", "values", *shown]]
    for reader in reads.readers:
        if reader.format in forms:
            values = reads.values(reader.format)
            counts = Counter(reads.outcome(value, reader) for value in values)
            figures = [len(values) - counts["not written"], *(counts[each] for each in shown)]
            rows.append([reader.language, reads.name(reader), reader.format, *map(str, figures)])
    return _Block([reads.words.above], rows, [reads.words.values], (*[False] * 3, *[True] * (1 + len(shown))))


def _format(reads: Reads, form: str) -> _Block:
    from ..reports.model.lists import some

    readers = [reader for reader in reads.readers if reader.format == form]
    codecs, values = reads.codecs(form), reads.values(form)
    rows, partial = [["value", *_headings(reads, readers)]], list[list[str]]()
    differing = set()
    for value in values:
        for texts, same in _groups(reads, value, form, readers):
            if set(texts) <= {"=", "-"}:
                continue
            differing.add(value)
            if same != codecs and same not in partial:
                partial.append(same)
            rows.append([value if same == codecs else f"{value} [{partial.index(same) + 1}]", *texts])
    exact = len(values) - len(differing)
    above = f"{form} ({some(codecs, 1)}): {exact} of {len(values)} values {reads.words.exact}"
    only = [f"[{number}] {', '.join(names)}" for number, names in enumerate(partial, 1)]
    return _Block([above], rows if differing else [], [*only, *_reasons(reads, form)])


def _headings(reads: Reads, readers: Sequence[ForeignLibrary]) -> list[str]:
    """Return the names of libraries, with the language where two have the same."""
    names = list(map(reads.name, readers))
    return [
        name if names.count(name) == 1 else f"{name} ({each.language})"
        for name, each in zip(names, readers, strict=True)
    ]


def _groups(
    reads: Reads, value: str, form: str, readers: Sequence[ForeignLibrary]
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the texts of a value in all libraries, with the codecs that have the same."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for codec in reads.preserving(value, form):
        texts = tuple(_brief(reads.cells[codec, value, reader]) for reader in readers)
        groups.setdefault(texts, []).append(codec)
    yield from groups.items()


def _brief(cell: FidelityCell) -> str:
    text = str(cell)
    for pattern, less in _BRIEFER:
        text = re.sub(pattern, less, text)
    return text


def _reasons(reads: Reads, form: str) -> Iterator[str]:
    """Yield the first refusal, and the first crash, of each library."""
    said = set()
    for (codec, value, reader), cell in reads.cells.items():
        told = cell.outcome, reader
        if reader.format != form or cell.outcome not in ("refused", "unreadable", "crash") or told in said:
            continue
        if codec in reads.preserving(value, form):
            said.add(told)
            yield f"{reads.name(reader)}, {value}: {cell.outcome}: {cell.became}"
