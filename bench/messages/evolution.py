"""The jobs that try two versions of a schema and time how they are read, and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..jobs import Answer, Digest, Job
from .timing import TimedCell


@dataclass(frozen=True, slots=True, kw_only=True)
class TryVersions(Job):
    """Try a codec on two versions of a schema.

    Attributes:
        versions: Digest of a pickle of their difference, and of records of the older and the newer one.
    """

    kind = "try versions"
    module = "bakeoff.bench.lab.evolution.attempt"
    codec: str
    versions: Digest

    def digests(self) -> set[Digest]:
        """Return the digest of the versions."""
        return {self.versions}


@dataclass(frozen=True, slots=True)
class TriedVersions(Answer):
    """The answer to `TryVersions`; see `evolution.trial.Trial`.

    Attributes:
        backward: How the newer version reads payloads of the older one.
        forward: The reverse.
        changes: The same two for each change separately.
        payloads: Digest of the input of `TimeVersions`, by direction in which everything is read.
    """

    kind = "tried versions"
    backward: Mapping[str, Any]
    forward: Mapping[str, Any]
    changes: tuple[tuple[Mapping[str, Any], ...] | None, ...]
    payloads: Mapping[str, Digest]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeVersions(Job):
    """Time how codecs read payloads of another version of a schema, and of their own; answered by `Timed`.

    Attributes:
        versions: As in `TryVersions`.
        cells: Codecs and directions, with the payloads of both versions.
        rounds: As in `Time`; the same applies to `free_level`.
    """

    kind = "time versions"
    module = "bakeoff.bench.lab.evolution.cost"
    versions: Digest
    cells: tuple[TimedCell, ...]
    rounds: int
    free_level: float = 0.0

    def digests(self) -> set[Digest]:
        """Return the digests of the versions and the payloads."""
        return {self.versions} | {cell.payloads for cell in self.cells}
