"""What libraries of other languages read from codecs, and what Python reads from these libraries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from ...bench.preserved import FOREIGN_OUTCOMES, FidelityCell, ForeignLibrary, ForeignReads
from ..model.lists import some
from ..model.table import Column, Entry, Section, Table
from .builder import Maker, TableBuilder, word
from .fidelity import folded

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
_ALWAYS: Final = ("exact", "changed", "refused")
"""Outcomes that the summary always counts; others only if they occur."""
_FAILED: Final = ("refused", "unreadable", "crash")
"""Outcomes with a reason."""


class _Words(NamedTuple):
    """The texts of a direction.

    Attributes:
        title: Title of the summary.
        values: The values that it counts.
        exact: What is true for most values.
    """

    title: str
    values: str
    exact: str


_WORDS: Final = {
    "read": _Words(
        "Read: Python writes, and other languages read",
        "values: those that a round trip in Python preserves, without a schema unless the format needs one",
        "are exact in every library",
    ),
    "written": _Words(
        "Written: other languages write what they read, and Python reads",
        "values: those that the library read exactly; others are not written (-)",
        "return exact from every library that writes them",
    ),
}


class _Difference(NamedTuple):
    """A value that not every library reads exactly.

    Attributes:
        texts: What it became in each library.
        codecs: The codecs with which it did, if not all of the format.
    """

    value: str
    texts: tuple[str, ...]
    codecs: list[str]


def table(directions: Iterable[ForeignReads], notes: Iterable[str] = (), width: int | None = None) -> Table:
    """Convert what was read to the table model: a summary of each direction, and a table for each format.

    Args:
        directions: What was read in each direction.
        notes: Lines below all tables.
        width: Columns of the terminal, to which libraries are folded; None for no limit.
    """
    sections = (section for reads in directions for section in _sections(reads, width))
    return Table(tuple(sections), notes=(*LEGEND, *notes))


def _sections(reads: ForeignReads, width: int | None) -> Iterator[Section]:
    formats = [form for form in dict.fromkeys(reads.formats.values()) if reads.values(form)]
    yield _summary(reads, formats)
    for form in formats:
        yield from folded(_of_format(reads, form), width)


def _summary(reads: ForeignReads, formats: Sequence[str]) -> Section:
    words = _WORDS[reads.direction]
    had = {cell.outcome for cell in reads.cells.values()} - {"not written"}
    counts = {
        library: Counter(reads.outcome(value, library) for value in reads.values(library.format))
        for library in reads.libraries
        if library.format in formats
    }

    def count(library: ForeignLibrary, outcomes: Sequence[str]) -> Entry:
        found = sum(counts[library][outcome] for outcome in outcomes)
        return Entry(str(found), found)

    shown = [outcome for outcome in FOREIGN_OUTCOMES if outcome in _ALWAYS or outcome in had]
    columns: list[Maker[ForeignLibrary]] = [
        word("language", "language", lambda library: library.language),
        word("library", "library", reads.name),
        word("format", "format", lambda library: library.format),
    ]
    for key, outcomes in [("values", shown), *((outcome, [outcome]) for outcome in shown)]:
        columns.append((Column(key, key, raw_unit="integer"), partial(count, outcomes=outcomes)))
    builder = TableBuilder[ForeignLibrary](lambda _: (), reads.name)
    return builder.table(words.title, counts, columns, remarks=[words.values])


def _of_format(reads: ForeignReads, form: str) -> Section:
    libraries = [library for library in reads.libraries if library.format == form]
    differences = list(_differences(reads, form, libraries))
    values = reads.values(form)
    exact = len(values) - len({each.value for each in differences})
    builder = TableBuilder[_Difference](lambda _: (), lambda row: row.value)

    def value(row: _Difference) -> Entry:
        marks = (builder.mark(f"with {', '.join(row.codecs)}"),) if row.codecs else ()
        return Entry(row.value, row.value, marks=marks)

    columns: list[Maker[_Difference]] = [(Column("value", "value", numeric=False), value)]
    for number, heading in enumerate(_headings(reads, libraries)):
        columns.append(word(heading, heading, partial(_became, number=number)))
    section = builder.table(
        f"{form} ({some(reads.codecs(form), 1)}): {exact} of {len(values)} values "
        f"{_WORDS[reads.direction].exact}",
        differences,
        columns,
        remarks=_reasons(reads, form),
    )
    return replace(section, folds=False)


def _headings(reads: ForeignReads, libraries: Sequence[ForeignLibrary]) -> list[str]:
    """Return the names of libraries, with the language where two have the same."""
    names = list(map(reads.name, libraries))
    return [
        name if names.count(name) == 1 else f"{name} ({each.language})"
        for name, each in zip(names, libraries, strict=True)
    ]


def _became(row: _Difference, number: int) -> str:
    return row.texts[number]


def _differences(
    reads: ForeignReads, form: str, libraries: Sequence[ForeignLibrary]
) -> Iterator[_Difference]:
    """Yield the values that not every library reads exactly, once for codecs that agree."""
    for value in reads.values(form):
        groups: dict[tuple[str, ...], list[str]] = {}
        for codec in reads.preserving(value, form):
            texts = tuple(_brief(reads.cells[codec, value, library]) for library in libraries)
            groups.setdefault(texts, []).append(codec)
        for texts, codecs in groups.items():
            if not set(texts) <= {"=", "-"}:
                yield _Difference(value, texts, [] if codecs == reads.codecs(form) else codecs)


def _brief(cell: FidelityCell) -> str:
    text = str(cell)
    for pattern, less in _BRIEFER:
        text = re.sub(pattern, less, text)
    return text


def _reasons(reads: ForeignReads, form: str) -> Iterator[str]:
    """Yield the first refusal, and the first crash, of each library."""
    said = set()
    for (codec, value, library), cell in reads.cells.items():
        told = cell.outcome, library
        if library.format != form or cell.outcome not in _FAILED or told in said:
            continue
        if codec in reads.preserving(value, form):
            said.add(told)
            yield f"{reads.name(library)}, {value}: {cell.outcome}: {cell.became}"


def figures(reads: ForeignReads, writes: ForeignReads) -> Iterator[list[str]]:
    """Yield a row for each value of each codec in each library, for CSV; the first row names the columns."""
    yield [
        "codec", "value", "python", "became_in_python", "language", "library", "version", "outcome", "became",
        "written", "became_when_written",
    ]  # fmt: skip
    for (codec, value, library), cell in reads.cells.items():
        python = reads.python[codec, value]
        where = [library.language, library.library, library.version]
        back = writes.cells[codec, value, library]
        found = [each for one in (cell, back) for each in (one.outcome, one.became)]
        yield [codec, value, python.outcome, python.became, *where, *found]
