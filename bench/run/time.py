"""The time phase: timing processes over all healthy cells of a corpus, until the stop rule ends it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

from ..figure import Figure
from ..jobs import CorpusInputs, Ended
from ..ledger import EnvironmentEntry, OptionEntry, ProcessEntry, WarningEntry
from ..messages.check import Checked
from ..messages.reads import TimedReads
from ..messages.timing import Time, Timed, TimedCell
from ..method import Cores, Pace, Processes
from ..results import BASELINE, WANTED, Cell, Measurement
from .context import Run, Stage
from .groups import cells_release, grouped, without_twins
from .lineup import Lineup, call_seconds, wanted
from .options import Options
from .readers import NO_READS, TimedReaders
from .rounds import Finished, Rounds, TimingProcess, of_disturbed
from .stopping import Progress


def time_cells(run: Run, stage: Stage) -> None:
    """Time one corpus; samples are added to the state process by process."""
    phase = TimingPhase(run, stage)
    if phase.lineup.codecs():
        phase.go()


def rounds_of(options: Options, calls: Sequence[float], pace: Pace) -> int:
    """Return the rounds of a process: fewer where calls are long, for more processes in the same time.

    Variation between processes, mainly from the memory layout, is larger than variation between slices
    (Kalibera and Jones 2013, section 6).

    Args:
        options: Options of the run.
        calls: Seconds of a call, for each cell.
        pace: How long its slices take.
    """
    seconds = Processes.OVERHEAD * sum(max(options.slice_seconds, call) for call in calls)
    return max(Processes.FEWEST_ROUNDS, min(options.rounds_for(len(calls)), round(pace.slices / seconds)))


def precision_reached(width: float) -> str:
    """Write how well the ratio is known that is known least.

    Args:
        width: Half its interval, as a share of it.
    """
    return f"±{100 * width:.1f} %" if width < 1 else "more than ±99 %"


def readers_first(done: int, cores: int) -> bool:
    """Return whether readers precede the codecs in a turn: in every second one on each core.

    Whatever the first part of a turn does to the machine, neither part always follows it.

    Args:
        done: Number of turns before it.
        cores: Number of cores, of which each has a turn in succession.
    """
    passes, core = divmod(done, max(1, cores))
    return (passes + core) % 2 == 1


def timed_cell(cell: Cell, checks: Mapping[str, Checked]) -> TimedCell:
    """Return the description of a cell for a timing process."""
    if cell.codec == BASELINE:
        return TimedCell(BASELINE, cell.operation_name)
    found = checks[cell.codec]
    return TimedCell(cell.codec, cell.operation_name, found.payloads, found.dictionary, found.facts.limits)


def job_of(
    options: Options,
    corpus: CorpusInputs,
    path: tuple[str, ...],
    modules: Mapping[str, str],
    cells: Sequence[Cell],
    checks: Mapping[str, Checked],
    pace: Pace,
) -> Time:
    """Return the job that times cells of a corpus in one process.

    Args:
        options: Options of the run.
        corpus: The corpus.
        path: As in `jobs.Job`, like `modules`.
        cells: The cells, in their order.
        checks: Findings of the check, by codec.
        pace: How long its slices take.
    """
    return Time(
        memory=options.cell_memory,
        path=path,
        modules=modules,
        corpus=corpus,
        cells=tuple(timed_cell(cell, checks) for cell in cells),
        rounds=rounds_of(options, [call_seconds(cell, checks) for cell in cells], pace),
        slice=options.slice,
        collect=options.gc != "off",
        apart=options.burst,
    )


class TimingPhase:
    """The plan of the timing processes of one corpus.

    Attributes:
        lineup: Who is timed.
        rounds: Runs the processes.
    """

    def __init__(self, run: Run, stage: Stage) -> None:
        self.run = run
        self.stage = stage
        self.lineup = Lineup(run, stage)
        self.rounds = Rounds(
            self, patience=run.options.cell_timeout, looks=run.options.rule.looks(), running=self._running
        )
        self._readers = TimedReaders(run, stage, repeats=self._repeats)
        self._reads = NO_READS
        self._twins: dict[Cell, Cell] = {}
        self._harness = math.inf
        self._progress = Progress(False)

    def go(self) -> None:
        """Time all cells until the stop rule or the budget ends it."""
        if self.done >= self.run.options.rule.fewest:
            self.look()
        self.stage.schedule.begin_timing()
        self.lineup.choose()
        self.rounds.conduct()
        self._conclude()

    @property
    def done(self) -> int:
        """The number of processes that count, including those before the run was resumed."""
        return self.run.state.processes(self.stage.name)

    @property
    def free_level(self) -> float:
        """Contention of a free core as measured so far by any process of the run."""
        return self.run.state.free_level

    def next_turn(self) -> list[TimingProcess[Cell]]:
        """Return one process, or one for each group; none to end."""
        if not self.lineup.codecs():
            return []
        self.run.pass_on(self.stage.schedule)
        if self._ended():
            return []
        self._show(self._said())
        cells = self.lineup.cells()
        groups, self._twins = without_twins(grouped(cells, isolate=self.run.options.isolate))
        if self._readers_first and not self._read(self.lineup.codecs_took):
            return []
        # The same code in two processes differs by several per cent if its memory layout does.
        layout = self.done + 1 if any(map(cells_release, cells)) else 0
        return [TimingProcess(self.run.executor, group, self._job(group, layout)) for group in groups]

    def take(self, turn: Sequence[Finished[Cell]]) -> None:
        """Record the figures of a turn, with those of the readers."""
        figures = {cell: found for finished in turn for cell, found in finished.figures().items()}
        if turn:
            took = sum(finished.seconds for finished in turn) - self.lineup.lost(figures)
            self.lineup.codecs_took = took
            if not self._readers_first and not self._read():
                return
            self._record(turn, figures)
            self.lineup.took = took + self._readers.took
        self.lineup.thin()
        self.run.look()

    def fail(self, cell: Cell, ended: Ended) -> None:
        """Record why a cell has no figure; it is timed no more."""
        self.run.fail(cell, ended)

    def look(self) -> None:
        """Measure the progress."""
        self._progress = self.run.options.rule.look(list(self._tables().values()))

    def left(self) -> float:
        """Return the seconds for processes that are not needed to have a result at all."""
        return 0.0 if self.run.stopping else self.stage.schedule.left(self.stage.schedule.timing_part)

    def late(self) -> bool:
        """Return whether the whole time of the corpus is over."""
        return self.stage.schedule.all_over()

    def _ended(self) -> bool:
        if self.run.stopping or self._readers.out_of_time:
            return True
        if self._progress.reached and self.run.state.free(self.stage.name):
            return True  # continue on a shared core: a free one may come in time
        if self.done >= self.run.options.rule.most:
            return True
        schedule = self.stage.schedule
        left = schedule.left(schedule.timing_part)
        if self.run.options.no_time_limit:
            return not left and self.done >= wanted(self.run.options)
        took = self.lineup.took
        if self.done < Processes.FEWEST:
            left = schedule.left(schedule.stretched)
            # Readers take what the codecs leave.
            took = self.lineup.codecs_took
        return left < took or not left  # do not start a process that could not finish

    def _said(self) -> str:
        reached = ""
        if self._progress.pair is not None:
            width = precision_reached(self._progress.width)
            reached = f", {width} of ±{100 * self.run.options.precision:g} %"
        return f"{self.stage.name}: timing, process {self.done + 1}{reached}"

    def _running(self, cell: Cell) -> None:
        self._show(f"{self._said()}: {cell.operation_name} {cell.codec}")

    def _show(self, text: str) -> None:
        """Show what is timed, and which part of the time is over: of the budget, or of the processes."""
        part, options = self.stage.schedule.passed, self.run.options
        if options.no_time_limit:
            part = min(part, self.done / wanted(options))
        self.run.show(text, 100 * part, 100)

    def _tables(self) -> dict[str, dict[str, Sequence[Measurement]]]:
        tables: dict[str, dict[str, Sequence[Measurement]]] = {}
        for cell in (*self.lineup.cells(), *self.lineup.reads()):
            if cell.codec != BASELINE and (samples := self.run.state.samples(cell)):
                tables.setdefault(cell.operation_name, {})[cell.codec] = samples
        return tables

    def _record(self, turn: Sequence[Finished[Cell]], found: Mapping[Cell, Figure]) -> None:
        """Record a process; the codecs and readers of a turn count as one."""
        codecs = [finished.answer for finished in turn if isinstance(finished.answer, Timed)]
        self._harness = min(self._harness, *(answer.harness for answer in codecs))
        reference_kernel = sum(answer.reference_kernel for answer in codecs) / len(codecs)
        figures = {cell.name: figure for cell, figure in found.items()}
        figures |= {twin.name: found[cell] for twin, cell in self._twins.items() if cell in found}
        for name, figure in self._reads.cells.items():
            figures[name] = dataclasses.replace(figure, paired=figure.paired / reference_kernel)
        every: list[Timed | TimedReads] = [*codecs, self._reads]
        entry = ProcessEntry(
            self.stage.name,
            self.done,
            reference_kernel,
            figures,
            self._reads.warmups,
            # All codecs are compared with each other, so one on a shared core decides.
            contention=max(each.contention for each in every),
            least=min((each.free_level for each in every if each.free_level), default=0.0),
            spent=round(self.run.spent(), 3),
        )
        self.run.record(entry)

    @property
    def _readers_first(self) -> bool:
        return readers_first(self.done, len(self.run.executor.cores))

    def _read(self, ahead: float = 0.0) -> bool:
        """Time the readers that there is time for; return whether there was time left for the corpus.

        Args:
            ahead: Seconds that the codecs still need in this turn.
        """
        seconds, cells = self._for_readers(ahead), self.lineup.reads()
        self._reads = self._readers.measure(
            cells, seconds, lambda: self.run.show(f"{self._said()}: readers", -1, 0)
        )
        return not self._readers.out_of_time

    def _for_readers(self, ahead: float) -> float:
        """Return the seconds for readers in this turn, if there are to be as many turns as needed."""
        schedule = self.stage.schedule
        if self.run.options.no_time_limit:
            return math.inf
        more = max(0, Processes.FEWEST - self.done - 1)
        left = schedule.left(schedule.stretched if more else schedule.timing_part)
        return (left - ahead - more * self.lineup.codecs_took) / (1 + more)

    @property
    def _repeats(self) -> float:
        """The time for repeating slices, see `messages.timing.Time`."""
        options = self.run.options
        return 1.0 if options.no_time_limit or options.budget >= Cores.WAIT_FROM else Cores.WAIT

    def _job(self, group: Sequence[Cell], layout: int) -> Time:
        """Return the job of a process.

        Args:
            layout: Number of its memory layout, see `messages.timing.Time`.
        """
        stage = self.stage
        job = job_of(
            self.run.options,
            stage.corpus,
            stage.path,
            stage.modules,
            group,
            stage.checks,
            self.run.pace,
        )
        return dataclasses.replace(
            job, layout=layout, backends=self.run.options.where(), repeats=self._repeats
        )

    def _conclude(self) -> None:
        name, options = self.stage.name, self.run.options
        if self._harness < math.inf:
            self.run.record(EnvironmentEntry({"harness_ns": round(self._harness, 2)}))
        if self.done and not self._progress.reached:
            self.look()
        self.run.record(OptionEntry({f"reached {name}": self._progress.reached and self.done > 1}))
        text = ""
        if self._progress.pair is not None and self.done:
            text = f"{name}: {WANTED}{100 * options.precision:g} %, {self._got(*self._progress.pair)}"
        # A resumed run may have given this warning before.
        self.run.record(WarningEntry(text, f"{name}: precision"))
        self._say_whose_core()
        if text:  # no warning if the precision was reached anyway
            for said in of_disturbed(self.rounds.replaced + self._readers.replaced):
                self.run.record(WarningEntry(f"{name}: {said}"))

    def _got(self, codec: str, other: str) -> str:
        """Say which precision was reached, and where it is widest.

        The table shows which codecs are not distinguishable because of it.
        """
        used, width = self.run.state.used(self.stage.name), self._progress.width
        processes = f"{used} process{'es' * (used != 1)}"
        if math.isinf(width):
            return f"got no interval from {processes}"
        operation = [*self._tables()][self._progress.table]
        return f"got {precision_reached(width)} from {processes} ({other} to {codec}, {operation})"

    def _say_whose_core(self) -> None:
        """Warn if figures are not from a free core, and name the processes that were left out."""
        state, name = self.run.state, self.stage.name
        done, used = self.done, state.used(name)
        text = ""
        if done and not state.free(name):
            when = "the only process" if done == 1 else f"most of the {done} processes"
            text = (
                f"{name}: a neighbor used the same physical core in {when}; times are from a "
                "shared core, which slows each codec by a different factor"
            )
        elif used < done:
            text = (
                f"{name}: a neighbor used the same physical core during {done - used} of {done} processes; "
                f"times are from the other {used}"
            )
        self.run.record(WarningEntry(text, f"{name}: neighbors"))
