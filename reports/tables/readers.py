"""What readers in other languages make of payloads, and how long they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from ...bench.results import CellResult
from ..model import numbers
from ..model.lists import some
from ..model.read import LibraryResult
from ..model.reading import Alike, Reading, Written, seconds
from ..model.table import Column, Entry, Section
from ..model.view import MachineView
from .builder import Maker, Style, TableBuilder, grouped, scale_of, word
from .longer import Longer, longer

_OUTCOMES = {"ok": "exact", "lossy": "changed", "unsupported": "refused"}
_CHANGED = "~"
_NAMES = 1
"""Names of codecs in a row before the others are counted."""


def sections(machine: MachineView) -> Iterator[Section]:
    """Yield the tables of one machine: for each corpus one by payloads, and one by library."""
    versions = str(machine.result.environment.get("readers") or "")
    for view in machine.corpora:
        if (found := view.reading) is not None:
            title = machine.titled(view.corpus.name)
            more = longer(machine.result)
            yield _by_payload(found, f"{title}: read by others", versions, more)
            yield _by_library(found.by_library, view.corpus.sample, f"{title}: readers")


def _by_payload(found: Reading, title: str, versions: str, more: Longer) -> Section:
    """Return the table of the fastest library in each language."""
    builder = TableBuilder[Written](
        lambda row: [read.cell for codec in row for read in codec.reads.values()], lambda row: row[0].name
    )
    cells = [read.cell for codec in found.codecs for read in codec.reads.values()]
    loads = [codec.cells.get("load") for codec in found.codecs]
    style = Style(scale_of([*cells, *loads], "second"), rough=True)
    unit = f"{style.scale[1]}/record"

    def ours(row: Written) -> Entry:
        loads = [codec.cells["load"] for codec in row if "load" in codec.cells]
        return builder.entry(min(loads, key=seconds, default=None), style)

    def theirs(row: Written, language: str) -> Entry:
        return _best(builder, row[0].reads_in(language), style)

    def size(row: Written) -> Entry:
        return builder.entry(row[0].cells.get("size"), Style((1.0, "B"), interval=False, write=grouped))

    columns: list[Maker[Written]] = [
        (Column("codec", "payloads of", numeric=False), lambda row: _names([codec.name for codec in row])),
        (Column("load", "Python", unit, "lower", "second"), ours),
    ]
    for name, heading in found.languages.items():
        columns.append((Column(name, heading, unit, "lower", "second"), partial(theirs, language=name)))
    columns.append((Column("bytes", "bytes", "B/record", "lower", "byte", dispensable=1), size))
    section = builder.table(
        title,
        found.by_payload,
        columns,
        lines=filter(
            None,
            (
                "time to read one payload: in Python with the fastest of these codecs, elsewhere with the "
                "fastest library that reads all payloads exactly",
                versions,
            ),
        ),
    )
    chosen = (_fastest(row[0].reads_in(name)) for row in found.by_payload for name in found.languages)
    timed = [cell for cell in chosen if cell is not None and (cell.samples or cell.rough is not None)]
    remarks = []
    if any(cell.outcome == "lossy" for cell in timed):
        remarks.append(
            f"{_CHANGED} changes values, and no library that reads exactly has a time; see the next table"
        )
    if any(len(cell.samples) < 2 for cell in timed):
        remarks.append(f"without ±: from one process, or roughly from the check (≈); {more.processes}")
    return replace(section, remarks=tuple(remarks))


def _best(builder: TableBuilder[Written], reads: Sequence[LibraryResult], style: Style) -> Entry:
    """Write the time of the fastest library that is exact, or else of the fastest that changes values."""
    found = _fastest(reads)
    if found is None:
        outcomes = {_word(read) for read in reads}
        text = "–" if not reads else outcomes.pop() if len(outcomes) == 1 else "not read"
        return Entry(text, tone="bad" if reads else "dim")
    entry = builder.entry(found, style)
    if not entry.text:
        return Entry("not timed", tone="dim")
    return replace(entry, text=f"{_CHANGED}{entry.text}", tone="bad") if found.outcome == "lossy" else entry


def _fastest(reads: Sequence[LibraryResult]) -> CellResult | None:
    """Return the fastest library that is exact, or else the fastest that changes values."""
    good = [read.cell for outcome in ("ok", "lossy") for read in reads if read.outcome == outcome]
    return min(good, key=lambda cell: (cell.outcome != "ok", seconds(cell)), default=None)


def _word(read: LibraryResult) -> str:
    return _OUTCOMES.get(read.outcome, read.outcome)


def _names(codecs: Sequence[str]) -> Entry:
    return Entry(some(codecs, _NAMES), ", ".join(codecs))


def _by_library(rows: Sequence[Alike], sample: int, title: str) -> Section:
    """Return the table of every library, and what it changes or refuses."""
    builder = TableBuilder[Alike](lambda row: [read.cell for read in row], lambda row: row[0].codec)
    style = Style(scale_of((row[0].cell for row in rows), "second"), rough=True)
    warmups = [row[0].facts.warmup for row in rows if row[0].facts.warmup]
    factor, unit = numbers.scale(warmups, "second")

    def warmup(row: Alike) -> Entry:
        found = row[0].facts.warmup
        return Entry(numbers.approximate(found * factor), found) if found else Entry("")

    def fidelity(row: Alike) -> Entry:
        text, note = _word(row[0]), row[0].remark(sample)
        marks = (builder.mark(note),) if note else ()
        return Entry(text, text, marks=marks, tone="good" if row[0].outcome == "ok" else "bad")

    def read(row: Alike) -> Entry:
        return builder.entry(row[0].cell, style) if row[0].outcome in ("ok", "lossy") else Entry("")

    columns: list[Maker[Alike]] = [
        word("language", "language", lambda row: row[0].facts.language),
        word("library", "library", lambda row: row[0].facts.library),
        (
            Column("version", "version", numeric=False, dispensable=1),
            lambda row: Entry(row[0].facts.version, row[0].facts.version),
        ),
        (Column("codec", "payloads of", numeric=False), lambda row: _names([read.codec for read in row])),
        (Column("read", "read", f"{style.scale[1]}/record", "lower", "second"), read),
        (Column("fidelity", "fidelity", numeric=False), fidelity),
    ]
    remarks = []
    if warmups:
        columns.insert(-1, (Column("warmup", "warm-up", unit, "lower", "second", dispensable=2), warmup))
        remarks = ["warm-up: from a library's first call in a fresh process until its times are steady"]
    # What readers change is what the table is for.
    return replace(builder.table(title, rows, columns, remarks=remarks), folds=False)
