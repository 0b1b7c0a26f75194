"""The findings of a run so far, as a sequence of entries that can be written and read.

Every entry is one flat JSON object. The journal holds the entries of an unfinished run, one per line. A
result is the sum of all entries. To resume a run is to read its entries again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from ..contention import alike, highest_free
from ..method import Estimate
from ..operations import operation
from ..results import (
    BASELINE,
    FORMAT_VERSION,
    Cell,
    CellResult,
    CheckFacts,
    CodecFacts,
    CorpusFacts,
    Facts,
    Measurement,
    Outcome,
    ReadFacts,
    ResultData,
    averaged,
    plain_cell,
    typed,
)
from ..stats import interval
from ..verdict import rankings

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
"""The fields of `Measurement` that an entry of a timing process holds."""

_CELL = tuple(each.name for each in dataclasses.fields(CellResult) if each.name != "samples")
"""The fields of `CellResult` that an entry of a cell holds."""


@dataclass(slots=True)
class _CellState:
    """The findings for one cell.

    Attributes:
        found: The cell without samples.
        figures: Figures of each process, by its number.
    """

    found: CellResult
    figures: dict[int, dict[str, Any]] = field(default_factory=dict)


class State:
    """The state of a run; `apply` is the only way to change it.

    Attributes:
        head: Environment, options, conditions, command and start.
        seconds: Seconds of the run at the last entry that records them.
        codecs: Facts by name.
        corpora: Facts by name.
        warnings: Warnings in the order in which they occurred.
        least: Baseline of the contention so far, see `bench.contention.free_level`; 0 without readings.
    """

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.seconds = 0.0
        self.codecs: dict[str, CodecFacts] = {}
        self.corpora: dict[str, CorpusFacts] = {}
        self.warnings: list[str] = []
        self._cells: dict[str, _CellState] = {}
        self.least = 0.0
        self._reference_kernels: dict[str, dict[int, float]] = {}
        self._contention: dict[str, dict[int, float]] = {}

    def apply(self, entry: Entry) -> None:
        """Apply one entry.

        Raises:
            KeyError: The entry is not from this version.
        """
        kind = entry["kind"]
        if kind == "head":
            if entry["format"] != FORMAT_VERSION:
                raise KeyError(entry["format"])
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
            cell = self._cells[entry["cell"]]
            cell.found = dataclasses.replace(cell.found, rough=entry["seconds"])
            cell.figures = {}
        elif kind == "process":
            self._apply_process(entry)
        elif kind == "alone":
            self._apply_alone(entry)
        else:
            raise KeyError(kind)

    def _warn(self, text: str, instead: str | None) -> None:
        """Replace the warnings that begin with `instead` by another one; if it is empty, only remove them."""
        kept = [w for w in self.warnings if instead is None or not w.startswith(instead)]
        self.warnings = list(dict.fromkeys([*kept, text] if text else kept))

    def _apply_cell(self, entry: Entry) -> None:
        cell = _CellState(typed(CellResult, {key: entry[key] for key in _CELL if key in entry}))
        name = cell.found.cell.name
        before = self._cells.get(name)
        if before is not None:
            if cell.found.check is None:
                cell.found = dataclasses.replace(cell.found, check=before.found.check)
            if cell.found.facts is None and before.found.by_reader:
                cell.found = dataclasses.replace(cell.found, facts=before.found.facts)
            if cell.found.outcome not in FAILED:
                cell.figures = before.figures
        if "value" in entry:
            cell.figures = {0: {"value": entry["value"]}}
        self._cells[name] = cell

    def _apply_process(self, entry: Entry) -> None:
        corpus, pair = entry["corpus"], entry["pair"]
        self.seconds = entry.get("spent", self.seconds)
        reference_kernels = self._reference_kernels.setdefault(corpus, {})
        reference_kernels[pair] = entry["reference_kernel"]
        self._contention.setdefault(corpus, {})[pair] = entry.get("contention", 0.0)
        # A result file holds no baseline: the lowest reading of a process is the best estimate.
        self.knows(entry.get("least") or entry.get("contention", 0.0))
        for name, figure in entry["cells"].items():
            cell = self._cells[name]
            cell.figures[pair] = {**figure, "reference_kernel": entry["reference_kernel"]}
            cell.found = dataclasses.replace(cell.found, rough=None)
            facts = cell.found.facts
            if isinstance(facts, ReadFacts) and "warmup" in figure:
                mean = averaged(facts.warmup, figure["warmup"], len(cell.figures))
                cell.found = dataclasses.replace(cell.found, facts=dataclasses.replace(facts, warmup=mean))

    def _apply_alone(self, entry: Entry) -> None:
        """Apply the findings of one process; facts become means over processes."""
        cell = self._cells[entry["cell"]]
        self.seconds = entry.get("spent", self.seconds)
        cell.figures[entry["pair"]] = {"value": entry["value"]}
        if known := {key: entry[key] for key in ("extras", "facts", "resolution") if key in entry}:
            new, mean = typed(CellResult, {**plain_cell(cell.found), **known}), cell.found
            first = len(cell.figures) == 1
            fields = {key: getattr(new, key) for key in known}
            if not first:
                fields = {k: averaged(getattr(mean, k), v, len(cell.figures)) for k, v in fields.items()}
            cell.found = dataclasses.replace(mean, **fields)

    def rounds(self, cell: Cell) -> int | None:
        """Return how many separate processes a cell has had; None for a cell that gets no more."""
        found = self._cells.get(cell.name)
        return None if found is None or found.found.outcome in FAILED else len(found.figures)

    def processes(self, corpus: str) -> int:
        """Return the number of the next timing process of a corpus."""
        return max(self._reference_kernels.get(corpus, {}), default=-1) + 1

    def knows(self, least: float) -> None:
        """Update the baseline with a reading of a free core; 0 is ignored."""
        if least:
            self.least = min(self.least or least, least)

    def used(self, corpus: str) -> int:
        """Return the number of timing processes that a corpus's figures come from."""
        return len(self._used(corpus))

    def free(self, corpus: str) -> bool:
        """Return whether the times of a corpus were measured on a free core."""
        found = self._contention.get(corpus, {})
        return all(found[pair] <= highest_free(self.least) for pair in self._used(corpus))

    def _used(self, corpus: str) -> Collection[int]:
        return alike(self._contention.get(corpus, {}), self.least)

    def outcome(self, cell: Cell) -> Outcome | None:
        """Return a cell's outcome, or None if it is not known yet."""
        found = self._cells.get(cell.name)
        return None if found is None else found.found.outcome

    def facts(self, cell: Cell) -> Facts | None:
        """Return the facts about a cell's figure, if there are any."""
        found = self._cells.get(cell.name)
        return None if found is None else found.found.facts

    def check(self, cell: Cell) -> CheckFacts | None:
        """Return what the check found about a cell's codec, if it passed."""
        found = self._cells.get(cell.name)
        return None if found is None else found.found.check

    def measured(self, cell: Cell) -> bool:
        """Return whether a cell is done: it has a figure or a verdict, or will never get one.

        The verdict "no growth" has no figure in a file.
        """
        found = self._cells.get(cell.name)
        if found is None:
            return False
        failed = found.found.outcome in FAILED and found.found.outcome != "unfinished"
        return bool(found.figures) or bool(found.found.verdict) or failed

    def samples(self, cell: Cell) -> tuple[Measurement, ...]:
        """Return a cell's samples; times are in units of the run's median reference kernel."""
        found = self._cells.get(cell.name)
        if found is None or found.found.outcome in FAILED:
            return ()
        reference_kernels = self._reference_kernels.get(cell.corpus, {})
        used = self._used(cell.corpus)
        common = median(reference_kernels[pair] for pair in used) if used else 1.0
        sums = operation(cell.operation_name).sums
        return tuple(
            _sample(pair, figure, common, sums=sums)
            for pair, figure in sorted(found.figures.items())
            if pair in used or "value" in figure
        )

    def result(self, *, duration: float, complete: bool) -> ResultData:
        """Return everything as a result."""
        head = self.head
        names = dict.fromkeys(found.found.cell.operation_name for found in self._cells.values())
        operations = {name: operation(name).facts() for name in names}
        cells = map(self._result_of, self._cells.values())
        found = ResultData(
            cells=tuple(turned(c) if operations[c.cell.operation_name].rate else c for c in cells),
            codecs=tuple(self.codecs.values()),
            corpora=tuple(self.corpora.values()),
            environment=head["environment"],
            options=head["options"],
            conditions=head.get("conditions", {}),
            command=head["command"],
            started=head["started"],
            duration=duration,
            complete=complete,
            warnings=tuple(self.warnings),
            operations=tuple(operations.values()),
        )
        return dataclasses.replace(found, rankings=rankings(found))

    def _result_of(self, state: _CellState) -> CellResult:
        found, samples = state.found, self.samples(state.found.cell)
        several = len(samples) > 1 and samples[0].reference_kernel and found.cell.codec != BASELINE
        return dataclasses.replace(found, samples=samples, steady=_steady(samples) if several else None)


def _sample(pair: int, figure: Mapping[str, Any], common: float, *, sums: bool) -> Measurement:
    if "value" in figure:
        value = float(figure["value"])
        return Measurement(value, value, value, pair, sums=sums)
    return Measurement(
        value=figure["paired"] * common,
        pair=pair,
        reference_kernel=figure["reference_kernel"],
        sums=sums,
        **{key: figure[key] for key in _FIGURE if key in figure},
    )


def turned(cell: CellResult) -> CellResult:
    """Convert seconds to records per second, or the reverse."""
    rough = cell.rough and 1 / cell.rough
    samples = tuple(
        dataclasses.replace(s, value=1 / s.value, raw=1 / s.raw, paired=1 / s.paired) for s in cell.samples
    )
    return dataclasses.replace(cell, rough=rough, samples=samples)


def _steady(samples: tuple[Measurement, ...]) -> bool:
    """Return whether the processes of a cell agree that it neither warms up nor slows down."""
    drifts = [Measurement(math.exp(s.drift), 1, 1) for s in samples]
    _, low, high = interval(drifts, Estimate.DRIFT_ALPHA)
    return low <= 1 + Estimate.DRIFT and high >= 1 / (1 + Estimate.DRIFT)


def entries(result: ResultData) -> Iterator[Entry]:
    """Convert a result to the entries that produce it."""
    yield {
        "kind": "head",
        "format": FORMAT_VERSION,
        "environment": dict(result.environment),
        "options": dict(result.options),
        "conditions": dict(result.conditions),
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
    operations = {facts.name: facts for facts in result.operations}
    cells = [turned(c) if operations[c.cell.operation_name].rate else c for c in result.cells]
    for cell in cells:
        yield from _cell_entries(cell, alone=operations[cell.cell.operation_name].phase == "alone")
    yield from _process_entries(cells)


def _cell_entries(cell: CellResult, *, alone: bool) -> Iterator[Entry]:
    plain = {"kind": "cell", **plain_cell(cell)}
    # It is computed again from the samples.
    plain.pop("steady", None)
    if cell.samples and not cell.samples[0].reference_kernel and not alone:
        plain["value"] = cell.samples[0].value
    yield plain
    if alone:
        for sample in cell.samples:
            # These facts are means already.
            yield {"kind": "alone", "cell": cell.cell.name, "pair": sample.pair, "value": sample.value}


def _process_entries(cells: Iterable[CellResult]) -> Iterator[Entry]:
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for cell in cells:
        for sample in cell.samples:
            if not sample.reference_kernel:
                continue
            entry = found.setdefault(
                (cell.cell.corpus, sample.pair),
                {"reference_kernel": sample.reference_kernel, "contention": sample.contention, "cells": {}},
            )
            figure = dataclasses.asdict(sample)
            entry["cells"][cell.cell.name] = {key: figure[key] for key in _FIGURE}
    for (corpus, pair), entry in sorted(found.items(), key=lambda item: item[0]):
        yield {"kind": "process", "corpus": corpus, "pair": pair, **entry}
