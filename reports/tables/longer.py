"""What measures more: a command, or an argument of `bakeoff.run`, in the same words everywhere."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from ...bench.results import ResultData
from ..model.environment import resuming


@dataclass(frozen=True, slots=True)
class Longer:
    """Parts of a sentence that say how to measure more.

    Attributes:
        processes: What adds timing processes, with the verb.
        time: What times the codecs for which there was not enough time.
    """

    processes: str
    time: str


_TIME = "`--all` or a longer --budget"
_PYTHON = Longer("a larger `budget` adds processes", "`all=True` or a larger `budget`")


def longer(result: ResultData) -> Longer:
    """Return the words for measuring more of a result."""
    if result.in_python:
        return _PYTHON
    return Longer(adding(resuming(result, "FILE")), _TIME)


def adding(arguments: Sequence[str]) -> str:
    """Say that `bakeoff run` with some arguments, which resume a run, adds processes to it."""
    return f"`{shlex.join(['bakeoff', 'run', *arguments])}` adds processes"
