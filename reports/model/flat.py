"""The cells of a result as flat rows, for programs and data frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...bench.results import BASELINE, Cell, Direction, Outcome, ResultData, Unit
from ...bench.verdict import rankings
from .candidates import measured


@dataclass(frozen=True, slots=True)
class ResultCell:
    """One cell of a result, with its figure.

    Attributes:
        cell: Corpus, operation and codec.
        outcome: "ok", "lossy", or why there is no figure.
        value: Mean over the processes; None without a figure.
        low: Lower end of the 95 % interval; None with a single process.
        high: Upper end of the interval.
        unit: Unit of these; times are seconds per record.
        direction: Which figures are better.
        processes: Number of processes.
        reason: Why there is no figure.
        loss: What the codec loses.
    """

    cell: Cell
    outcome: Outcome
    value: float | None
    low: float | None
    high: float | None
    unit: Unit
    direction: Direction
    processes: int
    reason: str = ""
    loss: tuple[str, ...] = ()

    @property
    def corpus(self) -> str:
        """Name of the corpus."""
        return self.cell.corpus

    @property
    def operation(self) -> str:
        """The operation, with its variant, backend and parameter."""
        return self.cell.operation_name

    @property
    def codec(self) -> str:
        """Name of the codec."""
        return self.cell.codec


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of a codec on a corpus, by the default cost.

    Attributes:
        best: The best possible rank; codecs that tie share a rank.
        worst: The worst possible rank; differs from `best` if codecs are not distinguishable.
    """

    corpus: str
    codec: str
    best: int
    worst: int


def cells(result: ResultData) -> tuple[ResultCell, ...]:
    """Return the cells of all codecs, without the baseline."""
    found = []
    for each in result.cells:
        if each.cell.codec == BASELINE:
            continue
        figure, facts = measured(each), result.operation(each.cell.operation_name)
        value, low, high = figure[:3] if figure is not None else (None, None, None)
        found.append(
            ResultCell(
                cell=each.cell,
                outcome=each.outcome,
                value=value,
                low=low,
                high=high,
                unit=facts.unit,
                direction=facts.direction,
                processes=len(each.samples),
                reason=each.reason,
                loss=each.loss,
            )
        )
    return tuple(found)


def ranks(result: ResultData) -> tuple[Rank, ...]:
    """Return the ranks on each corpus, the cheapest codec first."""
    return tuple(
        Rank(ranking.corpus, name, ranking.first[name], ranking.last[name])
        for ranking in result.rankings or rankings(result)
        for name in ranking.order
    )


def rows(result: ResultData) -> list[dict[str, Any]]:
    """Return the cells as rows of a data frame."""
    formats = {codec.name: codec.format for codec in result.codecs}
    return [
        {
            "corpus": each.corpus,
            "operation": each.operation,
            "codec": each.codec,
            "format": formats.get(each.codec, ""),
            "outcome": each.outcome,
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "unit": each.unit,
            "direction": each.direction,
            "processes": each.processes,
            "reason": each.reason,
            "loss": "; ".join(each.loss),
        }
        for each in cells(result)
    ]
