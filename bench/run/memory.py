"""The memory phase: each memory operation of each healthy codec in a fresh process of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..operations import operation
from ..results import Cell
from .context import Run, Stage, payloads_name
from .environment import abreast
from .processes import Ended

__all__ = ["measure_memory"]

_MOST = 4
"""Processes that one cell may ask for."""


def measure_memory(run: Run, stage: Stage) -> None:
    """Measure the memory of every healthy codec on one corpus."""
    cells = [
        Cell(stage.name, name, codec)
        for name in run.options.memory()
        for codec, found in stage.checks.items()
        if found["fixes"] or not operation(name).schema
    ]
    cells = [cell for cell in cells if not run.state.measured(cell)]
    workers = ThreadPoolExecutor(abreast())
    try:
        waiting = {cell: workers.submit(_weigh_one, run, stage, cell) for cell in cells}
        for done, (cell, future) in enumerate(waiting.items()):
            run.show(f"{stage.name}: memory, {cell.operation} {cell.codec}", done, len(waiting))
            if run.stopping and future.cancel():
                continue
            if (ended := future.result()) is not None:
                _take(run, stage, cell, ended)
    finally:
        workers.shutdown(wait=False, cancel_futures=True)


def _weigh_one(run: Run, stage: Stage, cell: Cell) -> Ended | None:
    options: dict[str, Any] = {}
    ended = None
    for _ in range(_MOST):
        if run.stopping:
            return None  # an answer that asks for another process is none
        job = run.job(
            "memory",
            stage,
            operation=cell.operation,
            codec=cell.codec,
            payloads=payloads_name(run.options.codecs, cell.codec),
            options=options,
        )
        ended = run.workshop.work(job, patience=run.options.cell_timeout)
        if ended.answer is None or not ended.answer.get("again"):
            break
        options |= ended.answer["again"]
    return ended


def _take(run: Run, stage: Stage, cell: Cell, ended: Ended) -> None:
    answer = ended.answer
    if answer is None or "outcome" in answer:
        failed = answer or {"outcome": ended.outcome, "reason": ended.reason}
        run.fail(cell, failed["outcome"], f"{failed['reason']}, while its memory was measured", ended.stderr)
        return
    found = stage.checks[cell.codec]
    run.record(
        {
            "kind": "cell",
            "cell": cell.name,
            "outcome": found["outcome"],
            "reason": found["reason"],
            "loss": found["loss"],
            "facts": answer["facts"],
            "value": answer["value"],
        }
    )
