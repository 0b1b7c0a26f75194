"""Corpora of which nothing is known before all records have passed."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .base import DEFAULT_SEED, PROFILED, Corpus, Progress, Survey
from .errors import UnreadableCorpus
from .readers.at import RecordPath
from .readers.problems import Problems
from .sampling import Sampler, fitting

__all__ = ["Cut", "Passed", "ReadOptions"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read what the user has brought.

    Attributes:
        format: Name of the format; None goes by the ending.
        limit: Read the first so many records; None reads all.
        skip_bad: Leave out records that cannot be read.
        trusted: Allow formats that run what the file says.
        at: Where in each document the records are; None for the document itself.
        encoding: Of text; None is UTF-8, or what a byte order mark tells.
        null: Cells of CSV that stand for None.
    """

    format: str | None = None
    limit: int | None = None
    seed: int = DEFAULT_SEED
    skip_bad: bool = False
    trusted: bool = False
    at: RecordPath | None = None
    encoding: str | None = None
    null: frozenset[str] = frozenset()


_SOME = 64
"""Records after which the clock is looked at."""


class Cut:
    """Says when a pass is to end before the end.

    Args:
        seconds: After so long; None for never.
        after: After so many records; None for never.
    """

    def __init__(self, seconds: float | None = None, after: int | None = None) -> None:
        self._until = math.inf if seconds is None else time.monotonic() + seconds
        self._left = -1 if after is None else after

    def __call__(self) -> bool:
        """Return whether the record that has just passed is the last; to be asked once for each."""
        self._left -= 1
        return self._left == 0 or (self._left % _SOME == 0 and time.monotonic() > self._until)


class Passed(Corpus):
    """Records that can only be had by going through all of them."""

    def __init__(self, name: str, source: str, description: str, reading: ReadOptions) -> None:
        super().__init__(name, source, description, None, reading.seed)
        self._limit = reading.limit
        self._skip_bad = reading.skip_bad
        self._cut: tuple[float | None, int | None] | None = None
        self._digest = ""

    def cut(self, seconds: float | None = None, after: int | None = None) -> None:
        self._cut = None if seconds is None and after is None else (seconds, after)

    @abstractmethod
    def _read(self, problems: Problems, on_progress: Progress | None) -> Iterator[Any]:
        """Iterate over all records; set `_digest`, the hash of what was read, at the end."""

    def _remark_on_only(self, record: Any) -> str:
        """Return what is to be said of the only record there is."""
        return ""

    def records(self, on_progress: Progress | None = None) -> Iterator[Any]:
        problems = Problems(skip=self._skip_bad)
        self.bad = problems.kept
        self.skipped = 0
        self.share = 1.0
        try:
            records = self._read(problems, on_progress)
            first = list(islice(records, 1))
            if not first:
                raise UnreadableCorpus(f"{self.source}: contains no records{_skipped(problems)}")
            yield first[0]
            second = list(islice(records, 1))
            if second:
                first.clear()
                yield second[0]
                yield from records
            elif self._limit != 1:
                self.remark = self._remark_on_only(first[0]) or self.remark
        finally:
            self.skipped = problems.total

    def sample(
        self, n: int, on_progress: Progress | None = None, *, room: int | None = None, least: int = 1
    ) -> list[Any]:
        sampler = Sampler(max(n, PROFILED), self.seed)
        sampler.take(self.records(on_progress))
        drawn = sampler.records()
        if self._survey is None:
            from .profile import profile

            facts = profile(drawn, sampler.count, sampler.size) | {"size_mean": sampler.size}
            self._survey = Survey(sampler.count, self._digest, facts)
        return fitting(drawn, n, room, least, self.seed)


def _skipped(problems: Problems) -> str:
    if not problems.total:
        return ""
    where, cause = problems.kept[0]
    return f" that can be read; {problems.total:,} skipped, the first at {where}: {cause}"
