"""The memory phase: each memory operation of each healthy codec in a process of its own."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from ..jobs import Ended
from ..ledger import CellEntry, WarningEntry
from ..messages.alone import Alone, AloneAnswer
from ..method import Budget
from ..operations import operation
from ..results import Cell, CellFinding, fields_of
from .alone import cells_of, job_of
from .context import Run, Stage

_MANY = 5
"""Codecs that a warning counts instead of naming."""


def measure_memory(run: Run, stage: Stage) -> None:
    """Measure the memory of healthy codecs on one corpus, one operation after the other.

    If time is short, the codecs with the best ranks are measured, and a warning says which are not.
    """
    kinds: dict[Callable[..., object], list[str]] = {}
    for name in run.options.memory():
        kinds.setdefault(operation(name).carry_out, []).append(name)
    late: list[str] = []
    order = _ranked(run, stage) if kinds else []
    slower = 1.0
    for names in kinds.values():
        cells = [cell for cell in cells_of(run, stage, names) if not run.state.measured(cell)]
        seconds: dict[str, float] = {}
        for cell in cells:
            seconds[cell.codec] = seconds.get(cell.codec, 0.0) + slower * _expected(stage, cell)
        left = math.inf if run.options.no_time_limit else stage.schedule.left()
        chosen = _fitting(seconds, stage.schedule.side * left, order)
        begun = time.monotonic()
        # Started work may use the time by which a run may exceed its budget.
        unfinished = _measure(run, stage, [cell for codec in chosen for cell in cells if cell.codec == codec])
        if chosen:
            spent = stage.schedule.side * (time.monotonic() - begun)
            slower *= spent / sum(seconds[codec] for codec in chosen)
        left_out = [codec for codec in seconds if codec not in chosen or codec in unfinished]
        if left_out:
            measured = {cell.operation_name for cell in cells}
            headings = " and ".join(operation(name).heading for name in names if name in measured)
            who = ", ".join(left_out) if len(left_out) < _MANY else f"{len(left_out)} codecs"
            late.append(f"{headings} of {who}" if chosen else headings)
    text = ""
    if late and not run.stopping:
        text = f"{stage.name}: not enough time for {'; '.join(late)}; use a longer --budget, or --all"
    run.record(WarningEntry(text, f"{stage.name}: memory"))


def _expected(stage: Stage, cell: Cell) -> float:
    """Return a rough estimate of a cell's seconds."""
    checked = stage.checks[cell.codec]
    call = max(checked.rough.values(), default=0.0)
    return Budget.MEMORY_START + operation(cell.operation_name).lasts(checked.facts.records, call)


def _ranked(run: Run, stage: Stage) -> list[str]:
    """Return the codecs by rank; those without one come last, the fastest in the check first."""
    rankings = run.state.result(duration=run.spent(), complete=False).rankings
    ranked = [codec for each in rankings if each.corpus == stage.name for codec in each.order]
    rest = [codec for codec in stage.checks if codec not in ranked]
    return ranked + sorted(rest, key=lambda codec: sum(stage.checks[codec].rough.values()))


def _fitting(seconds: Mapping[str, float], left: float, order: Sequence[str]) -> list[str]:
    """Return the codecs that there is time for: the best ones, without those that do not fit among them."""
    found = []
    for codec in order:
        if codec in seconds and seconds[codec] <= left:
            left -= seconds[codec]
            found.append(codec)
    return found


def _measure(run: Run, stage: Stage, cells: list[Cell]) -> set[str]:
    """Measure cells in parallel; return the codecs that ran out of time."""
    over = stage.schedule.all_over
    jobs = {cell: _job(run, stage, cell) for cell in cells}
    waiting = {cell: _submitted(run, job, over) for cell, job in jobs.items()}
    late = set()
    for number, (cell, future) in enumerate(waiting.items()):
        run.show(f"{stage.name}: memory, {cell.operation_name} {cell.codec}", number, len(waiting))
        if run.stopping and future.cancel():
            continue
        ended = _confirmed(run, jobs[cell], future.result(), over)
        if ended is not None and ended.outcome == "unfinished":
            late.add(cell.codec)
        elif ended is not None:
            _take(run, stage, cell, ended)
    return late


def _job(run: Run, stage: Stage, cell: Cell) -> Alone:
    most = run.pace.growth
    return dataclasses.replace(job_of(run, stage, cell), options={} if most is None else {"seconds": most})


def _submitted(run: Run, job: Alone, over: Callable[[], bool]) -> Future[Ended]:
    return run.executor.submit(job, patience=run.options.cell_timeout, over=over)


def _confirmed(run: Run, job: Alone, ended: Ended, over: Callable[[], bool]) -> Ended | None:
    """Return the final answer, after further processes if an answer asks for them."""
    for _ in range(Budget.MEMORY_MOST - 1):
        answer: AloneAnswer | None = ended.answer
        if answer is None or not answer.again:
            break
        if run.stopping:
            return None  # an answer that asks for another process is not final
        job = dataclasses.replace(job, options={**job.options, **answer.again})
        ended = _submitted(run, job, over).result()
    return ended


def _take(run: Run, stage: Stage, cell: Cell, ended: Ended) -> None:
    answer: AloneAnswer | None = ended.answer
    if answer is None:
        reason = f"{ended.reason}, while its memory was measured"
        run.fail(cell, dataclasses.replace(ended, reason=reason))
        return
    found = stage.checks[cell.codec]
    finding = CellFinding(cell, found.outcome, found.reason, found.loss, **fields_of(answer.details))
    run.record(CellEntry(finding, answer.value))
