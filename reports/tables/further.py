"""Find the command that makes codecs distinguishable: more processes, or one run instead of several."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from typing import Final

from ...bench.method import Verdicts
from ...bench.results import ResultData
from ...bench.stats import Ratio
from ..model.environment import resuming
from .longer import adding

_MOST: Final = 400
"""Most processes of a run."""
_OVERHEAD: Final = 2.0
"""Duration of a timing process as a multiple of its measured calls, without the time to start."""
_START: Final = 0.5
"""Seconds that a timing process takes to start."""
_TIMING: Final = 0.65
"""Part of a budget for timing if memory is also measured."""
_LEAST: Final = 10.0
"""Smallest suggested budget in seconds; budgets are rounded up to a multiple of it."""


def resolving(results: Sequence[ResultData], codecs: Sequence[str], found: Sequence[Ratio], file: str) -> str:
    """Say which command makes codecs distinguishable.

    Args:
        results: The results; rows of several runs need one run of all.
        codecs: The cheapest codec and those that are not distinguishable from it.
        found: Their ratios to the cheapest.
        file: The result file's name.
    """
    result = results[0]
    if len(results) > 1:
        sources = dict.fromkeys(corpus.source or corpus.name for one in results for corpus in one.corpora)
        line = shlex.join(["bakeoff", "run", *sources, "-c", ",".join(codecs)])
        return f"`{line}` measures them in one run"
    # A ratio is resolved if it exceeds half its interval clearly, or if its interval is inside the tie band.
    targets = [max(abs(math.log(r.value)), Verdicts.TIE - abs(math.log(r.value))) / 2 for r in found]
    widths = [math.log1p(min(r.half_width, 1e9)) for r in found]
    times = max((w / t) ** 2 for w, t in zip(widths, targets, strict=True))
    done = min(r.processes for r in found)
    further = min(max(1.0, done * (times - 1)), _MOST)
    process = _OVERHEAD * _measuring(result) / done + _START
    # The budget covers everything done with a corpus, so reading and checks are added.
    before = max(0.0, result.duration / max(1, len(result.corpora)) - done * process)
    names = {cell.cell.operation_name for cell in result.cells}
    part = _TIMING if any(result.operation(name).phase == "memory" for name in names) else 1.0
    budget = max(_LEAST, (before + further * process) / part)
    precision = min(*targets, _precision(result))
    words = [*resuming(result, file), "--ratios"]
    words += ["--precision", f"{math.floor(precision * 1000) / 10:g}%"]
    words += ["--budget", f"{math.ceil(budget / _LEAST) * _LEAST:.0f}"]
    return adding([*words, *(["--trust-files"] if result.options.get("trust_files") else [])])


def _measuring(result: ResultData) -> float:
    """Return the seconds of measured calls on the slowest corpus, because the budget applies to each."""
    spent: dict[str, float] = {}
    for cell in result.cells:
        taken = math.fsum(sample.duration for sample in cell.samples)
        spent[cell.cell.corpus] = spent.get(cell.cell.corpus, 0.0) + taken
    return max(spent.values(), default=0.0)


def _precision(result: ResultData) -> float:
    known = result.options.get("precision")
    return known if isinstance(known, float) else Verdicts.TIE
