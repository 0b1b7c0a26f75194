"""Bencher Metric Format: all figures as JSON for Bencher, which stores and charts them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Final

from ...bench.results import BASELINE, OperationFacts, ResultData
from ...errors import UsageError
from ..model.candidates import measured
from ..model.merge import of_one_machine

_NANOSECONDS: Final = 1e9
"""Bencher's measure ``latency`` is in nanoseconds."""


def bencher(results: Sequence[ResultData]) -> str:
    """Return every figure as the metric of a benchmark ``CORPUS/OPERATION/CODEC``.

    The format is defined at https://bencher.dev/docs/reference/bencher-metric-format/.

    Raises:
        UsageError: Nothing was measured, or the results are of several machines, which are testbeds there.
    """
    result = of_one_machine(results)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for cell in result.cells:
        figure = measured(cell)
        if cell.cell.codec == BASELINE or figure is None:
            continue
        measure, factor = _measure(result.operation(cell.cell.operation_name))
        ends = {"value": figure.value, "lower_value": figure.low, "upper_value": figure.high}
        known = {key: end * factor for key, end in ends.items() if end is not None and math.isfinite(end)}
        if "value" in known:
            found[cell.cell.name] = {measure: known}
    if not found:
        raise UsageError("nothing to write: no cell has a figure")
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _measure(operation: OperationFacts) -> tuple[str, float]:
    """Return the slug of the measure of an operation, and the factor from its unit."""
    if operation.unit == "second":
        return "latency", _NANOSECONDS
    if operation.rate:
        return "throughput", 1.0
    if operation.unit == "byte":
        return "memory" if operation.phase == "memory" else "bytes", 1.0
    return "count", 1.0
