"""The check of readers in another language: what each library makes of the payloads of codecs."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import tee
from typing import Any

from ...codecs import CodecError
from ..foreign.judge import judge
from ..foreign.port import PATIENCE, ForeignWorker, LibraryRefusal, Restarted, WorkerError
from ..foreign.schemas import ReaderSchema
from ..jobs import Answer, Done
from ..messages.reads import CheckReads
from ..method import Readers
from . import readers
from .context import WorkerContext
from .parts import Readable, codec_parts, readable

_TIMED = 100
"""Most payloads to time roughly."""


def run(job: CheckReads, context: WorkerContext) -> Answer:
    """Check each library, then time it roughly, and note what was found."""
    known: dict[tuple[str, tuple[bytes, ...]], int] = {}
    begin = time.monotonic()
    end = begin + Readers.COMPARED * job.seconds
    untimed: list[tuple[int, Readable]] = []
    with readers.worker(job.workers[0], PATIENCE) as worker:
        with suppress(WorkerError):  # each library says so
            worker.ask(lambda asked: None)
        context.note({"start": time.monotonic() - begin})
        for index, read in enumerate(job.reads):
            context.beat(index)
            try:
                given = readable(read, job.corpus, context.blobs)
                same = known.setdefault((read.library, tuple(given.payloads)), index)
                found: dict[str, Any] = {"same": same}
                if same == index:
                    # Most libraries need little of it, so the first ones may take more than their share.
                    until = (time.monotonic() + end) / 2
                    checking = _until(until, given.payloads, partial(context.beat, index))
                    own = codec_parts(read.codec, job.corpus, context.blobs).bare.decode
                    found = _checked(worker, read.library, own, given.schema, checking)
                    if not found["facts"]["refused"]:
                        untimed.append((index, given))
            except (WorkerError, CodecError) as error:
                found = {"error": str(error)}
            context.note({"index": index, **found})
        # What arrives matters more, and a just-in-time compiler takes its time.
        for index, given in untimed:
            if time.monotonic() > begin + job.seconds:
                break
            context.beat(index)
            try:
                found = _rough(worker, job.reads[index].library, given)
            except WorkerError as error:
                found = {"error": str(error)}
            context.note({"index": index, **found})
    return Done()


def _checked(
    worker: Restarted,
    library: str,
    own: Callable[[bytes], Any],
    schema: ReaderSchema | None,
    payloads: Iterator[bytes],
) -> dict[str, Any]:
    """Return what a library makes of payloads."""
    decode = own if schema is None else schema.decode or own
    decoded, given = tee(payloads)
    facts = worker.ask(lambda asked: judge(asked, library, map(decode, decoded), given, schema))
    return {"facts": dataclasses.asdict(facts)}


def _until(end: float, payloads: Sequence[bytes], beat: Callable[[], object]) -> Iterator[bytes]:
    """Yield payloads until the time is over, at least one."""
    for payload in payloads:
        beat()
        yield payload
        if time.monotonic() > end:
            return


def _rough(worker: Restarted, library: str, given: Readable) -> dict[str, Any]:
    """Return the seconds to read a payload, roughly, and those of the warm-up."""

    def ask(asked: ForeignWorker) -> Any:
        seed, nanoseconds = random.getrandbits(31), round(Readers.SLICE * 1e9)
        return asked.time(library, given.payloads[:_TIMED], 1, nanoseconds, seed, given.schema)

    timed = worker.ask(ask)
    if isinstance(timed, LibraryRefusal):
        return {"error": timed.reason}
    return {"rough": timed.slices[0] * 1e-9, "warmup": timed.warmup_ns * 1e-9}
