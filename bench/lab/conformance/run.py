"""The parent's side: a worker per codec, a new one if it dies, and the collected verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ....codecs import describe, missing
from ...heartbeat import IDLE
from ...jobs import Conform, Describe
from ...run.processes import LocalExecutor
from .case import ConformanceCase, ConformanceVerdict
from .suites import Copy
from .verdicts import ConformanceJudgement

PATIENCE = 10.0
"""Seconds that a case may take."""
MEMORY = 2 << 30
"""Bytes of address space of a codec's process."""
DEATHS = 10
"""Processes that a codec may crash before its other cases are skipped."""


class LeftOut(NamedTuple):
    """A codec on which no suite was run, and why; `failed` if that is its own fault."""

    codec: str
    reason: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """One codec on the suite of its format.

    Attributes:
        judgements: One per case of the suite with its name, in order; names may repeat.
    """

    codec: str
    copy: Copy
    judgements: tuple[tuple[str, ConformanceJudgement], ...]

    def count(self, verdict: ConformanceVerdict) -> int:
        """Return how many cases have a verdict."""
        return sum(judgement.verdict == verdict for _, judgement in self.judgements)


def pair(
    codecs: Sequence[str], copies: Sequence[Copy], executor: LocalExecutor
) -> tuple[list[tuple[str, Copy]], list[LeftOut]]:
    """Return the pairs of codec and copy to run, and the codecs that no suite is for."""
    by_format = {copy.suite.format: copy for copy in copies}
    pairs, left_out = [], []
    for name in codecs:
        declaration = describe(name)
        if declaration.needs_schema:
            left_out.append(LeftOut(name, "reads the records of one schema only"))
        elif reason := missing(name):
            left_out.append(LeftOut(name, reason))
        else:
            made_of, reason = _format(name, executor)
            if reason:
                left_out.append(LeftOut(name, reason, failed=True))
            elif made_of in by_format:
                pairs.append((name, by_format[made_of]))
            else:
                left_out.append(LeftOut(name, f"no suite for {made_of} here"))
    return pairs, left_out


def _format(name: str, executor: LocalExecutor) -> tuple[str, str]:
    """Return the format of a codec, or the reason why it cannot be made."""
    declaration = describe(name)
    if not declaration.entry_point:
        return declaration.format, ""
    ended = executor.work(Describe(codec=name, memory=MEMORY), patience=PATIENCE)
    return ("", ended.sentence) if ended.answer is None else (ended.answer.facts["format"], "")


def reports(pairs: Sequence[tuple[str, Copy]], executor: LocalExecutor) -> Iterator[Report]:
    """Judge codecs, one after the other.

    Raises:
        UsageError: A copy cannot be read.
    """
    cases = {copy.suite.name: copy.cases() for copy in dict(pairs).values()}
    for name, copy in pairs:
        mine = cases[copy.suite.name]
        found = _judge(name, copy, mine, executor)
        yield Report(name, copy, tuple(zip((case.name for case in mine), found, strict=True)))


def _judge(
    name: str, copy: Copy, cases: Sequence[ConformanceCase], executor: LocalExecutor
) -> list[ConformanceJudgement]:
    """Return the verdict on each case, even if the codec crashes its processes."""
    job = Conform(
        codec=name, suite=copy.suite.name, folder=str(copy.folder.absolute()), start=0, memory=MEMORY
    )
    found: list[ConformanceJudgement] = []
    deaths = 0
    while len(found) < len(cases):
        ended = executor.work(replace(job, start=len(found)), patience=PATIENCE)
        found += [ConformanceJudgement(*judgement) for judgement in ended.notes]
        if len(found) == len(cases):
            break
        reason = ended.sentence
        if ended.cell != IDLE:
            found.append(ConformanceJudgement("fault", reason))
            deaths += 1
            reason = f"the codec crashed {deaths} processes"
        if ended.cell == IDLE or deaths == DEATHS:
            left = len(cases) - len(found)
            found += [ConformanceJudgement("fault", f"not tried: {reason}")] * left
    return found
