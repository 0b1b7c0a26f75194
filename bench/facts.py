"""Facts about a figure, by the phase or the backend of its operation.

The field `kind` names the class in result files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .quantities import Amount, Change, Count

Unit = Literal["second", "byte", "integer"]


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """Findings of the check about a codec on a corpus.

    Attributes:
        records: Records of the sample that were compared after the round trip.
        encoded: Records of it that were encoded; those of a slow codec are not all decoded.
        lossy: Records that lost something.
        limits: Limits to raise, by name, as records exceed the codec's defaults.
        definition: The schema in the format's own language; empty if it has none.
        as_is: The codec takes other objects than dicts, and the records are these objects.
        dictionary_id: Number of the dictionary that payloads are compressed with; None without one.
        dictionary: That dictionary in base 64, for one of the codec's cells only; empty for all others.
        code: Versions and digests of further code that was used, by module: what the version of the codec's
            library does not say. ``schema`` and ``object`` are the schema, and a codec that is an object.
    """

    records: Count
    encoded: Count
    lossy: Count = 0
    limits: Mapping[str, Count] = field(default_factory=dict)
    definition: str = ""
    as_is: bool = False
    dictionary_id: Count | None = None
    dictionary: str = ""
    code: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GrowthFacts:
    """Findings from the windows of calls of a `growth-*` operation.

    Attributes:
        verdict: Whether memory is retained.
        slope_heap: Bytes of the C heap per call.
        slope_blocks: Blocks of Python's allocator per call.
        calls: Calls of all windows.
        resolution: Smallest growth in bytes per call that would have been detected.
        counters: The counters that were read.
        allocator: Why the counters see less than usual; empty if they do not.
        where: Where the retained memory was allocated.
        reason: Why nothing was measured.
    """

    verdict: Literal["no growth", "growing", "not measured"]
    slope_heap: Change = 0.0
    slope_blocks: Change = 0.0
    calls: Count = 0
    resolution: Amount = 0.0
    counters: str = ""
    allocator: str = ""
    where: str = ""
    reason: str = ""
    kind: Literal["growth"] = "growth"


@dataclass(frozen=True, slots=True)
class PeakFacts:
    """How the peak memory of a call was measured.

    Attributes:
        method: The source of the reading.
    """

    method: str
    kind: Literal["peak"] = "peak"


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """Facts about a store that was filled and read.

    Attributes:
        settings: The store's settings, such as its durability, as it reports them.
        clock_added_ns: Nanoseconds that clocking a codec's call in place adds.
        clock_counted_ns: How many of these the clock itself counts; they are subtracted.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    clock_added_ns: Change = 0.0
    clock_counted_ns: Change = 0.0
    kind: Literal["store"] = "store"


@dataclass(frozen=True, slots=True)
class PipelineFacts:
    """Findings of a window at one rate, mean over processes.

    Attributes:
        delivered: Records per second that each consumer received.
        lost: Share of the deliveries that were lost.
        window_seconds: Length of the window in seconds.
        clock_added_ns: Nanoseconds that clocking a codec's call in place adds; they are subtracted.
        clock_counted_ns: How many of these the clock itself counts.
        repeated: Share of the deliveries that arrived again.
        settings: The transport's settings, such as its compression.
    """

    delivered: Amount
    lost: Change
    window_seconds: Amount
    clock_added_ns: Change = 0.0
    clock_counted_ns: Change = 0.0
    repeated: Amount = 0.0
    settings: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["pipeline"] = "pipeline"


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """What a library of another language read from a codec's payloads.

    Attributes:
        language: Name of the language, such as "Go".
        library: Name of the library.
        version: Its version.
        exact: Payloads that it read exactly.
        changed: Payloads that it read otherwise, without an error.
        refused: Payloads that it refused.
        uncompared: Payloads whose records have no canonical text, as they have too many levels.
        changes: What it changed, such as ``$.id: int 1 became float 1.0``, with the number of the first
            record that has it, counted from 1; the first ones only.
        reasons: Errors with which it refused payloads, each with the number of the first such record.
        warmup: Seconds from its first call until its times were steady, mean over timing processes; 0 if it
            was not timed.
    """

    language: str
    library: str
    version: str
    exact: Count
    changed: Count = 0
    refused: Count = 0
    uncompared: Count = 0
    changes: Mapping[str, Count] = field(default_factory=dict)
    reasons: Mapping[str, Count] = field(default_factory=dict)
    warmup: Amount = 0.0
    kind: Literal["read"] = "read"


@dataclass(frozen=True, slots=True)
class PyperfFacts:
    """A benchmark of a plain pyperf file, whose records were not checked.

    Attributes:
        unit: Unit of its figures; benchmarks of one file may have several.
    """

    unit: Unit
    kind: Literal["pyperf"] = "pyperf"


Facts = GrowthFacts | PeakFacts | StoreFacts | PipelineFacts | ReadFacts | PyperfFacts
"""The facts about the figure of a cell."""


@dataclass(frozen=True, slots=True)
class StoreSetup:
    """The effective settings of an operation on a store, defaults included.

    Attributes:
        state: Name of the store's size before timing: "SM", "MD" or "LG".
        records: Records in the store before timing.
        batch: Records per batch; None for operations without batches.
    """

    state: str
    records: Count
    batch: Count | None = None
    kind: Literal["store"] = "store"


@dataclass(frozen=True, slots=True)
class PipelineSetup:
    """The effective settings of an operation on a pipeline, defaults included.

    Attributes:
        readers: Number of consumers, each of which gets every record; files of version 1 have this name.
        rate: Records per second; None if the highest rate is searched for.
        bound: Highest 99th percentile of the latency in that search, in milliseconds; None otherwise.
    """

    readers: Count
    rate: Count | None = None
    bound: Count | None = None
    kind: Literal["pipeline"] = "pipeline"


Setup = StoreSetup | PipelineSetup
"""The settings of an operation on a built-in kind of backend."""
