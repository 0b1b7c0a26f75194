"""The phase for operations that need separate processes and vary between processes.

In each round, each cell gets a fresh process, one at a time, so that our own processes do not disturb it. The
rounds have the role of timing processes: values are paired by round.
"""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable

from ..cells import operation_name
from ..jobs import Ended
from ..ledger import AloneEntry, CellEntry, WarningEntry
from ..messages.alone import Alone, AloneAnswer
from ..operations import operation
from ..results import BASELINE, Cell, CellFinding
from .context import Run, Stage

_PLAIN = ("error", "missing", "unsupported")
"""Outcomes that the reason describes."""


def cells_of(run: Run, stage: Stage, names: list[str]) -> list[Cell]:
    """Return the cells of some operations on a corpus, for healthy codecs that support them.

    There are none of an operation that does not work on this system.
    """
    return [
        operation(name).cell(stage.name, codec)
        for name in names
        if operation(name).works()
        for codec, found in stage.checks.items()
        if found.fixes or not operation(name).schema
    ]


def job_of(run: Run, stage: Stage, cell: Cell) -> Alone:
    """Return the job that measures a cell in a separate process."""
    found = stage.checks[cell.codec]
    declared = operation(cell.operation_name)
    exact = declared.exact
    return Alone(
        # Valgrind takes address space for itself.
        memory=None if exact else run.options.cell_memory,
        path=stage.path,
        modules=stage.modules,
        corpus=stage.corpus,
        codec=cell.codec,
        operation=cell.operation_name,
        payloads=found.payloads,
        dictionary=found.dictionary,
        limits=found.facts.limits,
        backends=run.options.where(),
        client=run.options.client_settings(),
        exact=exact,
        # Bytes are the same in a fork; times and counts would not be.
        forked=declared.phase == "memory",
    )


def count_all(run: Run, stage: Stage) -> None:
    """Count what Valgrind counts, in processes side by side; it is not part of the budget."""
    cells = [cell for cell in cells_of(run, stage, run.options.counted()) if not run.state.measured(cell)]
    waiting = [
        (group, run.executor.submit(job_of(run, stage, group[0]), patience=run.options.cell_timeout))
        for group in _together(cells)
    ]
    for done, (group, future) in enumerate(waiting):
        run.show(f"{stage.name}: {_said(group)} {group[0].codec}", done, len(waiting))
        if run.stopping and future.cancel():
            continue
        ended = future.result()
        for cell in group:
            if ended.answer is None:
                # It says nothing about the codec elsewhere: Valgrind lacks instructions, or is not there.
                said = ended.reason if ended.outcome in _PLAIN else f"{ended.outcome}: {ended.reason}"
                run.fail(cell, dataclasses.replace(ended, outcome="unsupported", reason=said))
            else:
                _take(run, cell, 0, ended)
        run.look()


def measure_alone(run: Run, stage: Stage) -> None:
    """Measure each cell once per round, until there are enough rounds or the time is over."""
    names = run.options.alone()
    cells = cells_of(run, stage, names) + _baselines(run, stage, names)
    groups = _together(cells)
    took: dict[Cell, float] = {}
    gone: dict[str, Ended] = {}
    wanted = run.options.fewest
    over = stage.schedule.alone_over
    for number in range(wanted):
        turn = [left for group in groups if (left := [c for c in group if run.state.rounds(c) == number])]
        _shuffle(turn)
        for done, group in enumerate(turn):
            cell = group[0]
            run.pass_on(stage.schedule)
            # A cell that could not finish in time is not started.
            if run.stopping or over(took.get(cell, 0.0)):
                return _conclude(run, stage, cells)
            said = f"{stage.name}: {_said(group)} {cell.codec}, process {number + 1}"
            part = (number + done / len(turn)) / wanted
            if not run.options.no_time_limit:
                part = max(part, stage.schedule.passed)
            run.show(said, 100 * part, 100)
            begun = time.monotonic()
            place = cell.place
            ended = (
                gone.get(place)
                or run.executor.submit(
                    _job(run, stage, cell), patience=run.options.cell_timeout, over=over
                ).result()
            )
            took[cell] = time.monotonic() - begun
            if ended.outcome == "unfinished":
                return _conclude(run, stage, cells)
            if ended.outcome == "missing" and place:
                # All cells of this kind would fail in the same way.
                gone[place] = ended
            for one in group:
                _take(run, one, number, ended)
        run.look()
    return _conclude(run, stage, cells)


def _baselines(run: Run, stage: Stage, names: list[str]) -> list[Cell]:
    """Return the baselines of these cells if there is a codec to compare with."""
    declared = [operation(name) for name in names if stage.checks]
    found = [each.cell(stage.name, BASELINE) for each in declared if each.baseline]
    run.record(*(CellEntry(CellFinding(cell, "ok")) for cell in found if run.state.outcome(cell) is None))
    return found


def _job(run: Run, stage: Stage, cell: Cell) -> Alone:
    """Return the job of a cell. A baseline gets the shortest payloads of any codec."""
    if cell.codec != BASELINE:
        return job_of(run, stage, cell)
    least = min(stage.checks, key=lambda codec: stage.checks[codec].length)
    return job_of(run, stage, dataclasses.replace(cell, variant=BASELINE, codec=least))


def _together(cells: list[Cell]) -> list[list[Cell]]:
    """Return the cells that one process measures together."""
    found: dict[Cell, list[Cell]] = {}
    for cell in cells:
        together = operation(cell.operation_name).together
        key = dataclasses.replace(cell, operation=together or cell.operation)
        found.setdefault(key, []).append(cell)
    return list(found.values())


def _shuffle(turn: list[list[Cell]]) -> None:
    """Shuffle the measurements, and the codecs of each: neighbors in time are disturbed alike."""
    random.shuffle(turn)
    order = {_said(group): place for place, group in enumerate(turn)}
    turn.sort(key=lambda group: order[_said(group)])


def _said(group: list[Cell]) -> str:
    """Describe the measurement of a process."""
    cell = group[0]
    together = operation(cell.operation_name).together
    return operation_name(together, "", cell.place, cell.parameter) if together else cell.operation_name


def _take(run: Run, cell: Cell, number: int, ended: Ended) -> None:
    answer: AloneAnswer | None = ended.answer
    if answer is None:
        run.fail(cell, ended)
        return
    value = answer.together[cell.operation] if answer.together else answer.value
    if isinstance(value, str):
        run.fail(cell, Ended(None, "unsupported", value))
        return
    run.record(AloneEntry(cell.name, number, value, answer.details, round(run.spent(), 3)))


def lacking(
    cells: list[Cell], wanted: int, rounds: Callable[[Cell], int | None]
) -> dict[tuple[int, int], list[str]]:
    """Return the measurements with fewer processes than requested, by how many codecs had: least, most.

    Args:
        cells: All cells.
        wanted: The requested number.
        rounds: Returns the number of processes of a cell; None if it gets no more.
    """
    done: dict[str, list[int]] = {}
    for group in _together(cells):
        counts = (number for cell in group if (number := rounds(cell)) is not None)
        done.setdefault(_said(group), []).extend(counts)
    found: dict[tuple[int, int], list[str]] = {}
    for name, numbers in done.items():
        if min(numbers, default=wanted) < wanted:
            found.setdefault((min(numbers), max(numbers)), []).append(name)
    return found


def _conclude(run: Run, stage: Stage, cells: list[Cell]) -> None:
    """Warn if there were fewer processes than requested."""
    text, topic, wanted = "", f"{stage.name}: separate processes", run.options.fewest
    found = lacking(cells, wanted, run.state.rounds)
    if found and not run.stopping:
        parts = "; ".join(
            f"{low} to {high} of {', '.join(names)}" if low < high else f"{low} of {', '.join(names)}"
            for (low, high), names in sorted(found.items())
        )
        text = f"{topic}: fewer than {wanted} ran: {parts}; use a longer --budget, or --all"
    run.record(WarningEntry(text, topic))
