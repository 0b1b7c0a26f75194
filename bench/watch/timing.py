"""Times the records of call sites with their own function and with others, in new processes.

Such a process calls `main`: it reads `Task` objects from standard input, and writes `Times` to standard
output, both as pickles.
"""

from __future__ import annotations

import gc
import marshal
import math
import pickle
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ...errors import RunError
from ..student import quantile
from ..worker._slice import nothing, time_each
from .alternatives import (
    BARE,
    OWN,
    USES,
    Call,
    Other,
    encoded,
    original,
    others,
    prepared,
    refusal,
    replacement,
)
from .parts import Kept, Site

PROCESSES = 6
SECONDS = 0.6
"""Seconds that a process spends on all tasks."""
_LEAST = 5
"""Passes over the records at least, if they take no longer than twice the time; one in any case."""
_RECORDS = 60
"""Records of a call site that are timed, at most."""
_BYTES = 4_000_000
"""Bytes of those records; the last one may exceed it."""
_BETWEEN = 6
"""Records of a pass that are also timed right after other work."""
_MEMORY = bytes(1_000_000)
_SOURCE = "def f(a, *b, c=1):\n    return [x + c for x in b if x > a] or {a: f'{b!r}'}\n" * 4


@dataclass(frozen=True, slots=True)
class Task:
    """The records of one call site.

    Attributes:
        function: The watched function.
        options: Its options, in words.
        kept: Its records or payloads.
        seconds: Time to spend on it.
    """

    function: str
    options: Mapping[str, str]
    kept: Sequence[Kept]
    seconds: float

    @property
    def subjects(self) -> list[Any]:
        """The arguments of the calls.

        Raises:
            Exception: A record cannot be written again as the payload that it was.
        """
        return [_subject(self.function, each) for each in self.kept]


@dataclass(frozen=True, slots=True)
class Times:
    """What one process found for one task.

    Attributes:
        seconds: Seconds of each record, by library; the watched function's own under `OWN`.
        refused: Why a library cannot be used, by library.
        after_work: Time right after other work, relative to that in a row, by library.
    """

    seconds: Mapping[Other, Sequence[float]]
    refused: Mapping[Other, str]
    after_work: Mapping[Other, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replaced:
    """What another library takes at a call site.

    Attributes:
        ratio: Its time relative to the watched function's.
        half: Half of the width of the 95 % interval of that.
    """

    ratio: float
    half: float


def task(site: Site, seconds: float) -> Task | None:
    """Return the task of a call site; None if none of its records was kept.

    Args:
        site: The call site.
        seconds: Time to spend on it.
    """
    found = [kept for kept in site.kept if isinstance(kept.value, bytes | str)]
    if not found:
        return None
    return Task(site.function, site.options, _drawn(found), seconds)


def _subject(function: str, kept: Kept) -> Any:
    if not isinstance(kept.value, bytes) or not (USES[function].dumps or kept.result):
        return kept.value
    record = marshal.loads(kept.value)  # noqa: S302 - written by the hook
    return encoded(function, record) if kept.result else record


def _drawn(found: Sequence[Kept]) -> Sequence[Kept]:
    """Draw records in proportion to the calls that they represent."""
    drawn = random.Random(1).choices(found, [kept.weight for kept in found], k=_RECORDS)
    ends = accumulate(len(kept.value) for kept in drawn if isinstance(kept.value, bytes | str))
    return drawn[: 1 + sum(end < _BYTES for end in ends)]


def measure(tasks: Sequence[Task], show: Callable[[float], object]) -> list[list[Times]]:
    """Time the tasks in several processes.

    Args:
        tasks: At least one.
        show: Called with the share that is done.

    Returns:
        For each task, what each process found.

    Raises:
        RunError: A process died.
    """
    given = pickle.dumps(list(tasks))
    found = []
    for number in range(PROCESSES):
        show(number / PROCESSES)
        command = [sys.executable, "-P", "-c", f"from {__name__} import main; main()"]
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise RunError(f"timing the kept records failed: {' '.join(last) or done.returncode}")
        found.append(pickle.loads(done.stdout))
    return [list(times) for times in zip(*found, strict=True)]


def replaced(times: Sequence[Times], library: Other, seconds: float) -> Replaced | None:
    """Return what a library takes relative to the watched function; None if it cannot be used.

    What the program does between two calls pushes code and data out of the processor's caches. How far is
    seen from the watched function, whose calls in the program are compared with calls in a row and with calls
    right after other work. The library's calls are taken to be as far between the two.

    Args:
        times: What the processes found.
        library: The other library.
        seconds: Mean time of a call in the program, without the garbage collector's.
    """
    if any(library not in each.seconds for each in times):
        return None
    logs = [math.log(sum(each.seconds[library]) / sum(each.seconds[OWN])) for each in times]
    own, other = (
        math.exp(statistics.fmean(math.log(each.after_work.get(which, 1.0)) for each in times)) - 1
        for which in (OWN, library)
    )
    far = min(max(seconds / own_seconds(times) - 1, 0.0) / own, 1.0) if own > 0 else 0.0
    ratio = math.exp(statistics.fmean(logs)) * (1 + far * max(other, 0.0)) / (1 + far * own)
    processes = statistics.stdev(logs) / math.sqrt(len(logs)) * quantile(0.05, len(logs) - 1)
    return Replaced(ratio, math.hypot(ratio * processes, 1.96 * _of_records(times, library, ratio)))


def has_own(times: Sequence[Times]) -> bool:
    """Return whether the watched function has been timed in all processes."""
    return all(OWN in each.seconds for each in times)


def own_seconds(times: Sequence[Times]) -> float:
    """Return the mean time of the watched function for a record."""
    return statistics.fmean(statistics.fmean(each.seconds[OWN]) for each in times)


def _of_records(times: Sequence[Times], library: Other, ratio: float) -> float:
    """Return the standard error of a ratio that comes from having timed some of the records only."""
    mine = [statistics.fmean(row) for row in zip(*(each.seconds[OWN] for each in times), strict=True)]
    other = [statistics.fmean(row) for row in zip(*(each.seconds[library] for each in times), strict=True)]
    rest = [b - ratio * a for a, b in zip(mine, other, strict=True)]
    return math.sqrt(sum(each * each for each in rest)) / sum(mine)


def failed(job: Task, reason: str) -> Times:
    """Return the times of a task that could not be carried out: none."""
    return Times({}, dict.fromkeys(others(job.function, job.options), reason))


def _carry_out(job: Task) -> Times:
    try:
        return _times(job)
    except Exception as error:  # noqa: BLE001 - whatever it is, this call site has no figure
        return failed(job, f"{type(error).__name__}: {error}")


def _times(job: Task) -> Times:
    subjects = job.subjects
    mine = original(job.function, job.options)
    text = isinstance(mine(subjects[0]), str)
    if job.function in BARE and any(
        len(mine(each)) != kept.size for each, kept in zip(subjects, job.kept, strict=True)
    ):
        return failed(job, "options of the constructor")
    calls, refused = {OWN: (mine, subjects)}, {}
    for other in others(job.function, job.options):
        try:
            call = replacement(job.function, job.options, other, text=text)
            given = [prepared(job.function, other, each) for each in subjects]
        except ImportError:
            continue
        except Exception as error:  # noqa: BLE001 - a library may raise anything
            refused[other] = f"{type(error).__name__}: {error}"
            continue
        reasons = (
            refusal(job.function, (mine, call), other, each) for each in zip(subjects, given, strict=True)
        )
        if reason := next(filter(None, reasons), ""):
            refused[other] = reason
        else:
            calls[other] = call, given
    seconds, after_work = _timed(calls, job.seconds)
    return Times(seconds, refused, after_work)


def _work() -> None:
    """Do what a program may do between two calls."""
    compile(_SOURCE, "", "exec")
    bytearray(_MEMORY)


def _timed(
    calls: Mapping[Other, tuple[Call, list[Any]]], seconds: float
) -> tuple[Mapping[Other, Sequence[float]], Mapping[Other, float]]:
    """Time all calls in turns, in another order each time; return the median of each record.

    The medians are scaled to the median of whole passes, which has the share of rare, longer calls. Also
    returned is how many times as long the calls take right after other work.
    """
    subjects = calls[OWN][1]
    empty = statistics.median(time_each(nothing, subjects))
    passes: dict[Other, list[list[int]]] = {other: [] for other in calls}
    after: dict[Other, list[tuple[int, int]]] = {other: [] for other in calls}
    order, begin = list(calls), time.perf_counter()
    done = 0
    while (
        (spent := time.perf_counter() - begin) < seconds
        or (done < _LEAST and spent < 2 * seconds)
        or done == 0
    ):
        random.shuffle(order)
        for other in order:
            call, given = calls[other]
            row = time_each(call, given)
            passes[other].append(row)
            for at in random.sample(range(len(row)), min(_BETWEEN, len(row))):
                _work()
                after[other].append((row[at], time_each(call, [given[at]])[0]))
        done += 1
    found = {}
    for other, rows in passes.items():
        whole = statistics.median(map(sum, rows)) - empty * len(subjects)
        each = [max(statistics.median(column) - empty, 1.0) for column in zip(*rows, strict=True)]
        scale = max(whole, 1.0) / sum(each) * 1e-9
        found[other] = [value * scale for value in each]
    return found, {other: _relative(pairs, empty) for other, pairs in after.items()}


def _relative(pairs: Sequence[tuple[int, int]], empty: float) -> float:
    """Return the median ratio of second to first nanoseconds, without those of an empty call.

    Each counts in proportion to its time, as long calls decide the time of a call site.
    """
    clean = [(max(first - empty, 1.0), max(second - empty, 1.0)) for first, second in pairs]
    ratios = sorted((second / first, first) for first, second in clean)
    half = sum(first for _, first in ratios) / 2
    ends = accumulate(first for _, first in ratios)
    return next(ratio for (ratio, _), end in zip(ratios, ends, strict=True) if end >= half)


def main() -> None:
    """Carry out the tasks on standard input.

    Without the garbage collector, whose time in the program depends on all of its objects more than on the
    library: each returns equal ones.
    """
    tasks = pickle.load(sys.stdin.buffer)
    gc.disable()
    sys.stdout.buffer.write(pickle.dumps([_carry_out(job) for job in tasks]))
