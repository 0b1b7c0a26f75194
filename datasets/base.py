"""The interface of every corpus, whatever its source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

DEFAULT_SEED = 1
"""Default seed of generated records and samples."""

PROFILED = 1_000
"""Minimum number of records that a profile is made from."""

Progress = Callable[[int, int | None], None]
"""Called with the amount done and, if known, the total: bytes of files, otherwise records."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Facts found in one pass over a corpus."""

    count: int
    sha256: str
    profile: dict[str, str | int | float]


class Corpus(ABC):
    """Records under a name.

    Attributes:
        name: Name without a slash, as in names of benchmarks.
        source: As the user typed it.
        description: One line.
        seed: Seed for generated records, and for the choice of a sample.
        bad: (where, cause) of the first hundred records that the last pass skipped.
        skipped: Number of all skipped records.
        share: Part of the source that the last pass read, see `cut`.
        remark: What may surprise the user, from the last pass or before, with one finding on a line; empty if
            there is none.
    """

    def __init__(self, name: str, source: str, description: str, schema: Any, seed: int) -> None:
        # A file name need not be text. It may contain control characters for a terminal, or line breaks, so
        # reports never print it unescaped.
        text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name)
        self.name = text.replace("/", "_") or "records"
        self.source = source
        self.description = description
        self._schema = schema
        self.seed = seed
        self.bad: list[tuple[str, str]] = []
        self.skipped = 0
        self.remark = ""
        self.share = 1.0
        self._survey: Survey | None = None

    def __repr__(self) -> str:
        return f"<Corpus {self.name!r} of {self.source}>"

    @property
    def schema(self) -> Any:
        """The type of a record, for `bakeoff.Schema`; None if it has none, as in most files.

        Raises:
            UnreadableCorpus: The files have schemas, and one cannot be read.
        """
        return self._schema

    @property
    def brings_schema(self) -> bool:
        """Whether its files contain a schema, as Avro files do. No file is opened."""
        return False

    @abstractmethod
    def records(self, on_progress: Progress | None = None) -> Iterator[Any]:
        """Iterate over all records. Each pass creates new ones, and holds one at a time.

        Raises:
            UnreadableCorpus: The source cannot be read, or contains no records.
            BadRecord: A record cannot be read, and bad records are not skipped.
        """

    @abstractmethod
    def sample(
        self, n: int, on_progress: Progress | None = None, *, room: int | None = None, least: int = 1
    ) -> list[Any]:
        """Return `n` records from all over the corpus, in its order, or all records if there are fewer.

        Each call returns the same records. The same pass finds all other facts about a corpus (number, hash,
        profile).

        Args:
            n: Maximum number of records.
            on_progress: See `Progress`.
            room: Bytes, as pickles, that the sample may take. It limits the number of records by their mean
                size; they are drawn from the whole corpus, so the position of large records does not matter.
            least: Minimum number of records, whatever their size.

        Raises:
            UnreadableCorpus: As `records`.
        """

    def cut(self, seconds: float | None = None, after: int | None = None) -> None:  # noqa: B027 - optional
        """Let passes end before the end of a source that takes long to read; other corpora ignore it.

        Args:
            seconds: Maximum duration.
            after: Maximum number of records.
        """

    def count(self) -> int:
        """Return the number of records; the first call may read the whole source."""
        return self._surveyed().count

    @property
    def sha256(self) -> str:
        """The hash of the records.

        For generated records, it is the hash of their canonical bytes: JSON Lines by the codec ``json``, as
        written by ``bakeoff generate NAME -o NAME.jsonl``. For a file, it is the hash of the stored file. For
        a folder, it is the hash of its files' hashes and names, as ``sha256sum`` lists them.
        """
        return self._surveyed().sha256

    def profile(self) -> dict[str, str | int | float]:
        """Return a flat description of the records, see `bakeoff.datasets.profile`."""
        return dict(self._surveyed().profile)

    def _surveyed(self) -> Survey:
        if self._survey is None:
            self.sample(PROFILED)
        assert self._survey is not None
        return self._survey
