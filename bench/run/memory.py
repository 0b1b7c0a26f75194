"""The memory phase: each memory operation of each healthy codec in a fresh process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import Future

from ..jobs import Alone, Ended, Found
from ..results import Cell
from .alone import cells_of, job_of
from .context import Run, Stage

__all__ = ["measure_memory"]

_MOST = 4
"""Processes that one cell may ask for."""


def measure_memory(run: Run, stage: Stage) -> None:
    """Measure the memory of every healthy codec on one corpus."""
    cells = cells_of(run, stage, run.options.memory())
    jobs = {cell: job_of(run, stage, cell) for cell in cells if not run.state.measured(cell)}
    over = stage.schedule.memory_over
    waiting = {cell: _submitted(run, job, over) for cell, job in jobs.items()}
    late: list[str] = []
    for done, (cell, future) in enumerate(waiting.items()):
        run.show(f"{stage.name}: memory, {cell.operation} {cell.codec}", done, len(waiting))
        if run.stopping and future.cancel():
            continue
        ended = _confirmed(run, jobs[cell], future.result(), over)
        if ended is not None and ended.outcome == "unfinished":
            late.append(cell.codec)
        elif ended is not None:
            _take(run, stage, cell, ended)
    text, start = "", f"{stage.name}: the time did not suffice"
    if late:
        names = ", ".join(dict.fromkeys(late))
        text = f"{start} for all memory figures of {names}; a longer --budget, or --all, gives it"
    run.record({"kind": "warning", "text": text, "instead": start})


def _submitted(run: Run, job: Alone, over: Callable[[], bool]) -> Future[Ended]:
    return run.executor.submit(job, patience=run.options.cell_timeout, over=over)


def _confirmed(run: Run, job: Alone, ended: Ended, over: Callable[[], bool]) -> Ended | None:
    """Return the answer that stands, in further processes where one asks for them."""
    for _ in range(_MOST - 1):
        answer: Found | None = ended.answer
        if answer is None or not answer.again:
            break
        if run.stopping:
            return None  # an answer that asks for another process is none
        job = dataclasses.replace(job, options={**job.options, **answer.again})
        ended = _submitted(run, job, over).result()
    return ended


def _take(run: Run, stage: Stage, cell: Cell, ended: Ended) -> None:
    answer: Found | None = ended.answer
    if answer is None:
        run.fail(cell, ended.outcome, f"{ended.reason}, while its memory was measured", ended.stderr)
        return
    found = stage.checks[cell.codec]
    run.record(
        {
            "kind": "cell",
            "cell": cell.name,
            "outcome": found.outcome,
            "reason": found.reason,
            "loss": found.loss,
            "facts": answer.facts,
            "value": answer.value,
        }
    )
