"""What charts draw, as plain rows: points of size against cost, bars of an operation.

Nothing here knows a charting library. A row's texts are already worded and rounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ..bench.results import CorpusFacts, Result
from ..bench.stats import verdicts
from . import numbers
from .candidates import FLOOR, Candidate, Figure, Standing, alpha, candidates_on, corpora
from .columns import Chart, ColumnSpec, best, columns
from .cost import PARTS, Cost
from .table import Direction

__all__ = [
    "LEFT",
    "View",
    "amount",
    "bars",
    "eligible",
    "points",
    "summary",
    "views",
]

LEFT: Final = 0.25
"""Points in this part of the width have no room for a name to their left."""

_CUT: Final = 4.0
"""Bars longer than this many medians are cut, so that one slow codec does not flatten all others."""


@dataclass(frozen=True)
class View:
    """One corpus on one machine: what is ranked together.

    Attributes:
        machine: Label of the machine; empty when there is only one.
        alpha: Error share of verdicts.
        specs: What is known of the figures of each operation.
    """

    machine: str
    corpus: CorpusFacts
    candidates: tuple[Candidate, ...]
    cost: Cost
    alpha: float
    specs: Mapping[str, ColumnSpec]

    @property
    def label(self) -> str:
        """The corpus, with its machine when there are several."""
        return f"{self.corpus.name} · {self.machine}" if self.machine else self.corpus.name

    @property
    def charts(self) -> Mapping[str, Chart]:
        """The charts of bars that there can be, by operation."""
        return {name: spec.chart for name, spec in self.specs.items() if spec.chart}

    @cached_property
    def standing(self) -> Standing:
        """The ranking by cost."""
        return Standing.of([e for e in self.candidates if eligible(e, *PARTS)], self.cost, self.alpha)


def views(blocks: Sequence[tuple[str, Result]], cost: Cost) -> list[View]:
    """Return every corpus that something was measured on, of the results of each machine."""
    known = columns(result for _, result in blocks).values()
    specs = {spec.operations[0]: spec for spec in known if len(spec.operations) == 1 and not spec.fact}
    found = []
    for label, result in blocks:
        for corpus in corpora(result):
            candidates = tuple(candidates_on(result, corpus.name))
            if candidates:
                found.append(View(label, corpus, candidates, cost, alpha(result), specs))
    return found


def eligible(candidate: Candidate, *operations: str) -> bool:
    """Whether figures may be shown: right answers only, whatever the file says."""
    cells = (candidate.cells[name] for name in operations if name in candidate.cells)
    return all(cell.outcome in ("ok", "lossy") for cell in cells)


def amount(value: float, unit: str, half: float | None = None) -> str:
    """Write a value with a unit that suits it: "1.24 µs"."""
    factor, name = numbers.scale([value], unit)
    text = numbers.quantity(value * factor, None if half is None else half * factor)
    return f"{text} {name}".strip()


def points(view: View) -> list[dict[str, Any]]:
    """Return size and cost of each codec, and which ones nothing beats in both.

    A codec is on the front unless another one of at most its size is surely cheaper, or a
    smaller one is no dearer. Ties of equal size therefore stand there together.
    """
    standing = view.standing
    sizes = {e.name: size.value for e in view.candidates if (size := e.figure("size")) and size.value > 0}
    chosen = [e for e in view.candidates if e.name in standing.costs and e.name in sizes]
    judged = verdicts({e.name: standing.samples[e.name] for e in chosen}, view.alpha)
    costs = {e.name: standing.costs[e.name].value for e in chosen}

    def beaten(a: str) -> bool:
        return any(
            (sizes[b] <= sizes[a] and judged[b, a][0] == "faster")
            or (sizes[b] < sizes[a] and costs[b] <= costs[a])
            for b in costs
            if b != a
        )

    rows = [
        {
            "codec": e.name,
            "name": e.name,
            "corpus": view.label,
            "format": e.facts.format or "unknown",
            "size": sizes[e.name],
            "cost": costs[e.name],
            "lossy": e.outcome == "lossy",
            "front": not beaten(e.name),
            "tip": f"{e.name}: {amount(sizes[e.name], 'byte')}, {amount(costs[e.name], 'second')} a record",
        }
        for e in chosen
    ]
    return _with_edge(rows)


def _with_edge(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the points that the front's line runs through, of tied ones the cheapest; place their names."""
    lowest = math.inf
    ordered = sorted(rows, key=lambda row: (row["size"], row["cost"]))
    for row in ordered:
        row["edge"] = row["front"] and row["cost"] < lowest
        if row["edge"]:
            lowest = row["cost"]
    for number, row in enumerate([row for row in ordered if row["edge"]]):
        reach = ordered[-1]["size"] / ordered[0]["size"]
        share = math.log(row["size"] / ordered[0]["size"]) / math.log(reach) if reach > 1 else 0.0
        row["side"] = "above" if number == 0 else "below" if share < LEFT else "left"
        tied = [r["codec"] for r in ordered if r["front"] and not r["edge"] and r["size"] == row["size"]]
        row["name"] = ", ".join([row["codec"], *tied])
    return rows


def bars(view: View, operation: str) -> list[dict[str, Any]]:
    """Return one bar for each codec with a figure of an operation, the best first."""
    spec = view.specs[operation]
    found = [(e, f) for e in view.candidates if eligible(e, operation) and (f := e.figure(operation))]
    return _drawn([(e, f._replace(value=f.seen), _worded(f, spec.unit)) for e, f in found], spec.direction)


def summary(group: Sequence[View], operation: str) -> list[dict[str, Any]]:
    """Return one bar for each codec over several corpora of one machine.

    Its length is the geometric mean of how many times the best of each corpus it takes; the
    interval is its best and its worst corpus. Codecs without a figure on all of them are left out.
    """
    direction = group[0].specs[operation].direction
    shares: dict[str, list[float]] = {}
    known: dict[str, Candidate] = {}
    for view in group:
        figures = {
            e.name: figure.seen
            for e in view.candidates
            if e.name != FLOOR and eligible(e, operation)
            if (figure := e.figure(operation)) and figure.value > 0
        }
        first = best(direction)(figures.values(), default=1.0)
        for name, value in figures.items():
            shares.setdefault(name, []).append(value / first)
        known |= {e.name: e for e in view.candidates if e.name not in known or e.outcome == "lossy"}
    full = {name: values for name, values in shares.items() if len(values) == len(group)}
    found = []
    for name, values in full.items():
        mean = math.exp(math.fsum(map(math.log, values)) / len(values))
        found.append((known[name], Figure(mean, min(values), max(values)), numbers.ratio(mean)))
    return _drawn(found, direction)


def _worded(figure: Figure, unit: str) -> str:
    if figure.limit is not None:
        return numbers.below(figure.limit, unit)
    text = amount(figure.value, unit, figure.half if unit == "second" else None)
    spread = numbers.spread(figure.value, figure.half)
    return f"{text} {spread}".strip()


def _drawn(found: Sequence[tuple[Candidate, Figure, str]], direction: Direction) -> list[dict[str, Any]]:
    ordered = sorted(found, key=lambda item: item[1].value, reverse=direction == "higher")
    values = sorted(figure.value for _, figure, _ in ordered)
    longest = max(values, default=0.0)
    usual = values[len(values) // 2] * _CUT if values else 0.0
    limit = usual if longest > usual * 1.5 else longest
    rows = []
    for order, (candidate, figure, text) in enumerate(ordered):
        cut = figure.value > limit
        lossy = candidate.outcome == "lossy"
        length = min(figure.value, limit) / limit if limit else 0.0
        low = None if cut or figure.low is None else figure.low / limit if limit else None
        high = None if cut or figure.high is None else figure.high / limit if limit else None
        rows.append(
            {
                "codec": candidate.name,
                "format": "" if candidate.name == FLOOR else candidate.facts.format or "unknown",
                "order": order,
                # As shares of the longest bar drawn, so that no scale depends on a unit.
                "length": round(length, 4),
                "low": None if low is None else round(low, 4),
                "high": None if high is None else round(high, 4),
                "end": round(max(length, high or 0.0), 4),
                "cut": cut,
                "lossy": lossy,
                "label": f"{'» ' if cut else ''}{text}{' lossy' if lossy else ''}",
            }
        )
    return rows
