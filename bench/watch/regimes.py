"""Times calls of libraries with little work between them, with more of it, and with empty caches."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from ..messages.watch import AfterWork, CallTimes
from ..worker._slice import evict, interruptions, nothing, time_followed
from ..worker.other_work import run_code
from .alternatives import OWN, Call, Other

_LEAST = 5
"""Passes over the records at least, if they take no longer than twice the time; one in any case."""
_AFTER_WORK = 6
"""Records that each process also times between other work, at most; fewer if emptying the caches for all of
them would take longer than the task has."""
_TRIES = 5
"""Times that such a call is made at most, if the system gives the processor to another thread during it."""
_LONG = 50_000_000
"""Nanoseconds of a call that is not made again: nearly all are interrupted, for a small part of it."""
_SHARES = (1, 2, 1)
"""Shares of the time for calls in a row, between more work, which varies most, and with empty caches."""


@dataclass(slots=True)
class Disturbances:
    """Calls between other work, and those that were interrupted each time they were made."""

    calls: int = 0
    dirty: int = 0

    @property
    def share(self) -> float:
        """The share of those that were interrupted."""
        return self.dirty / self.calls if self.calls else 0.0


@dataclass(slots=True)
class _Passes:
    """Nanoseconds of calls alone, and with what follows them: a row of records for each pass."""

    calls: list[Sequence[int]] = field(default_factory=list)
    wholes: list[Sequence[int]] = field(default_factory=list)

    def add(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Add a pass."""
        calls, wholes = zip(*pairs, strict=True)
        self.calls.append(calls)
        self.wholes.append(wholes)


def _run_little() -> None:
    """Do as little between two calls as a program does with a record, which takes 1 to 2 µs.

    Calls that follow each other at once are faster than in any program, most of all those of fast libraries.
    """
    record: dict[str, object] = {"id": 1, "price": 2.5}
    record["name"] = "a,b,c"
    str(sorted(record)).split(",")
    f"{2.5:.2f} {record}"


def timed(
    calls: Mapping[Other, tuple[Call, list[Any]]],
    seconds: float,
    beat: Callable[[Other], object],
    read: Callable[[], object],
    disturbances: Disturbances,
) -> dict[Other, CallTimes]:
    """Time all calls in a row, with little work between them, and some of them after two kinds of work.

    Args:
        calls: The function of each library, and what it is given.
        seconds: Time to spend.
        beat: Called with the library whose calls come next.
        read: Reads the contention; called after each pass.
        disturbances: Counts calls that are interrupted.
    """
    subjects = calls[OWN][1]
    fitting = max(1, round(seconds / (len(calls) * _eviction())))
    some = random.sample(range(len(subjects)), min(_AFTER_WORK, fitting, len(subjects)))
    in_row, warm, cold = ({other: _Passes() for other in calls} for _ in range(3))
    add_pass = (
        partial(_add_in_row, in_row, calls, beat),
        partial(_add_between, warm, calls, some, beat, disturbances),
        partial(_add_cold, cold, calls, some, beat, disturbances),
    )
    spent = [0.0] * len(add_pass)
    while (
        sum(spent) < seconds
        or (len(in_row[OWN].calls) < _LEAST and sum(spent) < 2 * seconds)
        or not all(spent)
    ):
        which = min(range(len(spent)), key=lambda which: spent[which] / _SHARES[which])
        begin = time.perf_counter()
        add_pass[which]()
        spent[which] += time.perf_counter() - begin
        read()
    return _compared(in_row, (warm, cold), some, time_followed(nothing, subjects, _run_little))


@cache
def _eviction() -> float:
    """Return the seconds that it takes to empty the caches."""
    evict()  # the first one gets its memory from the system
    begin = time.perf_counter()
    evict()
    return time.perf_counter() - begin


def _add_in_row(
    in_row: Mapping[Other, _Passes],
    calls: Mapping[Other, tuple[Call, list[Any]]],
    beat: Callable[[Other], object],
) -> None:
    """Add a pass over all records for each library, in random order."""
    for other in random.sample(list(calls), len(calls)):
        beat(other)
        in_row[other].add(time_followed(*calls[other], _run_little))


def _add_between(
    after: Mapping[Other, _Passes],
    calls: Mapping[Other, tuple[Call, list[Any]]],
    some: Sequence[int],
    beat: Callable[[Other], object],
    disturbances: Disturbances,
) -> None:
    """Add a pass over some records between other work, which is timed, too.

    A program calls one library, whose code partly stays in the caches from call to call. So each library
    makes its calls in a row, after one that does not count.
    """
    for other in random.sample(list(calls), len(calls)):
        beat(other)
        call, given = calls[other]
        time_followed(call, [given[some[0]]], run_code)
        after[other].add([_uninterrupted(disturbances, call, given[at], then=run_code) for at in some])


def _add_cold(
    after: Mapping[Other, _Passes],
    calls: Mapping[Other, tuple[Call, list[Any]]],
    some: Sequence[int],
    beat: Callable[[Other], object],
    disturbances: Disturbances,
) -> None:
    """Add a pass over some records with empty caches, in which the libraries take turns call by call."""
    pairs: dict[Other, list[tuple[int, int]]] = {other: [] for other in calls}
    for at in some:
        for other in random.sample(list(calls), len(calls)):
            beat(other)
            call, given = calls[other]
            pairs[other].append(_uninterrupted(disturbances, call, given[at], before=evict))
    for other, row in pairs.items():
        after[other].add(row)


def _uninterrupted(
    disturbances: Disturbances,
    call: Call,
    subject: Any,
    *,
    before: Callable[[], None] = lambda: None,
    then: Callable[[], None] | None = None,
) -> tuple[int, int]:
    """Make a call until the system does not give the processor to another thread during it.

    Args:
        disturbances: Counts it.
        call: The function.
        subject: Its argument.
        before: What is done before the call, untimed.
        then: What is done after the call.

    Returns:
        Nanoseconds of the call alone, and with what follows it.
    """
    disturbances.calls += 1
    for _ in range(_TRIES):
        before()
        count = interruptions()
        [pair] = time_followed(call, [subject], then)
        if interruptions() == count or pair[0] > _LONG:
            return pair
    disturbances.dirty += 1
    return pair


def _compared(
    in_row: Mapping[Other, _Passes],
    after: tuple[Mapping[Other, _Passes], Mapping[Other, _Passes]],
    some: Sequence[int],
    empty: Sequence[tuple[int, int]],
) -> dict[Other, CallTimes]:
    """Return what passes say.

    Args:
        in_row: Passes over all records, by library.
        after: Passes over some of them after other work, by library, for each level of
            `CallTimes.after_work`.
        some: The index of each of those records.
        empty: The nanoseconds of calls that do nothing.
    """
    alone, whole = (statistics.median(column) for column in zip(*empty, strict=True))
    calls = [max(each - alone, 1.0) for each in _medians(in_row[OWN].calls)]
    usual = sum(calls[at] for at in some)
    slower = [sum(max(each - alone, 1.0) for each in _medians(level[OWN].calls)) / usual for level in after]

    def compared(other: Other) -> CallTimes:
        row = _less(in_row, other, some)
        levels = []
        for level, call in zip(after, slower, strict=True):
            less = _less(level, other, range(len(some)))
            saved, saved_after = ((a - b) / usual for a, b in zip(less, row, strict=True))
            levels.append(AfterWork(call, saved, saved_after))
        passes = in_row[other]
        return CallTimes(_scaled(passes.calls, alone), _scaled(passes.wholes, whole), (levels[0], levels[1]))

    return {other: compared(other) for other in in_row}


def _less(passes: Mapping[Other, _Passes], other: Other, some: Sequence[int]) -> tuple[float, float]:
    """Return the nanoseconds that a library takes less than the watched function for some records.

    What a call does to the work that follows is small compared with how much that work varies, and does not
    depend much on the record. So it is one median over all records.

    Returns:
        Those of the calls, and those of what follows.
    """
    mine, its = passes[OWN], passes[other]
    calls = _differences(mine.calls, its.calls)
    wholes = _differences(mine.wholes, its.wholes)
    then = [row[at] for row in _differences(wholes, calls) for at in some]
    return sum(_medians([[row[at] for at in some] for row in calls])), len(some) * statistics.median(then)


def _differences(some: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return by how much the first ones exceed the others."""
    return [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(some, others, strict=True)]


def _medians(passes: Sequence[Sequence[float]]) -> list[float]:
    """Return the median of each record."""
    return [statistics.median(column) for column in zip(*passes, strict=True)]


def _scaled(passes: Sequence[Sequence[int]], empty: float) -> tuple[float, ...]:
    """Return the seconds of each record, without those of an empty call.

    They are medians, scaled to the median of whole passes, which has the share of rare, longer calls.
    """
    each = [max(median - empty, 1.0) for median in _medians(passes)]
    whole = statistics.median(map(sum, passes)) - empty * len(each)
    scale = max(whole, 1.0) / sum(each) * 1e-9
    return tuple(value * scale for value in each)
