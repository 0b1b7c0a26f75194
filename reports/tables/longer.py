"""What to type to measure more: options of the command, or arguments of `bakeoff.run`."""

from __future__ import annotations

from dataclasses import dataclass

from ...bench.results import Result

__all__ = ["Longer", "longer"]


@dataclass(frozen=True, slots=True)
class Longer:
    """What to type, as a part of a sentence.

    Attributes:
        processes: What adds timing processes.
        time: What times the codecs for which there was not enough time.
    """

    processes: str
    time: str


_COMMAND = Longer("`bakeoff run --resume FILE`", "`--all` or a longer --budget")
_PYTHON = Longer("a larger `budget`", "`all=True` or a larger `budget`")


def longer(result: Result) -> Longer:
    """Return what to type to measure more of a result."""
    return _PYTHON if result.in_python else _COMMAND
