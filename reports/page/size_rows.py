"""The data of the chart of sizes: time per byte over the size of a record, and crossovers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...bench.results import CorpusFacts, ResultData
from ...bench.stats import interval
from ..model.crossover import crossovers
from ..model.numbers import bytes_said
from ..model.swept import series


def lines(result: ResultData, sizes: Mapping[float, CorpusFacts], operation: str) -> list[dict[str, Any]]:
    """Return the points of each codec's line, and significant crossovers.

    Returns:
        Rows with ``size`` in bytes and ``pace`` in seconds per byte. Points of a codec have ``codec`` and
        ``format``. Crossovers have ``low``, ``high`` and ``tip``.
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
