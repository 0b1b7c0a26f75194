"""Times the records of call sites with their own function and with others, in new processes.

Such a process calls `main`: it reads `Task` objects from standard input, and writes `Times` to standard
output, both as pickles. Its heartbeat counts the libraries of all tasks, so that a library that ends the
process costs only its own figure.
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
import tempfile
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from ...errors import RunError
from ..deaths import Deaths
from ..heartbeat import IDLE, Heartbeat
from ..jobs import Ended
from ..results.watched import SMALL
from ..run.processes import why
from ..stats.student import quantile
from .alternatives import (
    FUNCTIONS,
    OWN,
    USES,
    Other,
    encoded,
    original,
    others,
    prepared,
    refusal,
    replacement,
)
from .collector import collections
from .parts import Kept, Site
from .regimes import AfterWork, Times, timed

PROCESSES = 6
SECONDS = 1.0
"""Seconds that a process spends on all tasks, at most."""
LEAST = 0.3
"""Seconds that a process spends on them if the program took less."""
_RECORDS = 60
"""Records of a call site that are timed, at most."""
_FEWEST = 10
"""Records that are timed if calls are so slow that there is time for few passes over more."""
_PASSES = 5
"""Passes over the records for which there should be time."""
_BYTES = 4_000_000
"""Bytes of those records; the last one may exceed it."""


@dataclass(frozen=True, slots=True)
class Task:
    """The records of one call site.

    Attributes:
        function: The watched function.
        options: Its options, in words.
        kept: Its records or payloads.
        seconds: Time to spend on it.
        collecting: Whether to time the garbage collector, too.
        ended: Why libraries are not tried: they have ended a process.
    """

    function: str
    options: Mapping[str, str]
    kept: Sequence[Kept]
    seconds: float
    collecting: bool = False
    ended: Mapping[Other, str] = field(default_factory=dict)

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
    collecting = not USES[site.function].dumps and site.collecting >= SMALL * site.busy
    fitting = seconds / _PASSES * site.calls / site.busy if site.busy else _RECORDS
    count = min(max(round(fitting), _FEWEST), _RECORDS)
    return Task(site.function, site.options, _drawn(found, count), seconds, collecting)


def _subject(function: str, kept: Kept) -> Any:
    if not isinstance(kept.value, bytes) or not (USES[function].dumps or kept.result):
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


def measure(tasks: Sequence[Task], show: Callable[[float], object]) -> list[list[Times]]:
    """Time the tasks in several processes.

    Args:
        tasks: At least one.
        show: Called with the share that is done.

    Returns:
        For each task, what each process found.

    Raises:
        RunError: Processes died while no library ran.
    """
    left, deaths = list(tasks), Deaths[tuple[int, Other]]()
    found: list[list[Times]] = []
    while len(found) < PROCESSES:
        show(len(found) / PROCESSES)
        ended = _process(left)
        if ended.answer is not None:
            found.append(ended.answer)
            continue
        blamed = deaths.blame(ended, _cells(left)).cells
        if blamed and ended.cell == IDLE:
            raise RunError(f"timing the kept records failed: {ended.sentence}")
        for number, other in blamed:
            known = {**left[number].ended, other: f"{ended.sentence}, while being timed"}
            left[number] = replace(left[number], ended=known)
    return [list(times) for times in zip(*found, strict=True)]


def _cells(tasks: Sequence[Task]) -> list[tuple[int, Other]]:
    """Return what the heartbeat of a process counts: the number of a task, and a library."""
    return [(number, other) for number, task in enumerate(tasks) for other in task.libraries]


def _process(tasks: Sequence[Task]) -> Ended:
    """Carry out the tasks in a new process; the answer is a list of `Times`."""
    with tempfile.TemporaryDirectory() as folder:
        heartbeat = Heartbeat.create(Path(folder, "heartbeat"))
        command = [sys.executable, "-P", "-c", f"from {__name__} import main; main()", str(heartbeat.path)]
        done = subprocess.run(command, input=pickle.dumps(list(tasks)), capture_output=True, check=False)
        cell, _ = heartbeat.read()
        heartbeat.close()
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode or not done.stdout:
        return Ended(None, *why(done.returncode, said), said, cell)
    return Ended(pickle.loads(done.stdout), cell=cell)


def replaced(times: Sequence[Times], library: Other, part: float, seconds: float) -> Replaced | None:
    """Return what a library takes relative to the watched function; None if it cannot be used.

    What a program does between two calls pushes code and data out of the processor's caches, and a call does
    the same to the program. How far the program empties the caches is seen from the time of its calls, and
    what the library saves is taken to be as far between that with warm and with empty caches. What it saves
    in the work after a call counts in seconds, however long the call takes in the program.

    Args:
        times: What the processes found.
        library: The other library.
        part: The part of the calls that come after other work.
        seconds: Mean time of a call in the program, without the garbage collector's; 0 if it is not known.
    """
    if any(library not in each.seconds for each in times):
        return None
    # How empty the program's caches are is not known exactly: each process estimates it from its own times.
    judged = [_saved([each], library, part, seconds) for each in times]
    processes = statistics.stdev(judged) / math.sqrt(len(judged)) * quantile(0.05, len(judged) - 1)
    saved = _saved(times, library, part, seconds)
    return Replaced(1 - saved, math.hypot(processes, 1.96 * _of_records(times, library)))


def _saved(times: Sequence[Times], library: Other, part: float, seconds: float) -> float:
    """Return what a library saves relative to the watched function's calls.

    Args:
        times: What some processes found.
        library: The other library.
        part: The part of the calls that come after other work.
        seconds: Mean time of a call in the program; 0 if it is not known.
    """
    saved = statistics.fmean(
        (sum(each.seconds[OWN]) - sum(each.seconds[library])) / sum(each.calls) for each in times
    )
    warm, cold = (_level(times, library, which) for which in (0, 1))
    usual = seconds / own_seconds(times)
    far = (usual - warm.call) / (cold.call - warm.call) if cold.call > warm.call else 0.0
    far = min(max(far, 0.0), 1.0)
    call, after = 1.0, 0.0
    for each, share in ((warm, part * (1 - far)), (cold, part * far)):
        call += share * (each.call - 1)
        saved += share * each.saved[library]
        after += share * each.saved_after[library]
    return saved / call + after / (usual or call)


def _level(times: Sequence[Times], library: Other, which: int) -> AfterWork:
    """Return the mean of several processes at a level of `Times.after_work`, for one library.

    What a call brings into the caches pushes out as much, at most. So a call slows down the work after it by
    no more than the work before has slowed down the call.
    """
    levels = [each.after_work[which] for each in times]
    saved = statistics.fmean(level.saved.get(library, 0.0) for level in levels)
    after = statistics.fmean(level.saved_after.get(library, 0.0) for level in levels)
    bounded = min(max(after, min(saved, 0.0)), max(saved, 0.0))
    return AfterWork(statistics.fmean(level.call for level in levels), {library: saved}, {library: bounded})


def collected(times: Sequence[Times], library: Other) -> float:
    """Return what the garbage collector takes for records of a library, relative to the watched function's.

    Args:
        times: What the processes found.
        library: The library.
    """
    return statistics.fmean(each.collections.get(library, 1.0) for each in times)


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


def _carry_out(job: Task, beat: Callable[[Other], object]) -> Times:
    if OWN in job.ended:
        return failed(job, job.ended[OWN])
    try:
        return _times(job, beat)
    except Exception as error:  # noqa: BLE001 - whatever it is, this call site has no figure
        return failed(job, f"{type(error).__name__}: {error}")


def _times(job: Task, beat: Callable[[Other], object]) -> Times:
    beat(OWN)
    subjects = job.subjects
    mine = original(job.function, job.options)
    text = isinstance(mine(subjects[0]), str)
    if FUNCTIONS[job.function].bare and any(
        len(mine(each)) != kept.size for each, kept in zip(subjects, job.kept, strict=True)
    ):
        return failed(job, "options of the constructor")
    calls, refused = {OWN: (mine, subjects)}, dict(job.ended)
    for other in others(job.function, job.options):
        if other in refused:
            continue
        beat(other)
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
    collected = collections(calls, job.seconds, beat) if job.collecting else {}
    return replace(timed(calls, job.seconds, beat), refused=refused, collections=collected)


def main() -> None:
    """Carry out the tasks on standard input.

    Without the garbage collector, whose time depends on all objects of the program; see `collected`.
    """
    tasks = pickle.load(sys.stdin.buffer)
    heartbeat = Heartbeat(Path(sys.argv[1]))
    index = {cell: place for place, cell in enumerate(_cells(tasks))}
    gc.disable()
    found = []
    for number, job in enumerate(tasks):

        def beat(other: Other, number: int = number) -> None:
            heartbeat.beat(index[number, other])

        found.append(_carry_out(job, beat))
        heartbeat.beat(IDLE)
    sys.stdout.buffer.write(pickle.dumps(found))
