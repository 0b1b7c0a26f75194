"""The time phase: timing processes over all healthy cells of a corpus, until the stop rule is content."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Sequence
from typing import Any

from ...codecs.registry import bare_name
from ..heartbeat import IDLE
from ..jobs import Ended, Time, Timed, TimedCell
from ..operations import operation
from ..results import FLOOR, Cell, Measurement
from .context import Run, Stage
from .environment import cores
from .state import FAILED
from .stopping import Progress

__all__ = ["time_cells"]

_DIRTY = 0.3
"""Share of disturbed slices beyond which a process is replaced."""
_LEAST = 5
"""Processes that are run whatever the budget: with fewer, nearly everything is a tie."""
_NAMELESS = 3
"""Deaths that no cell can be blamed for, before all cells are given up."""


def time_cells(run: Run, stage: Stage) -> None:
    """Time one corpus; samples go to the state process by process."""
    contest = _Contest(run, stage)
    if contest.codecs():
        contest.go()


class _Contest:
    def __init__(self, run: Run, stage: Stage) -> None:
        self.run = run
        self.stage = stage
        self.nameless = 0
        self.replaced = 0
        self.harness = float("inf")
        self.progress = Progress(False)

    def cells(self) -> list[Cell]:
        """Return the cells that still run."""
        state = self.run.state
        found = []
        for name in self.run.options.timed():
            for codec in (*self.stage.checks, FLOOR):
                cell = Cell(self.stage.name, name, codec)
                checked = self.stage.checks.get(codec)
                skipped = operation(name).schema and (checked is None or not checked.fixes)
                if not skipped and state.outcome(cell) not in (*FAILED, None):
                    found.append(cell)
        return found

    def codecs(self) -> list[str]:
        return list(dict.fromkeys(cell.codec for cell in self.cells() if cell.codec != FLOOR))

    def go(self) -> None:
        options = self.run.options
        rule = options.rule
        looks = set(rule.looks())
        begun = time.monotonic()
        if self._done() >= rule.fewest:
            self.progress = rule.look(self._tables())
        while self.codecs() and not self.run.stopping and not self.progress.reached:
            spent = time.monotonic() - begun
            if spent > options.budget and self._done() >= min(_LEAST, rule.fewest):
                break
            if self._done() >= rule.most:
                break
            self.run.show(self._said(), min(spent, options.budget), options.budget)
            if self._process() and self._done() in looks:
                self.progress = rule.look(self._tables())
        self._conclude()

    def _done(self) -> int:
        return self.run.state.processes(self.stage.name)

    def _said(self) -> str:
        reached = ""
        if self.progress.pair is not None:
            reached = f", ±{100 * self.progress.width:.1f} % of ±{100 * self.run.options.precision:g} %"
        return f"{self.stage.name}: timing, process {self._done() + 1}{reached}"

    def _tables(self) -> list[dict[str, Sequence[Measurement]]]:
        tables: dict[str, dict[str, Sequence[Measurement]]] = {}
        for cell in self.cells():
            if cell.codec != FLOOR and (samples := self.run.state.samples(cell)):
                tables.setdefault(cell.operation, {})[cell.codec] = samples
        return list(tables.values())

    def _process(self) -> bool:
        """Run one timing process (with --isolate one for each codec); return whether it counts."""
        groups: list[list[Cell]] = [self.cells()]
        if self.run.options.isolate:
            groups = [[c for c in groups[0] if c.codec == codec] for codec in (*self.codecs(), FLOOR)]
            random.shuffle(groups)
        figures: dict[str, Any] = {}
        yardsticks = []
        twins = self._twins(groups)
        for group in filter(None, groups):
            answer = self._answer(group)
            if answer is None:
                return False
            yardsticks.append(answer.yardstick)
            for index, reason in answer.errors.items():
                self.run.fail(group[int(index)], "error", f"while being timed: {reason}")
            figures |= {group[int(index)].name: found for index, found in answer.cells.items()}
            self.harness = min(self.harness, answer.harness)
        figures |= {twin.name: figures[cell.name] for twin, cell in twins.items() if cell.name in figures}
        entry = {
            "kind": "process",
            "corpus": self.stage.name,
            "pair": self._done(),
            "spent": round(self.run.spent(), 3),
            "yardstick": sum(yardsticks) / len(yardsticks),
            "cells": figures,
        }
        self.run.record(entry)
        return True

    @staticmethod
    def _twins(groups: list[list[Cell]]) -> dict[Cell, Cell]:
        """Take cells out that another cell measures already: a schema changes neither dump nor load."""
        present = {cell for group in groups for cell in group}
        twins = {}
        for group in groups:
            for cell in list(group):
                bare = dataclasses.replace(cell, codec=bare_name(cell.codec))
                if bare != cell and bare in present and not operation(cell.operation).schema:
                    twins[cell] = bare
                    group.remove(cell)
        return twins

    def _answer(self, group: list[Cell]) -> Timed | None:
        """Run a worker over `group`; None when it died (its cell is then out) or must be replaced."""
        options = self.run.options
        allowed = cores()
        job = Time(
            memory=options.cell_memory,
            path=self.stage.path,
            corpus=self.stage.corpus,
            cells=tuple(self._spec(cell) for cell in group),
            rounds=options.turns(len(group)),
            slice=options.slice,
            collect=options.gc != "off",
            core=allowed[self._done() % len(allowed)] if len(allowed) > 1 else None,
        )

        def watch(index: int) -> None:
            if 0 <= index < len(group):
                cell = group[index]
                self.run.show(f"{self._said()}: {cell.operation} {cell.codec}", -1, options.budget)

        ended = self.run.executor.submit(job, patience=options.cell_timeout, watch=watch).result()
        answer: Timed | None = ended.answer
        if answer is None:
            self._blame(group, ended)
            return None
        if answer.dirty > _DIRTY and self.replaced <= self._done() // 2:
            self.replaced += 1
            return None
        return answer

    def _blame(self, group: list[Cell], ended: Ended) -> None:
        if ended.cell != IDLE:
            blamed = [group[ended.cell]]
        else:
            self.nameless += 1
            blamed = group if self.nameless >= _NAMELESS else []
        for cell in blamed:
            self.run.fail(cell, ended.outcome, f"{ended.reason}, while being timed", ended.stderr)

    def _spec(self, cell: Cell) -> TimedCell:
        if cell.codec == FLOOR:
            return TimedCell(FLOOR, cell.operation)
        found = self.stage.checks[cell.codec]
        return TimedCell(cell.codec, cell.operation, found.payloads, found.dictionary)

    def _conclude(self) -> None:
        name, options = self.stage.name, self.run.options
        if self.harness < float("inf"):
            self.run.record({"kind": "environment", "facts": {"harness_ns": round(self.harness, 2)}})
        if self._done() and not self.progress.reached:
            self.progress = options.rule.look(self._tables())
        self.run.record(
            {"kind": "option", "facts": {f"reached {name}": self.progress.reached and self._done() > 1}}
        )
        text, start = "", f"{name}: ±"
        if self.progress.pair is not None and self._done():
            width = f"±{100 * self.progress.width:.1f} %" if self.progress.width < 10 else "no interval yet"
            text = (
                f"{start}{100 * options.precision:g} % was not reached in {self._done()} processes; "
                f"the widest interval: {' and '.join(self.progress.pair)} at {width}"
            )
        # A run that is resumed may have said so before.
        self.run.record({"kind": "warning", "text": text, "instead": start})
        if self.replaced:
            text = f"{name}: {self.replaced} processes were disturbed by neighbours and measured again"
            self.run.record({"kind": "warning", "text": text})
