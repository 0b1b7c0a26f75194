"""A process per codec, and a new one if it dies."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from bakeoff import codec as by_name
from bakeoff.codecs import describe, missing

from .case import ConformanceVerdict
from .suites import Copy
from .verdicts import ConformanceJudgement, conformance_of

PATIENCE = 60.0
"""Seconds that a case may take, the start of a process included."""
MEMORY = 2 << 30
"""Bytes of address space of a codec's process."""
DEATHS = 10
"""Processes that a codec may crash before its other cases are skipped."""
_SPAWN = multiprocessing.get_context("spawn")


class LeftOut(NamedTuple):
    """A codec on which no suite was run, and why."""

    codec: str
    reason: str


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


def pair(codecs: Sequence[str], copies: Sequence[Copy]) -> tuple[list[tuple[str, Copy]], list[LeftOut]]:
    """Return the pairs of codec and copy to run, and the codecs that no suite is for."""
    by_format = {copy.suite.format: copy for copy in copies}
    pairs, left_out = [], []
    for name in codecs:
        if describe(name).needs_schema:
            left_out.append(LeftOut(name, "reads the records of one schema only"))
        elif reason := missing(name):
            left_out.append(LeftOut(name, reason))
        elif (made_of := by_name(name, trusted=True).format) in by_format:
            pairs.append((name, by_format[made_of]))
        else:
            left_out.append(LeftOut(name, f"no suite for {made_of} here"))
    return pairs, left_out


def report(name: str, copy: Copy) -> Report:
    """Judge a codec on each case of a suite, even if it crashes its processes."""
    cases = copy.cases()
    found: list[ConformanceJudgement] = []
    deaths = 0
    while len(found) < len(cases):
        end = _judge(name, copy, found, len(cases))
        if len(found) < len(cases):
            found.append(ConformanceJudgement("fault", end))
            deaths += 1
        if deaths == DEATHS:
            left = ConformanceJudgement("fault", f"not tried: the codec crashed {deaths} processes")
            found += [left] * (len(cases) - len(found))
    return Report(name, copy, tuple(zip((case.name for case in cases), found, strict=True)))


def _judge(name: str, copy: Copy, found: list[ConformanceJudgement], most: int) -> str:
    """Add the verdicts of one process; return how it ended."""
    ours, theirs = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_child, args=(name, copy.suite.name, copy.folder, len(found), theirs))
    process.start()
    theirs.close()
    try:
        while len(found) < most:
            if not ours.poll(PATIENCE):
                return f"no answer within {PATIENCE:g} s"
            found.append(ours.recv())
    except EOFError:
        process.join()
        return f"the process ended with exit code {process.exitcode}"
    finally:
        process.kill()
        process.join()
        ours.close()
    return ""


def _child(name: str, suite: str, folder: Path, start: int, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    copy = Copy.of(suite, folder)
    codec = by_name(name)
    for case in copy.cases()[start:]:
        pipe.send(conformance_of(codec, copy.suite, case))
