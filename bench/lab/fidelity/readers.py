"""What the libraries of other languages read from the payloads of the matrix."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import NamedTuple, Self

from ...workers.builds import start
from ...workers.canonical import Change, changes
from ...workers.port import Refused, Worker, WorkerError
from ...workers.restarted import Restarted
from .matrix import FidelityCell, Written, moment_change

DEATHS = 3
"""Workers of a language that may die before its other cells are given up."""
_LONGEST = 200


class Reader(NamedTuple):
    """A library of another language."""

    language: str
    library: str
    version: str
    format: str


class Readers:
    """Workers of some languages; one that dies is started again.

    Args:
        languages: Names of languages.
        begin: Starts the worker of a language.

    Raises:
        UsageError: There is no such language, or its worker is not built.
        WorkerError: It does not start.
    """

    def __init__(self, languages: Iterable[str], begin: Callable[[str], Worker] = start) -> None:
        self._workers: dict[str, Restarted] = {}
        self._known: dict[tuple[Reader, bytes, str], FidelityCell] = {}
        self._language: dict[Reader, str] = {}
        with ExitStack() as stack:
            for language in languages:
                worker = stack.enter_context(Restarted(partial(begin, language), DEATHS))
                self._workers[language] = worker
                for reader in worker.ask(_libraries):
                    self._language[reader] = language
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def libraries(self) -> list[Reader]:
        """All libraries, by language."""
        return list(self._language)

    def cell(self, reader: Reader, written: Written) -> FidelityCell:
        """Return what a library reads from a payload, compared with what Python reads."""
        key = reader, written.payload, json.dumps(written.form)
        if key not in self._known:
            self._known[key] = self._tried(reader, written)
        return self._known[key]

    def _tried(self, reader: Reader, written: Written) -> FidelityCell:
        language = self._language[reader]
        try:
            read = self._workers[language].ask(lambda worker: worker.check(reader.library, written.payload))
        except WorkerError as error:
            return FidelityCell("crash", str(error)[:_LONGEST])
        if isinstance(read, Refused):
            return FidelityCell("refused", read.reason[:_LONGEST])
        change = next(changes(written.form, read), None)
        return FidelityCell("exact") if change is None else FidelityCell("changed", _became(change))


def _libraries(worker: Worker) -> list[Reader]:
    return [
        Reader(worker.language, each.name, each.version, each.format)
        for each in worker.libraries
        if not each.typed
    ]


def _became(change: Change) -> str:
    """Return what arrived, in short; of a moment, what differs."""
    moments = [text.removeprefix("time ") for text in (change.wrote, change.became)]
    try:
        return moment_change(*map(dt.datetime.fromisoformat, moments))
    except ValueError:
        return change.became
