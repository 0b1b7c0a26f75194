"""A worker of another language, started again for the next library if one has ended it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from ..jobs import ReaderCommand
from ..workers.port import Worker, WorkerError

_SCRUBBED = (
    "GODEBUG",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "NODE_OPTIONS",
    "_JAVA_OPTIONS",
)
"""Variables that would change how a language runs."""

_T = TypeVar("_T")


class Restarted:
    """A worker of another language.

    Leaving the context ends it.

    Args:
        start: How it is started.
        patience: Seconds for an answer.
    """

    def __init__(self, start: ReaderCommand, patience: float) -> None:
        self._start = start
        self._patience = patience
        self._worker: Worker | None = None
        for name in _SCRUBBED:
            os.environ.pop(name, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def ask(self, question: Callable[[Worker], _T]) -> _T:
        """Ask the worker; after a failure, the next question gets a fresh one.

        Raises:
            WorkerError: The worker failed.
        """
        try:
            if self._worker is None:
                self._worker = Worker(self._start.command, Path(self._start.folder), self._patience)
            return question(self._worker)
        except WorkerError:
            self._end()
            raise

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None
