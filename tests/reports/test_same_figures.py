"""Each ratio, size and time of a result has one value: in tables, answers, `pick`, the page, `compare`."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

import pytest

import madeup
from bakeoff.bench.results import Measurement, ResultData
from bakeoff.bench.verdict import rankings
from bakeoff.errors import RunError
from bakeoff.reports import recommendation, render
from bakeoff.reports.decide import compare_output
from bakeoff.reports.decide.compare import compare
from bakeoff.reports.decide.pick import PickedCodec, Requirements, pick
from bakeoff.reports.decide.pick_output import render as chosen
from bakeoff.reports.model.options import TableOptions
from bakeoff.reports.model.view import CorpusView, View
from bakeoff.reports.page.content import PageContent
from bakeoff.reports.page.overview import lead
from bakeoff.reports.tables.build import build
from bakeoff.reports.tables.opening import opening

NAMES: Final = ("json", "orjson", "ormsgpack", "msgpack", "ujson")
COLUMNS: Final = "codec,dump,load,bytes,cost,cost:x"
UNITS: Final = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1.0, "byte": 1.0, "bytes": 1.0, "×": 1.0}
FIGURE: Final = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?) ?(?P<unit>ns|µs|ms|s|bytes?|B|×)(?![\w/])")


class Said(NamedTuple):
    """A figure as an output says it.

    Attributes:
        what: A column, or "times" for the cost as a multiple of the answer's.
        text: Number and unit.
    """

    where: str
    codec: str
    what: str
    text: str

    def rounds(self, value: float) -> bool:
        """Return whether the text is a value, to the digits that it has."""
        found = FIGURE.fullmatch(self.text)
        assert found, self
        number, unit = found["number"].replace(",", ""), UNITS[found["unit"]]
        last = 10.0 ** -len(number.partition(".")[2])
        return abs(float(number) - value / unit) <= 0.5001 * last


def drawn(seed: int, near: float, noise: float, processes: int, missing: bool) -> ResultData:
    """Return a run whose paired figures are not quite its values, as in real ones."""
    planted = {
        name: {"dump": 3e-7 * (1 + near * n), "load": 8e-7 * (1 + near * n), "size": 100.46 + 7 * n}
        for n, name in enumerate(NAMES)
    }
    run = madeup.planted(planted, noise=noise, seed=seed, processes=processes)
    rng = random.Random(seed)

    def shaken(sample: Measurement) -> Measurement:
        return replace(sample, paired=sample.paired * math.exp(rng.gauss(0, noise)))

    cells = tuple(
        cell
        if cell.cell.operation == "size"
        else replace(cell, samples=tuple(map(shaken, cell.samples[: -1 if lacks else None])))
        for cell in run.cells
        for lacks in [missing and cell.cell.codec == "orjson" and processes > 1]
    )
    run = replace(run, cells=cells)
    return replace(run, rankings=rankings(run))


RUNS: Final = [
    drawn(seed, *kind)
    for seed, kind in enumerate(itertools.product([0.0, 0.02, 0.3], [0.0005, 0.05], [1, 2, 8], [False, True]))
]
"""Ties, races and clear results; processes that are too few, and one that a codec lacks."""

every_run = pytest.mark.parametrize("run", RUNS, ids=map(str, range(len(RUNS))))


def figures(run: ResultData, winner: str) -> dict[tuple[str, str], float]:
    """Return the raw figures of the table, with costs as multiples of the answer's."""
    text = render([run], "json", columns=COLUMNS, relative_to=winner)
    (section,) = json.loads(text)["sections"]
    return {
        (row["codec"], "times" if key == "cost:x" else key): cell["value"]
        for row in section["rows"]
        for key, cell in row["entries"].items()
        if isinstance(cell["value"], float)
    }


def in_tables(run: ResultData, winner: str) -> Iterator[Said]:
    """Yield what every table of text says, by the cells that all formats share."""
    section, *_ = build(View.of([run]), TableOptions.of(columns=COLUMNS, relative_to=winner)).sections
    forms = ("text", "md", "latex", "rst", "html")
    written = [render([run], form, columns=COLUMNS, relative_to=winner) for form in forms]
    for row in section.rows:
        for column in section.columns[1:]:
            entry = row.entry(column)
            if row.codec not in NAMES or not entry.text:
                continue
            assert all(entry.plain.strip("()×") in text for text in written)
            unit = "×" if column.raw_unit == "ratio" else column.unit.removesuffix("/record")
            key = "times" if column.key == "cost:x" else column.key
            yield Said("table", row.codec, key, f"{entry.plain.strip('()×')} {unit}")


def named(where: str, text: str) -> Iterator[Said]:
    """Yield the codecs of a line that multiples follow: "json 1.25×, orjson and ujson (tie) 2× to 3×"."""
    for name, times in re.findall(r"([\w-]+) \(?(\d[\d,.]*×)", text):
        if name in NAMES:
            yield Said(where, name, "times", times)
    several = r"([\w, -]+) \((?:tie|undecided)\) ([\d,.]+×)(?: to ([\d,.]+×))?"
    for names, first, last in re.findall(several, text):
        members = re.split(r", | and ", names)
        yield Said(where, members[0], "times", first)
        if last and members[-1] in NAMES:
            yield Said(where, members[-1], "times", last)


def of_use(where: str, text: str, codec: str) -> Iterator[Said]:
    """Yield cost and size of the line that says what to use."""
    for found in FIGURE.finditer(text):
        yield Said(where, codec, "bytes" if found["unit"].startswith("byte") else "cost", found[0])


def in_answer(view: CorpusView) -> Iterator[Said]:
    """Yield what the block above the table says, and the sentence."""
    lines = dict(part for line in opening([view]) for part in line)
    codec = view.answer.codec
    assert codec is not None
    if "undecided" not in lines["use"]:
        yield from of_use("answer", lines["use"], codec.name)
    yield from named("answer", lines.get("next", ""))


def in_sentence(run: ResultData) -> Iterator[Said]:
    """Yield what the sentence says."""
    for name, times in re.findall(r"([\w-]+) comes? next at ([\d,.]+×)", recommendation(run)):
        yield Said("sentence", name, "times", times)


def in_choice(choice: PickedCodec) -> Iterator[Said]:
    """Yield what `pick --explain` says: its answer, the lists, and the arithmetic."""
    text = chosen(choice, explain=True)
    lines = text.splitlines()
    (use,) = (line for line in lines if line.startswith("  use "))
    yield from of_use("pick", use, choice.name)
    for start in ("  next ", "runners-up, "):
        found = next((line for line in lines if line.startswith(start)), "")
        yield from named("pick", found.rpartition(":")[-1])
    heads = next(line for line in lines if line.startswith("codec "))
    keys = heads.replace("cost ×", "times").split()[1:]
    (unit,) = set(re.findall(r"(\w+)/record", lines[lines.index(heads) + 1]))
    for line in lines[lines.index(heads) :]:
        name, *cells = line.split() or [""]
        if name in NAMES:
            said = dict(zip(keys, cells, strict=True))
            yield Said("pick", name, "dump", f"{said['dump']} {unit}")
            yield Said("pick", name, "load", f"{said['reads']} {unit}")
            yield Said("pick", name, "cost", f"{said['cost']} {unit}")
            yield Said("pick", name, "times", said["times"])


def on_page(view: View, winner: str) -> Iterator[Said]:
    """Yield what the page says before its script runs."""
    for line in PageContent.of(view, winner, None).table.lines:
        for key, cell in line.cells.items():
            if line.codec in NAMES and key in ("dump", "load", "bytes", "cost"):
                yield Said("page", line.codec, key, f"{cell.text} {cell.unit}")
                if key == "cost":
                    yield Said("page", line.codec, "times", cell.beside.rpartition(" ")[2].strip("()"))
    (one,) = view.corpora
    found = lead(one)
    for name, against in {found.next.remark: found.next, **found.others}.items():
        if name in NAMES and "×" in against.text:
            yield Said("overview", name, "times", against.text.strip("()"))


def in_comparison(run: ResultData) -> Iterator[Said]:
    """Yield what a comparison of the result with itself says."""
    for section in compare_output.table(compare(run, run)).sections:
        for row in section.rows:
            entries: dict[str, Any] = dict(row.entries)
            operation = entries["operation"].text.replace("size", "bytes")
            for key in ("before", "after"):
                if row.codec in NAMES and operation in ("dump", "load", "bytes"):
                    yield Said(f"compare: {key}", row.codec, operation, entries[key].text)


def all_said(run: ResultData) -> list[Said]:
    view = View.of([run])
    (one,) = view.corpora
    assert one.answer.codec is not None
    winner = one.answer.codec.name
    try:
        choice = list(in_choice(pick([run], Requirements())))
    except RunError:  # too few processes
        choice = []
    return [
        *in_tables(run, winner),
        *in_answer(one),
        *in_sentence(run),
        *choice,
        *on_page(view, winner),
        *in_comparison(run),
    ]


@every_run
def test_each_figure_is_said_as_one_value(run: ResultData) -> None:
    (view,) = View.of([run]).corpora
    assert view.answer.codec is not None
    known = figures(run, view.answer.codec.name)

    wrong = [said for said in all_said(run) if not said.rounds(known[said.codec, said.what])]
    assert [] == wrong


@every_run
def test_files_for_programs_have_the_same_values(run: ResultData) -> None:
    (view,) = View.of([run]).corpora
    assert view.answer.codec is not None
    winner = view.answer.codec.name
    rows = csv.DictReader(io.StringIO(render([run], "csv", columns=COLUMNS, relative_to=winner)))
    written = {
        (row["codec"], "times" if key == "cost:x" else key): float(row[key])
        for row in rows
        for key in COLUMNS.split(",")[1:]
        if row[key]
    }

    assert written == figures(run, winner)
    (ranking,) = run.rankings
    for pair in ranking.pairs:
        if pair.b == winner:
            assert known_as(pair.value, written[pair.a, "times"])


def known_as(stored: float, said: float) -> bool:
    return math.isclose(stored, said, rel_tol=1e-12)


def test_every_output_says_figures() -> None:
    """None of the expressions above finds nothing."""
    said = all_said(drawn(1, 0.3, 0.02, 8, False))

    found = {each.where: {one.what for one in said if one.where == each.where} for each in said}
    four = {"dump", "load", "cost", "times"}
    assert found == {
        "table": {*four, "bytes"},
        "answer": {"cost", "bytes", "times"},
        "sentence": {"times"},
        "pick": {*four, "bytes"},
        "page": {*four, "bytes"},
        "overview": {"times"},
        "compare: before": {"dump", "load", "bytes"},
        "compare: after": {"dump", "load", "bytes"},
    }
