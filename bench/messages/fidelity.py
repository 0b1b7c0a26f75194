"""The jobs of the fidelity matrix; their answers are notes."""

from __future__ import annotations

from dataclasses import dataclass

from ..jobs import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class FidelityJob(Job):
    """Test which values a codec preserves; one note per value.

    Attributes:
        schemas: Test each value with a schema, too. Codecs whose readers get one have it in any case.
    """

    kind = "fidelity"
    module = "bakeoff.bench.lab.fidelity.matrix"
    codec: str
    schemas: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack(Job):
    """Decode payloads that libraries of other languages wrote; one note per payload.

    Attributes:
        values: Name of the value in each payload.
        written: The payloads in base64.
    """

    kind = "read back"
    module = "bakeoff.bench.lab.fidelity.writers"
    codec: str
    values: tuple[str, ...]
    written: tuple[str, ...]
