"""What the libraries of other languages read from the payloads of the matrix, and write again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any, TypeVar

from ...foreign.builds import start
from ...foreign.canonical import ChangedValue, changes
from ...foreign.port import ForeignWorker, LibraryRefusal, Restarted, WorkerError
from ...foreign.schemas import ReaderSchema
from ...preserved import FidelityCell, ForeignLibrary, ForeignReads
from .matrix import Tried, Written, moment_change

DEATHS = 3
"""Workers of a language that may die before its other cells are given up."""
_LONGEST = 200

_T = TypeVar("_T")


class ForeignReaders(AbstractContextManager["ForeignReaders"]):
    """Workers of some languages; one that dies is started again.

    Args:
        languages: Names of languages.
        begin: Starts the worker of a language.

    Raises:
        UsageError: There is no such language, or its worker is not built.
        WorkerError: It does not start.
    """

    def __init__(self, languages: Iterable[str], begin: Callable[[str], ForeignWorker] = start) -> None:
        self._workers: dict[str, Restarted] = {}
        self._known: dict[tuple[ForeignLibrary, bytes, str, ReaderSchema | None], FidelityCell] = {}
        self._dumped: dict[tuple[ForeignLibrary, bytes, ReaderSchema | None], bytes | FidelityCell] = {}
        self._language: dict[ForeignLibrary, str] = {}
        with ExitStack() as stack:
            for language in languages:
                worker = stack.enter_context(Restarted(partial(begin, language), DEATHS))
                self._workers[language] = worker
                for reader in worker.ask(_libraries):
                    self._language[reader] = language
            self._stack = stack.pop_all()

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    @property
    def libraries(self) -> list[ForeignLibrary]:
        """All libraries, by language."""
        return list(self._language)

    def cell(self, reader: ForeignLibrary, written: Written) -> FidelityCell:
        """Return what a library reads from a payload, compared with what Python reads."""
        key = reader, written.payload, json.dumps(written.form), written.schema
        if key not in self._known:
            self._known[key] = self._tried(reader, written)
        return self._known[key]

    def dump(self, reader: ForeignLibrary, written: Written) -> bytes | FidelityCell:
        """Return the payload that a library writes of the value that it reads from another one.

        A value that it does not read exactly is not written: nobody would know what it should write.
        """
        if not reader.writer:
            return FidelityCell("not written", "the worker does not write")
        read = self.cell(reader, written)
        if read.outcome != "exact":
            return FidelityCell("not written", f"{read.outcome} when read")
        asked = written.payload, written.schema
        if (reader, *asked) not in self._dumped:
            self._dumped[reader, *asked] = self._ask(
                reader, lambda worker: worker.dump(reader.library, *asked)
            )
        return self._dumped[reader, *asked]

    def _tried(self, reader: ForeignLibrary, written: Written) -> FidelityCell:
        asked = written.payload, written.schema
        read = self._ask(reader, lambda worker: worker.check(reader.library, *asked))
        return read if isinstance(read, FidelityCell) else compared(written.form, read)

    def _ask(
        self, reader: ForeignLibrary, question: Callable[[ForeignWorker], _T | LibraryRefusal]
    ) -> _T | FidelityCell:
        language = self._language[reader]
        try:
            answer = self._workers[language].ask(question)
        except WorkerError as error:
            return FidelityCell("crash", str(error)[:_LONGEST])
        return (
            FidelityCell("refused", answer.reason[:_LONGEST])
            if isinstance(answer, LibraryRefusal)
            else answer
        )


def _libraries(worker: ForeignWorker) -> list[ForeignLibrary]:
    return [
        ForeignLibrary(worker.language, each.name, each.version, each.format, each.writer)
        for each in worker.libraries
        if not each.typed
    ]


def read(
    readers: ForeignReaders, columns: Mapping[str, Mapping[str, Tried]], formats: Mapping[str, str]
) -> ForeignReads:
    """Read every payload with every library of its format.

    Args:
        readers: The libraries.
        columns: The payloads by codec and value.
        formats: The format of each codec.
    """
    python, cells = {}, {}
    for codec, column in columns.items():
        for value, tried in column.items():
            if tried.written is None:
                continue
            python[codec, value] = tried.of_written
            for library in readers.libraries:
                if library.format == formats[codec]:
                    cells[codec, value, library] = readers.cell(library, tried.written)
    known = {codec: formats[codec] for codec in columns}
    return ForeignReads("read", readers.libraries, known, python, cells)


def compared(wrote: list[Any], became: list[Any]) -> FidelityCell:
    """Return whether a value arrived, from the canonical forms before and after."""
    change = next(changes(wrote, became), None)
    return FidelityCell("exact") if change is None else FidelityCell("changed", _became(change))


def _became(change: ChangedValue) -> str:
    """Return what arrived, in short; of a moment, what differs."""
    moments = [text.removeprefix("time ") for text in (change.wrote, change.became)]
    try:
        return moment_change(*map(dt.datetime.fromisoformat, moments))
    except ValueError:
        return change.became
