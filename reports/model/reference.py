"""Use one reference kernel for several runs: a machine that was slower as a whole is not a slower codec."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from ...bench.results import ResultData
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
    target, own = units(reference), units(result)
    if not target or not own or _where(reference) != _where(result):
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
