"""Two environments measured in turn: a comparison that is immune to the clock rate and neighbors of one run.

A pair is one timing process of each side, run in succession on the same core in alternating order. The ratio
of their figures is one value. Pairs are added until each cell is decided. There are only a few looks, as each
spends its share of alpha. A decided cell is no longer measured.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...datasets.corpora import is_function, is_read_once
from ...errors import UsageError
from ...schemas.naming import is_definition
from ..jobs import CorpusInputs, Ended
from ..ledger import CellEntry, ProcessEntry
from ..messages.check import Check, Checked
from ..messages.timing import Time, Timed
from ..method import Pace, Verdicts
from ..operations import operation
from ..results import Cell, CellFinding, CellResult, CorpusFacts, Measurement, ResultData
from ..stats import same_core, split
from .context import Show
from .interpreters import facts_of
from .options import Options, not_imported
from .processes import LocalExecutor
from .reading import handles, prepare
from .rounds import GRACE, Finished, Rounds, TimingProcess
from .state import State, turned
from .stopping import StopRule
from .time import job_of

LOOKS = StopRule(fewest=6, most=120).looks()
"""Pairs after which cells are judged."""
_PATIENCE = 60.0
"""Seconds for the check of a slow codec."""

Samples = Sequence[Measurement]
Enough = Callable[[Cell, Samples, Samples, float], bool]
"""``enough(cell, before, after, alpha)`` returns whether a cell is decided; samples of one pair share a
number."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    Attributes:
        python: Path of its interpreter, as the user typed it.
        run: An earlier result for it; its versions must match the installed ones.
    """

    python: str
    run: ResultData


@dataclass(slots=True)
class Again:
    """The outcome of measuring in turn.

    Attributes:
        samples: Before and after, by cell; samples of one pair share a number.
        failed: Why a cell could not be measured again, in a sentence.
        alpha: Share of alpha for the verdict on one cell.
        seconds: Seconds that it took.
        replaced: Disturbed processes that were repeated.
    """

    samples: dict[Cell, tuple[Samples, Samples]] = field(default_factory=dict)
    failed: dict[Cell, str] = field(default_factory=dict)
    alpha: float = Verdicts.ALPHA
    seconds: float = 0.0
    replaced: int = 0


def options_of(
    run: ResultData,
    sources: Sequence[str],
    *,
    named: Sequence[str] | None = None,
    schema: str | None,
    trust_files: bool,
) -> Options:
    """Return the options of a run, with trust and imports as typed, since a file must not decide these.

    Args:
        run: A result from a file, which may be untrusted.
        sources: Corpora as typed; empty for the ones that the file names.
        named: Those of the file; None for all of its options.
        schema: As typed; None for the file's.
        trust_files: As typed.

    Raises:
        UsageError: The file is from another version, or not from a run of ours.
    """
    try:
        stored = Options.from_flat(run.options)
    except (TypeError, KeyError) as error:
        raise UsageError("measuring again needs results of `bakeoff run` of this version") from error
    if schema is None and stored.schema and not is_definition(stored.schema):
        raise UsageError(not_imported(stored.schema))
    named = stored.corpora if named is None else named
    if not sources and (made := [source for source in named if is_function(source)]):
        raise UsageError(
            f"refusing to import {', '.join(made)} named in the result file; to allow it, pass it with "
            "--corpus"
        )
    # Nobody may write to a pipe that only the file names.
    if gone := [each for each in sources or named if handles(each) or (not sources and is_read_once(each))]:
        raise UsageError(f"cannot read {', '.join(gone)} again; name a file with --corpus")
    return dataclasses.replace(
        stored,
        corpora=tuple(sources or named),
        schema=stored.schema if schema is None else schema,
        trust_files=trust_files,
        no_time_limit=True,
    )


def interleave(
    sides: tuple[Side, Side],
    cells: Collection[Cell],
    options: Options,
    enough: Enough,
    *,
    budget: float,
    looks: Sequence[int] = LOOKS,
    pace: Pace | None = None,
    show: Show = lambda text, done, total: None,
) -> Again:
    """Measure timed cells of both sides in turn.

    Args:
        sides: Before and after.
        cells: The cells to measure; of operations of the phase "time".
        options: The options of the measurement; see `options_of`.
        enough: Returns whether a cell is decided.
        budget: Seconds for everything except reading and checking.
        looks: Pairs after which cells are judged.
        pace: How much it measures; `Pace.usual` if it is None.
        show: Receives progress.

    Raises:
        UsageError: An interpreter, a version or a corpus differs from the results.
        RunError: A corpus cannot be read.
    """
    for side in sides:
        facts_of(side.python)
    again = Again(alpha=split(Verdicts.ALPHA, len(looks) * len(cells)))
    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        executors = tuple(stack.enter_context(LocalExecutor(side.python, pace=pace)) for side in sides)
        stages = list(_stages(sides, executors, cells, options, again, show))
        spare = budget
        for left, stage in zip(range(len(stages), 0, -1), stages, strict=True):
            # Time that a corpus does not need goes to the next ones.
            spare -= stage.measure(enough, spare / left, looks, show)
    again.seconds = time.monotonic() - begun
    for cell in cells:
        if not any(again.samples.get(cell, ())):
            reason = (
                "in every pair, a neighbor used the physical core of one process"
                if again.samples.pop(cell, None)
                else "no pair of processes finished in time"
            )
            again.failed.setdefault(cell, reason)
    return again


def _stages(
    sides: tuple[Side, Side],
    executors: tuple[LocalExecutor, ...],
    cells: Collection[Cell],
    options: Options,
    again: Again,
    show: Show,
) -> Iterator[_Stage]:
    """Read the corpora of the cells and check their codecs on both sides."""
    wanted = {cell.corpus for cell in cells}
    known = {facts.name: facts for facts in sides[0].run.corpora if facts.name in wanted}
    named = {facts.source for facts in known.values()}
    # If no corpus has the recorded name, files have moved.
    sources = [source for source in options.sized() if source[0] in named] or options.sized()
    for source, size in sources:
        if not known:
            break
        like = next((facts for facts in known.values() if facts.source == source), next(iter(known.values())))
        show(f"reading {source}", 0, 0)
        prepared = prepare(executors[0], options, source, after=_cut(like), size=size)
        for digest in prepared.corpus.digests():
            executors[1].blobs.put(executors[0].blobs[digest])
        facts = CorpusFacts(**prepared.facts)
        for name in [
            n for n, old in known.items() if (old.sha256, old.sample) == (facts.sha256, facts.sample)
        ]:
            del known[name]
            stage = _Stage(options, sides, executors, prepared.corpus, prepared.path, prepared.modules, again)
            stage.check([cell for cell in cells if cell.corpus == name], show)
            yield stage
    if known:
        listed = ", ".join(f"{name} ({facts.source})" for name, facts in known.items())
        raise UsageError(f"--confirm: the records have changed or are missing: {listed}; see --corpus")


def _cut(facts: CorpusFacts) -> int | None:
    """Return the number of records after which reading ended; None if all were read."""
    return int(facts.profile["records"] or 0) if "read_share" in facts.profile else None


def _check_version(side: Side, codec: str, answer: Checked) -> None:
    """Refuse a codec whose version differs from the results.

    Raises:
        UsageError: The message has both versions.
    """
    then = next((facts for facts in side.run.codecs if facts.name == codec), None)
    now = answer.codec.get("version")
    if then is not None and then.differs(now):
        raise UsageError(
            f"{side.python}: has {then.library} {now}, the result has {then.version}; name the interpreters "
            "of both sides with --python-before and --python-after"
        )


@dataclass(slots=True)
class _Stage:
    """One corpus, with the checks of both sides."""

    options: Options
    sides: tuple[Side, Side]
    executors: tuple[LocalExecutor, ...]
    corpus: CorpusInputs
    path: tuple[str, ...]
    modules: Mapping[str, str]
    again: Again
    cells: list[Cell] = field(default_factory=list)
    checks: list[dict[str, Checked]] = field(default_factory=lambda: [{}, {}])
    states: tuple[State, State] = field(default_factory=lambda: (State(), State()))

    def check(self, cells: Sequence[Cell], show: Show) -> None:
        """Check the codecs of the cells on both sides; codecs that fail are not measured.

        Raises:
            UsageError: The version of a codec differs from the results.
        """
        operations = tuple(sorted({operation(cell.operation_name).base for cell in cells}))
        for codec in dict.fromkeys(cell.codec for cell in cells):
            show(f"checking {codec}", 0, 0)
            job = Check(
                memory=self.options.cell_memory,
                path=self.path,
                modules=self.modules,
                corpus=self.corpus,
                codec=codec,
                seconds=_PATIENCE,
                operations=operations,
            )
            for side, executor, checks in zip(self.sides, self.executors, self.checks, strict=True):
                ended = executor.work(job, patience=self.options.cell_timeout)
                answer: Checked = ended.answer or Checked(ended.outcome, ended.reason)
                _check_version(side, codec, answer)
                if answer.outcome in ("ok", "lossy"):
                    checks[codec] = answer
                else:
                    self.fail([cell for cell in cells if cell.codec == codec], answer.reason)
        self.cells = [cell for cell in cells if all(cell.codec in checks for checks in self.checks)]
        for state in self.states:
            for cell in self.cells:
                state.apply(CellEntry(CellFinding(cell, "ok")))

    def measure(self, enough: Enough, seconds: float, looks: Sequence[int], show: Show) -> float:
        """Time pairs of processes until all cells are decided or the time is over; return the seconds."""
        begun = time.monotonic()
        pairs = _Pairs(self, enough, looks[-1], show, begun, begun + seconds)
        # Both orders on each core.
        rounds = Rounds(pairs, patience=self.options.cell_timeout, looks=looks, orders=2)
        rounds.conduct()
        self.again.replaced += rounds.replaced
        return time.monotonic() - begun

    def job(self, side: int) -> Time:
        """Return the job of a timing process."""
        pace = self.executors[side].pace
        return job_of(self.options, self.corpus, self.path, self.modules, self.cells, self.checks[side], pace)

    def fail(self, cells: Sequence[Cell], reason: str) -> None:
        """Measure some cells no more."""
        for cell in cells:
            self.again.failed[cell] = reason
            self.again.samples.pop(cell, None)
        self.cells = [cell for cell in self.cells if cell not in cells]


@dataclass(slots=True)
class _Pairs:
    """The plan of the pairs of one corpus.

    Attributes:
        stage: The corpus.
        enough: Returns whether a cell is decided.
        most: Pairs after the last look.
        show: Receives progress.
        begun: When the first pair began, on the monotonic clock.
        end: When there is no time for another one.
        done: Pairs that count.
    """

    stage: _Stage
    enough: Enough
    most: int
    show: Show
    begun: float
    end: float
    done: int = 0

    @property
    def free_level(self) -> float:
        """One baseline for both: the state of a core does not depend on the side."""
        return min((state.free_level for state in self.stage.states if state.free_level), default=0.0)

    def next_turn(self) -> list[TimingProcess[Cell]]:
        """Return a process of each side, in alternating order."""
        if not self.stage.cells or self.done >= self.most or self.left() <= 0:
            return []
        self.show(
            f"both sides in turn, pair {self.done + 1}", time.monotonic() - self.begun, self.end - self.begun
        )
        pair = [
            TimingProcess(executor, self.stage.cells, self.stage.job(side))
            for side, executor in enumerate(self.stage.executors)
        ]
        return pair if self.done % 2 else pair[::-1]

    def take(self, turn: Sequence[Finished[Cell]]) -> None:
        """Keep the figures of a pair."""
        if not turn:
            return
        stage = self.stage
        for state, finished in zip(stage.states, turn if self.done % 2 else turn[::-1], strict=True):
            answer = finished.answer
            assert isinstance(answer, Timed)
            entry = ProcessEntry(
                finished.cells[0].corpus,
                self.done,
                answer.reference_kernel,
                {cell.name: figure for cell, figure in finished.figures().items()},
                contention=answer.contention,
                least=answer.free_level,
            )
            state.apply(entry)
        for cell in stage.cells:
            before, after = (self._samples(state, cell) for state in stage.states)
            # A neighbor that arrived between the two processes of a pair spoils it.
            pairs = [pair for pair in before if pair in after and same_core([before[pair]], [after[pair]])]
            stage.again.samples[cell] = [before[pair] for pair in pairs], [after[pair] for pair in pairs]
        self.done += 1

    def fail(self, cell: Cell, ended: Ended) -> None:
        """Measure a cell no more."""
        self.stage.fail([cell], ended.reason)

    def look(self) -> None:
        """Measure decided cells no more."""
        again = self.stage.again
        self.stage.cells = [
            cell
            for cell in self.stage.cells
            if not ((found := again.samples.get(cell)) and self.enough(cell, *found, again.alpha))
        ]

    def left(self) -> float:
        """Return the seconds of the corpus's part of the budget that are left."""
        return self.end - time.monotonic()

    def late(self) -> bool:
        """Return whether to end a process."""
        return self.left() < -GRACE

    @staticmethod
    def _samples(state: State, cell: Cell) -> dict[int, Measurement]:
        found = CellResult(cell, "ok", samples=state.samples(cell))
        if operation(cell.operation_name).facts().rate:
            found = turned(found)
        return {sample.pair: sample for sample in found.samples}
