"""A run on several machines or interpreters: a session and a result file each; corpora are read once."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from ...errors import BakeoffError, UsageError
from ...files import check_own
from ...nearby import NoSuchFile
from ..results import ResultData, read
from .context import Show
from .journal import journal_path
from .machines.addresses import Machine
from .options import Options
from .reading import CorpusReader
from .session import Session, guard, stored_options
from .turns import Turn, turns

_TICK = 0.1


class Several:
    """A run on several machines, which measure at the same time; interpreters of this one take turns.

    A machine that is lost costs only its own result.

    Args:
        options: The options of the run.
        output: The name from which those of the result files are made.
        show: Returns the function that receives the progress of a machine.
        resume: Continue the runs in these files. A machine with a complete result is left out, and one
            without any begins.
        **more: Arguments of every `Session`.

    Attributes:
        files: The result files, by the names of machines.
        results: The results, by the same names.
        lost: The errors of machines, by the same names.
        notes: Messages for the user at the end.
        interrupted: Ctrl-C was pressed.
    """

    def __init__(
        self,
        options: Options,
        output: Path,
        machines: Sequence[Machine],
        *,
        show: Callable[[str], Show],
        resume: bool = False,
        **more: Any,
    ) -> None:
        self.files = files_of(output, machines)
        self.results: dict[str, ResultData] = {}
        self.lost: dict[str, BakeoffError] = {}
        self.notes: list[str] = []
        self.interrupted = False
        self._options = options
        self._machines = machines
        self._show = show
        self._resume = resume
        self._more = more
        self._failed: list[BaseException] = []
        self._pressed = self._passed_on = 0

    def run(self) -> None:
        """Measure on all machines.

        The first Ctrl-C finishes the running process of each; a second one ends the run at once, and the
        results so far are saved.

        Raises:
            UsageError: A result file cannot be written.
            KeyboardInterrupt: Ctrl-C was pressed again.
        """
        for file in self.files.values():
            guard(file)
            if len(self.files) > 1:
                check_own(file)
        with CorpusReader(self._options) as reader:
            left = [machine for machine in self._machines if not self._is_complete(machine)]
            interpreters = [machine.name for machine in left if machine.python]
            order = dict(zip(interpreters, turns(len(interpreters)), strict=True))
            sessions = [self._session(machine, reader, order.get(machine.name)) for machine in left]
            threads = [threading.Thread(target=self._measure, args=(s,), daemon=True) for s in sessions]
            try:
                with self._listening():
                    for thread in threads:
                        thread.start()
                    for thread in threads:
                        while thread.is_alive():
                            self._pass_on(sessions)
                            thread.join(_TICK)
            except BaseException:
                # Workers end with this process, and that is no finding about their codecs.
                for session in sessions:
                    session.abandon()
                raise
        if self._failed:
            raise self._failed[0]

    def _is_complete(self, machine: Machine) -> bool:
        """Return whether the run to resume has nothing left to do for a machine; keep its result."""
        file = self.files[machine.name]
        if not self._resume or not is_begun(file) or journal_path(file).exists():
            return False
        result = read(file)
        if not result.complete or stored_options(file).flat() != self._options.flat():
            return False
        self.results[machine.name] = result
        self.notes.append(f"{machine.name}: is complete in {file}")
        return True

    def _session(self, machine: Machine, reader: CorpusReader, turn: Turn | None) -> Session:
        file = self.files[machine.name]
        return Session(
            self._options,
            file,
            resume=self._resume and is_begun(file),
            show=self._show(machine.name),
            machine=machine,
            reader=reader,
            turn=turn,
            **self._more,
        )

    def _measure(self, session: Session) -> None:
        name = session.machine.name
        try:
            self.results[name] = session.run()
            session.show("finished", 1, 1)
            note = "; ".join(
                filter(None, [f"results are in {session.output_file.path}", session.output_file.note])
            )
            self.notes += [f"{name}: {text}" for text in (*session.notes, note)]
        except BakeoffError as error:
            self.lost[name] = error
            session.show("lost", -1, 0)
        except KeyboardInterrupt:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            self._failed.append(error)

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        def interrupt(number: int, frame: FrameType | None) -> None:
            self._pressed += 1
            if self._pressed > 2:
                raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _pass_on(self, sessions: Sequence[Session]) -> None:
        """Pass Ctrl-C on to the sessions, which are in other threads."""
        if self._pressed > self._passed_on:
            self._passed_on, self.interrupted = self._pressed, True
            for session in sessions:
                session.stop() if self._pressed == 1 else session.abandon()


def files_of(output: Path, machines: Sequence[Machine]) -> dict[str, Path]:
    """Return the result file of each machine by its name: the named file for one, and otherwise several."""
    if len(machines) == 1:
        return {machines[0].name: output}
    return {m.name: output.with_name(f"{output.stem}-{m.name}{output.suffix}") for m in machines}


def is_begun(file: Path) -> bool:
    """Return whether there is a run to resume in a file."""
    return file.exists() or journal_path(file).exists()


def stored_anywhere(output: Path, machines: Sequence[Machine]) -> Options:
    """Return the options of the run to resume.

    Args:
        output: The name from which those of the result files are made.

    Raises:
        UsageError: There is no such run.
    """
    files = [*files_of(output, machines).values()]
    for file in files:
        if is_begun(file):
            return stored_options(file)
    if is_begun(output):
        raise UsageError(
            f"{output}: is the file of one machine or interpreter; name only that one, or resume all with "
            "the name that -o had, which lacks that of the machine or interpreter"
        )
    if len(files) == 1:
        raise NoSuchFile(output, "there is nothing to resume")
    raise UsageError(f"{', '.join(map(str, files))}: no such files; there is nothing to resume")
