"""The built-in corpora, whose records are generated on demand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...errors import UsageError
from ..base import PROFILED, Corpus, Progress, Survey
from ..sampling import fitting, strata
from .families import family


class Generated(Corpus):
    """The first records of a family.

    Raises:
        UsageError: The seed does not fit into 64 bits, or the family does not take the parameter.
    """

    def __init__(self, name: str, records: int, seed: int) -> None:
        if not 0 <= seed < 2**64:
            raise UsageError(f"a seed is a whole number from 0 to 2**64 - 1, got {seed}")
        kind = family(name)
        super().__init__(kind.name, kind.name, kind.description, kind.schema, seed)
        self._kind = kind
        self._count = records
        self._sha256 = ""

    def _stream(self, start: int, stop: int) -> Iterator[Any]:
        from ._generate import Random, Stream

        return Stream(self._kind.make, Random(self.seed, self._kind.stream), start, stop)

    def records(self, on_progress: Progress | None = None) -> Iterator[Any]:
        stream = self._stream(0, self._count)
        return stream if on_progress is None else _reporting(stream, on_progress, self._count)

    def sample(
        self, n: int, on_progress: Progress | None = None, *, room: int | None = None, least: int = 1
    ) -> list[Any]:
        if n >= self._count:
            drawn = list(self.records(on_progress))
        else:
            chosen = strata(self._count, n, self.seed)
            drawn = [record for index in chosen for record in self._stream(index, index + 1)]
        return fitting(drawn, n, room, least, self.seed)

    def count(self) -> int:
        return self._count

    @property
    def sha256(self) -> str:
        if not self._sha256:
            from ..hashing import Hasher

            hasher = Hasher()
            for record in self.records():
                hasher.add(record)
            self._sha256 = hasher.hexdigest()
        return self._sha256

    def _surveyed(self) -> Survey:
        if self._survey is None:
            from ..profile import profile

            facts = profile(self.sample(PROFILED), self._count)
            self._survey = Survey(self._count, self.sha256, facts)
        return self._survey


def _reporting(records: Iterator[Any], on_progress: Progress, total: int) -> Iterator[Any]:
    done = 0
    while batch := list(islice(records, 1_000)):
        yield from batch
        done += len(batch)
        on_progress(done, total)
