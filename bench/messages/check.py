"""The job that checks a codec, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..jobs import Answer, CorpusInputs, Digest, Job
from ..results import CheckFacts, FigureDetails, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Job):
    """Check a codec.

    Attributes:
        seconds: Seconds after which the remaining records are encoded only; a very slow codec then ends.
        operations: Operations that the check measures, or that are timed afterwards.
        libraries: Modules that the records need, which all checks import.
    """

    kind = "check"
    module = "bakeoff.bench.worker.check"
    corpus: CorpusInputs
    codec: str
    seconds: float
    operations: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def digests(self) -> set[Digest]:
        """Return the digests of the corpus."""
        return self.corpus.digests()


@dataclass(frozen=True, slots=True)
class Checked(Answer):
    """The answer to `Check`; the later half is empty if the codec failed.

    Attributes:
        codec: Facts; empty if it could not be built.
        loss: What it loses, in words.
        facts: What a result keeps of it; the executor knows the dictionary itself.
        fixes: Its schema has something to do.
        figures: Figures of operations that the check measures.
        details: Further facts about these, by operation.
        failed: Outcome and reason of operations that cannot be timed.
        rough: Seconds for the mean record from single calls, by timed operation.
        calls: Number of records per call, if not one, by timed operation.
        payloads: Digest of the `CheckedPayloads` for later measurements.
        length: Bytes of all payloads.
        dictionary: Digest of the trained dictionary, empty if there is none.
    """

    kind = "checked"
    outcome: Outcome
    reason: str = ""
    codec: Mapping[str, Any] = field(default_factory=dict)
    loss: tuple[str, ...] = ()
    facts: CheckFacts = field(default_factory=lambda: CheckFacts(0, 0))
    fixes: bool = False
    figures: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, FigureDetails] = field(default_factory=dict)
    failed: Mapping[str, tuple[Outcome, str]] = field(default_factory=dict)
    rough: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[str, int] = field(default_factory=dict)
    payloads: Digest = ""
    length: int = 0
    dictionary: Digest = ""
