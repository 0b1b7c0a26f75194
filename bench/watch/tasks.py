"""What the timing processes of a watch do: the kept records of each call site, and the time for them."""

from __future__ import annotations

import marshal
import random
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from ..libraries import FUNCTIONS
from ..results.watched import SMALL
from .alternatives import OWN, Other, encoded, others
from .parts import Kept, Site

_RECORDS: Final = 60
"""Records of a call site that are timed, at most."""
_FEWEST: Final = 10
"""Records that are timed if calls are so slow that there is time for few passes over more; no more than were
kept, as a copy takes as long and says nothing new."""
_PASSES: Final = 5
"""Passes over the records for which there should be time."""
_BYTES: Final = 4_000_000
"""Bytes of those records; the last one may exceed it."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long other libraries are timed.

    Attributes:
        processes: Number of timing processes.
        seconds: Seconds that each spends on all call sites, at most.
        least: Seconds that it spends on them if the program took less.
        limit: Seconds of all processes after which no further one begins, as calls are slow.
        fewest: Number of processes all the same.
    """

    processes: int = 6
    seconds: float = 1.0
    least: float = 0.3
    limit: float = 30.0
    fewest: int = 3

    def of_process(self, total: float) -> float:
        """Return the seconds that a process spends for a program that took so many."""
        return min(self.seconds, max(total, self.least))


USUAL: Final = Effort()


@dataclass(frozen=True, slots=True)
class Task:
    """The records of one call site.

    Attributes:
        function: The watched function.
        options: Its options, in words.
        kept: Its records or payloads.
        seconds: Time to spend on it.
        collecting: Whether to time the garbage collector, too.
    """

    function: str
    options: Mapping[str, str]
    kept: Sequence[Kept]
    seconds: float
    collecting: bool = False

    @property
    def libraries(self) -> Sequence[Other]:
        """The watched function itself, and the libraries that could replace it."""
        return (OWN, *others(self.function, self.options))

    @property
    def subjects(self) -> list[Any]:
        """The arguments of the calls.

        Raises:
            Exception: A record cannot be written again as the payload that it was.
        """
        return [_subject(self.function, each) for each in self.kept]


def task(site: Site, seconds: float) -> Task | None:
    """Return the task of a call site; None if none of its records was kept.

    Args:
        site: The call site.
        seconds: Time to spend on it.
    """
    found = [kept for kept in site.kept if isinstance(kept.value, bytes | str)]
    if not found:
        return None
    facts = site.facts
    collecting = not FUNCTIONS[facts.function].encodes and facts.collecting >= SMALL * facts.busy
    fitting = seconds / _PASSES * site.calls / facts.busy if facts.busy else _RECORDS
    count = min(max(round(fitting), min(_FEWEST, len(found))), _RECORDS)
    return Task(facts.function, facts.options, _drawn(found, count), seconds, collecting)


def _subject(function: str, kept: Kept) -> Any:
    if not isinstance(kept.value, bytes) or not (FUNCTIONS[function].encodes or kept.result):
        return kept.value
    record = marshal.loads(kept.value)  # noqa: S302 - written by the hook
    return encoded(function, record) if kept.result else record


def _drawn(found: Sequence[Kept], count: int) -> Sequence[Kept]:
    """Draw records at even distances, in proportion to the calls that they represent."""
    ends = list(accumulate(kept.weight for kept in found))
    step = ends[-1] / count
    drawn = [found[bisect(ends, (number + 0.5) * step)] for number in range(count)]
    random.Random(1).shuffle(drawn)
    sizes = accumulate(len(kept.value) for kept in drawn if isinstance(kept.value, bytes | str))
    return drawn[: 1 + sum(size < _BYTES for size in sizes)]
