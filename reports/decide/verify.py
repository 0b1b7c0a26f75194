"""Measure three cells of a result again, and check if their ratios to each other agree with the file.

Absolute times differ between machines, so the ratio of two cells within the same processes is compared,
before and after. `compare` judges these ratios like times, in both directions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Final, Literal

from ...bench.results import BASELINE, Cell, CellResult, Measurement, ResultData
from ...bench.stats import RUN_TO_RUN, RunToRun
from ...errors import UsageError
from ..model import numbers
from ..model.candidates import WELL, measured
from ..model.environment import warnings
from ..model.table import Column, Entry, Row, Section, Table, labelled
from .cell_changes import CellChange
from .compare import compare
from .compare_output import interval, level

CELLS: Final = 3
"""Number of cells that are measured again."""

PairVerdict = Literal["agrees", "disagrees", "cannot decide"]


@dataclass(frozen=True, slots=True)
class VerifiedPair:
    """The ratio of two cells, in the file and measured again.

    Attributes:
        change: Before is the file, after is this machine.
    """

    change: CellChange
    verdict: PairVerdict


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether a machine agrees with a file.

    Attributes:
        pairs: The ratio of every two cells.
        limit: Share by which a ratio may differ.
        notes: Other differences: machine, environment, versions.
        warnings: Conditions that may have distorted either run.
    """

    pairs: tuple[VerifiedPair, ...]
    limit: float
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def verdict(self) -> PairVerdict:
        """The overall verdict: a ratio that disagrees has precedence, then one that is undecided."""
        found = {pair.verdict for pair in self.pairs}
        verdicts: tuple[PairVerdict, ...] = ("disagrees", "cannot decide", "agrees")
        return next(verdict for verdict in verdicts if verdict in found)

    @property
    def summary(self) -> str:
        """The verdict in one sentence."""
        names = "; ".join(pair.change.cell.codec for pair in self.pairs if pair.verdict == self.verdict)
        share = f"{self.limit * 100:g}%"
        match self.verdict:
            case "disagrees":
                return f"This machine disagrees with the file by more than {share}: {names}."
            case "cannot decide":
                return f"Cannot decide whether this machine agrees with the file within {share}: {names}."
            case "agrees":
                return f"This machine agrees with the file: no significant difference above {share}."

    def table(self, title: str) -> Table:
        """Convert the ratios to a table.

        Args:
            title: Description of the cells.
        """
        columns = (
            Column("ratio", "ratio", numeric=False),
            Column("file", "in the file"),
            Column("here", "here"),
            Column("change", "change", unit=level(pair.change.alpha for pair in self.pairs)),
            Column("verdict", "verdict", numeric=False),
        )
        section = Section(title, columns, tuple(map(_row, self.pairs)))
        return Table((section,), self.warnings, self.notes, self.summary)


def candidates(result: ResultData, available: Collection[str]) -> list[Cell]:
    """Return the cells that can be measured again: times of codecs that are installed.

    Args:
        available: Names of codecs whose libraries are installed.
    """
    own = {codec.name for codec in result.codecs if codec.source}
    return [
        each.cell
        for each in result.cells
        if each.cell.codec in available and each.cell.codec not in own and each.cell.codec != BASELINE
        if each.outcome in WELL and len(each.samples) > 1 and not each.cell.place
        if (facts := result.operation(each.cell.operation_name)).phase == "time" and not facts.rate
    ]


def draw(cells: Sequence[Cell], seed: int) -> list[Cell]:
    """Choose cells of one corpus at random.

    Raises:
        UsageError: No corpus has enough of them.
    """
    corpora = {cell.corpus: [other for other in cells if other.corpus == cell.corpus] for cell in cells}
    enough = [cell for cell in cells if len(corpora[cell.corpus]) >= CELLS]
    if not enough:
        raise UsageError(
            f"nothing to verify: no corpus has {CELLS} cells, timed in several processes, of codecs that are "
            "installed"
        )
    random = Random(seed)
    return random.sample(corpora[random.choice(enough).corpus], CELLS)


def agreement(
    before: ResultData,
    after: ResultData,
    cells: Sequence[Cell],
    limit: float,
    sessions: Mapping[Cell, RunToRun],
) -> Agreement:
    """Compare the ratios of some cells to each other.

    Args:
        before: The file.
        after: The same cells, measured again.
        cells: Cells of one corpus.
        limit: Share by which a ratio may differ.
        sessions: Differences between two runs of one cell, see `bench.past`.
    """
    means = {each.cell: found.value for each in before.cells if (found := measured(each))}
    # The slower one over the faster one, as ratios are usually stated.
    cells = sorted(cells, key=means.__getitem__, reverse=True)
    old, new = (replace(run, cells=tuple(_ratios(run, cells))) for run in (before, after))
    apart = {
        ratio.cell: _joint([sessions.get(cell, RUN_TO_RUN) for cell in pair])
        for ratio, pair in zip(old.cells, combinations(cells, 2), strict=True)
    }
    there, back = compare(old, new, sessions=apart), compare(new, old, sessions=apart)
    inverse = {change.cell: change for change in back.changes}
    pairs = [
        VerifiedPair(change, _verdict([change, inverse.get(change.cell, change)], limit))
        for change in there.changes
    ]
    notes = (*(f"changed: {note}" for note in there.notes), *(c.reason for c in there.changes if c.reason))
    spoiled = labelled([("the file", warnings(before)), ("here", warnings(after))])
    return Agreement(tuple(pairs), limit, tuple(dict.fromkeys(notes)), spoiled)


def _ratios(run: ResultData, cells: Sequence[Cell]) -> Iterator[CellResult]:
    found = {each.cell: each for each in run.cells}
    for over, under in combinations(cells, 2):
        name = f"{over.codec} {over.operation_name} / {under.codec} {under.operation_name}"
        ratio = Cell(over.corpus, "ratio", name)
        sides = [found.get(cell, CellResult(cell, "missing", "not measured again")) for cell in (over, under)]
        if failed := next((side for side in sides if not side.samples), None):
            yield CellResult(ratio, failed.outcome, failed.reason)
        else:
            # A codec's losses do not affect its speed.
            yield CellResult(ratio, "ok", samples=tuple(_divided(sides[0].samples, sides[1].samples)))


def _divided(over: Sequence[Measurement], under: Sequence[Measurement]) -> Iterator[Measurement]:
    """Divide the figures of the processes that have both cells."""
    others = {sample.pair: sample for sample in under}
    for sample in over:
        if (other := others.get(sample.pair)) is not None:
            value = sample.paired / other.paired
            contention = max(sample.contention, other.contention)
            yield Measurement(value, value, value, sample.pair, contention=contention)


def _joint(sessions: Sequence[RunToRun]) -> RunToRun:
    """Return the difference between two runs for the ratio of two cells, as if these moved independently."""
    deviation = math.hypot(*(session.deviation for session in sessions))
    return RunToRun(deviation, min(each.degrees for each in sessions), min(each.runs for each in sessions))


def _verdict(changes: Sequence[CellChange], limit: float) -> PairVerdict:
    if any(change.beyond(limit) for change in changes):
        return "disagrees"
    if any(change.verdict == "not measured" or change.undecided(limit) for change in changes):
        return "cannot decide"
    return "agrees"


def _row(pair: VerifiedPair) -> Row:
    change = pair.change
    found = change.ratio
    entries = {
        "ratio": Entry(change.cell.codec),
        "file": _figure(change.before),
        "here": _figure(change.after),
        "change": Entry(interval(found), found.value, *found.ends) if found else Entry(""),
        "verdict": Entry(pair.verdict, tone="good" if pair.verdict == "agrees" else "bad"),
    }
    return Row(change.cell.codec, entries)


def _figure(cell: CellResult | None) -> Entry:
    if cell is None or (found := measured(cell)) is None:
        return Entry("" if cell is None else cell.outcome)
    spread = numbers.spread(found.value, found.half)
    return Entry(numbers.ratio(found.value, found.half), *found, spread=spread)
