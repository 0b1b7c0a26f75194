"""The data of the chart of sizes: time per byte over the size of a record, and crossovers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...bench.results import CorpusFacts, ResultData
from ...bench.stats import interval
from ..model.crossover import crossovers
from ..model.numbers import bytes_said
from ..model.swept import series
from .chart_rows import NAME, place_names

_LEAST: Final = 300
"""Pixels from the shortest time to the longest."""


def height(rows: Sequence[Mapping[str, Any]]) -> int:
    """Return the pixels that leave space for all names."""
    return max(_LEAST, NAME * (len({row["codec"] for row in rows}) - 1))


def lines(result: ResultData, sizes: Mapping[float, CorpusFacts], operation: str) -> list[dict[str, Any]]:
    """Return the points of each codec's line, and significant crossovers.

    Returns:
        Rows with ``size`` in bytes and ``pace`` in seconds per byte. Points of a codec have ``codec`` and
        ``format``, and at the end of the line ``at``, the position of the name. Crossovers have ``low``,
        ``high`` and ``tip``.
    """
    found = series(result, sizes, operation)
    formats = {codec.name: codec.format for codec in result.codecs}
    rows: list[dict[str, Any]] = [
        {
            "codec": name,
            "format": formats.get(name) or "unknown",
            "size": size,
            "pace": interval(samples)[0] / size,
        }
        for name, one in found.items()
        for size, samples in sorted(one.items())
        if min(sample.value for sample in samples) > 0
    ]
    _name(rows)
    rows += [
        {
            "size": one.size,
            "pace": one.time / one.size,
            "low": one.low,
            "high": one.high,
            "tip": f"{one.below} below {bytes_said(one.size)}, {one.above} above",
        }
        for one in crossovers(found)
    ]
    return rows


def _name(rows: list[dict[str, Any]]) -> None:
    """Add the positions of names next to the ends of the lines."""
    if not rows:
        return
    ends = {row["codec"]: row for row in rows}  # The last point of each line.
    ordered = sorted(ends.values(), key=lambda row: float(row["pace"]))
    low, high = (extreme(math.log(row["pace"]) for row in rows) for extreme in (min, max))
    place_names(ordered, "pace", (low, max(high, low + 1e-9)), height(rows))
