"""Use one reference kernel for several runs: a machine that was slower as a whole is not a slower codec."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median, variance

from ...bench.results import Fact, ResultData
from .environment import machine


def units(result: ResultData) -> dict[str, float]:
    """Return, by corpus, the time of the reference kernel that a run's times are relative to, in seconds."""
    return {
        cell.cell.corpus: sample.value / sample.paired
        for cell in result.cells
        for sample in cell.samples[:1]
        if sample.reference_kernel and sample.paired and not result.operation(cell.cell.operation_name).rate
    }


def measured_by(reference: ResultData, result: ResultData) -> ResultData:
    """Return `result` with its times relative to the reference kernel of `reference`.

    The kernel is work of the interpreter, so times of another interpreter or machine are unchanged.
    """
    target = units(reference)
    return _rescaled(result, target) if target and _where(reference) == _where(result) else result


def by_common_reference(results: Sequence[ResultData]) -> list[ResultData]:
    """Return runs on one machine with times relative to the median of their reference kernels.

    The kernel is work of the interpreter, so each version of Python has its own median.
    """
    pythons: dict[Fact, list[dict[str, float]]] = {}
    for result in results:
        pythons.setdefault(result.environment.get("python_version"), []).append(units(result))
    target = {
        python: {name: median(own[name] for own in found if name in own) for name in set().union(*found)}
        for python, found in pythons.items()
    }
    return [_rescaled(result, target[result.environment.get("python_version")]) for result in results]


def reference_errors(results: Sequence[ResultData]) -> dict[Fact, float]:
    """Return, by version of Python, how exactly the median of `by_common_reference` is known.

    All runs with a version share the error of its median, when they are compared with those of another one.

    Returns:
        The variance of the median's logarithm.
    """
    logs: dict[Fact, list[float]] = {}
    for result in results:
        if own := units(result):
            python = result.environment.get("python_version")
            logs.setdefault(python, []).append(math.log(median(own.values())))
    degrees = sum(len(own) - 1 for own in logs.values())
    squares = math.fsum(variance(own) * (len(own) - 1) for own in logs.values() if len(own) > 1)
    each = squares / degrees if degrees else 0.0
    # The variance of a median of normal values is that of a mean times pi/2.
    return {python: each / len(own) * (math.pi / 2 if len(own) > 2 else 1.0) for python, own in logs.items()}


def _rescaled(result: ResultData, target: Mapping[str, float]) -> ResultData:
    """Return a result with times relative to reference kernels that take the given times."""
    if not target or not units(result):
        return result
    common = median(target.values())
    cells = []
    for cell in result.cells:
        unit = target.get(cell.cell.corpus, common)
        if result.operation(cell.cell.operation_name).rate:
            unit = 1 / unit
        samples = [replace(s, value=s.paired * unit) if s.reference_kernel else s for s in cell.samples]
        cells.append(replace(cell, samples=tuple(samples)))
    return replace(result, cells=tuple(cells))


def _where(result: ResultData) -> tuple[object, ...]:
    return *machine(result), result.environment.get("python_version")
