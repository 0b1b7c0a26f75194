"""A trial of each codec in a separate process, then timing in processes that all codecs share.

A codec that crashes on a payload of the other version loses its row; one that crashes during timing loses its
costs, and says why.
"""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ....imports import imported, search_path
from ....schemas.difference import SchemaDifference
from ...jobs import Answer, Ended
from ...messages.evolution import TimeVersions, TriedVersions, TryVersions
from ...method import Budget, Pace
from ...versions.field_faults import FieldFault
from .cost import ROUNDS, Key, ReadingCost, payloads
from .trial import CrossReading, Trial, try_codec

if TYPE_CHECKING:
    from ...worker.context import WorkerContext
    from .rereading import Rereading

LEAST: Final = 30.0
"""Seconds for trials, however short the budget: losses matter more than costs."""

Costs = Mapping[Key, ReadingCost]


class Attempted(NamedTuple):
    """How codecs read the two versions.

    Attributes:
        trials: How each codec reads them.
        costs: The cost of reading the other version.
        notes: What disturbed the timing, a sentence each.
    """

    trials: Sequence[Trial]
    costs: Costs
    notes: Sequence[str]


def attempts(
    names: Sequence[str],
    difference: SchemaDifference,
    old: Sequence[Any],
    new: Sequence[Any],
    seconds: float,
    show: Callable[[str, float, float], object],
    *,
    pace: Pace | None = None,
) -> Attempted:
    """Return how each codec reads the two versions, and the cost of reading the other one.

    Args:
        difference: The versions.
        old: Records of the older one.
        new: The same records in the newer one.
        seconds: Time for all codecs, both trials and timing. One timing process runs in any case.
        show: Called with the current step, the seconds that have passed, and all seconds.
        pace: How patient it is; `Pace.usual` if it is None.

    Raises:
        RunError: There is no folder for temporary files.
    """
    from ...run.processes import LocalExecutor
    from .rereading import Rereading

    started = time.monotonic()

    def left(whole: float) -> float:
        return whole - (time.monotonic() - started)

    def passed(step: str) -> float:
        rest = left(seconds)
        show(step, seconds - max(0.0, rest), seconds)
        return rest

    path = search_path()
    with LocalExecutor(pace=pace) as executor:
        patience = executor.pace.patience
        key = executor.blobs.put(pickle.dumps((difference, list(old), list(new))))
        jobs = [
            TryVersions(memory=Budget.CELL_MEMORY, path=path, modules=imported(), codec=name, versions=key)
            for name in names
        ]
        waiting: list[Future[Ended]] = [
            executor.submit(job, patience=patience, over=lambda: left(max(seconds, LEAST)) < 0)
            for job in jobs
        ]
        tried: list[Trial] = []
        cells: dict[Key, str] = {}
        for name, future in zip(names, waiting, strict=True):
            ended = future.result()
            tried.append(_found(name, len(old), ended))
            if ended.answer is not None:
                cells |= {(name, way): digest for way, digest in ended.answer.payloads.items()}
            passed(f"trying {name}")
        job = TimeVersions(
            memory=Budget.CELL_MEMORY, path=path, modules=imported(), versions=key, cells=(), rounds=ROUNDS
        )
        plan = Rereading(executor, job, cells, lambda: passed("timing"))
        return timed(tried, plan, patience)


def timed(trials: Sequence[Trial], plan: Rereading, patience: float) -> Attempted:
    """Run the processes of a plan, and return trials with what they say.

    Args:
        trials: As tried.
        plan: The plan.
        patience: Seconds without progress, after which a process is ended.
    """
    from ...run.rounds import Rounds, of_disturbed

    rounds = Rounds(plan, patience=patience)
    rounds.conduct()
    found = [_timed(trial, plan.failed) for trial in trials]
    return Attempted(found, plan.costs(), of_disturbed(rounds.replaced))


def _found(name: str, records: int, ended: Ended) -> Trial:
    if ended.answer is None:
        reason = f"the codec {ended.reason}"
        if ended.outcome == "unfinished":
            reason = "not enough time (--budget)"
        failed = CrossReading(records, failed=reason)
        return Trial(name, failed, failed)
    answer: TriedVersions = ended.answer
    changes = tuple(
        None if pair is None else (_reading(pair[0]), _reading(pair[1])) for pair in answer.changes
    )
    return Trial(name, _reading(answer.backward), _reading(answer.forward), changes)


def _timed(trial: Trial, failed: Mapping[Key, str]) -> Trial:
    """Say in a trial why its timing failed."""
    return dataclasses.replace(
        trial,
        backward=dataclasses.replace(trial.backward, untimed=failed.get((trial.codec, "old→new"), "")),
        forward=dataclasses.replace(trial.forward, untimed=failed.get((trial.codec, "new→old"), "")),
    )


def _reading(plain: Mapping[str, Any]) -> CrossReading:
    return CrossReading(**{**plain, "faults": tuple(FieldFault(**each) for each in plain["faults"])})


def run(job: TryVersions, context: WorkerContext) -> Answer:
    """Try one codec, and store the payloads if all are read."""
    context.beat(0)
    difference, old, new = pickle.loads(context.blobs[job.versions])
    trial = try_codec(job.codec, difference, old, new)
    plain: Callable[[Any], Any] = dataclasses.asdict
    return TriedVersions(
        plain(trial.backward),
        plain(trial.forward),
        tuple(None if pair is None else tuple(map(plain, pair)) for pair in trial.changes),
        {way: context.blobs.put(pickle.dumps(both)) for way, both in payloads(trial)},
    )
