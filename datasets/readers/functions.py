"""Records of the user's own Python module or file: ``module:function``, ``FILE.py:LIST``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from copy import copy
from itertools import islice, tee
from typing import Any

from ...errors import UsageError
from ...imports import named
from ..base import Progress
from ..errors import UnreadableCorpus
from ..hashing import Hasher
from ..passes import Cut, Passed, ReadOptions
from .problems import Problems


class Made(Passed):
    """The records that a function returns at each call, or the items of a list."""

    def __init__(
        self, source: str, function: Callable[[], Iterable[Any]], reading: ReadOptions, description: str = ""
    ) -> None:
        name = source.rpartition(":")[2].replace(".", "-")
        doc = (inspect.getdoc(function) or "").partition("\n")[0] if inspect.isroutine(function) else ""
        super().__init__(name, source, description or doc or f"records of {source}", reading)
        self._function = function

    def _read(self, problems: Problems, on_progress: Progress | None) -> Generator[Any]:
        hasher = Hasher()
        number = 0
        over = Cut(*self._cut or ())
        try:
            for record in islice(self._function(), self._limit):
                number += 1
                hasher.add(record)
                if on_progress is not None and number % 1_000 == 0:
                    on_progress(number, self._limit)
                yield record
                if over():
                    self.share = number / max(number + 1, self._limit or 0)
                    break
        except Exception as error:
            raise UnreadableCorpus(
                f"{self.source}, record {number + 1}: {type(error).__name__}: {error}"
            ) from error
        self._digest = hasher.hexdigest()


def imported(source: str) -> Callable[[], Iterable[Any]]:
    """Return a function that returns the records of ``module:name`` or ``FILE.py:name``.

    It calls a function, and reads a list or other iterable. Items of an iterator are kept for the next call.

    Raises:
        UsageError: There is no such module, file or name, importing it fails, or it is not a source of
            records.
    """
    found = named(source)
    is_function = isinstance(found, type) or not isinstance(found, Iterable)
    if isinstance(found, str | bytes | Mapping) or (is_function and not callable(found)):
        raise UsageError(
            f"{source}: of type {type(found).__name__}; expected a list of records, or a function that "
            "returns them"
        )
    if is_function:
        function: Callable[[], Iterable[Any]] = found
        return function
    if isinstance(found, Iterator):
        (kept,) = tee(found, 1)
        return lambda: copy(kept)
    return lambda: found
