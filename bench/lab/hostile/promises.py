"""The promises for an attack, and the check of which were broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .cases import HostileCase

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
"""The outcome of a case: the worst of its calls. "passed": an interruption propagated, as it must;
"swallowed": it did not. "unreadable": the codec cannot decode its own payload."""

HARD = 8
"""Multiple of the promise at which a process is ended: up to there, the actual cost is measured."""


@dataclass(frozen=True, slots=True)
class Promise:
    """The resources that each call may use, at default limits.

    Attributes:
        seconds: Time of the call, without waiting for a core.
        memory: Bytes held in addition to the payload or object.
    """

    seconds: float = 1.0
    memory: int = 256 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """The measured outcome of one case.

    Attributes:
        outcome: The worst outcome of its calls.
        said: The error, or how the process ended.
        calls: Number of payloads or objects that were tried.
        passed: Number of these that were accepted.
        seconds: Seconds of the slowest call; NaN if the process died.
        memory: Most bytes of a call; NaN if the process died.
        limit: Whether every refusal was a `LimitError`.
    """

    outcome: AttackOutcome
    said: str = ""
    calls: int = 1
    passed: int = 0
    seconds: float = float("nan")
    memory: float = float("nan")
    limit: bool = False


def breaches(case: HostileCase, seen: Seen, promise: Promise) -> list[str]:
    """Return the broken promises, in the words of the table."""
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
