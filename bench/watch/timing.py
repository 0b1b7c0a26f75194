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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any

from ...errors import RunError
from ..student import quantile
from ..worker._slice import evict, nothing, time_followed
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
SECONDS = 1.0
"""Seconds that a process spends on all tasks."""
_LEAST = 5
"""Passes over the records at least, if they take no longer than twice the time; one in any case."""
_RECORDS = 60
"""Records of a call site that are timed, at most."""
_BYTES = 4_000_000
"""Bytes of those records; the last one may exceed it."""
_AFTER_WORK = 6
"""Records that each process also times between other work."""
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
class AfterWork:
    """Calls between other work, relative to calls of the watched function in a row.

    Attributes:
        call: Time of a call of the watched function.
        saved: What each library saves more than in a row, in the work after the call, too.
    """

    call: float
    saved: Mapping[Other, float]


@dataclass(frozen=True, slots=True)
class Times:
    """What one process found for one task.

    Attributes:
        calls: Seconds of the watched function for each record.
        seconds: Seconds of each record, by library, dropping the result included; the watched function's own
            under `OWN`.
        refused: Why a library cannot be used, by library.
        after_work: Calls after work that leaves the larger caches as they are, and after work that leaves
            nothing in the caches.
    """

    calls: Sequence[float]
    seconds: Mapping[Other, Sequence[float]]
    refused: Mapping[Other, str]
    after_work: tuple[AfterWork, AfterWork] = (AfterWork(1.0, {}),) * 2


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


def replaced(times: Sequence[Times], library: Other, part: float, seconds: float) -> Replaced | None:
    """Return what a library takes relative to the watched function; None if it cannot be used.

    What a program does between two calls pushes code and data out of the processor's caches, and a call does
    the same to the program. How far caches are emptied follows from how long the calls take in the program.

    Args:
        times: What the processes found.
        library: The other library.
        part: The part of the calls that come after other work.
        seconds: Mean time of a call in the program, without the garbage collector's; 0 if it is not known.
    """
    if any(library not in each.seconds for each in times):
        return None
    warm, cold = (statistics.fmean(each.after_work[level].call for each in times) for level in (0, 1))
    far = (seconds / own_seconds(times) - warm) / (cold - warm) if cold > warm else 0.0
    far = min(max(far, 0.0), 1.0)
    saved = [_saved(each, library, (part * (1 - far), part * far)) for each in times]
    processes = statistics.stdev(saved) / math.sqrt(len(saved)) * quantile(0.05, len(saved) - 1)
    return Replaced(1 - statistics.fmean(saved), math.hypot(processes, 1.96 * _of_records(times, library)))


def _saved(times: Times, library: Other, parts: Sequence[float]) -> float:
    """Return what a library saves relative to the watched function's calls.

    Args:
        times: What one process found.
        library: The other library.
        parts: The part of the calls at each level of `Times.after_work`; the others are in a row.
    """
    saved = (sum(times.seconds[OWN]) - sum(times.seconds[library])) / sum(times.calls)
    call = 1.0
    for part, level in zip(parts, times.after_work, strict=True):
        saved += part * level.saved.get(library, 0.0)
        call += part * (level.call - 1)
    return saved / call


def has_own(times: Sequence[Times]) -> bool:
    """Return whether the watched function has been timed in all processes."""
    return all(OWN in each.seconds for each in times)


def own_seconds(times: Sequence[Times]) -> float:
    """Return the mean time of the watched function for a record."""
    return statistics.fmean(statistics.fmean(each.calls) for each in times)


def _of_records(times: Sequence[Times], library: Other) -> float:
    """Return the standard error of a saving that comes from having timed some of the records only."""
    calls = _means(each.calls for each in times)
    mine, others = (_means(each.seconds[which] for each in times) for which in (OWN, library))
    share = (sum(mine) - sum(others)) / sum(calls)
    rest = [own - other - share * call for own, other, call in zip(mine, others, calls, strict=True)]
    return math.sqrt(sum(each * each for each in rest)) / sum(calls)


def _means(rows: Iterable[Sequence[float]]) -> Sequence[float]:
    """Return the mean of each record over several processes."""
    return [statistics.fmean(column) for column in zip(*rows, strict=True)]


def failed(job: Task, reason: str) -> Times:
    """Return the times of a task that could not be carried out: none."""
    return Times((), {}, dict.fromkeys(others(job.function, job.options), reason))


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
    return replace(_timed(calls, job.seconds), refused=refused)


def _run_code() -> None:
    """Do what a program may do before and after a call."""
    compile(_SOURCE, "", "exec")


def _timed(calls: Mapping[Other, tuple[Call, list[Any]]], seconds: float) -> Times:
    """Time all calls in a row, and some of them after two kinds of work, each a third of the time."""
    subjects = calls[OWN][1]
    some = random.sample(range(len(subjects)), min(_AFTER_WORK, len(subjects)))
    in_row, warm, cold = ({other: _Passes() for other in calls} for _ in range(3))
    add_pass = (
        partial(_add_in_row, in_row, calls),
        partial(_add_after, _run_code, _run_code, warm, calls, some),
        # With empty caches, work takes as long after any call.
        partial(_add_after, evict, None, cold, calls, some),
    )
    spent = [0.0] * len(add_pass)
    while (
        sum(spent) < seconds
        or (len(in_row[OWN].calls) < _LEAST and sum(spent) < 2 * seconds)
        or not all(spent)
    ):
        which = spent.index(min(spent))
        begin = time.perf_counter()
        add_pass[which]()
        spent[which] += time.perf_counter() - begin
    return _compared(in_row, (warm, cold), some, time_followed(nothing, subjects))


def _add_in_row(in_row: Mapping[Other, _Passes], calls: Mapping[Other, tuple[Call, list[Any]]]) -> None:
    """Add a pass over all records for each library, in random order."""
    for other in random.sample(list(calls), len(calls)):
        in_row[other].add(time_followed(*calls[other]))


def _add_after(
    work: Callable[[], None],
    then: Callable[[], None] | None,
    after: Mapping[Other, _Passes],
    calls: Mapping[Other, tuple[Call, list[Any]]],
    some: Sequence[int],
) -> None:
    """Add a pass over some records between other work, call by call in turns."""
    pairs: dict[Other, list[tuple[int, int]]] = {other: [] for other in calls}
    for at in some:
        for other in random.sample(list(calls), len(calls)):
            call, given = calls[other]
            work()
            pairs[other] += time_followed(call, [given[at]], then)
    for other, row in pairs.items():
        after[other].add(row)


def _compared(
    in_row: Mapping[Other, _Passes],
    after: tuple[Mapping[Other, _Passes], Mapping[Other, _Passes]],
    some: Sequence[int],
    empty: Sequence[tuple[int, int]],
) -> Times:
    """Return what passes say.

    Args:
        in_row: Passes over all records, by library.
        after: Passes over some of them after other work, by library, for each level of `Times.after_work`.
        some: The index of each of those records.
        empty: The nanoseconds of calls that do nothing.
    """
    alone, whole = (statistics.median(column) for column in zip(*empty, strict=True))
    calls = [max(each - alone, 1.0) for each in _medians(in_row[OWN].calls)]
    usual = sum(calls[at] for at in some)
    rows = {
        other: sum(_medians([[row[at] for at in some] for row in _differences(in_row, other)]))
        for other in in_row
    }
    warm, cold = (
        AfterWork(
            sum(max(each - alone, 1.0) for each in _medians(level[OWN].calls)) / usual,
            {other: (sum(_medians(_differences(level, other))) - row) / usual for other, row in rows.items()},
        )
        for level in after
    )
    seconds = {other: _scaled(passes.wholes, whole) for other, passes in in_row.items()}
    return Times(_scaled(in_row[OWN].calls, alone), seconds, {}, (warm, cold))


def _differences(passes: Mapping[Other, _Passes], other: Other) -> list[list[int]]:
    """Return the nanoseconds that a library takes less than the watched function."""
    return [
        [own - its for own, its in zip(*rows, strict=True)]
        for rows in zip(passes[OWN].wholes, passes[other].wholes, strict=True)
    ]


def _medians(passes: Sequence[Sequence[float]]) -> list[float]:
    """Return the median of each record."""
    return [statistics.median(column) for column in zip(*passes, strict=True)]


def _scaled(passes: Sequence[Sequence[int]], empty: float) -> list[float]:
    """Return the seconds of each record, without those of an empty call.

    They are medians, scaled to the median of whole passes, which has the share of rare, longer calls.
    """
    each = [max(median - empty, 1.0) for median in _medians(passes)]
    whole = statistics.median(map(sum, passes)) - empty * len(each)
    scale = max(whole, 1.0) / sum(each) * 1e-9
    return [value * scale for value in each]


def main() -> None:
    """Carry out the tasks on standard input.

    Without the garbage collector, whose time in the program depends on all of its objects more than on the
    library: each returns equal ones.
    """
    tasks = pickle.load(sys.stdin.buffer)
    gc.disable()
    sys.stdout.buffer.write(pickle.dumps([_carry_out(job) for job in tasks]))
