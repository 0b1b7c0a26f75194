"""What is known of a figure besides the figure itself, by the phase or the place that it is of.

The field `kind` names the class in result files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "CheckFacts",
    "Facts",
    "GrowthFacts",
    "PeakFacts",
    "PipelineFacts",
    "PipelineSetup",
    "PyperfFacts",
    "Setup",
    "StoreFacts",
    "StoreSetup",
    "Unit",
]

Unit = Literal["second", "byte", "integer"]


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """What the check found out about a codec on a corpus.

    Attributes:
        records: Records of the sample that were compared after the round trip.
        encoded: Records of it that were encoded; a slow codec's are not all decoded.
        lossy: Records that lost something.
        limits: Limits that the codec has to be asked for with, since records go beyond its own, by name.
        definition: The schema in the format's own language; empty where that has none.
        as_is: The codec takes other objects than dicts, and the records are these objects.
        dictionary_id: Number of the dictionary that payloads are compressed with; None without one.
        dictionary: That dictionary in base 64, with one of the codec's cells only; empty with all others.
    """

    records: int
    encoded: int
    lossy: int = 0
    limits: Mapping[str, int] = field(default_factory=dict)
    definition: str = ""
    as_is: bool = False
    dictionary_id: int | None = None
    dictionary: str = ""


@dataclass(frozen=True, slots=True)
class GrowthFacts:
    """What the windows of calls of a `growth-*` operation showed.

    Attributes:
        verdict: Whether memory stays behind.
        slope_heap: Bytes of the C heap a call.
        slope_blocks: Blocks of Python's allocator a call.
        calls: Calls of all windows.
        resolution: Bytes a call that would still have been seen.
        counters: What was counted.
        allocator: Why the counters see less than usual; empty where they do not.
        where: Where the memory that stays was allocated.
        reason: Why nothing was measured.
    """

    verdict: Literal["no growth", "growing", "not measured"]
    slope_heap: float = 0.0
    slope_blocks: float = 0.0
    calls: int = 0
    resolution: float = 0.0
    counters: str = ""
    allocator: str = ""
    where: str = ""
    reason: str = ""
    kind: Literal["growth"] = "growth"


@dataclass(frozen=True, slots=True)
class PeakFacts:
    """How the most memory that a call holds was measured.

    Attributes:
        method: What was read.
    """

    method: str
    kind: Literal["peak"] = "peak"


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """What is known of a store that was filled and read.

    Attributes:
        settings: On which terms it keeps what it is given, by the store's own words.
        clock_added_ns: Nanoseconds that clocking a codec's call in place takes.
        clock_counted_ns: Nanoseconds of these that the clock itself counts; they are subtracted.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    clock_added_ns: float = 0.0
    clock_counted_ns: float = 0.0
    kind: Literal["store"] = "store"


@dataclass(frozen=True, slots=True)
class PipelineFacts:
    """What a window at one rate showed, mean over processes.

    Attributes:
        delivered: Records a second that each reader got.
        lost: Share of the deliveries that were lost.
        window_seconds: Seconds that the window lasted.
        clock_added_ns: Nanoseconds that clocking a codec's call in place takes; they are subtracted.
        clock_counted_ns: Nanoseconds of these that the clock itself counts.
    """

    delivered: float
    lost: float
    window_seconds: float
    clock_added_ns: float = 0.0
    clock_counted_ns: float = 0.0
    kind: Literal["pipeline"] = "pipeline"


@dataclass(frozen=True, slots=True)
class PyperfFacts:
    """A benchmark of a plain pyperf file: no record was checked.

    Attributes:
        unit: Of its figures; benchmarks of one file may have several.
    """

    unit: Unit
    kind: Literal["pyperf"] = "pyperf"


Facts = GrowthFacts | PeakFacts | StoreFacts | PipelineFacts | PyperfFacts
"""What is known of the figure of a cell besides the figure."""


@dataclass(frozen=True, slots=True)
class StoreSetup:
    """How an operation takes place in a store: what was asked for, or the default.

    Attributes:
        state: Name of the store's size before timing: "SM", "MD" or "LG".
        records: Records in the store before timing.
        batch: Records that are put at once; None for operations that put no batches.
    """

    state: str
    records: int
    batch: int | None = None
    kind: Literal["store"] = "store"


@dataclass(frozen=True, slots=True)
class PipelineSetup:
    """How an operation takes place in a pipeline: what was asked for, or the default.

    Attributes:
        readers: Readers that get every record.
        rate: Records a second that are due; None where the highest rate is searched for.
        bound: Milliseconds that the 99th percentile may take in that search; None otherwise.
    """

    readers: int
    rate: int | None = None
    bound: int | None = None
    kind: Literal["pipeline"] = "pipeline"


Setup = StoreSetup | PipelineSetup
"""How an operation takes place where it has a place of ours."""
