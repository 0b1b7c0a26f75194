"""The cost of reading the other version, compared with the same records in the reading version.

The reading version encodes the decoded records again, so that the payloads have the same content and differ
only in version. A timing process has the two decodes of all codecs as its cells. The ratio of two cells and
its interval are estimated over several processes, as in a run.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ....codecs import CodecError, codec
from ...evolved import ReadingCost as ReadingCost
from ...heartbeat import IDLE
from ...jobs import Answer
from ...messages.evolution import TimeVersions
from ...messages.timing import Timed
from ...method import Cores, Slices
from ...operations.base import rotating
from ...results import Measurement
from ...stats import interval, ratio
from ...versions.records import FieldMapping, expected
from ...worker._slice import time_each
from ...worker.time import Process
from ...worker.work import TimedWork
from .trial import EvolutionDirection, Trial, Version, reader

if TYPE_CHECKING:
    from ...worker.context import WorkerContext

ROUNDS: Final = 15
"""Rounds of a process."""

Payloads = tuple[list[bytes], list[float]]
"""Payloads, and the seconds to decode each of them once."""
Key = tuple[str, EvolutionDirection]
"""A codec, and the direction."""


def payloads(trial: Trial) -> Iterator[tuple[EvolutionDirection, tuple[Payloads, Payloads]]]:
    """Yield the payloads of the other and the reading version, by direction in which everything is read."""
    if trial.old is None or trial.new is None:
        return
    directions: tuple[tuple[EvolutionDirection, Version, Version], ...] = (
        ("old→new", trial.old, trial.new),
        ("new→old", trial.new, trial.old),
    )
    for way, writer, own in directions:
        if trial.reading(way).refused:
            continue
        decode = reader(own.codec, writer.schema)
        try:
            again = [_again(own, decode(payload)) for payload in writer.payloads]
        except CodecError:
            continue  # It reads values that it would not write.
        # Copied, so that both have a similar memory layout.
        other, same = ([bytes(memoryview(payload)) for payload in each] for each in (writer.payloads, again))
        yield (
            way,
            ((other, _seconds(decode, other)), (same, _seconds(own.codec.decode, same))),
        )


def _seconds(decode: Any, found: list[bytes]) -> list[float]:
    return [max(nanoseconds, 1) * 1e-9 for nanoseconds in time_each(decode, found)]


def _again(version: Version, found: Any) -> bytes:
    """Encode a decoded record of the other version, without unknown fields if necessary.

    Raises:
        CodecError: It cannot be encoded.
    """
    try:
        return bytes(version.codec.encode(found))
    except CodecError:
        wanted = expected(version.given(found), version.layout, version.layout, FieldMapping({}))
        return version.written(wanted)


def run(job: TimeVersions, context: WorkerContext) -> Answer:
    """Time the two decodes of each cell: the first has an even index, the second the next one."""
    difference, *_ = pickle.loads(context.blobs[job.versions])
    process = Process(job.rounds, Slices.LENGTH, context.beat, free_level=job.free_level, repeats=Cores.WAIT)
    for place, cell in enumerate(job.cells):
        context.beat(2 * place)
        versions = difference.old, difference.new
        writer, own = versions if cell.operation == "old→new" else versions[::-1]
        bound = codec(cell.codec, trusted=True).with_schema(own)
        calls = reader(bound, writer), bound.decode
        both: tuple[Payloads, Payloads] = pickle.loads(context.blobs[cell.payloads])
        for side, (call, (found, seconds)) in enumerate(zip(calls, both, strict=True)):
            made = TimedWork(call, rotating(found), touched=True, burst=Slices.BURST)
            process.enter(2 * place + side, made, seconds)
    context.beat(IDLE)
    return process.go(collect=True)


def costs(keys: Mapping[int, list[Key]], answers: list[Timed]) -> dict[Key, ReadingCost]:
    """Return the costs from the answers of timing processes.

    Args:
        keys: The cells of each process, by the index of its answer.
        answers: The answers of the processes.
    """
    samples: dict[Key, tuple[list[Measurement], list[Measurement]]] = {}
    for pair, answer in enumerate(answers):
        for place, key in enumerate(keys[pair]):
            both = [figure for side in (0, 1) if (figure := answer.cells.get(str(2 * place + side)))]
            if len(both) < 2:
                continue
            for side, figure in zip(samples.setdefault(key, ([], [])), both, strict=True):
                value = figure.paired * answer.reference_kernel
                side.append(Measurement(figure.raw, figure.paired, value, pair))
    return {
        key: ReadingCost(interval(other)[0], interval(own)[0], ratio(other, own))
        for key, (other, own) in samples.items()
    }
