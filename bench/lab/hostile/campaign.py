"""The parent's side: one codec after another, each in processes that it may crash."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...messages.hostile import Attack
from ...run.processes import LocalExecutor
from .cases import HostileCase
from .collection import CASES
from .faults import Fault, fault_of
from .promises import HARD, AttackOutcome, Promise, Seen, breaches

AttackVerdict = Literal["kept", "broken", "known", "out of date"]

_OUTCOMES: Mapping[str, AttackOutcome] = {"timed out": "hung", "out of memory": "out of memory"}

PATIENCE = 10.0
"""Minimum seconds for a codec, including import and construction."""
BASE = 1 << 30
"""Bytes of address space of an idle process, including libraries and stacks of threads."""


@dataclass(frozen=True, slots=True)
class AttackFinding:
    """One codec in one case.

    Attributes:
        broken: The broken promises, in words; empty if all are kept.
        known: The library's known fault that explains them, if any.
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
        """The command that reproduces it."""
        return f"bakeoff attack '{self.codec}' --only {self.case.title}"


@dataclass(frozen=True, slots=True)
class AttackedCodec:
    """One codec in all its cases.

    Attributes:
        failed: Why it could not be tried at all; empty if it could.
    """

    codec: str
    findings: list[AttackFinding] = field(default_factory=list)
    failed: str = ""

    @property
    def ok(self) -> bool:
        """Whether no action is needed."""
        return not self.failed and all(each.verdict in ("kept", "known") for each in self.findings)


def check(
    codecs: Iterable[str], patterns: Sequence[str], promise: Promise, show: Callable[[str, int], object]
) -> Iterator[AttackedCodec]:
    """Yield each codec with the findings of its cases.

    Args:
        patterns: Patterns of cases, as for ``--only``; none for all.
        show: Called regularly with the codec and the number of its cases that were tried.
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
            watch=lambda cell, beats: show(name, max(cell, 0)),
        )
        if not ended.notes:
            return AttackedCodec(name, failed=ended.reason)
        cases = [CASES[number] for number in ended.notes[0]]
        seen += [Seen(**each) for each in ended.notes[1:]]
        if len(seen) < len(cases):
            seen.append(Seen(_OUTCOMES.get(ended.outcome, "died"), ended.reason))
        if len(seen) == len(cases):
            break
    found = []
    for case, each in zip(cases, seen, strict=True):
        broken = tuple(breaches(case, each, promise))
        found.append(AttackFinding(name, case, each, broken, fault_of(name, case.direction, case.name)))
    return AttackedCodec(name, found)
