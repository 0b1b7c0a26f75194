"""The findings of a run so far: the sum of the entries of its ledger."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from statistics import median

from ..contention import alike, highest_free
from ..figure import Figure
from ..ledger import (
    AloneEntry,
    CellEntry,
    CodecEntry,
    CorpusEntry,
    Entry,
    EnvironmentEntry,
    HeadEntry,
    OptionEntry,
    ProcessEntry,
    RoughEntry,
    WarningEntry,
)
from ..method import Estimate
from ..operations import operation
from ..results import (
    BASELINE,
    FORMAT_VERSION,
    Cell,
    CellFinding,
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
    fields_of,
)
from ..stats import interval
from ..verdict import rankings

FAILED = frozenset(
    {"wrong", "unsupported", "error", "crashed", "timed out", "out of memory", "unfinished", "missing"}
)


@dataclass(slots=True)
class _CellState:
    """The findings for one cell.

    Attributes:
        found: The cell without samples.
        figures: The figure of each process, by its number; only a value if no clock measured it.
    """

    found: CellFinding
    figures: dict[int, Figure | float] = field(default_factory=dict)


class State:
    """The state of a run; `apply` is the only way to change it.

    Attributes:
        head: Environment, options, conditions, command and start.
        seconds: Seconds of the run at the last entry that records them.
        codecs: Facts by name.
        corpora: Facts by name.
        warnings: Warnings in the order in which they occurred, by topic, or by their text without one.
        free_level: Baseline of the contention so far, see `bench.contention.free_level`; 0 without readings.
    """

    def __init__(self) -> None:
        self.head = HeadEntry(FORMAT_VERSION)
        self.seconds = 0.0
        self.codecs: dict[str, CodecFacts] = {}
        self.corpora: dict[str, CorpusFacts] = {}
        self.warnings: dict[str, WarningEntry] = {}
        self._cells: dict[str, _CellState] = {}
        self.free_level = 0.0
        self._reference_kernels: dict[str, dict[int, float]] = {}
        self._contention: dict[str, dict[int, float]] = {}

    def apply(self, entry: Entry) -> None:
        """Apply one entry.

        Raises:
            KeyError: It is about a cell that no entry has begun.
        """
        match entry:
            case HeadEntry():
                self.head, self.seconds = entry, entry.duration
            case CodecEntry():
                self.codecs[entry.facts.name] = entry.facts
            case CorpusEntry():
                self.corpora[entry.facts.name] = entry.facts
            case EnvironmentEntry():
                environment = {**self.head.environment, **entry.facts}
                self.head = dataclasses.replace(self.head, environment=environment)
            case OptionEntry():
                self.head = dataclasses.replace(self.head, options={**self.head.options, **entry.facts})
            case WarningEntry():
                self._warn(entry)
            case CellEntry():
                self._apply_cell(entry)
            case RoughEntry():
                cell = self._cells[entry.cell]
                cell.found = dataclasses.replace(cell.found, rough=entry.seconds)
                cell.figures = {}
            case ProcessEntry():
                self._apply_process(entry)
            case AloneEntry():
                self._apply_alone(entry)

    def _warn(self, entry: WarningEntry) -> None:
        if entry.topic:
            for key in (entry.topic, entry.text):  # a file may not know its topic
                self.warnings.pop(key, None)
        if entry.text:
            self.warnings.setdefault(entry.topic or entry.text, entry)

    def _apply_cell(self, entry: CellEntry) -> None:
        cell = _CellState(entry.found)
        name = cell.found.cell.name
        before = self._cells.get(name)
        if before is not None:
            if cell.found.check is None:
                cell.found = dataclasses.replace(cell.found, check=before.found.check)
            if cell.found.facts is None and before.found.by_reader:
                cell.found = dataclasses.replace(cell.found, facts=before.found.facts)
            if cell.found.outcome not in FAILED:
                cell.figures = before.figures
        if entry.value is not None:
            cell.figures = {0: entry.value}
        self._cells[name] = cell

    def _apply_process(self, entry: ProcessEntry) -> None:
        corpus, pair = entry.corpus, entry.pair
        self._spent(entry.spent)
        self._reference_kernels.setdefault(corpus, {})[pair] = entry.reference_kernel
        self._contention.setdefault(corpus, {})[pair] = entry.contention
        # A result file holds no baseline: the lowest reading of a process is the best estimate.
        self.knows(entry.least or entry.contention)
        for name, figure in entry.cells.items():
            cell = self._cells[name]
            cell.figures[pair] = figure
            cell.found = dataclasses.replace(cell.found, rough=None)
        for name, seconds in entry.warmups.items():
            cell = self._cells[name]
            if isinstance(facts := cell.found.facts, ReadFacts):
                mean = averaged(facts.warmup, seconds, len(cell.figures))
                cell.found = dataclasses.replace(cell.found, facts=dataclasses.replace(facts, warmup=mean))

    def _apply_alone(self, entry: AloneEntry) -> None:
        """Apply the findings of one process; facts become means over processes."""
        cell = self._cells[entry.cell]
        self._spent(entry.spent)
        cell.figures[entry.pair] = entry.value
        found = {key: value for key, value in fields_of(entry.details).items() if value not in (None, {})}
        if len(cell.figures) > 1:
            mean, count = cell.found, len(cell.figures)
            found = {key: averaged(getattr(mean, key), value, count) for key, value in found.items()}
        cell.found = dataclasses.replace(cell.found, **found)

    def _spent(self, seconds: float | None) -> None:
        self.seconds = self.seconds if seconds is None else seconds

    def rounds(self, cell: Cell) -> int | None:
        """Return how many separate processes a cell has had; None for a cell that gets no more."""
        found = self._cells.get(cell.name)
        return None if found is None or found.found.outcome in FAILED else len(found.figures)

    def processes(self, corpus: str) -> int:
        """Return the number of the next timing process of a corpus."""
        return max(self._reference_kernels.get(corpus, {}), default=-1) + 1

    def knows(self, level: float) -> None:
        """Update the baseline with a reading of a free core; 0 is ignored."""
        if level:
            self.free_level = min(self.free_level or level, level)

    def used(self, corpus: str) -> int:
        """Return the number of timing processes that a corpus's figures come from."""
        return len(self._used(corpus))

    def free(self, corpus: str) -> bool:
        """Return whether the times of a corpus were measured on a free core."""
        found = self._contention.get(corpus, {})
        return all(found[pair] <= highest_free(self.free_level) for pair in self._used(corpus))

    def _used(self, corpus: str) -> Collection[int]:
        return alike(self._contention.get(corpus, {}), self.free_level)

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
        """Return whether a cell is done: it has a figure, or will never get one."""
        found = self._cells.get(cell.name)
        if found is None:
            return False
        failed = found.found.outcome in FAILED and found.found.outcome != "unfinished"
        return bool(found.figures) or failed

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
            Measurement(
                **fields_of(figure),
                value=figure.paired * common,
                pair=pair,
                reference_kernel=reference_kernels[pair],
                sums=sums,
            )
            if isinstance(figure, Figure)
            else Measurement(float(figure), float(figure), float(figure), pair, sums=sums)
            for pair, figure in sorted(found.figures.items())
            if pair in used or not isinstance(figure, Figure)
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
            environment=head.environment,
            options=head.options,
            conditions=head.conditions,
            command=head.command,
            started=head.started,
            duration=duration,
            complete=complete,
            warnings=tuple(entry.text for entry in self.warnings.values()),
            topics=tuple(entry.topic for entry in self.warnings.values()),
            operations=tuple(operations.values()),
        )
        return dataclasses.replace(found, rankings=rankings(found))

    def _result_of(self, state: _CellState) -> CellResult:
        found, samples = state.found, self.samples(state.found.cell)
        several = len(samples) > 1 and samples[0].reference_kernel and found.cell.codec != BASELINE
        return CellResult(**fields_of(found), samples=samples, steady=_steady(samples) if several else None)


def turned(cell: CellResult) -> CellResult:
    """Convert seconds to records per second, or the reverse."""
    rough = cell.rough and 1 / cell.rough
    samples = tuple(
        dataclasses.replace(s, value=1 / s.value, raw=1 / s.raw, paired=1 / s.paired) for s in cell.samples
    )
    return dataclasses.replace(cell, rough=rough, samples=samples)


def _steady(samples: tuple[Measurement, ...]) -> bool:
    """Return whether the processes of a cell agree that it neither warms up nor slows down."""
    drifts = [Measurement(1.0, 1.0, math.exp(s.drift)) for s in samples]
    _, low, high = interval(drifts, Estimate.DRIFT_ALPHA)
    return low <= 1 + Estimate.DRIFT and high >= 1 / (1 + Estimate.DRIFT)


def entries(result: ResultData) -> Iterator[Entry]:
    """Convert a result to the entries that produce it."""
    yield HeadEntry(
        FORMAT_VERSION,
        environment=result.environment,
        options=result.options,
        conditions=result.conditions,
        command=result.command,
        started=result.started,
        duration=result.duration,
    )
    yield from map(CorpusEntry, result.corpora)
    yield from map(CodecEntry, result.codecs)
    for text, topic in zip_longest(result.warnings, result.topics[: len(result.warnings)], fillvalue=""):
        yield WarningEntry(text, topic)
    operations = {facts.name: facts for facts in result.operations}
    cells = [turned(c) if operations[c.cell.operation_name].rate else c for c in result.cells]
    for cell in cells:
        yield from _cell_entries(cell, alone=operations[cell.cell.operation_name].phase == "alone")
    yield from _process_entries(cells)


def _cell_entries(cell: CellResult, *, alone: bool) -> Iterator[Entry]:
    found = CellFinding(**fields_of(cell, CellFinding))
    single = cell.samples and not cell.samples[0].reference_kernel and not alone
    yield CellEntry(found, cell.samples[0].value if single else None)
    if alone:
        # The facts of the cell are means already.
        yield from (AloneEntry(cell.cell.name, sample.pair, sample.value) for sample in cell.samples)


def _process_entries(cells: Iterable[CellResult]) -> Iterator[Entry]:
    found: dict[tuple[str, int], dict[str, Measurement]] = {}
    for cell in cells:
        for sample in cell.samples:
            if sample.reference_kernel:
                found.setdefault((cell.cell.corpus, sample.pair), {})[cell.cell.name] = sample
    for (corpus, pair), samples in sorted(found.items(), key=lambda item: item[0]):
        first = next(iter(samples.values()))
        figures = {name: Figure(**fields_of(sample, Figure)) for name, sample in samples.items()}
        yield ProcessEntry(corpus, pair, first.reference_kernel, figures, contention=first.contention)
