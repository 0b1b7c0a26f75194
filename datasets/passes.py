"""Corpora that are unknown until all records have been read."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Collection, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from .base import DEFAULT_SEED, PROFILED, Corpus, Progress, Survey
from .errors import NoRecords
from .readers.at import RecordPath
from .readers.encoding import checked
from .readers.problems import Problems
from .sampling import Reservoir, fitting


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read the user's source.

    Attributes:
        format: Name of the format; None uses the file's extension.
        limit: Number of records to read; None reads all.
        skip_invalid: Skip records that cannot be read.
        trust_files: Allow formats that run code from the file.
        at: Location of the records in each document; None for the document itself.
        encoding: Encoding of text; None is UTF-8, or the encoding of a byte order mark.
        null_values: Texts of CSV cells that mean None.
        no_header: The first line of CSV is a record.
        decimal_comma: Numbers of CSV have a decimal comma.
    """

    format: str | None = None
    limit: int | None = None
    seed: int = DEFAULT_SEED
    skip_invalid: bool = False
    trust_files: bool = False
    at: RecordPath | None = None
    encoding: str | None = None
    null_values: frozenset[str] = frozenset()
    no_header: bool = False
    decimal_comma: bool = False

    @classmethod
    def of(
        cls,
        *,
        at: str | None = None,
        encoding: str | None = None,
        null_values: Collection[str] = (),
        **others: Any,
    ) -> Self:
        """Return the options that belong to arguments of `bakeoff.corpus`.

        Raises:
            UsageError: `at` or `encoding` is invalid.
        """
        return cls(
            at=None if at is None else RecordPath.parse(at),
            encoding=None if encoding is None else checked(encoding),
            null_values=frozenset(null_values),
            **others,
        )

    def of_cells(self) -> list[str]:
        """Return the names of the given options that apply to CSV only."""
        given = {
            "null-value": self.null_values,
            "no-header": self.no_header,
            "decimal-comma": self.decimal_comma,
        }
        return [name for name, value in given.items() if value]


_SOME = 64
"""Records between two looks at the clock."""


class Cut:
    """Decides when a pass ends before the end of the source.

    Args:
        seconds: Maximum duration; None for no limit.
        after: Maximum number of records; None for no limit.
    """

    def __init__(self, seconds: float | None = None, after: int | None = None) -> None:
        self._until = math.inf if seconds is None else time.monotonic() + seconds
        self._left = -1 if after is None else after

    def __call__(self) -> bool:
        """Return whether the record just read is the last one; call it once for each record."""
        self._left -= 1
        return self._left == 0 or (self._left % _SOME == 0 and time.monotonic() > self._until)


class Passed(Corpus):
    """Records that can only be read all in sequence."""

    def __init__(
        self, name: str, source: str, description: str, reading: ReadOptions, remark: str = ""
    ) -> None:
        super().__init__(name, source, description, None, reading.seed)
        self.remark = self._before = remark
        self._limit = reading.limit
        self._skip_invalid = reading.skip_invalid
        self._cut: tuple[float | None, int | None] | None = None
        self._digest = ""

    def cut(self, seconds: float | None = None, after: int | None = None) -> None:
        self._cut = None if seconds is None and after is None else (seconds, after)

    @abstractmethod
    def _read(self, problems: Problems, on_progress: Progress | None) -> Generator[Any]:
        """Iterate over all records, and set `_digest`, the hash of the data read, at the end."""

    def _remark_on_only(self, record: Any) -> str:
        return ""

    def _where_records_are(self) -> str:
        """Return the next step of a user whose source has no records."""
        return "name another source"

    def records(self, on_progress: Progress | None = None) -> Iterator[Any]:
        problems = Problems(skip=self._skip_invalid)
        self.bad = problems.kept
        self.skipped = 0
        self.share = 1.0
        remark = self._before
        try:
            # Closed before its remarks are taken: readers add some at the end.
            with closing(self._read(problems, on_progress)) as records:
                first = list(islice(records, 1))
                if not first:
                    why = _skipped(problems) or f"; {self._where_records_are()}"
                    raise NoRecords(f"{self.source}: contains no records{why}")
                yield first[0]
                second = list(islice(records, 1))
                if second:
                    first.clear()
                    yield second[0]
                    yield from records
                elif self._limit != 1:
                    remark = self._remark_on_only(first[0]) or remark
        finally:
            self.skipped = problems.total
            self.remark = "\n".join(filter(None, (remark, *dict.fromkeys(problems.remarks))))

    def sample(
        self, n: int, on_progress: Progress | None = None, *, room: int | None = None, least: int = 1
    ) -> list[Any]:
        sampler = Reservoir(max(n, PROFILED), self.seed)
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
