"""Readers in other languages: what they make of the payloads of a run, and their part of its processes.

Each library of each language reads the payloads of every codec of its format. Payloads that several codecs
write alike are read once.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...codecs import describe, split_name
from ..foreign.port import WorkerLibrary
from ..jobs import Digest, Ended
from ..ledger import CellEntry, EnvironmentEntry
from ..messages.reads import CheckReads, ReadCell, TimedReads, TimeReads
from ..method import Budget, Readers
from ..operations.read import NAME, place_of
from ..results import Cell, CellFinding, Outcome, ReadFacts
from .context import Run, Stage
from .languages import Language, TimedLibrary
from .rounds import Finished, Rounds, TimingProcess

NO_READS = TimedReads({}, {}, {}, 0.0, 0.0)
"""Of a process in which no reader was timed."""


def check_reads(run: Run, stage: Stage) -> None:
    """Check what all readers make of the payloads; afterwards `stage.reads` holds the ones to time."""
    seconds, endless = Readers.CHECK * stage.schedule.left(), run.options.no_time_limit
    begun = time.monotonic()

    def over() -> bool:
        return not endless and time.monotonic() > begun + seconds

    languages = [Language.of(name) for name in run.options.readers]
    versions = ", ".join(f"{language.title} {language.version}" for language in languages)
    run.record(EnvironmentEntry({"readers": versions}))
    share = min(1.0, stage.schedule.side / len(languages))
    waiting = []
    for language in languages:
        reads = list(_reads(stage, language))
        job = CheckReads(
            path=stage.path,
            modules=stage.modules,
            corpus=stage.corpus,
            workers=(language.start,),
            reads=tuple(
                ReadCell(0, library.name, codec, stage.checks[codec].payloads, library.typed)
                for library, codec in reads
            ),
            seconds=Budget.CHECKED * len(reads) if endless else seconds * share,
        )
        if reads:
            future = run.executor.submit(job, patience=run.options.cell_timeout, over=over)
            waiting.append((language, reads, future))
    for done, (language, reads, future) in enumerate(waiting):
        run.show(f"{stage.name}: checking readers in {language.title}", done, len(waiting))
        if not (run.stopping and future.cancel()):
            _take(run, stage, language, reads, future.result())
        run.look()


def _reads(stage: Stage, language: Language) -> Iterable[tuple[WorkerLibrary, str]]:
    """Yield what each library can read: codecs of its format whose payloads nothing compresses."""
    # If time is short, the libraries that need no schema are checked.
    for library in sorted(language.libraries, key=lambda library: library.typed):
        if library.typed and not stage.corpus.schema:
            continue
        for codec in stage.checks:
            compressed = split_name(codec)[2] is not None
            if not compressed and describe(codec).format == library.format:
                yield library, codec


def _take(
    run: Run, stage: Stage, language: Language, reads: Sequence[tuple[WorkerLibrary, str]], ended: Ended
) -> None:
    """Record what was found, and why the others have no figure."""
    notes: dict[int, dict[str, Any]] = {}
    start = 0.0
    for noted in ended.notes:
        if "index" in noted:
            notes.setdefault(noted["index"], {}).update(noted)
        start = noted.get("start", start)
    for index, (library, codec) in enumerate(reads):
        cell = Cell(stage.name, NAME, codec, place=place_of(language.name, library))
        note = notes.get(index)
        if note is None:
            late = ended.outcome == "unfinished" or index != ended.cell
            why = "not enough time for the check; use --all" if late else ended.in_run
            note = {"error": why, "outcome": "unfinished" if late else ended.outcome}
        same = note.get("same")
        found = note if same is None else notes[same]
        before = run.state.facts(cell)
        facts = language.facts(library, found.get("facts"))
        outcome, reason = _outcome(found, facts)
        if isinstance(before, ReadFacts) and before.version != facts.version:
            stage.changed.append(
                f"{language.title}, {library.name}: was {before.version}, is now {facts.version}"
            )
        if outcome in ("ok", "lossy"):
            twin = None if same is None else dataclasses.replace(cell, codec=reads[same][1])
            stage.reads[cell] = TimedLibrary(
                language,
                library,
                stage.checks[codec].payloads,
                twin,
                rough=found.get("rough", Readers.UNKNOWN),
                warmup=found.get("warmup", Readers.START),
                start=start,
                exact=outcome == "ok",
            )
        if run.resumed and run.state.measured(cell):
            continue
        finding = CellFinding(
            cell, outcome, reason, tuple(facts.changes), facts=facts, rough=found.get("rough")
        )
        run.record(CellEntry(finding))


def _outcome(found: Mapping[str, Any], facts: ReadFacts) -> tuple[Outcome, str]:
    if "error" in found:
        return found.get("outcome", "error"), found["error"]
    if facts.refused:
        total = facts.exact + facts.changed + facts.refused
        return "unsupported", f"refuses {facts.refused} of {total} payloads: {next(iter(facts.reasons))}"
    return ("lossy" if facts.changed else "ok"), ""


def fitting(
    reads: Mapping[Cell, TimedLibrary], cells: Sequence[Cell], seconds: float
) -> tuple[list[Cell], float]:
    """Return the cells that a process has time for, and the seconds that they take, roughly.

    In each language, the library that was fastest on some payloads in the check comes first, so that every
    language has a figure. The selection is the same in every process if the time is: figures of few
    processes have wide intervals.

    Args:
        reads: What is known of the readers.
        cells: Cells of readers.
    """
    own = [cell for cell in cells if reads[cell].twin not in cells]
    best: dict[tuple[str, Digest], Cell] = {}
    for cell in sorted(own, key=lambda cell: (not reads[cell].exact, reads[cell].rough)):
        best.setdefault((reads[cell].language.name, reads[cell].payloads), cell)
    chosen: list[Cell] = []
    started: set[str] = set()
    total = 0.0
    for cell in sorted(own, key=lambda cell: (cell not in best.values(), _expected(reads[cell]))):
        read = reads[cell]
        start = 0.0 if read.language.name in started else read.start
        if total + start + _expected(read) > seconds:
            break
        total += start + _expected(read)
        started.add(read.language.name)
        chosen.append(cell)
    return chosen + [cell for cell in cells if reads[cell].twin in chosen], total


class TimedReaders:
    """The plan of the readers' part of timing processes: each time, one process that answers.

    Args:
        repeats: As in `messages.timing.Time`.

    Attributes:
        out_of_time: There is no time for the corpus any more.
        took: Seconds of the process that answered; 0 if none did.
    """

    def __init__(self, run: Run, stage: Stage, *, repeats: float) -> None:
        self.out_of_time = False
        self.took = 0.0
        self._run = run
        self._stage = stage
        self._repeats = repeats
        self._rounds = Rounds(self, patience=run.options.cell_timeout)
        self._cells: list[Cell] = []
        self._found: TimedReads | None = None
        self._end = 0.0
        self._died = False
        # Times by which readers take longer than their check says.
        self._slower = 1.0

    def measure(self, cells: Sequence[Cell], seconds: float, show: Callable[[], object]) -> TimedReads:
        """Time the readers that there is time for.

        Args:
            cells: Readers that may be timed.
            seconds: The time for them.
            show: Called if there is time for some.

        Returns:
            Figures by the name of their cell, without those that failed.
        """
        self._cells, expected = fitting(self._stage.reads, cells, seconds / self._slower)
        if self._cells:
            show()
        self._end, self._found, self._died = time.monotonic() + seconds, None, False
        self.took = 0.0
        self._rounds.conduct()
        if self.took:
            self._slower = self.took / expected
        elif not expected:  # one process may have been disturbed
            self._slower = max(1.0, self._slower / 2)
        self.out_of_time = self._rounds.out_of_time or (self._died and self.late())
        return self._found or NO_READS

    @property
    def replaced(self) -> int:
        """Disturbed processes that were repeated."""
        return self._rounds.replaced

    @property
    def done(self) -> int:
        """The number of timing processes of the corpus."""
        return self._run.state.processes(self._stage.name)

    @property
    def free_level(self) -> float:
        """Contention of a free core as measured so far by any process of the run."""
        return self._run.state.free_level

    def next_turn(self) -> list[TimingProcess[Cell]]:
        """Return a process, until one has answered; further ones as long as there is time."""
        own = [cell for cell in self._cells if self._stage.reads[cell].twin not in self._cells]
        if self._found is not None or not own or (self._died and self.left() <= 0):
            return []
        job = _job(self._run, self._stage, own, self.left(), self._repeats)
        return [TimingProcess(self._run.executor, own, job)]

    def take(self, turn: Sequence[Finished[Cell]]) -> None:
        """Keep the answer, with figures of all cells by name."""
        self._died = not turn
        for finished in turn:
            assert isinstance(finished.answer, TimedReads)
            self.took = finished.seconds
            figures = {cell.name: found for cell, found in finished.figures().items()}
            warmups = {
                finished.cells[int(index)].name: seconds for index, seconds in finished.answer.warmups.items()
            }
            for cell in self._cells:
                twin = self._stage.reads[cell].twin
                if twin is not None and twin.name in figures:
                    figures[cell.name], warmups[cell.name] = figures[twin.name], warmups[twin.name]
            self._found = dataclasses.replace(finished.answer, cells=figures, warmups=warmups)

    def fail(self, cell: Cell, ended: Ended) -> None:
        """Record why a cell has no figure; it is timed no more."""
        self._run.fail(cell, ended)
        self._cells = [each for each in self._cells if each != cell]

    def look(self) -> None:
        """Do nothing: `TimingPhase` judges the figures of a whole turn."""

    def left(self) -> float:
        """Return the seconds for further processes of this turn."""
        return self._end - time.monotonic()

    def late(self) -> bool:
        """Return whether the whole time of the corpus is over."""
        return self._stage.schedule.all_over()


def _expected(read: TimedLibrary) -> float:
    """Return the seconds that a reader takes in a process, roughly."""
    return read.warmup + _turns(read.rough, _records(read.rough))


def _records(rough: float) -> int:
    """Return how many records to time, if reading one takes that many seconds."""
    slices = Readers.WARM_UP + Readers.SLICES
    return max(Readers.TURNS, round(Readers.LIBRARY / (slices * rough)))


def _turns(rough: float, records: int) -> float:
    """Return the seconds of all turns of a library."""
    a_slice = max(Readers.SLICE, rough * records / Readers.TURNS)
    return Readers.TURNS * (Readers.WARM_UP + Readers.SLICES) * a_slice


def _job(run: Run, stage: Stage, cells: Sequence[Cell], seconds: float, repeats: float) -> TimeReads:
    reads = [stage.reads[cell] for cell in cells]
    languages = list(dict.fromkeys(read.language for read in reads))
    # All libraries read the same records, so that their ratios have no other cause.
    records = min(_records(read.rough) for read in reads)
    longest = max(_turns(read.rough, records) for read in reads) / Readers.TURNS
    return TimeReads(
        path=stage.path,
        modules=stage.modules,
        corpus=stage.corpus,
        workers=tuple(language.start for language in languages),
        reads=tuple(
            ReadCell(
                languages.index(read.language),
                read.library.name,
                cell.codec,
                read.payloads,
                read.library.typed,
            )
            for cell, read in zip(cells, reads, strict=True)
        ),
        records=records,
        slice=run.pace.reading,
        seconds=seconds,
        patience=Readers.START + Readers.LATE * longest,
        free_level=run.state.free_level,
        repeats=repeats,
    )
