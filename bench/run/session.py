"""A run from start to end: prepare, check, time, measure memory, and save the result."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType

from ...codecs.registry import given
from ...errors import RunError, UsageError
from ...files import end_of_links, is_device, is_result_file
from ..capabilities import here
from ..jobs import Executor
from ..ledger import CorpusEntry, HeadEntry, OptionEntry, WarningEntry
from ..messages.prepare import Prepared
from ..method import Budget, Pace
from ..past import free_core, remember
from ..results import FORMAT_VERSION, CorpusFacts, Fact, ResultData
from .alone import count_all, measure_alone
from .check import check
from .context import Run, Show, Stage
from .environment import MACHINE, abreast, warnings
from .interpreters import InterpreterExecutor
from .journal import Journal, stored
from .machines.addresses import LOCAL, Machine
from .machines.lock import measuring
from .memory import measure_memory
from .objects import IN_MEMORY, NO_OBJECTS, Objects
from .options import Options
from .output_file import OutputFile
from .readers import check_reads
from .reading import CorpusReader
from .releases import Releases, release_of
from .schedule import Schedule
from .state import State
from .time import time_cells
from .turns import Turn, turns

_STOPPING = "finishing this process; Ctrl-C again stops at once"
_SAVE_EVERY = 15.0
"""Seconds between two writes of the result file, at the end of a corpus's timing. The journal is written
after every process."""


class _UnfitError(RunError):
    """The existing measurements do not fit the requested ones."""


def guard(output: Path) -> None:
    """Refuse to overwrite a file that is not a result file, and names that no file can have.

    Raises:
        UsageError: The file is not a result file, or cannot be written.
    """
    for folder in (output.parent, end_of_links(output).parent):
        if not folder.is_dir():
            raise UsageError(f"{output}: no such folder: {folder}")
    if output.suffix == ".gz":
        raise UsageError(f"{output}: a result file is not compressed; remove .gz")
    if output.is_dir():
        raise UsageError(f"{output}: is a folder; name a file with -o")
    if is_device(output):
        raise UsageError(f"{output}: is a device; a run needs a regular file")
    if output.exists() and output.stat().st_size and not is_result_file(output):
        raise UsageError(f"{output}: exists and is not a result file of bakeoff; choose another with -o")


def stored_options(output: Path) -> Options:
    """Return the options of the run to resume.

    Raises:
        UsageError: There is no such run, or its records were objects of a program.
        RunError: It is from another version.
    """
    state = State()
    for entry in stored(output)[0]:
        state.apply(entry)
    options = _options_of(state.head, output)
    result = state.result(duration=0.0, complete=False)
    if result.in_python and IN_MEMORY in options.corpora and not Path(IN_MEMORY).exists():
        raise UsageError(
            f"{output}: measured from Python objects, so it cannot be resumed; call bakeoff.run again"
        )
    return options


def _options_of(head: HeadEntry, output: Path) -> Options:
    try:
        return Options.from_flat(head.options)
    except (TypeError, KeyError) as error:
        raise RunError(f"{output}: made by another version of bakeoff; start a new run") from error


def _after(run: Run, source: str) -> int | None:
    """Return the records after which reading ended in the resumed run; None if all were read."""
    for facts in run.state.corpora.values():
        if run.resumed and facts.source == source and "read_share" in facts.profile:
            return int(facts.profile["records"] or 0)
    return None


class Session:
    """One run.

    Args:
        options: The options of the run.
        output: Result file.
        command: The command line, for the record.
        resume: Continue the run in `output`.
        show: Receives progress.
        look: Called after new findings, with a function that returns the result so far.
        checked: Called before the codecs of a corpus are timed, with the result so far and the corpus's name.
        objects: Objects of the program; a corpus among them is the only one.
        machine: The machine that measures.
        reader: Reads the corpora on this machine; a new one if it is None.
        turn: Its turn among the sessions that share this machine; it shares nothing if it is None.
        pace: How much it measures, and how careful it is; `Pace.usual` if it is None.

    Attributes:
        notes: Messages for the user at the end, besides the result.
        output_file: The destination of the result.
        interrupted: Ctrl-C was pressed.
        kept: The output has what was measured.
    """

    def __init__(
        self,
        options: Options,
        output: Path,
        *,
        command: str = "",
        resume: bool = False,
        show: Show = lambda text, done, total: None,
        look: Callable[[Callable[[], ResultData]], object] = lambda result: None,
        checked: Callable[[ResultData, str], object] | None = None,
        objects: Objects = NO_OBJECTS,
        machine: Machine = LOCAL,
        reader: CorpusReader | None = None,
        turn: Turn | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.options = options
        self.pace = pace or Pace.usual
        self.output = output
        self.command = command
        self.resume = resume
        self.show = show
        self.look = look
        self.checked = checked
        self.objects = objects
        self.machine = machine
        self.reader = reader
        self.turn = turn or turns(1)[0]
        self.notes: list[str] = []
        self.output_file = OutputFile(output)
        self.interrupted = False
        self._reading = True
        self._run: Run | None = None
        self._executor: Executor | None = None
        self.kept = False
        self._saved = time.monotonic()

    def run(self) -> ResultData:
        """Run all phases.

        The first Ctrl-C finishes the running process and returns the result so far. A second one, or one
        while the corpora are still being read, ends the run at once, after the result file is written.

        Raises:
            RunError: A corpus cannot be read, the file cannot be written, or does not fit a resumed run.
            UsageError: Something requested does not exist.
            KeyboardInterrupt: Ctrl-C was pressed twice, or before anything was measured.
        """
        guard(self.output)
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.turn.taken(lambda: self._wait("waiting for other interpreters")))
            reader = self.reader or stack.enter_context(CorpusReader(self.options, self.objects, self.pace))
            self._fetch(reader.executor.releases)
            executor = self._executor = self._open(reader, stack)
            journal = Journal(self.output, resume=self.resume, durable=self.pace.durable)
            if journal.aside is not None:
                instead = ", in place of an older one" if journal.older else ""
                self.notes.append(
                    f"an unfinished run was here; it is kept as {journal.aside}{instead} (move it back to "
                    f"{journal.path.name} and say --resume to resume it)"
                )
            options = self.options
            if self.pace.fewest is not None:
                options = dataclasses.replace(options, fewest=min(options.fewest, self.pace.fewest))
            run = Run(options, State(), journal, executor, self._step, resumed=bool(journal.entries))
            run.turn, run.pace = self.turn, self.pace
            run.look = lambda: self.look(lambda: run.state.result(duration=run.spent(), complete=False))
            run.stopping, self._run = self.interrupted, run
            try:
                with self._listening(run):
                    complete = self._phases(run, reader)
                if self.interrupted and not (journal.gained or run.resumed):
                    raise KeyboardInterrupt
                result = self._save(run, complete=complete)
            except BaseException as error:
                self._give_up(run, interrupted=run.abandoned or isinstance(error, KeyboardInterrupt))
                if run.abandoned:
                    raise KeyboardInterrupt from error
                if journal.gained and isinstance(error, RunError) and not isinstance(error, _UnfitError):
                    again = f"{self.output}{self.machine.option}"
                    kept = f"results so far are kept; `bakeoff run --resume {again}` continues"
                    raise RunError(f"{error}; {kept}") from error
                raise
            journal.remove()
            # The history of this machine must not depend on what another one says about itself.
            if complete and self.machine.connect is None and (failed := remember(result)):
                self.notes.append(failed)
            return result

    def _fetch(self, releases: Releases) -> None:
        """Fetch the releases of libraries that codecs name.

        Raises:
            UsageError: Another machine or interpreter measures, to which the cache does not belong.
        """
        if self.machine.connect is not None or self.machine.python:
            if named := next(filter(release_of, self.options.codecs), None):
                raise UsageError(
                    f"{self.machine.name}: {named}: releases are measured by this interpreter only; install "
                    "the release there, and name the codec without =="
                )
            return
        self.notes += releases.fetch(self.options.codecs, self.show, offline=self.options.offline)

    def _open(self, reader: CorpusReader, stack: contextlib.ExitStack) -> Executor:
        """Return the executor of the machine, as soon as it may measure."""
        if self.machine.connect is None:
            executor = reader.executor
            if python := self.machine.python:
                another = InterpreterExecutor(python, executor.blobs, executor.codecs, pace=self.pace)
                executor = stack.enter_context(another)
            if here().fork_server:
                executor.warm_up()
            waiting = "waiting: an agent of another run measures on this machine"
            stack.enter_context(measuring(lambda: self._wait(waiting), alone=False))
            return executor
        sources = given()
        self._refuse_files({name: source for name, source in sources.items() if ".py:" in source})
        from .machines.remote import RemoteExecutor

        return stack.enter_context(RemoteExecutor(self.machine, reader.executor.blobs, self._wait))

    def _wait(self, reason: str) -> None:
        """Show why nothing happens yet."""
        self.show(reason, -1, 0)
        if self.interrupted:
            raise KeyboardInterrupt

    def _refuse_files(self, files: Mapping[str, str]) -> None:
        """Refuse modules that another machine does not have.

        Raises:
            UsageError: There are some.
        """
        if files:
            name, file = next(iter(files.items()))
            raise UsageError(
                f"{self.machine.name}: {name} comes from {file}, which is not sent to other machines; "
                "install it there as a package, and name it MODULE:NAME"
            )

    def stop(self) -> None:
        """Finish the running process, and then end the run."""
        self.interrupted = True
        if self._run is not None:
            self._run.stopping = True
        if not self._reading:
            self._step(_STOPPING, 0, 0)

    def _step(self, text: str, done: float, total: float) -> None:
        """Show a step; after Ctrl-C, that it is the last one, which takes no known time."""
        self.show(*((_STOPPING, 0, 0) if self.interrupted else (text, done, total)))

    def abandon(self) -> None:
        """End the run at once, from another thread; what was measured is saved."""
        self.stop()
        if self._run is not None:
            self._run.abandoned = True
        if self._executor is not None:
            self._executor.close()

    def _give_up(self, run: Run, *, interrupted: bool) -> None:
        """Save the findings so far; an empty result never replaces an older file."""
        if not run.journal.gained:
            run.journal.undo()
        elif interrupted:
            self._save(run, complete=False)
            run.journal.remove()
        else:
            run.journal.close()

    def _save(self, run: Run, *, complete: bool, last: bool = True) -> ResultData:
        result = run.state.result(duration=run.spent(), complete=complete)
        self.output_file.write(result, last=last)
        self.kept = True
        self._saved = time.monotonic()
        return result

    @contextlib.contextmanager
    def _listening(self, run: Run) -> Iterator[None]:
        """Make the first Ctrl-C a request to stop, and the second one an interrupt."""

        def interrupt(number: int, frame: FrameType | None) -> None:
            stopping = run.stopping
            self.stop()
            if stopping:
                raise KeyboardInterrupt

        try:
            before = signal.signal(signal.SIGINT, interrupt)
        except ValueError:  # not the main thread: the embedding program handles signals
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _phases(self, run: Run, reader: CorpusReader) -> bool:
        """Run all phases; return whether everything requested was done."""
        for entry in run.journal.entries:
            run.state.apply(entry)
        run.before = run.state.seconds
        facts = dict(run.executor.facts)
        if self.machine.python:
            facts["interpreter"] = self.machine.name
        run.state.knows(free_core(facts))
        if run.resumed:
            stored = _options_of(run.state.head, self.output)
            self._compare(run, stored, facts)
            then, now = stored.flat(), self.options.flat()
            if changed := {key: value for key, value in now.items() if value != then[key]}:
                run.record(OptionEntry(changed))
        else:
            run.record(
                HeadEntry(
                    FORMAT_VERSION,
                    environment={**facts, "gc": self.options.gc},
                    options=self.options.flat(),
                    conditions=self.options.conditions(),
                    command=self.command,
                    started=dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
                )
            )
        run.record(*map(WarningEntry, warnings(facts)))
        stages = [self._prepare(run, reader, source, size) for source, size in self.options.sized()]
        self._reading = False
        for stage in stages:
            if run.stopping:
                break
            self._measure(run, stage)
        return not run.stopping

    def _measure(self, run: Run, stage: Stage) -> None:
        """Check the codecs of a corpus, and measure them."""
        stage.schedule.begin()
        before = dict(run.state.codecs)
        check(run, stage)
        if self.options.readers and not run.stopping:
            check_reads(run, stage)
        if stage.changed:
            self._refuse(stage.changed)
        self._warn_of_codecs(run, before)
        if self.options.timed():
            if self.checked is not None:
                self.checked(run.state.result(duration=run.spent(), complete=False), stage.name)
            time_cells(run, stage)
        if time.monotonic() - self._saved > _SAVE_EVERY:
            self._save(run, complete=False, last=False)
        measure_alone(run, stage)
        measure_memory(run, stage)
        count_all(run, stage)

    def _prepare(self, run: Run, reader: CorpusReader, source: str, size: int | None) -> Stage:
        """Draw a sample."""
        options, begun = self.options, time.monotonic()
        run.show(f"reading {source}", 0, 100)
        prepared = reader.read(
            source,
            size,
            lambda percent: run.show(f"reading {source}", max(0, percent), 100),
            after=_after(run, source),
            stop=lambda: run.stopping,
        )
        if self.machine.connect is not None:
            self._refuse_files({name: file for name, file in prepared.modules.items() if file})
        facts = CorpusFacts(**prepared.facts)
        name = facts.name
        taken = [s for s in run.state.corpora if run.state.corpora[s].source != facts.source]
        number = 1
        while facts.name in taken:
            number += 1
            facts = dataclasses.replace(facts, name=f"{name}-{number}")
        self._same_corpus(run, facts)
        run.record(CorpusEntry(facts))
        for remark in filter(None, prepared.remark.split("\n")):
            run.record(WarningEntry(remark))
        self._note(source, prepared, facts)
        return Stage(
            facts.name,
            prepared.corpus,
            prepared.path,
            prepared.modules,
            prepared.codecs,
            Schedule(
                dataclasses.replace(options, codecs=prepared.codecs),
                time.monotonic() - begun,
                facts.sample <= Budget.DOCUMENTS,
                abreast(run.executor.cores),
            ),
            # Import polars only after the fork, which its threads would not survive.
            libraries=tuple(sorted({kind.split(".")[0] for kind in prepared.kinds} & {"numpy", "pandas"})),
        )

    def _note(self, source: str, prepared: Prepared, facts: CorpusFacts) -> None:
        """Note for the user what was left out of a corpus."""
        if prepared.bad:
            where, why = prepared.bad[0]
            self.notes.append(
                f"{source}: 1 bad record was skipped, at {where}: {why}"
                if facts.skipped == 1
                else f"{source}: {facts.skipped:,} bad records were skipped, the first at {where}: {why}"
            )
        if prepared.idle:
            listed = ", ".join(prepared.idle)
            self.notes.append(
                f"{source}: the schema has nothing to fix for {listed}: no +schema rows for these"
            )

    def _same_corpus(self, run: Run, facts: CorpusFacts) -> None:
        before = run.state.corpora.get(facts.name)
        if run.resumed and before is not None and before.sha256 != facts.sha256:
            self._refuse(
                [f"corpus {facts.name}: sha256 was {before.sha256[:12]}, is now {facts.sha256[:12]}"]
            )

    def _compare(self, run: Run, stored: Options, facts: Mapping[str, Fact]) -> None:
        found = list(self.options.conflicts(stored))
        then = run.state.head.environment
        found += [
            f"{key}: was {then.get(key)}, is now {facts.get(key)}"
            for key in MACHINE
            if then.get(key) != facts.get(key)
        ]
        if found and "interpreter" in then and not self.machine.python:
            name = str(then["interpreter"])
            every = self.output.with_stem(self.output.stem.removesuffix(f"-{name}"))
            self._refuse(
                found,
                f"it was measured under {name}: add --python {name}, or resume all interpreters of that run "
                f"with --resume {every} and a --python for each",
            )
        if found:
            self._refuse(found)

    def _refuse(self, found: list[str], way: str = "start a new run into another file with -o") -> None:
        differences = "\n  ".join(found)
        raise _UnfitError(
            f"{self.output}: cannot be resumed, as the figures would not be comparable:\n"
            f"  {differences}\n{way}"
        )

    @staticmethod
    def _warn_of_codecs(run: Run, before: Mapping[str, object]) -> None:
        for name, facts in run.state.codecs.items():
            if name not in before and facts.accelerated is False and "/pure" not in name:
                text = f"{name}: the C accelerator of {facts.library} is missing; it runs as pure Python"
                run.record(WarningEntry(text))
