"""A worker of another language, started again for the next question after one has ended it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from .port import ForeignWorker, WorkerError

_T = TypeVar("_T")


class Restarted(AbstractContextManager["Restarted"]):
    """A worker of another language.

    Leaving the context ends it.

    Args:
        begin: Starts it.
        most: Failures after which it is not started again.
    """

    def __init__(self, begin: Callable[[], ForeignWorker], most: float = math.inf) -> None:
        self._begin = begin
        self._left = most
        self._worker: ForeignWorker | None = None
        self._failure = WorkerError()

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(self, question: Callable[[ForeignWorker], _T]) -> _T:
        """Ask the worker; after a failure, the next question gets a fresh one.

        Raises:
            WorkerError: The worker failed, or has failed too often.
        """
        if self._left <= 0:
            raise self._failure
        try:
            if self._worker is None:
                self._worker = self._begin()
            return question(self._worker)
        except WorkerError as error:
            self._left -= 1
            self._failure = error
            self.close()
            raise

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
