"""What the libraries of other languages read from the payloads of the matrix."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import NamedTuple, Self

from ...workers.builds import start
from ...workers.canonical import Change, changes
from ...workers.port import Refused, Worker, WorkerError
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
        self._begin = begin
        self._workers: dict[str, Worker] = {}
        self._deaths: Counter[str] = Counter()
        self._known: dict[tuple[Reader, bytes, str], FidelityCell] = {}
        self._language: dict[Reader, str] = {}
        try:
            for language in languages:
                worker = self._workers[language] = begin(language)
                for each in (library for library in worker.libraries if not library.typed):
                    reader = Reader(worker.language, each.name, each.version, each.format)
                    self._language[reader] = language
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.close()

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
            read = self._workers[language].check(reader.library, written.payload)
        except WorkerError as error:
            self._restart(language)
            return FidelityCell("crash", str(error)[:_LONGEST])
        if isinstance(read, Refused):
            return FidelityCell("refused", read.reason[:_LONGEST])
        change = next(changes(written.form, read), None)
        return FidelityCell("exact") if change is None else FidelityCell("changed", _became(change))

    def _restart(self, language: str) -> None:
        self._deaths[language] += 1
        if self._deaths[language] < DEATHS:
            self._workers[language].close()
            with contextlib.suppress(WorkerError):  # the old one says why it failed
                self._workers[language] = self._begin(language)


def _became(change: Change) -> str:
    """Return what arrived, in short; of a moment, what differs."""
    moments = [text.removeprefix("time ") for text in (change.wrote, change.became)]
    try:
        return moment_change(*map(dt.datetime.fromisoformat, moments))
    except ValueError:
        return change.became
