"""What a run has found so far, as a sequence of entries that can be written down and read again.

Every entry is one flat JSON object. The journal is the entries of an unfinished run, one per line;
a result is the sum of all entries; resuming a run is reading its entries again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from ..contention import alike, limit
from ..method import Estimate
from ..operations import operation
from ..results import FLOOR, Cell, CellResult, CodecFacts, CorpusFacts, Fact, Measurement, Outcome, Result
from ..stats import interval
from ..verdict import rankings

__all__ = ["FAILED", "Entry", "State", "entries", "turned"]

Entry = Mapping[str, Any]

FAILED = frozenset(
    {"wrong", "unsupported", "error", "crashed", "timed out", "out of memory", "unfinished", "missing"}
)

_FIGURE = (
    "raw",
    "paired",
    "loops",
    "duration",
    "rounds",
    "dirty",
    "drift",
    "contention",
    "dear",
    "rare",
)
"""What a timing process says of a cell, by the names of `Measurement`."""


@dataclass(slots=True)
class _CellState:
    """What is known of one cell."""

    outcome: Outcome
    reason: str = ""
    loss: tuple[str, ...] = ()
    stderr: str = ""
    facts: dict[str, Fact] = field(default_factory=dict)
    figures: dict[int, dict[str, Any]] = field(default_factory=dict)


class State:
    """The state of a run; `apply` is the only way to change it.

    Attributes:
        head: Environment, options, command and start.
        seconds: That the run had taken at its last entry that tells.
        codecs: Facts by name.
        corpora: Facts by name.
        warnings: In the order they came up.
        least: Baseline of the contention so far, see `bench.contention.baseline`; 0 without readings.
    """

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.seconds = 0.0
        self.codecs: dict[str, CodecFacts] = {}
        self.corpora: dict[str, CorpusFacts] = {}
        self.warnings: list[str] = []
        self._cells: dict[Cell, _CellState] = {}
        self.least = 0.0
        self._yardsticks: dict[str, dict[int, float]] = {}
        self._contention: dict[str, dict[int, float]] = {}

    def apply(self, entry: Entry) -> None:
        """Take one entry into account.

        Raises:
            KeyError: Not an entry of this version.
        """
        kind = entry["kind"]
        if kind == "head":
            self.head = dict(entry)
            self.seconds = entry.get("duration", 0.0)
        elif kind == "codec":
            facts: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value
                for key, value in entry["facts"].items()
            }
            self.codecs[facts["name"]] = CodecFacts(**facts)
        elif kind == "corpus":
            self.corpora[entry["facts"]["name"]] = CorpusFacts(**entry["facts"])
        elif kind in ("environment", "option"):
            key = "environment" if kind == "environment" else "options"
            self.head[key] = {**self.head[key], **entry["facts"]}
        elif kind == "warning":
            self._warn(entry["text"], entry.get("instead"))
        elif kind == "cell":
            self._apply_cell(entry)
        elif kind == "rough":
            found = self._cells[Cell.parse(entry["cell"])]
            found.facts["rough"] = entry["seconds"]
            found.figures = {}
        elif kind == "process":
            self._apply_process(entry)
        elif kind == "alone":
            self._apply_alone(entry)
        else:
            raise KeyError(kind)

    def _warn(self, text: str, instead: str | None) -> None:
        """Add a warning in place of those that begin with `instead`; an empty one only takes them away."""
        kept = [w for w in self.warnings if instead is None or not w.startswith(instead)]
        self.warnings = list(dict.fromkeys([*kept, text] if text else kept))

    def _apply_cell(self, entry: Entry) -> None:
        cell = Cell.parse(entry["cell"])
        before = self._cells.get(cell)
        found = _CellState(
            entry["outcome"],
            entry.get("reason", ""),
            tuple(entry.get("loss", ())),
            entry.get("stderr", ""),
            dict(entry.get("facts", {})),
        )
        if before is not None and found.outcome not in FAILED:
            found.figures = before.figures
        if "value" in entry:
            found.figures = {0: {"value": entry["value"]}}
        self._cells[cell] = found

    def _apply_process(self, entry: Entry) -> None:
        corpus, pair = entry["corpus"], entry["pair"]
        self.seconds = entry.get("spent", self.seconds)
        yardsticks = self._yardsticks.setdefault(corpus, {})
        yardsticks[pair] = entry["yardstick"]
        self._contention.setdefault(corpus, {})[pair] = entry.get("contention", 0.0)
        # A result file keeps no baseline: its lowest process is the nearest to it.
        self.knows(entry.get("least") or entry.get("contention", 0.0))
        for name, figure in entry["cells"].items():
            found = self._cells[Cell.parse(name)]
            found.figures[pair] = {**figure, "yardstick": entry["yardstick"]}
            found.facts.pop("rough", None)

    def _apply_alone(self, entry: Entry) -> None:
        """Take in what one process said; numbers beside its figure become means over processes."""
        found = self._cells[Cell.parse(entry["cell"])]
        self.seconds = entry.get("spent", self.seconds)
        found.figures[entry["pair"]] = {"value": entry["value"]}
        for key, new in entry.get("facts", {}).items():
            mean = found.facts.get(key, new)
            if isinstance(new, float) and isinstance(mean, int | float):
                new = mean + (new - mean) / len(found.figures)
            found.facts[key] = new

    def rounds(self, cell: Cell) -> int | None:
        """Return how many processes of its own a cell has had; None for one that gets no more."""
        found = self._cells.get(cell)
        return None if found is None or found.outcome in FAILED else len(found.figures)

    def processes(self, corpus: str) -> int:
        """Return the number of the next timing process of a corpus."""
        return max(self._yardsticks.get(corpus, {}), default=-1) + 1

    def knows(self, least: float) -> None:
        """Take a reading of a free core into account; 0 says nothing."""
        if least:
            self.least = min(self.least or least, least)

    def used(self, corpus: str) -> int:
        """Return how many timing processes of a corpus its figures are from."""
        return len(self._used(corpus))

    def free(self, corpus: str) -> bool:
        """Whether the times of a corpus are those of a free core."""
        found = self._contention.get(corpus, {})
        return all(found[pair] <= limit(self.least) for pair in self._used(corpus))

    def _used(self, corpus: str) -> Collection[int]:
        return alike(self._contention.get(corpus, {}), self.least)

    def outcome(self, cell: Cell) -> Outcome | None:
        """Return a cell's outcome, None when nothing is known of it yet."""
        found = self._cells.get(cell)
        return None if found is None else found.outcome

    def measured(self, cell: Cell) -> bool:
        """Whether a cell has a figure, or a verdict (no growth has none in a file), or will never get one."""
        found = self._cells.get(cell)
        if found is None:
            return False
        failed = found.outcome in FAILED and found.outcome != "unfinished"
        return bool(found.figures) or "verdict" in found.facts or failed

    def samples(self, cell: Cell) -> tuple[Measurement, ...]:
        """Return a cell's samples; times are in units of the run's median yardstick."""
        found = self._cells.get(cell)
        if found is None or found.outcome in FAILED:
            return ()
        yardsticks = self._yardsticks.get(cell.corpus, {})
        used = self._used(cell.corpus)
        common = median(yardsticks[pair] for pair in used) if used else 1.0
        sums = operation(cell.operation).sums
        return tuple(
            _sample(pair, figure, common, sums=sums)
            for pair, figure in sorted(found.figures.items())
            if pair in used or "value" in figure
        )

    def result(self, *, duration: float, complete: bool) -> Result:
        """Return everything as a result."""
        head = self.head
        operations = {cell.operation: operation(cell.operation).facts() for cell in self._cells}
        cells = (self._result_of(cell, found) for cell, found in self._cells.items())
        found = Result(
            cells=tuple(turned(cell) if operations[cell.cell.operation].rate else cell for cell in cells),
            codecs=tuple(self.codecs.values()),
            corpora=tuple(self.corpora.values()),
            environment=head["environment"],
            options=head["options"],
            command=head["command"],
            started=head["started"],
            duration=duration,
            complete=complete,
            warnings=tuple(self.warnings),
            operations=tuple(operations.values()),
        )
        return dataclasses.replace(found, rankings=rankings(found))

    def _result_of(self, cell: Cell, found: _CellState) -> CellResult:
        samples = self.samples(cell)
        facts = dict(found.facts)
        if len(samples) > 1 and samples[0].yardstick and cell.codec != FLOOR:
            facts["steady"] = _steady(samples)
        return CellResult(cell, found.outcome, found.reason, found.loss, found.stderr, facts, samples)


def _sample(pair: int, figure: Mapping[str, Any], common: float, *, sums: bool) -> Measurement:
    if "value" in figure:
        value = float(figure["value"])
        return Measurement(value, value, value, pair, sums=sums)
    return Measurement(
        value=figure["paired"] * common,
        raw=figure["raw"],
        paired=figure["paired"],
        pair=pair,
        loops=figure["loops"],
        duration=figure["duration"],
        rounds=figure["rounds"],
        dirty=figure["dirty"],
        yardstick=figure["yardstick"],
        drift=figure["drift"],
        contention=figure.get("contention", 0.0),
        sums=sums,
        dear=figure.get("dear", 0),
        rare=figure.get("rare", 0.0),
    )


def turned(cell: CellResult) -> CellResult:
    """Turn seconds over into records a second, or back again."""
    facts = {key: _reciprocal(value) if key == "rough" else value for key, value in cell.facts.items()}
    samples = tuple(
        dataclasses.replace(s, value=1 / s.value, raw=1 / s.raw, paired=1 / s.paired) for s in cell.samples
    )
    return dataclasses.replace(cell, facts=facts, samples=samples)


def _reciprocal(value: Fact) -> Fact:
    return 1 / value if isinstance(value, float) else value


def _steady(samples: tuple[Measurement, ...]) -> bool:
    """Whether the cells' processes agree that it neither warms up nor slows down."""
    drifts = [Measurement(math.exp(s.drift), 1, 1) for s in samples]
    _, low, high = interval(drifts, Estimate.DRIFT_ALPHA)
    return low <= 1 + Estimate.DRIFT and high >= 1 / (1 + Estimate.DRIFT)


def entries(result: Result) -> Iterator[Entry]:
    """Turn a result back into the entries that make it."""
    yield {
        "kind": "head",
        "environment": dict(result.environment),
        "options": dict(result.options),
        "command": result.command,
        "started": result.started,
        "duration": result.duration,
    }
    for corpus in result.corpora:
        yield {"kind": "corpus", "facts": dataclasses.asdict(corpus)}
    for codec in result.codecs:
        yield {"kind": "codec", "facts": dataclasses.asdict(codec)}
    for text in result.warnings:
        yield {"kind": "warning", "text": text}
    cells = [turned(c) if result.operation(c.cell.operation).rate else c for c in result.cells]
    for cell in cells:
        yield from _cell_entries(cell, alone=result.operation(cell.cell.operation).phase == "alone")
    yield from _process_entries(cells)


def _cell_entries(cell: CellResult, *, alone: bool) -> Iterator[Entry]:
    facts = {key: value for key, value in cell.facts.items() if key != "steady"}
    plain: dict[str, Any] = {
        "kind": "cell",
        "cell": cell.cell.name,
        "outcome": cell.outcome,
        "reason": cell.reason,
        "loss": list(cell.loss),
        "stderr": cell.stderr,
        "facts": facts,
    }
    if cell.samples and not cell.samples[0].yardstick and not alone:
        plain["value"] = cell.samples[0].value
    yield plain
    if alone:
        for sample in cell.samples:
            # The facts of the cell are means already.
            yield {"kind": "alone", "cell": cell.cell.name, "pair": sample.pair, "value": sample.value}


def _process_entries(cells: Iterable[CellResult]) -> Iterator[Entry]:
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for cell in cells:
        for sample in cell.samples:
            if not sample.yardstick:
                continue
            entry = found.setdefault(
                (cell.cell.corpus, sample.pair),
                {"yardstick": sample.yardstick, "contention": sample.contention, "cells": {}},
            )
            figure = dataclasses.asdict(sample)
            entry["cells"][cell.cell.name] = {key: figure[key] for key in _FIGURE}
    for (corpus, pair), entry in sorted(found.items(), key=lambda item: item[0]):
        yield {"kind": "process", "corpus": corpus, "pair": pair, **entry}
