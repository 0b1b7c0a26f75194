"""Records out of the user's own function, ``module:function``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from ..errors import UsageError
from ..files import import_from_here
from .base import Progress
from .errors import UnreadableCorpus
from .hashing import Hasher
from .passes import Cut, Digest, Passed, Reading
from .problems import Problems

__all__ = ["Made", "imported"]


class Made(Passed):
    """The records that a function returns each time it is called."""

    def __init__(self, source: str, function: Callable[[], Iterable[Any]], reading: Reading) -> None:
        name = source.rpartition(":")[2].replace(".", "-")
        doc = (inspect.getdoc(function) or "").partition("\n")[0]
        super().__init__(name, source, doc or f"records of {source}", reading)
        self._function = function

    def _read(self, problems: Problems, digest: Digest, on_progress: Progress | None) -> Iterator[Any]:
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
        digest.text = hasher.hexdigest()


def imported(source: str) -> Callable[[], Iterable[Any]]:
    """Import ``module:function``, from the current folder, too.

    Raises:
        UsageError: There is no such module or function, importing it fails, or it cannot be called.
    """
    module_name, _, attributes = source.partition(":")
    try:
        found: Any = import_from_here(module_name)
        for attribute in attributes.split("."):
            found = getattr(found, attribute)
    except Exception as error:
        raise UsageError(f"{source}: cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise UsageError(f"{source}: not a function, but of type {type(found).__name__}")
    function: Callable[[], Iterable[Any]] = found
    return function
