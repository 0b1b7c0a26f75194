"""The timing process of a watch: the records of call sites with their own function and with others."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..contention import free_level, overall
from ..heartbeat import IDLE
from ..jobs import Answer, Failed, failed
from ..libraries import FUNCTIONS
from ..messages.watch import CallTimes, TimeCalls, TimedCalls
from ..worker import gauge
from .alternatives import OWN, Call, Other, absence, original, prepared, refusal, replacement
from .collector import collections
from .regimes import Disturbances, timed
from .tasks import Task

if TYPE_CHECKING:
    from ..worker.context import WorkerContext


class _UntimedError(Exception):
    """The watched function cannot be timed."""


@dataclass(slots=True)
class _Process:
    """A timing process.

    Attributes:
        beat: Called with the cell that runs.
        cells: Times of the cells.
        refused: Why libraries cannot be used.
        errors: Why others have failed while being timed.
        disturbances: Of calls between other work.
        readings: Of the contention.
    """

    beat: Callable[[int], object]
    cells: dict[int, CallTimes] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    errors: dict[int, Failed] = field(default_factory=dict)
    disturbances: Disturbances = field(default_factory=Disturbances)
    readings: list[float] = field(default_factory=lambda: [gauge.read()])

    def read(self) -> None:
        """Read the contention."""
        self.readings.append(gauge.read())

    def carry_out(self, task: Task, cells: Mapping[Other, int]) -> None:
        """Time the calls of a site.

        Args:
            task: Its task.
            cells: What to time, by index; the watched function is the first one.
        """
        running = OWN

        def beat(other: Other) -> None:
            nonlocal running
            running = other
            self.beat(cells[other])

        try:
            calls = self._calls(task, cells, beat)
        except Exception as error:  # noqa: BLE001 - whatever it is, this call site has no figure
            self.refused[cells[OWN]] = _text(error)
            return
        while OWN in calls:
            try:
                times = timed(calls, task.seconds, beat, self.read, self.disturbances)
                collected = collections(calls, task.seconds, beat) if task.collecting else {}
            except Exception as error:  # noqa: BLE001 - only this library is out, whatever it raises
                self.errors[cells[running]] = failed(error)
                del calls[running]
                continue
            for other, found in times.items():
                self.cells[cells[other]] = replace(found, collection=collected.get(other, 1.0))
            return

    def _calls(
        self, task: Task, cells: Mapping[Other, int], beat: Callable[[Other], object]
    ) -> dict[Other, tuple[Call, list[Any]]]:
        """Return what each library calls, and with what, without those that cannot be used.

        Raises:
            Exception: The watched function cannot be timed.
        """
        beat(OWN)
        subjects = task.subjects
        mine = original(task.function, task.options)
        text = isinstance(mine(subjects[0]), str)
        if FUNCTIONS[task.function].bare and any(
            len(mine(each)) != kept.size for each, kept in zip(subjects, task.kept, strict=True)
        ):
            raise _UntimedError("its constructor has options")
        calls = {OWN: (mine, subjects)}
        for other, index in cells.items():
            if other == OWN:
                continue
            beat(other)
            try:
                call = replacement(task.function, task.options, other, text=text)
                given = [prepared(task.function, other, each) for each in subjects]
            except ImportError as error:
                self.refused[index] = absence(other, error)
                continue
            except Exception as error:  # noqa: BLE001 - a library may raise anything
                self.refused[index] = _text(error)
                continue
            reasons = (
                refusal(task.function, (mine, call), other, each)
                for each in zip(subjects, given, strict=True)
            )
            if reason := next(filter(None, reasons), ""):
                self.refused[index] = reason
            else:
                calls[other] = call, given
        return calls


def run(job: TimeCalls, context: WorkerContext) -> Answer:
    """Time the calls, without the garbage collector, whose time depends on all objects of the program."""
    tasks: Sequence[Task] = pickle.loads(context.blobs[job.tasks])
    cells: dict[int, dict[Other, int]] = {}
    for index, call in enumerate(job.calls):
        cells.setdefault(call.site, {})[Other(call.form, call.library)] = index
    gc.disable()
    process = _Process(context.beat)
    for site, indexes in cells.items():
        process.carry_out(tasks[site], indexes)
        context.beat(IDLE)
    return TimedCalls(
        {str(index): found for index, found in process.cells.items()},
        {str(index): reason for index, reason in process.refused.items()},
        {str(index): found for index, found in process.errors.items()},
        dirty=process.disturbances.share,
        contention=overall(process.readings),
        free_level=free_level(process.readings, job.free_level),
    )


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, _UntimedError) else failed(error).reason
