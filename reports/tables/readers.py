"""What readers in other languages make of payloads, and how long they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from ...bench.results import CellResult
from ..model import numbers
from ..model.candidates import Candidate, measured
from ..model.lists import some
from ..model.readers import best, facts_of, in_language, language_of, languages, remark
from ..model.table import Column, Entry, Section
from ..model.view import CorpusView, MachineView
from .placed import Maker, Style, TableBuilder, grouped, scale_of, word

_Alike = tuple[CellResult, ...]
"""The cells of a library for codecs that write the same payloads."""
_OUTCOMES = {"ok": "exact", "lossy": "changed", "unsupported": "refused"}


def sections(machine: MachineView) -> Iterator[Section]:
    """Yield the tables of one machine: for each corpus one by codec, and one by library."""
    versions = machine.result.environment.get("readers")
    for view in machine.corpora:
        codecs = [candidate for candidate in view.codecs if candidate.reads]
        if codecs:
            title = machine.titled(view.corpus.name)
            yield _by_codec(view, codecs, f"{title}: read by others", str(versions or ""))
            yield _by_library(codecs, f"{title}: readers")


def _by_codec(view: CorpusView, codecs: Sequence[Candidate], title: str, versions: str) -> Section:
    """Return the table of the best library in each language, and of what others change or refuse."""
    sample = view.corpus.sample
    builder = TableBuilder[Candidate](lambda codec: [*codec.reads.values()], lambda codec: codec.name)
    cells = [cell for codec in codecs for cell in (*codec.reads.values(), codec.cells.get("load"))]
    style = Style(scale_of(cells, "second"), rough=True)
    unit = f"{style.scale[1]}/record"

    def ours(codec: Candidate) -> Entry:
        return builder.entry(codec.cells.get("load"), style)

    def theirs(codec: Candidate, language: str) -> Entry:
        return _best(builder, in_language(codec, language), style, sample)

    def size(codec: Candidate) -> Entry:
        return builder.entry(codec.cells.get("size"), Style((1.0, "B"), interval=False, write=grouped))

    columns: list[Maker[Candidate]] = [
        word("codec", "codec", lambda codec: codec.name),
        (Column("load", "Python", unit, "lower", "second"), ours),
    ]
    known = languages(codecs)
    for name, heading in known.items():
        columns.append((Column(name, heading, unit, "lower", "second"), partial(theirs, language=name)))
    columns.append((Column("bytes", "bytes", "B/record", "lower", "byte", dispensable=1), size))
    columns.append(
        (
            Column("others", "read by others", numeric=False),
            partial(_others, builder, sample, languages=list(known)),
        )
    )
    order = {name: number for number, name in enumerate(view.standing.costs)}
    section = builder.section(
        title,
        sorted(codecs, key=lambda codec: order.get(codec.name, len(order))),
        columns,
        lines=filter(
            None,
            (
                "time to read one payload: in Python its codec's load, elsewhere the fastest library that "
                "reads all of them exactly",
                versions,
            ),
        ),
    )
    # What readers change is what the table is for.
    return replace(section, folds=False)


def _best(builder: TableBuilder[Candidate], cells: Sequence[CellResult], style: Style, sample: int) -> Entry:
    """Write the time of the best library with its name, or else of the fastest that changes values."""
    found = best(cells) or best(cells, allow_loss=True)
    if found is None:
        found = next((cell for cell in cells if cell.outcome in ("ok", "lossy")), None)
    if found is None:
        marks = tuple(builder.mark(remark(cell, sample)) for cell in cells)
        outcomes = {_word(cell) for cell in cells}
        text = "–" if not cells else outcomes.pop() if len(outcomes) == 1 else "not read"
        return Entry(text, marks=marks, tone="bad" if cells else "dim")
    entry = builder.entry(found, style)
    marks = (builder.mark(remark(found, sample)),) if found.outcome == "lossy" else ()
    text = f"{entry.text} ({facts_of(found).library})"
    return Entry(text, entry.value, entry.low, entry.high, marks=marks, tone=entry.tone)


def _word(cell: CellResult) -> str:
    return _OUTCOMES.get(cell.outcome, cell.outcome)


def _others(
    builder: TableBuilder[Candidate], sample: int, codec: Candidate, languages: Sequence[str]
) -> Entry:
    """Write how many libraries of each language read exactly, and name what the others do."""
    words = []
    for language in languages:
        if not (cells := in_language(codec, language)):
            continue
        marks = sorted(builder.mark(text) for cell in cells if (text := remark(cell, sample)))
        exact = sum(cell.outcome == "ok" for cell in cells)
        outcomes = {_word(cell) for cell in cells}
        word = outcomes.pop() if len(outcomes) == 1 else f"{exact} of {len(cells)} exact"
        words.append(f"{language} {word}" + (f" [{','.join(marks)}]" if marks else ""))
    return Entry(", ".join(words), ", ".join(words))


def _by_library(codecs: Sequence[Candidate], title: str) -> Section:
    """Return the table of every library."""
    rows = sorted(_alike(codecs), key=_place)
    builder = TableBuilder[_Alike](lambda row: row, lambda row: row[0].cell.codec)
    style = Style(scale_of((row[0] for row in rows), "second"), rough=True)
    warmups = [facts_of(row[0]).warmup for row in rows if facts_of(row[0]).warmup]
    factor, unit = numbers.scale(warmups, "second")

    def warmup(row: _Alike) -> Entry:
        found = facts_of(row[0]).warmup
        return Entry(numbers.approximate(found * factor), found) if found else Entry("")

    def fidelity(row: _Alike) -> Entry:
        text = _word(row[0])
        return Entry(text, text, tone="good" if row[0].outcome == "ok" else "bad")

    def read(row: _Alike) -> Entry:
        return builder.entry(row[0], style) if row[0].outcome in ("ok", "lossy") else Entry("")

    columns: list[Maker[_Alike]] = [
        word("language", "language", lambda row: facts_of(row[0]).language),
        word("library", "library", lambda row: facts_of(row[0]).library),
        word("version", "version", lambda row: facts_of(row[0]).version),
        word("codec", "payloads of", lambda row: some([cell.cell.codec for cell in row])),
        (Column("read", "read", f"{style.scale[1]}/record", "lower", "second"), read),
        (Column("warmup", "warm-up", unit, "lower", "second", dispensable=1), warmup),
        (Column("fidelity", "fidelity", numeric=False), fidelity),
    ]
    return builder.section(
        title,
        rows,
        columns,
        remarks=("warm-up: from a library's first call in a fresh process until its times are steady",),
    )


def _alike(codecs: Sequence[Candidate]) -> Iterator[_Alike]:
    """Yield the cells of each library; codecs that write the same payloads share their samples."""
    found: dict[tuple[object, ...], list[CellResult]] = {}
    for codec in codecs:
        for place, cell in codec.reads.items():
            own = cell.samples or (cell.outcome, cell.reason, cell.loss, cell.rough)
            found.setdefault((place, own), []).append(cell)
    return map(tuple, found.values())


def _place(row: _Alike) -> tuple[str, str, float]:
    figure = measured(row[0])
    return language_of(row[0]), facts_of(row[0]).library, figure.value if figure else 0.0
