"""The phase of operations that need a process of their own and differ from one process to the next.

Round after round each cell gets a fresh process, one at a time, so that nothing of ours disturbs it. The
rounds are to these figures what timing processes are to times: their values are paired by round.
"""

from __future__ import annotations

import random
import time

from ..jobs import Alone, Ended, Found
from ..operations import operation
from ..results import Cell
from .context import Run, Stage

__all__ = ["cells_of", "job_of", "measure_alone"]


def cells_of(run: Run, stage: Stage, names: list[str]) -> list[Cell]:
    """Return the cells of some operations on a corpus, of codecs that are healthy and have them."""
    return [
        Cell(stage.name, name, codec)
        for name in names
        for codec, found in stage.checks.items()
        if found.fixes or not operation(name).schema
    ]


def job_of(run: Run, stage: Stage, cell: Cell) -> Alone:
    """Return the job that measures a cell in a process of its own."""
    found = stage.checks[cell.codec]
    return Alone(
        memory=run.options.cell_memory,
        path=stage.path,
        corpus=stage.corpus,
        codec=cell.codec,
        operation=cell.operation,
        payloads=found.payloads,
        dictionary=found.dictionary,
        places=run.options.where(),
    )


def measure_alone(run: Run, stage: Stage) -> None:
    """Measure each cell once a round, until there are rounds enough or the time is over."""
    cells = cells_of(run, stage, run.options.alone())
    took: dict[Cell, float] = {}
    wanted = run.options.fewest
    over = stage.schedule.alone_over
    for number in range(wanted):
        turn = [cell for cell in cells if run.state.rounds(cell) == number]
        random.shuffle(turn)
        for done, cell in enumerate(turn):
            # One that could not be finished is not begun.
            if run.stopping or over(took.get(cell, 0.0)):
                return _conclude(run, stage, cells)
            said = f"{stage.name}: {cell.operation} {cell.codec}, process {number + 1}"
            run.show(said, number * len(turn) + done, wanted * len(turn))
            begun = time.monotonic()
            ended = run.executor.submit(
                job_of(run, stage, cell), patience=run.options.cell_timeout, over=over
            ).result()
            took[cell] = time.monotonic() - begun
            if ended.outcome == "unfinished":
                return _conclude(run, stage, cells)
            _take(run, cell, number, ended)
        run.look()
    return _conclude(run, stage, cells)


def _take(run: Run, cell: Cell, number: int, ended: Ended) -> None:
    answer: Found | None = ended.answer
    if answer is None:
        run.fail(cell, ended.outcome, ended.reason, ended.stderr)
        return
    run.record(
        {
            "kind": "alone",
            "cell": cell.name,
            "pair": number,
            "value": answer.value,
            "facts": answer.facts,
            "spent": round(run.spent(), 3),
        }
    )


def _conclude(run: Run, stage: Stage, cells: list[Cell]) -> None:
    """Say where there were fewer processes than wanted."""
    done = {cell: run.state.rounds(cell) for cell in cells}
    fewest = min((number for number in done.values() if number is not None), default=run.options.fewest)
    text, start = "", f"{stage.name}: processes of their own: "
    if fewest < run.options.fewest and not run.stopping:
        names = ", ".join(dict.fromkeys(cell.operation for cell in cells))
        text = (
            f"{start}the time sufficed for {fewest} of {run.options.fewest} of {names}; "
            "a longer --budget, or --all, gives it"
        )
    run.record({"kind": "warning", "text": text, "instead": start})
