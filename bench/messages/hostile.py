"""The job that attacks a codec; its answers are notes."""

from __future__ import annotations

from dataclasses import dataclass

from ..jobs import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Job):
    """Run hostile cases on a codec.

    The first note holds the positions of the cases. One note for each case follows.

    Attributes:
        patterns: Patterns of cases.
        start: Number of cases to skip.
    """

    kind = "attack"
    module = "bakeoff.bench.lab.hostile.attack"
    codec: str
    patterns: tuple[str, ...]
    start: int
