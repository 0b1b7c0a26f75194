"""A trial of each codec in a process of its own: one that dies of a foreign payload costs its row."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final, get_args

from ....imports import imported
from ....schemas.tree.difference import Difference
from ...jobs import Answer, Ended, Tried, Try
from ...stats import Ratio
from .cost import Cost, measured
from .field_faults import Finding
from .trial import Direction, Reading, Trial, trials

if TYPE_CHECKING:
    from ...worker.context import Desk

__all__ = ["Costs", "attempts", "run"]

PATIENCE: Final = 60.0
"""Seconds without progress after which a codec is ended."""
MEMORY: Final = 2 << 30
"""Bytes of address space of a codec's process."""

_LEAST: Final = 1 / 3
"""Share of a codec's time that measuring has, however long trying has taken."""

Costs = Mapping[tuple[str, Direction], Cost]


def attempts(
    names: Sequence[str],
    difference: Difference,
    old: Sequence[Any],
    new: Sequence[Any],
    seconds: float,
) -> Iterator[tuple[Trial, Costs]]:
    """Yield what each codec makes of the two versions, and what reading the other one costs it.

    Args:
        names: The codecs.
        difference: The versions.
        old: Records of the older one.
        new: The same records in the newer one.
        seconds: For all codecs, trying and measuring together.

    Raises:
        RunError: There is no place for temporary files.
    """
    from ...run.environment import abreast
    from ...run.processes import Workshop

    versions = pickle.dumps((difference, list(old), list(new)))
    with Workshop() as workshop:
        key = workshop.blobs.put(versions)
        jobs = [
            Try(
                memory=MEMORY,
                path=tuple(entry for entry in sys.path if entry),
                modules=imported(),
                codec=name,
                versions=key,
                seconds=seconds * min(abreast(), len(names)) / len(names),
            )
            for name in names
        ]
        waiting: list[Future[Ended]] = [workshop.submit(job, patience=PATIENCE) for job in jobs]
        for name, future in zip(names, waiting, strict=True):
            yield _found(name, len(old), future.result())


def _found(name: str, records: int, ended: Ended) -> tuple[Trial, Costs]:
    if ended.answer is None:
        # Options of a run do not exist here.
        failed = Reading(records, failed=f"the codec {ended.reason.partition(' (--')[0]}")
        return Trial(name, failed, failed), {}
    answer: Tried = ended.answer
    changes = tuple(
        None if pair is None else (_reading(pair[0]), _reading(pair[1])) for pair in answer.changes
    )
    trial = Trial(name, _reading(answer.backward), _reading(answer.forward), changes)
    directions: tuple[Direction, ...] = get_args(Direction)
    return trial, {(name, way): _cost(answer.costs[way]) for way in directions if way in answer.costs}


def _reading(plain: Mapping[str, Any]) -> Reading:
    return Reading(**{**plain, "faults": tuple(Finding(**each) for each in plain["faults"])})


def _cost(plain: Mapping[str, Any]) -> Cost:
    return Cost(**{**plain, "ratio": Ratio(**plain["ratio"])})


def run(job: Try, desk: Desk) -> Answer:
    """Try one codec, and measure what it reads whole."""
    started = time.monotonic()
    desk.beat(0)
    difference, old, new = pickle.loads(desk.blobs[job.versions])
    (trial,) = trials([job.codec], difference, old, new)
    left = max(_LEAST * job.seconds, job.seconds - (time.monotonic() - started))
    costs = measured([trial], left, lambda done, total: desk.beat(done))
    plain: Callable[[Any], Any] = dataclasses.asdict
    return Tried(
        plain(trial.backward),
        plain(trial.forward),
        tuple(None if pair is None else tuple(map(plain, pair)) for pair in trial.changes),
        {way: plain(cost) for (_, way), cost in costs.items()},
    )
