"""The data of charts as plain rows: points of size against cost, bars of an operation.

This module is independent of charting libraries. The texts of rows are already worded and rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from ..model import numbers
from ..model.candidates import BASELINE, WELL, Candidate, MeanInterval
from ..model.columns import best
from ..model.numbers import amount
from ..model.table import ColumnDirection
from ..model.view import CorpusView
from .axis import LEAST

_GAP: Final = 0.4
"""Empty share of an axis from which points beyond the gap are drawn beyond the axis."""

_FEWEST: Final = 3
"""Fewest points within an axis."""

_BEYOND: Final = 0.1
"""Distance from the end of the axis to the points beyond it, as a share of the axis."""

_OUTLIER: Final = 2.5
"""A bar this many times as long as the next shorter one is cut, so that it does not flatten the others."""

_UNCUT: Final = 0.82
"""Share of the drawing for bars to scale, if others are cut."""

_REACH: Final = 1.5
"""Longest interval, as a multiple of the longest bar."""


def eligible(candidate: Candidate, *operations: str) -> bool:
    """Return whether figures may be shown: only those of correct answers, whatever the file says."""
    cells = (candidate.cells[name] for name in operations if name in candidate.cells)
    return all(cell.outcome in WELL for cell in cells)


def points(view: CorpusView) -> list[dict[str, Any]]:
    """Return size and cost of each codec, and the codecs that no other beats in both.

    A codec is on the front unless another one of at most its size is significantly cheaper, or a smaller one
    does not cost more. Ties of equal size are therefore all on the front.
    """
    standing = view.standing
    sizes = {e.name: size.value for e in view.candidates if (size := e.figure("size")) and size.value > 0}
    chosen = [e for e in view.candidates if e.name in standing.costs and e.name in sizes]
    costs = {e.name: standing.costs[e.name].value for e in chosen}

    def beaten(a: str) -> bool:
        return any(
            (sizes[b] <= sizes[a] and standing.judged[b, a][0] == "faster")
            or (sizes[b] < sizes[a] and costs[b] <= costs[a])
            for b in costs
            if b != a
        )

    rows = [
        {
            "codec": e.name,
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
    return _reached(_with_edge(rows))


def _with_edge(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the points of the front's line; of tied ones, the cheapest."""
    lowest = math.inf
    for row in sorted(rows, key=lambda row: (row["size"], row["cost"])):
        row["edge"] = row["front"] and row["cost"] < lowest
        if row["edge"]:
            lowest = row["cost"]
    return rows


def _reached(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add positions and names of points; the name of a point beyond an axis has its figure."""
    for axis, figure, unit, arrow in (("x", "size", "byte", "→"), ("y", "cost", "second", "↑")):
        end, off = _reach([row[figure] for row in rows]) if rows else (0.0, 0.0)
        for row in rows:
            row.setdefault("name", row["codec"])
            row[axis] = row[figure]
            if row[figure] > end:
                row[axis] = off
                row["name"] += f" {arrow} {amount(row[figure], unit)}"
    return rows


def axes() -> dict[str, float]:
    """Return the constants of point placement, for the page's script."""
    return {"gap": _GAP, "fewest": _FEWEST, "beyond": _BEYOND, "least": LEAST}


def _reach(values: Sequence[float]) -> tuple[float, float]:
    """Return the end of a logarithmic axis, and the position of points beyond it.

    A few points after a gap of two fifths of the axis are beyond it, because they would squeeze all others.
    """
    logs = sorted(map(math.log, values))
    span = logs[-1] - logs[0]
    for few in range(1, max(1, len(logs) // 8) + 1):
        if len(logs) - few >= _FEWEST and logs[-few] - logs[-few - 1] > _GAP * span:
            end = logs[-few - 1]
            # The end is the figure of a point, which must not exceed it by rounding.
            return sorted(values)[-few - 1], math.exp(end + _BEYOND * max(end - logs[0], math.log(LEAST)))
    return max(values), max(values)


def apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Move rising places from 0 to 1 apart by a gap, with minimal squared shifts, within 0 and 1."""
    last = len(wanted) - 1
    gap = min(gap, 1 / last) if last else 0.0
    groups: list[tuple[float, int]] = []
    for number, place in enumerate(wanted):
        mean, count = place - number * gap, 1
        while groups and groups[-1][0] > mean:
            before, size = groups.pop()
            mean, count = (before * size + mean * count) / (size + count), size + count
        groups.append((mean, count))
    free = [mean for mean, count in groups for _ in range(count)]
    return [min(max(mean, 0.0), 1 - last * gap) + number * gap for number, mean in enumerate(free)]


def bars(view: CorpusView, operation: str) -> list[dict[str, Any]]:
    """Return one bar for each codec with a figure of an operation, the best first.

    Figures below the measurable limit have no bar: see `unseen`.
    """
    spec = view.operations[operation]
    found = [(e, f) for e, f in _figures(view, operation) if f.limit is None]
    return drawn([(e, f, worded(f, spec.measure)) for e, f in found], spec.direction)


def unseen(group: Sequence[CorpusView], operation: str) -> str:
    """Write how many codecs are below the measurable limit on all corpora of a machine; empty if none."""
    found = [(e.name, f) for view in group for e, f in _figures(view, operation) if e.name != BASELINE]
    seen = {name for name, figure in found if figure.limit is None}
    below = {name for name, _ in found} - seen
    if not below:
        return ""
    most = max(figure.seen for name, figure in found if name in below)
    count = f"{len(below)} codec{'s' * (len(below) > 1)}" if seen else f"all {len(below)} codecs"
    if len(below) == 1:
        count = next(iter(below))
    least = amount(most, group[0].operations[operation].unit)
    return f"{count}: less than {least}, the least that can be measured"


def _figures(view: CorpusView, operation: str) -> list[tuple[Candidate, MeanInterval]]:
    return [(e, f) for e in view.candidates if eligible(e, operation) and (f := e.figure(operation))]


def summary(group: Sequence[CorpusView], operation: str) -> list[dict[str, Any]]:
    """Return one bar for each codec over several corpora of one machine.

    Its length is the geometric mean of its ratios to the best codec of each corpus. The interval spans its
    best and its worst corpus. Codecs without a figure on one of them are left out.
    """
    direction = group[0].operations[operation].direction
    shares: dict[str, list[float]] = {}
    known: dict[str, Candidate] = {}
    seen: set[str] = set()
    for view in group:
        found = {e.name: f for e, f in _figures(view, operation) if e.name != BASELINE and f.value > 0}
        figures = {name: figure.seen for name, figure in found.items()}
        seen |= {name for name, figure in found.items() if figure.limit is None}
        first = best(direction)(figures.values(), default=1.0)
        for name, value in figures.items():
            shares.setdefault(name, []).append(value / first)
        known |= {e.name: e for e in view.candidates if e.name not in known or e.outcome == "lossy"}
    full = {name: values for name, values in shares.items() if len(values) == len(group) and name in seen}
    means = []
    for name, values in full.items():
        mean = math.exp(math.fsum(map(math.log, values)) / len(values))
        means.append((known[name], MeanInterval(mean, min(values), max(values)), numbers.ratio(mean)))
    return drawn(means, direction)


def worded(figure: MeanInterval, unit: str) -> str:
    """Write a figure with its unit and its interval."""
    text = amount(figure.value, unit, figure.half if unit != "byte" else None)
    spread = numbers.spread(figure.value, figure.half)
    return f"{text} {spread}".strip()


def drawn(
    found: Sequence[tuple[Candidate, MeanInterval, str]], direction: ColumnDirection
) -> list[dict[str, Any]]:
    """Return bars of figures with their texts, the best first.

    Lengths, and the ends of intervals, are shares of the widest one drawn, so that no scale depends on a
    unit. A bar far longer than the others is cut; beyond ``cut`` its length only keeps the order.
    """
    ordered = sorted(found, key=lambda item: item[1].value, reverse=direction == "higher")
    values = sorted(figure.value for _, figure, _ in ordered)
    limit = _limit(values)
    widest = max([1.0, *(min(_REACH, high / limit) for _, f, _ in ordered if (high := _high(f, limit)))])
    rows = []
    for order, (candidate, figure, text) in enumerate(ordered):
        cut = figure.value > limit
        length = _length(figure.value, limit, values[-1])
        high = _high(figure, limit)
        low = None if high is None else (figure.low or 0.0) / limit
        high = None if high is None else min(high / limit, widest)
        scale = _UNCUT / widest if values[-1] > limit else 1 / widest
        rows.append(
            {
                "codec": candidate.name,
                "format": "" if candidate.name == BASELINE else candidate.facts.format or "unknown",
                "order": order,
                "length": round(length if cut else length * scale, 4),
                "low": None if low is None else round(low * scale, 4),
                "high": None if high is None else round(high * scale, 4),
                "end": round(length if cut else max(length, high or 0.0) * scale, 4),
                "cut": round((1 + _UNCUT) / 2, 4) if cut else None,
                "lossy": candidate.outcome == "lossy",
                "label": text,
            }
        )
    return rows


def _limit(values: Sequence[float]) -> float:
    """Return the longest of rising values that is drawn to scale: the last one before a wide gap."""
    for number in range(len(values) - len(values) // 3, len(values)):
        if values[number] > _OUTLIER * values[number - 1] > 0:
            return values[number - 1]
    return values[-1] if values and values[-1] > 0 else 1.0


def _length(value: float, limit: float, longest: float) -> float:
    """Return the share of the drawing for a bar; for bars that are cut, by the logarithm."""
    if value <= limit:
        return value / limit
    beyond = math.log(value / limit) / math.log(longest / limit)
    return 1 - (1 - _UNCUT) / 3 * (1 - beyond)


def _high(figure: MeanInterval, limit: float) -> float | None:
    """Return the upper end of an interval that is drawn."""
    return None if figure.low is None or figure.value > limit else figure.high
