"""The job of an operation that has separate processes, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..jobs import Answer, CorpusInputs, Digest, Job
from ..results import FigureDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone(Job):
    """Run an operation that has separate processes.

    Attributes:
        payloads: Digest of the payloads of the check.
        dictionary: As in `TimedCell`, like `limits`.
        options: Options of the operation, as requested by an earlier answer.
        client: Settings of the client of a transport, by the client's names for them.
        exact: Run the worker under Valgrind; see `operations.base.Operation.exact`.
        forked: Fork the worker from a process with all imports done, as starting takes most of its time.
    """

    kind = "alone"
    module = "bakeoff.bench.worker.alone"
    corpus: CorpusInputs
    codec: str
    operation: str
    payloads: Digest
    dictionary: Digest = ""
    limits: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False
    forked: bool = False

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus and the codec."""
        return (self.corpus.digests() | {self.payloads, self.dictionary}) - {""}


@dataclass(frozen=True, slots=True)
class AloneAnswer(Answer):
    """The answer to `Alone`; see `operations.base.Measured`."""

    kind = "alone answer"
    value: float
    details: FigureDetails = field(default_factory=FigureDetails)
    again: Mapping[str, Any] | None = None
    together: Mapping[str, float | str] = field(default_factory=dict)
