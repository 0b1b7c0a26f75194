"""What every mean is made of, as criterium and JMH print it, and so two posts' figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from ...bench.results import Cell, CellResult, Result
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import figure
from ..model.environment import notes, warnings
from ..model.merge import machines
from ..model.table import EMPTY, Column, Entry, Row, Section, Table, labelled

__all__ = ["datomic", "graph", "stats"]


class _Then(NamedTuple):
    """A row of a post, in seconds or times a second."""

    what: str
    score: float


_GRAPH: Final = (
    _Then("2016: set of 100,000 as one value, default serialization", 0.165),
    _Then("2016: the same, a marshaller of its own", 0.573),
    _Then("2016: nothing encoded again", 47.9),
)
_DATOMIC: Final = (
    _Then("2013: query", 170e-6),
    _Then("2013: query, the most specific clause first", 159e-6),
    _Then("2013: raw index", 5.8e-6),
)
_COLUMNS: Final = (
    Column("mode", "mode", numeric=False),
    Column("evaluations", "evaluations", raw_unit="integer"),
    Column("samples", "samples", raw_unit="integer"),
    Column("calls", "calls/sample", raw_unit="integer"),
    Column("mean", "mean"),
    Column("error", "±"),
    Column("units", "units", numeric=False),
)


def stats(results: Sequence[Result]) -> Table:
    """Build the table of all timed cells: evaluations, samples (processes), calls of each, mean and ±.

    Raises:
        UsageError: Nothing was timed.
    """
    columns = (Column("what", "benchmark", numeric=False), *_COLUMNS)

    def rows(result: Result, corpus: str) -> Iterator[Row]:
        for cell in _timed(result, corpus):
            name = f"{cell.cell.operation_name}/{cell.cell.codec}"
            yield Row(cell.cell.codec, {"what": Entry(name, name), **_entries(result, cell)})

    return _table(results, columns, rows, (_SAYS,), "nothing was timed: no cell has a figure")


_SAYS: Final = (
    "a sample is what one process says of a cell, calls in short slices in turn with all other cells'; "
    "± is half the 95 % interval of their mean; avgt: time of a call, thrpt: calls a second"
)


def graph(results: Sequence[Result]) -> Table:
    """Build the table of a post on a graph in a key-value store: additions to a stored set, then and now.

    Raises:
        UsageError: No operation `update` was measured.
    """
    return _beside(
        results,
        _GRAPH,
        lambda cell: cell.operation in ("update", "update-spliced") and not cell.place,
        "the first of then against each; of what was measured here, against the slowest of as many items",
        "nothing to show: run `bakeoff run --ops update:100000,update-spliced:100000` first",
        rate=True,
    )


def datomic(results: Sequence[Result]) -> Table:
    """Build the table of a post on Datomic: finding what is asked, against reading only that, then and now.

    Raises:
        UsageError: No operation `peek` was measured.
    """
    return _beside(
        results,
        _DATOMIC,
        lambda cell: cell.operation in ("load", "peek") and not cell.variant,
        "each against the slowest of its kind: the query then, the slowest full decode now",
        "nothing to show: run `bakeoff run --ops load,peek:order.address.city` first",
        rate=False,
    )


def _beside(
    results: Sequence[Result],
    then: Sequence[_Then],
    wanted: Callable[[Cell], bool],
    remark: str,
    nothing: str,
    *,
    rate: bool,
) -> Table:
    columns = (Column("what", "benchmark", numeric=False), *_COLUMNS, Column("x", "×", raw_unit="ratio"))

    def rows(result: Result, corpus: str) -> Iterator[Row]:
        cells = [cell for cell in _timed(result, corpus) if wanted(cell.cell)]
        if all(cell.cell.operation == "load" for cell in cells):
            return
        for old in then:
            entries = {"what": Entry(old.what, old.what), **_score(old.score, None, rate=rate)}
            yield Row(old.what, entries | {"x": _times(old.score, then[0].score, rate=rate)})
        for cell in cells:
            alike = [each for each in cells if not rate or each.cell.parameter == cell.cell.parameter]
            means = [sum(s.value for s in each.samples) / len(each.samples) for each in alike]
            slowest = min(means) if rate else max(means)
            found = figure(cell.samples)
            name = f"{cell.cell.operation_name}/{cell.cell.codec}"
            entries = {"what": Entry(name, name), **_entries(result, cell)}
            if found is not None:
                entries["x"] = _times(found.value, slowest, rate=rate)
            yield Row(cell.cell.codec, entries)

    return _table(results, columns, rows, (_SAYS, f"×: {remark}"), nothing)


def _times(value: float, first: float, *, rate: bool) -> Entry:
    times = value / first if rate else first / value
    return Entry(numbers.ratio(times), times)


def _timed(result: Result, corpus: str) -> list[CellResult]:
    return [
        cell
        for cell in result.cells
        if cell.cell.corpus == corpus
        and cell.samples
        and result.operation(cell.cell.operation_name).phase == "time"
    ]


def _entries(result: Result, cell: CellResult) -> dict[str, Entry]:
    """Return counts and score of a cell."""
    samples = cell.samples
    found, calls = figure(samples), sum(sample.loops for sample in samples)
    counts = {"evaluations": calls, "samples": len(samples), "calls": round(calls / len(samples))}
    entries = {key: Entry(f"{count:,}", count) for key, count in counts.items()}
    if found is None:
        return entries
    return entries | _score(found.value, found.half, rate=result.operation(cell.cell.operation_name).rate)


def _score(value: float, half: float | None, *, rate: bool) -> dict[str, Entry]:
    """Return mean and error, times with a unit of their own: they are from nanoseconds to seconds."""
    factor, unit = (1.0, "ops/s") if rate else numbers.scale([value], "second")
    error = EMPTY if half is None else Entry(f"±{numbers.quantity(half * factor)}", half)
    return {
        "mode": Entry("thrpt" if rate else "avgt"),
        "mean": Entry(numbers.quantity(value * factor, None if half is None else half * factor), value),
        "error": error,
        "units": Entry(unit if rate else f"{unit}/op"),
    }


def _table(
    results: Sequence[Result],
    columns: tuple[Column, ...],
    rows: Callable[[Result, str], Iterator[Row]],
    remarks: tuple[str, ...],
    nothing: str,
) -> Table:
    blocks = machines(results)
    sections = [
        Section(f"{label}: {corpus.name}" if label else corpus.name, columns, found, remarks=remarks)
        for label, result in blocks
        for corpus in result.corpora
        if (found := tuple(rows(result, corpus.name)))
    ]
    if not sections:
        raise UsageError(nothing)
    return Table(
        tuple(sections),
        warnings=labelled([(label, warnings(result)) for label, result in blocks]),
        notes=labelled([(label, notes(result)) for label, result in blocks]),
    )
