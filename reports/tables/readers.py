"""What readers in other languages make of payloads, and how long they take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from ...bench.results import CellResult
from ..model import numbers
from ..model.candidates import Candidate, measured
from ..model.lists import some
from ..model.readers import best, facts_of, in_language, language_of, languages, remark
from ..model.table import Column, Entry, Section
from ..model.view import MachineView
from .placed import Maker, Style, TableBuilder, grouped, scale_of, word

_Written = tuple[Candidate, ...]
"""Codecs that write the same payloads."""
_Alike = tuple[CellResult, ...]
"""The cells of a library for codecs that write the same payloads."""
_OUTCOMES = {"ok": "exact", "lossy": "changed", "unsupported": "refused"}
_CHANGED = "~"
_NAMES = 1
"""Names of codecs in a row before the others are counted."""


def sections(machine: MachineView) -> Iterator[Section]:
    """Yield the tables of one machine: for each corpus one by payloads, and one by library."""
    versions = machine.result.environment.get("readers")
    for view in machine.corpora:
        codecs = [candidate for candidate in view.codecs if candidate.reads]
        if codecs:
            order = {name: number for number, name in enumerate(view.standing.costs)}
            codecs.sort(key=lambda codec: order.get(codec.name, len(order)))
            title = machine.titled(view.corpus.name)
            yield _by_payload(codecs, f"{title}: read by others", str(versions or ""))
            yield _by_library(codecs, view.corpus.sample, f"{title}: readers")


def _by_payload(codecs: Sequence[Candidate], title: str, versions: str) -> Section:
    """Return the table of the fastest library in each language."""
    builder = TableBuilder[_Written](
        lambda row: [cell for codec in row for cell in codec.reads.values()], lambda row: row[0].name
    )
    cells = [cell for codec in codecs for cell in (*codec.reads.values(), codec.cells.get("load"))]
    style = Style(scale_of(cells, "second"), rough=True)
    unit = f"{style.scale[1]}/record"

    def ours(row: _Written) -> Entry:
        return builder.entry(_fastest([codec.cells["load"] for codec in row if "load" in codec.cells]), style)

    def theirs(row: _Written, language: str) -> Entry:
        return _best(builder, in_language(row[0], language), style)

    def size(row: _Written) -> Entry:
        return builder.entry(row[0].cells.get("size"), Style((1.0, "B"), interval=False, write=grouped))

    columns: list[Maker[_Written]] = [
        (Column("codec", "payloads of", numeric=False), lambda row: _names([codec.name for codec in row])),
        (Column("load", "Python", unit, "lower", "second"), ours),
    ]
    for name, heading in languages(codecs).items():
        columns.append((Column(name, heading, unit, "lower", "second"), partial(theirs, language=name)))
    columns.append((Column("bytes", "bytes", "B/record", "lower", "byte", dispensable=1), size))
    section = builder.section(
        title,
        _written(codecs),
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
    entries = [row.entries[name] for row in section.rows for name in languages(codecs)]
    remarks = []
    if any(entry.text.startswith(_CHANGED) for entry in entries):
        remarks.append(
            f"{_CHANGED} changes values, and no library that reads exactly has a time; see the next table"
        )
    if any(entry.low is None and any(map(str.isdigit, entry.text)) for entry in entries):
        remarks.append(
            "without ±: from one process, or roughly from the check (≈); `bakeoff run --resume FILE` "
            "measures more"
        )
    return replace(section, remarks=tuple(remarks))


def _best(builder: TableBuilder[_Written], cells: Sequence[CellResult], style: Style) -> Entry:
    """Write the time of the fastest library that is exact, or else of the fastest that changes values."""
    found = _fastest([cell for cell in cells if cell.outcome == "ok"])
    found = found or _fastest([cell for cell in cells if cell.outcome == "lossy"])
    if found is None:
        outcomes = {_word(cell) for cell in cells}
        text = "–" if not cells else outcomes.pop() if len(outcomes) == 1 else "not read"
        return Entry(text, tone="bad" if cells else "dim")
    entry = builder.entry(found, style)
    if not entry.text:
        return Entry("not timed", tone="dim")
    return replace(entry, text=f"{_CHANGED}{entry.text}", tone="bad") if found.outcome == "lossy" else entry


def _fastest(cells: Sequence[CellResult]) -> CellResult | None:
    """Return the cell with the lowest figure; without figures, the one that was fastest in the check."""
    return best(cells, allow_loss=True) or min(cells, key=lambda cell: cell.rough or math.inf, default=None)


def _word(cell: CellResult) -> str:
    return _OUTCOMES.get(cell.outcome, cell.outcome)


def _names(codecs: Sequence[str]) -> Entry:
    return Entry(some(codecs, _NAMES), ", ".join(codecs))


def _by_library(codecs: Sequence[Candidate], sample: int, title: str) -> Section:
    """Return the table of every library, and what it changes or refuses."""
    rows = _alike(codecs)
    builder = TableBuilder[_Alike](lambda row: row, lambda row: row[0].cell.codec)
    style = Style(scale_of((row[0] for row in rows), "second"), rough=True)
    warmups = [facts_of(row[0]).warmup for row in rows if facts_of(row[0]).warmup]
    factor, unit = numbers.scale(warmups, "second")

    def warmup(row: _Alike) -> Entry:
        found = facts_of(row[0]).warmup
        return Entry(numbers.approximate(found * factor), found) if found else Entry("")

    def fidelity(row: _Alike) -> Entry:
        text, note = _word(row[0]), remark(row[0], sample)
        marks = (builder.mark(note),) if note else ()
        return Entry(text, text, marks=marks, tone="good" if row[0].outcome == "ok" else "bad")

    def read(row: _Alike) -> Entry:
        return builder.entry(row[0], style) if row[0].outcome in ("ok", "lossy") else Entry("")

    columns: list[Maker[_Alike]] = [
        word("language", "language", lambda row: facts_of(row[0]).language),
        word("library", "library", lambda row: facts_of(row[0]).library),
        (
            Column("version", "version", numeric=False, dispensable=1),
            lambda row: Entry(facts_of(row[0]).version, facts_of(row[0]).version),
        ),
        (
            Column("codec", "payloads of", numeric=False),
            lambda row: _names([cell.cell.codec for cell in row]),
        ),
        (Column("read", "read", f"{style.scale[1]}/record", "lower", "second"), read),
        (Column("fidelity", "fidelity", numeric=False), fidelity),
    ]
    remarks = []
    if warmups:
        columns.insert(-1, (Column("warmup", "warm-up", unit, "lower", "second", dispensable=2), warmup))
        remarks = ["warm-up: from a library's first call in a fresh process until its times are steady"]
    # What readers change is what the table is for.
    return replace(builder.section(title, rows, columns, remarks=remarks), folds=False)


def _written(codecs: Sequence[Candidate]) -> list[_Written]:
    """Return the codecs in groups that write the same payloads."""
    found: dict[object, list[Candidate]] = {}
    for codec in codecs:
        own = tuple((place, _found(cell)) for place, cell in codec.reads.items())
        found.setdefault(own, []).append(codec)
    return [*map(tuple, found.values())]


def _alike(codecs: Sequence[Candidate]) -> list[_Alike]:
    """Return the cells of each library by language, payloads and time.

    Codecs that write the same payloads share their samples.
    """
    found: dict[tuple[object, ...], list[CellResult]] = {}
    for codec in codecs:
        for place, cell in codec.reads.items():
            found.setdefault((place, *_found(cell)), []).append(cell)
    first = {codec.name: number for number, codec in enumerate(codecs)}
    order = [*languages(codecs)]

    def place_of(row: _Alike) -> tuple[int, int, float]:
        figure = measured(row[0])
        seconds = figure.value if figure else row[0].rough or math.inf
        return order.index(language_of(row[0])), first[row[0].cell.codec], seconds

    return sorted(map(tuple, found.values()), key=place_of)


def _found(cell: CellResult) -> tuple[object, ...]:
    return cell.samples or (cell.outcome, cell.reason, cell.loss, cell.rough)
