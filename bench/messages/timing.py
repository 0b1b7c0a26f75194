"""The job of a timing process, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..figure import Figure
from ..jobs import Answer, CorpusInputs, Digest, Failed, Job


@dataclass(frozen=True, slots=True)
class TimedCell:
    """A cell of a timing process.

    Attributes:
        payloads: Digest of the payloads of the check; empty for the baseline.
        dictionary: Digest of the codec's dictionary, empty if it has none.
        limits: Limits of the codec that records exceed, by name, with the values they need.
        extra: Share of extra calls that are not counted: a planted difference.
    """

    codec: str
    operation: str
    payloads: Digest = ""
    dictionary: Digest = ""
    limits: Mapping[str, int] = field(default_factory=dict)
    extra: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Time(Job):
    """Time cells.

    Attributes:
        slice: Seconds of a slice.
        collect: The garbage collector is on.
        apart: Each call follows other work, and is timed by itself.
        layout: Number of the memory layout. Workers with the same number are forked from one process, and
            so have the same addresses and the same seed of hashes; with 0, a worker has a layout of its own.
        free_level: Contention of a free core as measured by earlier processes; 0 if there were none.
        repeats: Time for repeating slices that ran on a shared core, including waiting for a free one, as a
            share of the slices' own time.
    """

    kind = "time"
    module = "bakeoff.bench.worker.time"
    corpus: CorpusInputs
    cells: tuple[TimedCell, ...]
    rounds: int
    slice: float
    collect: bool = True
    apart: bool = False
    layout: int = 0
    free_level: float = 0.0
    repeats: float = 1.0

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus and the cells."""
        cells = {digest for cell in self.cells for digest in (cell.payloads, cell.dictionary)}
        return (self.corpus.digests() | cells) - {""}


@dataclass(frozen=True, slots=True)
class Timed(Answer):
    """The answer to `Time`.

    Attributes:
        cells: Figures by the cell's index in the job.
        errors: Why a cell has no figure.
        reference_kernel: Seconds of a call of the reference kernel.
        harness: Nanoseconds per call of the measurement itself.
        dirty: Share of slices that were disturbed.
        contention: Contention of the core during the slices that were used, see `bench.contention`.
        free_level: The baseline of the contention so far, see `bench.contention.free_level`.
    """

    kind = "timed"
    cells: Mapping[str, Figure]
    errors: Mapping[str, Failed]
    reference_kernel: float
    harness: float
    dirty: float
    contention: float = 0.0
    free_level: float = 0.0
