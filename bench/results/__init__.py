"""Results of runs: records, their plain form, and the file. `bench` writes them, `reports` reads them."""

from __future__ import annotations

from ..cells import Cell
from ..facts import (
    CheckFacts,
    Facts,
    GrowthFacts,
    PeakFacts,
    PipelineFacts,
    PipelineSetup,
    PyperfFacts,
    ReadFacts,
    Setup,
    StoreFacts,
    StoreSetup,
    Unit,
)
from .file import (
    FORMAT_VERSION,
    LARGEST,
    UNREADABLE,
    VERSION_KEY,
    check_environment,
    from_suite,
    read,
    read_suite,
    to_suite,
    write,
)
from .plain import averaged, built, fields_of, plain_cell, typed, without_defaults
from .records import (
    BASELINE,
    WANTED,
    CellFinding,
    CellResult,
    CodecFacts,
    CorpusFacts,
    Direction,
    Fact,
    FigureDetails,
    Measurement,
    OperationFacts,
    Outcome,
    PairFacts,
    Part,
    Phase,
    Ranking,
    ResultData,
    ResultFileError,
    Verdict,
)

__all__ = [
    "BASELINE", "FORMAT_VERSION", "LARGEST", "UNREADABLE", "VERSION_KEY", "WANTED", "Cell", "CellFinding",
    "CellResult", "CheckFacts", "CodecFacts", "CorpusFacts", "Direction", "Fact", "Facts", "FigureDetails",
    "GrowthFacts", "Measurement",
    "OperationFacts", "Outcome", "PairFacts", "Part", "PeakFacts", "Phase", "PipelineFacts",
    "PipelineSetup", "PyperfFacts", "Ranking", "ReadFacts", "ResultData", "ResultFileError", "Setup",
    "StoreFacts", "StoreSetup", "Unit", "Verdict", "averaged", "built", "check_environment",
    "fields_of", "from_suite",
    "plain_cell", "read", "read_suite", "to_suite", "typed", "without_defaults", "write",
]  # fmt: skip
