"""`numbers`: mostly floats, as in telemetry and geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from .families import CorpusFamily

if TYPE_CHECKING:
    from ._generate import Random


class Reading(TypedDict):
    """Short decimals (as from sensors), full doubles (as from computations), whole numbers."""

    sensor: int
    time: float
    position: list[float]
    levels: list[float]
    spectrum: list[float]
    outline: list[list[float]]
    counts: list[int]
    checksum: int
    mean: float
    valid: bool


def record(random: Random, index: int) -> dict[str, Any]:
    """Return one record, about 980 bytes of JSON."""
    levels = [random.between(-5_000, 12_000) for _ in range(16)]
    return {
        "sensor": random.between(100_000, 999_999),
        "time": (1_700_000_000_000 + 250 * index + random.below(250)) / 1_000,
        "position": [
            random.ratio(-90_000_000, 90_000_000, 1_000_000),
            random.ratio(-180_000_000, 180_000_000, 1_000_000),
            random.ratio(-4_000, 90_000, 10),
        ],
        "levels": [level / 100 for level in levels],
        "spectrum": [random.real() for _ in range(16)],
        "outline": [[random.real(), random.real()] for _ in range(8)],
        "counts": [random.below(10 ** (1 + n % 9)) for n in range(12)],
        "checksum": random.below(2**53),
        # Summed as integers, because sum() of floats rounds differently from Python 3.12 on.
        "mean": sum(levels) / 1_600,
        "valid": random.chance(95),
    }


FAMILY = CorpusFamily(
    name="numbers",
    description="Telemetry: short decimals, full doubles and whole numbers; hardly any text.",
    schema=Reading,
    make=record,
)
