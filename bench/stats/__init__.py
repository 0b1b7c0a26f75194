"""The statistics of a run; shared by the stop rule and the reports.

The process is the unit: a sample is the figure of one process for one cell, and two cells of the same process
are compared by their ratio, with a t interval that covers processes.
"""

from ..contention import same_state
from ..results import Verdict
from .noise import Noise, Prior
from .ratios import (
    OPPOSITE,
    RUN_TO_RUN,
    Ratio,
    RunToRun,
    between_runs,
    common,
    contention_of,
    holm,
    holm_level,
    interval,
    ratio,
    same_core,
    split,
    verdicts,
)

__all__ = [
    "OPPOSITE",
    "RUN_TO_RUN",
    "Noise",
    "Prior",
    "Ratio",
    "RunToRun",
    "Verdict",
    "between_runs",
    "common",
    "contention_of",
    "holm",
    "holm_level",
    "interval",
    "ratio",
    "same_core",
    "same_state",
    "split",
    "verdicts",
]
