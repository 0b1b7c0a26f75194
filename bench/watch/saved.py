"""What a library saves at a call site, from the times of several processes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..messages.watch import AfterWork, CallTimes
from ..stats.student import quantile
from .alternatives import OWN, Other
from .measure import Found

Times = Sequence[CallTimes]
"""What each process found for one library."""


class Replaced(NamedTuple):
    """What another library takes at a call site.

    Attributes:
        ratio: Its time relative to the watched function's.
        half: Half of the width of the 95 % interval of that.
    """

    ratio: float
    half: float


def replaced(found: Found, library: Other, part: float, seconds: float) -> Replaced | None:
    """Return what a library takes relative to the watched function; None if it cannot be used.

    What a program does between two calls pushes code and data out of the processor's caches, and a call does
    the same to the program. How far the program empties the caches is seen from the time of its calls, and
    what the library saves is taken to be as far between that with warm and with empty caches. What it saves
    in the work after a call counts in seconds, however long the call takes in the program.

    Args:
        found: What the processes found; at least two.
        library: The other library.
        part: The part of the calls that come after other work.
        seconds: Mean time of a call in the program, without the garbage collector's; 0 if it is not known.
    """
    if library not in found.times:
        return None
    own, its = found.times[OWN], found.times[library]
    # How empty the program's caches are is not known exactly: each process estimates it from its own times.
    judged = [_saved([one], [other], part, seconds) for one, other in zip(own, its, strict=True)]
    processes = statistics.stdev(judged) / math.sqrt(len(judged)) * quantile(0.05, len(judged) - 1)
    # Noise aside, a library cannot save more than the calls take.
    ratio = max(0.0, 1 - _saved(own, its, part, seconds))
    return Replaced(ratio, math.hypot(processes, 1.96 * _of_records(own, its)))


def _saved(own: Times, its: Times, part: float, seconds: float) -> float:
    """Return what a library saves relative to the watched function's calls.

    Args:
        own: What some processes found for the watched function.
        its: The same for the library.
        part: The part of the calls that come after other work.
        seconds: Mean time of a call in the program; 0 if it is not known.
    """
    saved = statistics.fmean(
        (sum(one.seconds) - sum(other.seconds)) / sum(one.calls) for one, other in zip(own, its, strict=True)
    )
    warm, cold = (_level(its, which) for which in (0, 1))
    usual = seconds / seconds_of(own)
    far = (usual - warm.call) / (cold.call - warm.call) if cold.call > warm.call else 0.0
    far = min(max(far, 0.0), 1.0)
    call, after = 1.0, 0.0
    for each, share in ((warm, part * (1 - far)), (cold, part * far)):
        call += share * (each.call - 1)
        saved += share * each.saved
        after += share * each.saved_after
    return saved / call + after / (usual or call)


def _level(its: Times, which: int) -> AfterWork:
    """Return the mean of several processes at a level of `CallTimes.after_work`.

    What a call brings into the caches pushes out as much, at most. So a call slows down the work after it by
    no more than the work before has slowed down the call.
    """
    levels = [each.after_work[which] for each in its]
    saved = statistics.fmean(level.saved for level in levels)
    after = statistics.fmean(level.saved_after for level in levels)
    bounded = min(max(after, min(saved, 0.0)), max(saved, 0.0))
    return AfterWork(statistics.fmean(level.call for level in levels), saved, bounded)


def collected(found: Found, library: Other) -> float:
    """Return the garbage collector's time for records of a library, relative to the watched function's."""
    return statistics.fmean(each.collection for each in found.times[library])


def seconds_of(times: Times) -> float:
    """Return the mean time of a call."""
    return statistics.fmean(statistics.fmean(each.calls) for each in times)


def _of_records(own: Times, its: Times) -> float:
    """Return the standard error of a saving that comes from having timed some of the records only."""
    calls = _means(each.calls for each in own)
    mine, others = (_means(each.seconds for each in times) for times in (own, its))
    share = (sum(mine) - sum(others)) / sum(calls)
    rest = [one - other - share * call for one, other, call in zip(mine, others, calls, strict=True)]
    return math.sqrt(sum(each * each for each in rest)) / sum(calls)


def _means(rows: Iterable[Sequence[float]]) -> Sequence[float]:
    """Return the mean of each record over several processes."""
    return [statistics.fmean(column) for column in zip(*rows, strict=True)]
