"""What is promised of an attack, and which promises were broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .cases import HostileCase

__all__ = ["HARD", "AttackOutcome", "Promise", "Seen", "breaches"]

AttackOutcome = Literal[
    "refused",
    "accepted",
    "passed",
    "foreign exception",
    "swallowed",
    "unreadable",
    "died",
    "hung",
    "out of memory",
    "cannot be tried",
]
"""What came of a case: of its calls, the worst. "passed": an interruption went through, as it must;
"swallowed": it did not. "unreadable": the codec does not read what it has written."""

HARD = 8
"""At how many times the promise a process is ended: until there, what really happens is seen."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What each call may take, at default limits.

    Attributes:
        seconds: Of the call, without what it waited for a core.
        memory: Bytes held above those of the payload or object.
    """

    seconds: float = 1.0
    memory: int = 256 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one case.

    Attributes:
        outcome: Of its calls, the worst.
        said: The error, or how the process ended.
        calls: How many payloads or objects were tried.
        passed: How many of them were accepted.
        seconds: Of the slowest call; NaN where the process did not live to tell.
        memory: Bytes of the hungriest call; likewise.
        limit: Whether all that was refused was refused as `LimitError`.
    """

    outcome: AttackOutcome
    said: str = ""
    calls: int = 1
    passed: int = 0
    seconds: float = float("nan")
    memory: float = float("nan")
    limit: bool = False


def breaches(case: HostileCase, seen: Seen, promise: Promise) -> list[str]:
    """Return which promises were broken, in the words of the table."""
    found: list[str] = []
    if seen.outcome == "hung":
        found.append("too slow")
    elif seen.outcome == "out of memory":
        found.append("too much memory")
    elif seen.outcome not in ("refused", "accepted", "passed"):
        found.append(seen.outcome)
    elif case.must in ("refuse", "limit") and seen.passed:
        found.append("accepted")
    elif case.must == "accept" and seen.outcome != "accepted":
        found.append("refused")
    elif case.must == "limit" and not seen.limit:
        found.append("no LimitError")
    if seen.seconds > promise.seconds:
        found.append("too slow")
    if seen.memory > promise.memory:
        found.append("too much memory")
    return found
