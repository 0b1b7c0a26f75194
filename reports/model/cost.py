"""The cost of one record in use: written once, read some times, sent over a line.

``cost = dump + reads × (load + fix) + crossings × bytes / bandwidth``, in seconds per record. The default is
one write and one read on the same machine: ``reads = 1`` and no line. A payload crosses the line once, or
once for each read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Literal, get_args

from ...bench.results import CellResult, Measurement, Ranking
from ...bench.verdict import costs
from ...errors import UsageError

PLAUSIBLE: Final = {"reads": (0.01, 10_000.0), "bandwidth": (1e3, 1e11)}
"""Realistic ranges of reads per write and bytes per second; crossovers beyond these are not reported."""

FORMULA: Final = "dump + reads × (load + fix) + crossings × bytes / bandwidth"

Crossings = Literal["once", "per-read"]
CROSSINGS: Final[tuple[Crossings, ...]] = get_args(Crossings)

_PREFIXES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BANDWIDTH: Final = re.compile(
    r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<prefix>[kmgt]?)(?P<i>i?)"
    r"(?P<unit>bits?|bps|b|bytes?)?(?:/s|/sec|ps)?\s*",
    re.IGNORECASE,
)


def parse_bandwidth(text: str) -> float:
    """Read a line's speed: "1Gbit", "50 Mbit/s", "100MB/s"; the result is bytes per second.

    A bare "B" means bytes and a bare "b" bits, as engineers write them.

    Raises:
        UsageError: Not a speed, no unit, or not above zero.
    """
    if found := _BANDWIDTH.fullmatch(text):
        unit = found["unit"] or ""
        number = float(found["number"]) * _PREFIXES[found["prefix"].lower()]
        if found["i"]:
            number *= {"": 1, "k": 1.024, "m": 1.024**2, "g": 1.024**3, "t": 1.024**4}[
                found["prefix"].lower()
            ]
        if unit and number > 0:
            is_bytes = unit in ("B", "Bps") or unit.lower().startswith("byte")
            return number if is_bytes else number / 8
    raise UsageError(f"bandwidth {text!r}: expected a number with a unit, such as 1Gbit, 50Mbit/s or 100MB/s")


@dataclass(frozen=True, slots=True)
class CostModel:
    """The weights of the cost model.

    Attributes:
        reads: Loads for each dump.
        bandwidth: Bytes per second of the line that each payload crosses; infinite for none.
        crossings: Whether a payload crosses it once, or once for each read.
        readers: Where the reads happen, in words; empty for this Python.
    """

    reads: float = 1.0
    bandwidth: float = math.inf
    crossings: Crossings = "once"
    readers: str = ""

    def __post_init__(self) -> None:
        if not (self.reads >= 0 and math.isfinite(self.reads)):
            raise UsageError(f"reads {self.reads}: expected 0 or more loads for each dump")
        if not self.bandwidth > 0:
            raise UsageError(f"bandwidth {self.bandwidth}: expected more than 0 bytes per second")
        if self.crossings not in CROSSINGS:
            raise UsageError(f"crossings {self.crossings!r}: expected {' or '.join(CROSSINGS)}")

    @classmethod
    def of(
        cls,
        reads: float | None = None,
        bandwidth: str | float | None = None,
        crossings: Crossings | None = None,
    ) -> CostModel:
        """Build the model from the user's options; None keeps a default."""
        if not isinstance(reads, Real | None):
            raise UsageError(f"reads {reads!r}: expected a number, such as 24")
        speed = parse_bandwidth(bandwidth) if isinstance(bandwidth, str) else bandwidth
        return cls(1.0 if reads is None else reads, math.inf if speed is None else speed, crossings or "once")

    @property
    def transfers(self) -> float:
        """How often a payload crosses the line."""
        return self.reads if self.crossings == "per-read" else 1.0

    @property
    def throughput(self) -> float:
        """Bytes of records per second that the line takes, with all crossings; infinite for no line."""
        return self.bandwidth / self.transfers if self.transfers else math.inf

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that a codec must have a figure for."""
        needed = ["dump"]
        if self.reads:
            needed.append("load")
        if math.isfinite(self.throughput):
            needed.append("size")
        return tuple(needed)

    def total(self, dump: float, load: float, fix: float = 0.0, size: float = 0.0) -> float:
        """Return seconds per record, given its parts (seconds, and bytes for `size`)."""
        return dump + self.reads * (load + fix) + size / self.throughput

    def samples(self, cells: Mapping[str, CellResult]) -> tuple[Measurement, ...]:
        """Add a codec's cells, process by process; see `bakeoff.bench.verdict.costs`."""
        return costs(cells, self.reads, self.throughput)

    def fits(self, ranking: Ranking) -> bool:
        """Return whether a run's verdict uses this cost."""
        line = math.inf if ranking.bandwidth is None else ranking.bandwidth
        return (self.reads, self.throughput) == (ranking.reads, line)

    def sentence(self) -> str:
        """Describe the model in words, for the head of a table."""
        reads = "one read" if self.reads == 1 else f"{self.reads:g} reads"
        words = f"one write and {reads}" + (f" ({self.readers})" if self.readers else "")
        if math.isfinite(self.bandwidth):
            each = ", each" if self.transfers != 1 else ""
            words += f"{each} over {bandwidth_text(self.bandwidth)}"
        return words

    def as_json(self) -> dict[str, Any]:
        """Return the model as plain values (no line is None), for the page and JSON."""
        line = self.bandwidth if math.isfinite(self.bandwidth) else None
        return {
            "formula": FORMULA,
            "reads": self.reads,
            "bandwidth": line,
            "crossings": self.crossings,
        }


def bandwidth_text(bytes_per_second: float) -> str:
    """Write a line's speed in bits, as lines are sold."""
    return " ".join(bandwidth_parts(bytes_per_second))


def bandwidth_parts(bytes_per_second: float) -> tuple[str, str]:
    """Return the number and the unit of a line's speed."""
    bits = bytes_per_second * 8
    for factor, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bits >= factor:
            return f"{bits / factor:.3g}", unit
    return f"{bits:.3g}", "bit/s"


def rate_text(rate: float) -> str:
    """Write records per second."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def meeting(a: tuple[float, float], b: tuple[float, float]) -> float | None:
    """Return the x above 0 at which two lines ``fixed + slope * x`` meet.

    Seconds by reads for each write meet where two codecs cost the same. So do bytes and seconds by bytes per
    second: a cost times the bandwidth.

    Args:
        a: Fixed part and slope.
        b: The same of the other line.

    Returns:
        None if one of them is lower everywhere.
    """
    fixed, slope = a[0] - b[0], b[1] - a[1]
    return fixed / slope if slope and fixed / slope > 0 else None
