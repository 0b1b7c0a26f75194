"""The parent's side: one codec after another, each in processes that it may end as it likes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...jobs import Attack
from ...run.processes import LocalExecutor
from .cases import HostileCase
from .collection import CASES
from .faults import Fault, fault_of
from .promises import HARD, AttackOutcome, Promise, Seen, breaches

__all__ = ["AttackFinding", "AttackedCodec", "check"]

AttackVerdict = Literal["kept", "broken", "known", "out of date"]

_OUTCOMES: Mapping[str, AttackOutcome] = {"timed out": "hung", "out of memory": "out of memory"}

PATIENCE = 10.0
"""Seconds that a codec may take at least: to be imported and made, too."""
BASE = 1 << 30
"""Bytes of address space of a process that does nothing yet, libraries and stacks of threads included."""


@dataclass(frozen=True, slots=True)
class AttackFinding:
    """One codec in one case.

    Attributes:
        broken: Which promises, in words; empty where all are kept.
        known: The library's fault that this is, if it is.
    """

    codec: str
    case: HostileCase
    seen: Seen
    broken: tuple[str, ...] = ()
    known: Fault | None = None

    @property
    def verdict(self) -> AttackVerdict:
        """Whether the promises were kept."""
        if self.known is not None:
            if self.seen.outcome == self.known.outcome:
                return "known"
            if self.known.always and not self.broken:
                return "out of date"
        return "broken" if self.broken else "kept"

    @property
    def reproduction(self) -> str:
        """The command that shows it again."""
        return f"bakeoff attack '{self.codec}' --only {self.case.title}"


@dataclass(frozen=True, slots=True)
class AttackedCodec:
    """One codec in all its cases.

    Attributes:
        failed: Why it could not be tried at all; empty where it could.
    """

    codec: str
    findings: list[AttackFinding] = field(default_factory=list)
    failed: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing has to be done about it."""
        return not self.failed and all(each.verdict in ("kept", "known") for each in self.findings)


def check(
    codecs: Iterable[str], patterns: Sequence[str], promise: Promise, show: Callable[[str, int], object]
) -> Iterator[AttackedCodec]:
    """Yield each codec with what came of its cases.

    Args:
        patterns: Cases, as ``--only`` takes them; none for all.
        show: Called now and then with the codec, and how many of its cases were tried.
    """
    with LocalExecutor() as executor:
        for name in codecs:
            yield _check(executor, name, patterns, promise, show)


def _check(
    executor: LocalExecutor,
    name: str,
    patterns: Sequence[str],
    promise: Promise,
    show: Callable[[str, int], object],
) -> AttackedCodec:
    job = Attack(memory=BASE + HARD * promise.memory, codec=name, patterns=tuple(patterns), start=0)
    seen: list[Seen] = []
    while True:
        ended = executor.work(
            dataclasses.replace(job, start=len(seen)),
            patience=max(PATIENCE, HARD * promise.seconds),
            watch=lambda cell: show(name, max(cell, 0)),
        )
        if not ended.notes:
            return AttackedCodec(name, failed=ended.cause)
        cases = [CASES[number] for number in ended.notes[0]]
        seen += [Seen(**each) for each in ended.notes[1:]]
        if len(seen) < len(cases):
            seen.append(Seen(_OUTCOMES.get(ended.outcome, "died"), ended.cause))
        if len(seen) == len(cases):
            break
    found = []
    for case, each in zip(cases, seen, strict=True):
        broken = tuple(breaches(case, each, promise))
        found.append(AttackFinding(name, case, each, broken, fault_of(name, case.direction, case.name)))
    return AttackedCodec(name, found)
