"""The job that surveys pieces of a corpus, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..jobs import Answer, Digest, Job


@dataclass(frozen=True, slots=True)
class SurveyPiece:
    """A piece of a corpus, see `datasets.shards.Piece`.

    Attributes:
        shard: Path or URL, which the worker's machine must be able to read.
        start: First byte.
        end: Byte after the last one.
        number: Number of the shard.
    """

    shard: str
    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyJob(Job):
    """Survey all records of pieces of a corpus.

    Attributes:
        pieces: One, or several small ones.
        seed: Seed of the sample.
        codecs: Codecs to send each record through.
        schema: Digest of a pickle of a `Schema`, empty if there is none.
        sample: Most records of the sample; 0 for no sample.
        sample_format: File format of the sample's records.
        cut: Only records with smaller keys can still be in the sample; see `datasets.sampling.MergedSample`.
        how: As in `Prepare`.
    """

    kind = "survey"
    module = "bakeoff.bench.worker.survey"
    pieces: tuple[SurveyPiece, ...]
    seed: int
    codecs: tuple[str, ...]
    schema: Digest
    sample: int
    sample_format: str
    cut: int
    how: Mapping[str, Any] = field(default_factory=dict)

    def digests(self) -> set[Digest]:
        """Return the digest of the schema, if there is one."""
        return {self.schema} - {""}


@dataclass(frozen=True, slots=True)
class Surveyed(Answer):
    """The answer to `SurveyJob`.

    Attributes:
        tally: The findings as JSON types, of limited size; see `bench.survey.SurveyTally.of`.
    """

    kind = "surveyed"
    tally: Mapping[str, Any]
