"""The jobs for readers in other languages, and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..figure import Figure
from ..jobs import Answer, CorpusInputs, Digest, Failed, Job


@dataclass(frozen=True, slots=True)
class ReaderCommand:
    """How to start the worker of another language.

    Attributes:
        command: The program and its arguments.
        folder: Its working directory.
    """

    command: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class ReadCell:
    """A library of another language, and what it reads.

    Attributes:
        worker: Index of its worker in the job.
        codec: The codec that wrote the payloads.
        payloads: Digest of the payloads of its check.
        typed: The library reads into types of its language.
    """

    worker: int
    library: str
    codec: str
    payloads: Digest
    typed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJob(Job):
    """The fields of jobs for readers in other languages.

    Attributes:
        corpus: The inputs that the codecs need.
        workers: A worker for each language, see `bench.foreign`.
        reads: What to read.
    """

    corpus: CorpusInputs
    workers: tuple[ReaderCommand, ...]
    reads: tuple[ReadCell, ...]

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus and the payloads."""
        return self.corpus.digests() | {cell.payloads for cell in self.reads}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReads(ForeignJob):
    """Check what the readers of one language make of payloads; one note per cell.

    Attributes:
        seconds: Seconds for all libraries; one that takes half of the rest is checked on no further record.
            Rough times come last.
    """

    kind = "check reads"
    module = "bakeoff.bench.worker.check_reads"
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeReads(ForeignJob):
    """Time readers.

    Attributes:
        records: Number of records that each reads.
        slice: Seconds of a slice.
        seconds: Seconds for all libraries, the most important ones first; infinite without a limit.
        patience: Seconds that a turn may take.
        free_level: As in `Time`.
        repeats: As in `Time`.
    """

    kind = "time reads"
    module = "bakeoff.bench.worker.time_reads"
    records: int
    slice: float
    seconds: float
    patience: float
    free_level: float
    repeats: float


@dataclass(frozen=True, slots=True)
class TimedReads(Answer):
    """The answer to `TimeReads`.

    Attributes:
        cells: Figures by the index of the read in the job.
        warmups: Seconds from a library's first call until its times were steady, by the same index.
        errors: Why a read has no figure.
        contention: As in `Timed`.
        free_level: As in `Timed`.
        dirty: Share of turns in which another process had the processor.
    """

    kind = "timed reads"
    cells: Mapping[str, Figure]
    warmups: Mapping[str, float]
    errors: Mapping[str, Failed]
    contention: float
    free_level: float
    dirty: float = 0.0
