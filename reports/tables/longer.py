"""Words for measuring more: options of the command, or arguments of `bakeoff.run`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from ...bench.results import ResultData
from ..model.environment import resuming


@dataclass(frozen=True, slots=True)
class Longer:
    """Parts of a sentence that say how to measure more.

    Attributes:
        processes: Adds timing processes.
        time: Times the codecs for which there was not enough time.
    """

    processes: str
    time: str


_TIME = "`--all` or a longer --budget"
_PYTHON = Longer("a larger `budget`", "`all=True` or a larger `budget`")


def longer(result: ResultData) -> Longer:
    """Return the words for measuring more of a result."""
    if result.in_python:
        return _PYTHON
    return Longer(f"`{shlex.join(['bakeoff', 'run', *resuming(result, 'FILE')])}`", _TIME)
