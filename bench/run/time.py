"""The time phase: timing processes over all healthy cells of a corpus, until the stop rule ends it."""

from __future__ import annotations

import dataclasses
import math
import random
import time
from collections.abc import Mapping, Sequence
from statistics import median

from ...codecs import describe
from ...codecs.registry import bare_name
from ..deaths import Deaths
from ..figure import Figure
from ..jobs import Ended
from ..ledger import EnvironmentEntry, OptionEntry, ProcessEntry, RoughEntry, WarningEntry
from ..messages.check import Checked
from ..messages.reads import TimedReads
from ..messages.timing import Time, Timed, TimedCell
from ..method import Cores, Processes
from ..operations import operation
from ..operations.base import length_of_slice
from ..results import BASELINE, Cell, Measurement
from .context import Run, Stage
from .options import Options
from .readers import fitting, time_reads
from .releases import Release, release_of
from .state import FAILED
from .stopping import Progress


def time_cells(run: Run, stage: Stage) -> None:
    """Time one corpus; samples are added to the state process by process."""
    contest = _Contest(run, stage)
    if contest.codecs():
        contest.go()


def rounds(options: Options, calls: Sequence[float]) -> int:
    """Return the rounds of a process: fewer where calls are long, for more processes in the same time.

    Variation between processes, mainly from the memory layout, is larger than variation between slices
    (Kalibera and Jones 2013, section 6).

    Args:
        options: Options of the run.
        calls: Seconds of a call, for each cell.
    """
    seconds = Processes.OVERHEAD * sum(max(options.slice_seconds, call) for call in calls)
    return max(Processes.FEWEST_ROUNDS, min(options.turns(len(calls)), round(Processes.START / seconds)))


def length(cell: Cell, checks: Mapping[str, Checked]) -> float:
    """Return a rough estimate of the seconds of a call of a cell; 0 for the baseline."""
    if cell.codec == BASELINE:
        return 0.0
    checked, base = checks[cell.codec], operation(cell.operation_name).base
    return checked.rough.get(base, 0.0) * checked.calls.get(base, 1)


def timed_cell(cell: Cell, checks: Mapping[str, Checked]) -> TimedCell:
    """Return the description of a cell for a timing process."""
    if cell.codec == BASELINE:
        return TimedCell(BASELINE, cell.operation_name)
    found = checks[cell.codec]
    return TimedCell(cell.codec, cell.operation_name, found.payloads, found.dictionary, found.limits)


def _release(cell: Cell) -> Release | None:
    return None if cell.codec == BASELINE else release_of(cell.codec)


class _Contest:
    """The timing of one corpus.

    Attributes:
        out: Codecs that are left out.
        over: There is no time for another process.
        took: Expected seconds of the next process, from the last ones.
        codecs_took: The part of them for the codecs in Python.
        lost: Seconds that a disturbance has added to the last process.
        slower: Times by which readers take longer than their check says.
    """

    def __init__(self, run: Run, stage: Stage) -> None:
        self.run = run
        self.stage = stage
        self.out: set[str] = set()
        self.deaths: Deaths[Cell] = Deaths()
        self.reader_deaths: Deaths[Cell] = Deaths()
        self.replaced = 0
        self.harness = float("inf")
        self.progress = Progress(False)
        self.over = False
        self.took = 0.0
        self.codecs_took = 0.0
        self.lost = 0.0
        self.slower = 1.0

    def cells(self) -> list[Cell]:
        """Return the cells that still run."""
        state = self.run.state
        found = []
        for name in self.run.options.timed():
            for codec in (*(name for name in self.stage.checks if name not in self.out), BASELINE):
                cell = operation(name).cell(self.stage.name, codec)
                checked = self.stage.checks.get(codec)
                skipped = operation(name).schema and (checked is None or not checked.fixes)
                if not skipped and state.outcome(cell) not in (*FAILED, None):
                    found.append(cell)
        return found

    def reads(self) -> list[Cell]:
        """Return the cells of readers that still run, also of codecs that there is no time for in Python."""
        return [cell for cell in self.stage.reads if self.run.state.outcome(cell) not in FAILED]

    def codecs(self) -> list[str]:
        return list(dict.fromkeys(cell.codec for cell in self.cells() if cell.codec != BASELINE))

    def go(self) -> None:
        rule = self.run.options.rule
        looks = set(rule.looks())
        if self._done() >= rule.fewest:
            self.progress = rule.look(self._tables())
        self.stage.schedule.begin_timing()
        self._choose()
        while self.codecs():
            self.run.pass_on(self.stage.schedule)
            if self._ended():
                break
            budget = self.stage.schedule.budget
            self.run.show(self._said(), min(budget, budget - self.stage.schedule.left()), budget)
            begun = time.monotonic()
            counts = self._process()
            self.took = time.monotonic() - begun - self.lost
            if counts and self._done() in looks:
                self.progress = rule.look(self._tables())
            self._thin()
            self.run.look()
        self._conclude()

    def _ended(self) -> bool:
        if self.over or self.run.stopping:
            return True
        if self.progress.reached and self.run.state.free(self.stage.name):
            return True  # continue on a shared core: a free one may come in time
        if self._done() >= self.run.options.rule.most:
            return True
        schedule = self.stage.schedule
        left = schedule.left(schedule.timing_part)
        if self.run.options.no_time_limit:
            return not left and self._done() >= self._wanted
        took = self.took
        if self._done() < Processes.FEWEST:
            left = schedule.left(schedule.stretched)
            # Readers take what the codecs leave.
            took = self.codecs_took
        return left < took or not left  # do not start a process that could not finish

    @property
    def _wanted(self) -> int:
        return min(Processes.CHOSEN, self.run.options.fewest)

    def _choose(self) -> None:
        """Leave out the codecs that there is no time for, as estimated from their checks.

        Figures of the run before it was resumed stay.
        """
        seconds = {codec: self._expected(codec) for codec in self.codecs()}
        self.out |= seconds.keys() - set(self.stage.schedule.processes(seconds))

    def _expected(self, codec: str) -> float:
        """Return a rough estimate of the seconds of one process for a codec."""
        cells = (operation(name).cell(self.stage.name, codec) for name in self.run.options.timed())
        return Processes.OVERHEAD * sum(map(self._expected_slices, cells))

    def _expected_slices(self, cell: Cell) -> float:
        """Return a rough estimate of the seconds of a cell's slices, from its check."""
        options = self.run.options
        turns = options.turns(len(options.timed()) * len(self.stage.checks))
        call = length(cell, self.stage.checks)
        slices = turns * length_of_slice(options.slice_seconds, call, operation(cell.operation_name).fewest)
        calls = 1 if call > Processes.SINGLE * options.slice else Processes.CALLS
        # Each call includes making a new record or payload.
        return max(2 * slices, calls * call)

    def _usual_slices(self, cell: Cell, *durations: float) -> float:
        """Return the seconds of a cell's slices in a process that nothing disturbs.

        They are those of the process with the shortest ones. One process alone may have been disturbed, so
        its seconds count only if they are less than the check lets expect.

        Args:
            durations: The seconds in a process that is not recorded yet.
        """
        found = [*durations, *(sample.duration for sample in self.run.state.samples(cell))]
        return min(found if len(found) > 1 else [*found, self._expected_slices(cell)])

    def _thin(self) -> None:
        """Leave out the slowest codecs if the requested processes would take too long."""
        schedule, state = self.stage.schedule, self.run.state
        if self.run.options.no_time_limit or self.over or self._done() >= min(self._wanted, Processes.FEWEST):
            return
        spent: dict[str, float] = {}
        for cell in self.cells():
            if cell.codec != BASELINE and state.samples(cell):
                seconds = Processes.OVERHEAD * self._usual_slices(cell)
                spent[cell.codec] = spent.get(cell.codec, 0.0) + seconds
        wanted = min(self._wanted, Processes.FEWEST) - self._done()
        usual = median(spent.values()) if spent else 0.0
        # Estimated without the slow codecs; leaving out others would save nothing.
        for codec in sorted(spent, key=spent.__getitem__, reverse=True):
            left = schedule.codecs_share * schedule.left(schedule.stretched)
            if wanted * self.codecs_took <= left or spent[codec] < Processes.SLOW * usual:
                break
            self.took -= spent[codec]
            self.codecs_took -= spent[codec]
            self._leave(codec)

    def _leave(self, codec: str) -> None:
        """Stop timing a codec; its few figures are only rough."""
        for cell in [cell for cell in self.cells() if cell.codec == codec]:
            if samples := self.run.state.samples(cell):
                self.run.record(RoughEntry(cell.name, samples[-1].value))
        self.out.add(codec)

    def _done(self) -> int:
        return self.run.state.processes(self.stage.name)

    def _said(self) -> str:
        reached = ""
        if self.progress.pair is not None:
            reached = f", ±{100 * self.progress.width:.1f} % of ±{100 * self.run.options.precision:g} %"
        return f"{self.stage.name}: timing, process {self._done() + 1}{reached}"

    def _tables(self) -> list[dict[str, Sequence[Measurement]]]:
        tables: dict[str, dict[str, Sequence[Measurement]]] = {}
        for cell in (*self.cells(), *self.reads()):
            if cell.codec != BASELINE and (samples := self.run.state.samples(cell)):
                tables.setdefault(cell.operation_name, {})[cell.codec] = samples
        return list(tables.values())

    def _process(self) -> bool:
        """Run one timing process, or one for each group; return whether it counts."""
        groups = self._groups()
        self.lost = 0.0
        figures: dict[str, Figure] = {}
        answers: list[Timed] = []
        reads: TimedReads | None = None
        twins = self._twins(groups)
        # Whatever the first part of a process does to the machine, neither side always follows it.
        if readers_first := self._done() % 2 == 1:
            reads = self._read(self.codecs_took)
        begun = time.monotonic()
        # The same code in two processes differs by several per cent if its memory layout does.
        layout = self._done() + 1 if any(map(_release, self.cells())) else 0
        for group in filter(None, groups):
            answer = self._answer(group, layout)
            if answer is None:
                return False
            answers.append(answer)
            for index, reason in answer.errors.items():
                self.run.fail(group[int(index)], "error", f"while being timed: {reason}")
            own = {group[int(index)]: found for index, found in answer.cells.items()}
            figures |= {cell.name: found for cell, found in own.items()}
            self.lost += sum(
                found.duration - self._usual_slices(cell, found.duration)
                for cell, found in own.items()
                if cell.codec != BASELINE
            )
            self.harness = min(self.harness, answer.harness)
        self.codecs_took = time.monotonic() - begun - self.lost
        figures |= {twin.name: figures[cell.name] for twin, cell in twins.items() if cell.name in figures}
        if not readers_first:
            reads = self._read()
        if reads is None:
            self.over = True
            return False
        reference_kernel = sum(answer.reference_kernel for answer in answers) / len(answers)
        every: list[Timed | TimedReads] = [*answers, reads]
        for name, figure in reads.cells.items():
            figures[name] = dataclasses.replace(figure, paired=figure.paired / reference_kernel)
        entry = ProcessEntry(
            self.stage.name,
            self._done(),
            reference_kernel,
            figures,
            reads.warmups,
            # All codecs are compared with each other, so one on a shared core decides.
            contention=max(each.contention for each in every),
            least=min(each.least for each in every if each.least),
            spent=round(self.run.spent(), 3),
        )
        self.run.record(entry)
        return True

    def _read(self, ahead: float = 0.0) -> TimedReads | None:
        """Time the readers that there is time for; see `readers.time_reads`.

        Args:
            ahead: Seconds that the codecs still need in this process.
        """
        seconds = self._for_readers(ahead)
        cells, expected = fitting(self.stage.reads, self.reads(), seconds / self.slower)
        if cells:
            self.run.show(f"{self._said()}: readers", -1, 0)
        begun = time.monotonic()
        found = time_reads(
            self.run, self.stage, cells, seconds, self.reader_deaths, core=self._core, repeats=self._repeats
        )
        # If nothing fits, one process may have been disturbed.
        self.slower = (time.monotonic() - begun) / expected if expected else max(1.0, self.slower / 2)
        return found

    def _for_readers(self, ahead: float) -> float:
        """Return the seconds for readers in this process, if there are to be as many processes as needed."""
        schedule = self.stage.schedule
        if self.run.options.no_time_limit:
            return math.inf
        more = max(0, Processes.FEWEST - self._done() - 1)
        left = schedule.left(schedule.stretched if more else schedule.timing_part)
        return (left - ahead - more * self.codecs_took) / (1 + more)

    @property
    def _repeats(self) -> float:
        """The time for repeating slices, see `messages.timing.Time`."""
        options = self.run.options
        return 1.0 if options.no_time_limit or options.budget >= Cores.WAIT_FROM else Cores.WAIT

    @property
    def _core(self) -> int | None:
        """The processor of this process."""
        allowed = self.run.executor.cores
        return allowed[self._done() % len(allowed)] if len(allowed) > 1 else None

    def _groups(self) -> list[list[Cell]]:
        """Return the cells that share a process, in random order: all of them in an ordinary run.

        With --isolate each codec has a process. A process can hold only one release of a library. If releases
        are compared, the installed one also has its own, as other codecs leave the caches cold.
        """
        cells = self.cells()
        libraries = {found.library for cell in cells if (found := _release(cell))}
        groups: dict[object, list[Cell]] = {}
        for cell in cells:
            key: object = _release(cell)
            if self.run.options.isolate:
                key = cell.codec
            elif key is None and cell.codec != BASELINE and describe(cell.codec).library in libraries:
                key = describe(cell.codec).library
            groups.setdefault(key, []).append(cell)
        if all(cell.codec == BASELINE for cell in groups.get(None, [])):
            # It is not worth a process of its own. In a random group it does not always disturb the same one.
            baseline = groups.pop(None, [])
            random.choice(list(groups.values()) or [[]]).extend(baseline)
        shuffled = list(groups.values())
        random.shuffle(shuffled)
        return shuffled

    @staticmethod
    def _twins(groups: list[list[Cell]]) -> dict[Cell, Cell]:
        """Remove cells that another cell already measures: a schema changes neither dump nor load."""
        present = {cell for group in groups for cell in group}
        twins = {}
        for group in groups:
            for cell in list(group):
                bare = dataclasses.replace(cell, codec=bare_name(cell.codec))
                declared = operation(cell.operation_name)
                if bare != cell and bare in present and not (declared.schema or declared.fixes):
                    twins[cell] = bare
                    group.remove(cell)
        return twins

    def _answer(self, group: list[Cell], layout: int) -> Timed | None:
        """Run a worker over `group`, again if it was disturbed; return None if it died, and remove its cell.

        Args:
            layout: Number of its memory layout, see `messages.timing.Time`.
        """
        options = self.run.options
        job = Time(
            memory=options.cell_memory,
            path=self.stage.path,
            modules=self.stage.modules,
            corpus=self.stage.corpus,
            cells=tuple(timed_cell(cell, self.stage.checks) for cell in group),
            rounds=rounds(options, [length(cell, self.stage.checks) for cell in group]),
            slice=options.slice,
            collect=options.gc != "off",
            apart=options.burst,
            layout=layout,
            core=self._core,
            backends=options.where(),
            least=self.run.state.least,
            repeats=self._repeats,
        )

        begun = time.monotonic()

        def watch(index: int, beats: int) -> None:
            if 0 <= index < len(group):
                cell = group[index]
                self.run.show(f"{self._said()}: {cell.operation_name} {cell.codec}", -1, 0)

        ended = self.run.executor.submit(
            job, patience=options.cell_timeout, over=self.stage.schedule.all_over, watch=watch
        ).result()
        answer: Timed | None = ended.answer
        if ended.outcome == "unfinished":
            self.over = True
            return None
        if answer is None:
            self._blame(group, ended)
            return None
        if answer.dirty > Processes.DIRTY and self._can_replace(time.monotonic() - begun):
            # Only this one: the other groups of the process keep their figures.
            self.replaced += 1
            return self._answer(group, layout)
        return answer

    def _can_replace(self, took: float) -> bool:
        """Return whether a disturbed process may be repeated: there is time, and few were repeated."""
        if self.run.stopping:
            return False
        schedule, done = self.stage.schedule, self._done()
        missing = max(1, Processes.FEWEST - done)
        return self.replaced <= done // 2 and schedule.left(schedule.timing_part) > missing * took

    def _blame(self, group: list[Cell], ended: Ended) -> None:
        blame = self.deaths.blame(ended, group)
        for cell in blame.cells:
            self.run.fail(cell, ended.outcome, blame.reason, ended.stderr)

    def _conclude(self) -> None:
        name, options = self.stage.name, self.run.options
        if self.harness < float("inf"):
            self.run.record(EnvironmentEntry({"harness_ns": round(self.harness, 2)}))
        if self._done() and not self.progress.reached:
            self.progress = options.rule.look(self._tables())
        self.run.record(OptionEntry({f"reached {name}": self.progress.reached and self._done() > 1}))
        text, start = "", f"{name}: ±"
        if self.progress.pair is not None and self._done():
            # The table shows which codecs are not distinguishable because of it.
            used = self.run.state.used(name)
            processes = f"{used} process{'es' * (used != 1)}"
            text = f"{start}{100 * options.precision:g} % was not reached in {processes}"
        # A resumed run may have given this warning before.
        self.run.record(WarningEntry(text, start))
        self._say_whose_core()
        if self.replaced and text:
            # No warning if the precision was reached anyway.
            those = "1 process was" if self.replaced == 1 else f"{self.replaced} processes were"
            text = f"{name}: {those} disturbed by neighbors and measured again"
            self.run.record(WarningEntry(text))

    def _say_whose_core(self) -> None:
        """Warn if figures are not from a free core, and name the processes that were left out."""
        state, name = self.run.state, self.stage.name
        done, used = self._done(), state.used(name)
        start, text = f"{name}: a neighbor", ""
        if done and not state.free(name):
            when = "the only process" if done == 1 else f"most of the {done} processes"
            text = (
                f"{start} used the same physical core in {when}; times are from a "
                "shared core, which slows each codec by a different factor"
            )
        elif used < done:
            text = (
                f"{start} used the same physical core during {done - used} of {done} processes; times are "
                f"from the other {used}"
            )
        self.run.record(WarningEntry(text, start))
