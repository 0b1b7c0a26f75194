"""A trial of each codec in a separate process, then timing in processes that all codecs share.

A codec that crashes on a payload of the other version loses its row; one that crashes during timing loses its
costs.
"""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

from ....imports import imported, search_path
from ....schemas.difference import SchemaDifference
from ...deaths import Deaths
from ...jobs import Answer, Ended
from ...messages.timing import Timed, TimedCell
from .cost import ROUNDS, Key, ReadingCost, costs, payloads
from .field_faults import FieldFault
from .jobs import TimeVersions, TriedVersions, TryVersions
from .trial import CrossReading, Trial, try_codec

if TYPE_CHECKING:
    from ...run.processes import LocalExecutor
    from ...worker.context import WorkerContext

PATIENCE: Final = 60.0
"""Seconds without progress after which a codec's process is ended."""
MEMORY: Final = 2 << 30
"""Bytes of address space of a codec's process."""
LEAST: Final = 30.0
"""Seconds for trials, however short the budget: losses matter more than costs."""

Costs = Mapping[Key, ReadingCost]


def attempts(
    names: Sequence[str],
    difference: SchemaDifference,
    old: Sequence[Any],
    new: Sequence[Any],
    seconds: float,
    show: Callable[[int, int], object],
) -> tuple[list[Trial], Costs]:
    """Return how each codec reads the two versions, and the cost of reading the other one.

    Args:
        difference: The versions.
        old: Records of the older one.
        new: The same records in the newer one.
        seconds: Time for all codecs, both trials and timing. One timing process runs in any case.
        show: Called with the number of codecs that were tried, and their total.

    Raises:
        RunError: There is no folder for temporary files.
    """
    from ...run.processes import LocalExecutor

    started = time.monotonic()

    def left(whole: float) -> float:
        return whole - (time.monotonic() - started)

    path = search_path()
    with LocalExecutor() as executor:
        key = executor.blobs.put(pickle.dumps((difference, list(old), list(new))))
        jobs = [
            TryVersions(memory=MEMORY, path=path, modules=imported(), codec=name, versions=key)
            for name in names
        ]
        waiting: list[Future[Ended]] = [
            executor.submit(job, patience=PATIENCE, over=lambda: left(max(seconds, LEAST)) < 0)
            for job in jobs
        ]
        tried: list[Trial] = []
        cells: dict[Key, str] = {}
        for name, future in zip(names, waiting, strict=True):
            ended = future.result()
            tried.append(_found(name, len(old), ended))
            if ended.answer is not None:
                cells |= {(name, way): digest for way, digest in ended.answer.payloads.items()}
            show(len(tried), len(names))
        timing = TimeVersions(path=path, modules=imported(), versions=key, cells=(), rounds=ROUNDS)
        return tried, _timed(executor, timing, cells, lambda: left(seconds))


def _timed(
    executor: LocalExecutor, job: TimeVersions, cells: dict[Key, str], left: Callable[[], float]
) -> dict[Key, ReadingCost]:
    """Time the cells in successive processes while there is time."""
    from ...run.environment import cores

    allowed, keys, answers = cores(), dict[int, list[Key]](), list[Timed]()
    deaths: Deaths[Key] = Deaths()
    took = 0.0
    while cells and (not answers or left() > took):
        named = list(cells)
        made = dataclasses.replace(
            job,
            cells=tuple(TimedCell(name, way, cells[name, way]) for name, way in named),
            core=allowed[len(answers) % len(allowed)] if len(allowed) > 1 else None,
            least=answers[-1].least if answers else 0.0,
        )
        began = time.monotonic()
        ended = executor.work(made, patience=PATIENCE)
        took = time.monotonic() - began
        if ended.answer is not None:
            keys[len(answers)] = named
            answers.append(ended.answer)
            continue
        # Each has two decodes.
        for key in deaths.blame(ended, [key for key in named for _ in range(2)]).cells:
            del cells[key]
    return {key: found for key, found in costs(keys, answers).items() if key in cells}


def _found(name: str, records: int, ended: Ended) -> Trial:
    if ended.answer is None:
        reason = f"the codec {ended.cause}"
        if ended.outcome == "unfinished":
            reason = "not enough time (--budget)"
        failed = CrossReading(records, failed=reason)
        return Trial(name, failed, failed)
    answer: TriedVersions = ended.answer
    changes = tuple(
        None if pair is None else (_reading(pair[0]), _reading(pair[1])) for pair in answer.changes
    )
    return Trial(name, _reading(answer.backward), _reading(answer.forward), changes)


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
