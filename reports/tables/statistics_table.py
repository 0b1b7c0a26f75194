"""The samples of every mean, as in criterium and JMH: evaluations, samples, calls, mean and ±."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ...bench.results import CellResult, ResultData
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import figure
from ..model.table import EMPTY, Column, Entry, Row, Section, Table
from ..model.view import View

COLUMNS: Final = (
    Column("what", "benchmark", numeric=False),
    Column("mode", "mode", numeric=False),
    Column("evaluations", "evaluations", raw_unit="integer"),
    Column("samples", "samples", raw_unit="integer"),
    Column("calls", "calls/sample", raw_unit="integer"),
    Column("mean", "mean"),
    Column("error", "±"),
    Column("units", "units", numeric=False),
)
EXPLAINED: Final = (
    "a sample is what one process says of a cell, calls in short slices in turn with all other cells'; "
    "± is half the 95 % interval of their mean; avgt: time of a call, thrpt: calls a second"
)


def stats(view: View) -> Table:
    """Build the table of all timed cells.

    Raises:
        UsageError: Nothing was timed.
    """

    def rows(result: ResultData, corpus: str) -> Iterator[Row]:
        for cell in timed(result, corpus):
            yield Row(cell.cell.codec, counts(result, cell))

    return by_corpus(view, rows, "nothing was timed: no cell has a figure")


def by_corpus(
    view: View,
    rows: Callable[[ResultData, str], Iterator[Row]],
    missing: str,
    *,
    columns: tuple[Column, ...] = COLUMNS,
    lines: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
) -> Table:
    """Build a table for each corpus of each machine that has rows.

    Args:
        view: The results.
        rows: Yields the rows of a corpus, by its name.
        missing: The message if there are none at all.
        columns: Columns of every table.
        lines: Lines below the title of each.
        remarks: Lines below its rows, after `EXPLAINED`.

    Raises:
        UsageError: There are no rows.
    """
    sections = [
        Section(
            machine.titled(corpus.name),
            columns,
            found,
            lines=lines,
            remarks=(EXPLAINED, *remarks),
        )
        for machine in view.machines
        for corpus in machine.result.corpora
        if (found := tuple(rows(machine.result, corpus.name)))
    ]
    if not sections:
        raise UsageError(missing)
    return view.table(sections)


def timed(result: ResultData, corpus: str) -> list[CellResult]:
    """Return the cells of a corpus that were timed."""
    return [
        cell
        for cell in result.cells
        if cell.cell.corpus == corpus
        and cell.samples
        and result.operation(cell.cell.operation_name).phase == "time"
    ]


def counts(result: ResultData, cell: CellResult) -> dict[str, Entry]:
    """Return name, counts and score of a timed cell."""
    name, samples = f"{cell.cell.operation_name}/{cell.cell.codec}", cell.samples
    found, calls = figure(samples), sum(sample.loops for sample in samples)
    numbered = {"evaluations": calls, "samples": len(samples), "calls": round(calls / len(samples))}
    entries = {"what": Entry(name, name)} | {
        key: Entry(f"{number:,}", number) for key, number in numbered.items()
    }
    if found is None:
        return entries
    return entries | score(found.value, found.half, rate=result.operation(cell.cell.operation_name).rate)


def score(value: float, half: float | None, *, rate: bool) -> dict[str, Entry]:
    """Return mean and error, with a unit for each time: they range from nanoseconds to seconds."""
    factor, unit = (1.0, "ops/s") if rate else numbers.scale([value], "second")
    error = EMPTY if half is None else Entry(f"±{numbers.quantity(half * factor)}", half)
    return {
        "mode": Entry("thrpt" if rate else "avgt"),
        "mean": Entry(numbers.quantity(value * factor, None if half is None else half * factor), value),
        "error": error,
        "units": Entry(unit if rate else f"{unit}/op"),
    }
