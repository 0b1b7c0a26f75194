"""The findings of a run as a sequence of entries, which its journal keeps.

Each entry is one JSON object, encoded and decoded by one pair of functions, `encode` and `decode`. A journal
is a file that anyone may have written, so `decode` takes only values of the types and ranges that its kind
declares. A result is the sum of all entries, see `run.state.State`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .figure import Figure
from .operations import operation
from .quantities import Amount, Change, Count, Measured
from .results import (
    FORMAT_VERSION,
    CellFinding,
    CodecFacts,
    CorpusFacts,
    Fact,
    FigureDetails,
    check_environment,
    typed,
)


@dataclass(frozen=True, slots=True)
class HeadEntry:
    """The first entry.

    Attributes:
        format: Version of the format of results.
        environment: As in `ResultData`, like the following ones.
        duration: Seconds of the run so far.
    """

    kind: ClassVar[str] = "head"
    format: int
    environment: Mapping[str, Fact] = field(default_factory=dict)
    options: Mapping[str, Fact] = field(default_factory=dict)
    conditions: Mapping[str, Fact] = field(default_factory=dict)
    command: str = ""
    started: str = ""
    duration: Amount = 0.0


@dataclass(frozen=True, slots=True)
class CodecEntry:
    """A codec was entered."""

    kind: ClassVar[str] = "codec"
    facts: CodecFacts


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """A corpus was read."""

    kind: ClassVar[str] = "corpus"
    facts: CorpusFacts


@dataclass(frozen=True, slots=True)
class EnvironmentEntry:
    """Facts of the environment that were found during the run."""

    kind: ClassVar[str] = "environment"
    facts: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class OptionEntry:
    """Options that differ since the run was resumed, or that the run itself has set."""

    kind: ClassVar[str] = "option"
    facts: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class WarningEntry:
    """A warning.

    Attributes:
        text: One sentence; empty to only remove the one before.
        topic: What it is about; it replaces the warning about the same. It replaces none if this is empty.
    """

    kind: ClassVar[str] = "warning"
    text: str
    topic: str = ""


@dataclass(frozen=True, slots=True)
class CellEntry:
    """The outcome of a cell.

    Attributes:
        found: What was found; it replaces what was known, except for figures if it has none.
        value: Its only figure, if that does not come from timing or separate processes.
    """

    kind: ClassVar[str] = "cell"
    found: CellFinding
    value: Change | None = None


@dataclass(frozen=True, slots=True)
class RoughEntry:
    """The timing of a cell ended early: its figures are only rough.

    Attributes:
        cell: Name of the cell.
        seconds: Seconds per record.
    """

    kind: ClassVar[str] = "rough"
    cell: str
    seconds: Measured


@dataclass(frozen=True, slots=True)
class ProcessEntry:
    """A timing process.

    Attributes:
        corpus: Name of the corpus.
        pair: Number of the process.
        reference_kernel: Seconds of a call of the reference kernel.
        cells: Figures by the name of the cell.
        warmups: Seconds that readers of other languages needed until their times were steady, by the name of
            the cell.
        contention: As in `messages.timing.Timed`.
        least: As in `messages.timing.Timed`; 0 if not recorded.
        spent: Seconds of the run so far; None if not recorded.
    """

    kind: ClassVar[str] = "process"
    corpus: str
    pair: Count
    reference_kernel: Measured
    cells: Mapping[str, Figure]
    warmups: Mapping[str, Amount] = field(default_factory=dict)
    contention: Amount = 0.0
    least: Amount = 0.0
    spent: Amount | None = None


@dataclass(frozen=True, slots=True)
class AloneEntry:
    """The figure of a cell from a separate process.

    Attributes:
        cell: Name of the cell.
        pair: Number of the process.
        value: The figure.
        details: What this process found besides; the cell has the means over processes.
        spent: Seconds of the run so far; None if not recorded.
    """

    kind: ClassVar[str] = "alone"
    cell: str
    pair: Count
    value: Change
    details: FigureDetails = field(default_factory=FigureDetails)
    spent: Amount | None = None


Entry = (
    HeadEntry
    | CodecEntry
    | CorpusEntry
    | EnvironmentEntry
    | OptionEntry
    | WarningEntry
    | CellEntry
    | RoughEntry
    | ProcessEntry
    | AloneEntry
)

_KINDS: Mapping[str, type[Any]] = {made.kind: made for made in Entry.__args__}


def encode(entry: Entry) -> bytes:
    """Return an entry as JSON, on one line."""
    return json.dumps({"kind": entry.kind, **dataclasses.asdict(entry)}).encode()


def decode(line: bytes | str) -> Entry:
    """Return the entry in a line of a file.

    Raises:
        TypeError: It has other fields, or values of other types and ranges, than its kind.
        ValueError: It is not JSON, of another version, or has facts that cannot be written.
        LookupError: An unknown kind.
        UsageError: An unknown operation.
    """
    plain = json.loads(line)
    if not isinstance(plain, dict):
        raise TypeError(f"an entry is {plain!r:.40}")
    entry: Entry = typed(_KINDS[plain.pop("kind")], plain)
    match entry:
        case HeadEntry():
            if entry.format != FORMAT_VERSION:
                raise ValueError(f"format {entry.format}")
            check_environment(entry.environment)
        case EnvironmentEntry():
            check_environment(entry.facts)
        case CellEntry():
            _check_figures(entry)
    return entry


@dataclass(frozen=True, slots=True)
class _Seconds:
    """The figure of a rate, which is one over it."""

    value: Measured


def _check_figures(entry: CellEntry) -> None:
    rate = operation(entry.found.cell.operation_name).rate
    for figure in (entry.value, entry.found.rough):
        if rate and figure is not None:
            typed(_Seconds, {"value": figure})
