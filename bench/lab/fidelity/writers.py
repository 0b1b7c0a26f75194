"""What Python's codecs read from the payloads that libraries of other languages wrote.

Every codec runs in a separate process, as in `matrix`.
"""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ....codecs.factory import codec as by_name
from ...jobs import Answer, Done, Ended, ReadBack
from ...workers.canonical import canonical
from .matrix import MEMORY, TIMEOUT, FidelityCell, Written, decoded, reason
from .readers import Reader, Readers, compared

if TYPE_CHECKING:
    from ...worker.context import WorkerContext

Place = tuple[str, str, Reader]
"""A codec, the name of a value, and a library."""
Back = list[Any] | FidelityCell
"""Canonical form of what was read, or why there is none."""


def wrote(readers: Readers, written: Mapping[Place, Written]) -> dict[Place, FidelityCell]:
    """Return what codecs read from what libraries write, compared with what the libraries had read.

    Args:
        readers: The libraries.
        written: What each of them reads, and then writes.
    """
    dumped = {place: readers.dump(place[2], each) for place, each in written.items()}
    payloads: dict[str, dict[bytes, None]] = defaultdict(dict)
    for (codec, *_), payload in dumped.items():
        if isinstance(payload, bytes):
            payloads[codec][payload] = None
    backs = _read_back(payloads)
    found = {}
    for place, payload in dumped.items():
        back = backs[place[0], payload] if isinstance(payload, bytes) else payload
        found[place] = back if isinstance(back, FidelityCell) else compared(written[place].form, back)
    return found


def _read_back(payloads: Mapping[str, Collection[bytes]]) -> dict[tuple[str, bytes], Back]:
    """Return what codecs read from payloads, by codec and payload."""
    from ...run.processes import LocalExecutor

    found: dict[tuple[str, bytes], Back] = {}
    with LocalExecutor() as executor:
        jobs = {}
        for codec, each in payloads.items():
            written = tuple(base64.b64encode(payload).decode() for payload in each)
            job = ReadBack(codec=codec, written=written, memory=MEMORY)
            jobs[codec] = executor.submit(job, patience=TIMEOUT)
        for codec, future in jobs.items():
            backs = _told(future.result(), len(payloads[codec]))
            found |= zip(((codec, payload) for payload in payloads[codec]), backs, strict=True)
    return found


def _told(ended: Ended, count: int) -> list[Back]:
    gone = FidelityCell("crash", ended.cause[:200])
    backs = [form if error is None else FidelityCell("unreadable", error) for form, error in ended.notes]
    return backs + [gone] * (count - len(backs))


def run(job: ReadBack, context: WorkerContext) -> Answer:
    """Write a note with the form that each payload has for the codec, or its error."""
    bare = by_name(job.codec, trusted=True)
    context.beat(0)
    for number, written in enumerate(job.written, 1):
        try:
            context.note([canonical(decoded(bare, base64.b64decode(written))), None])
        except Exception as error:  # noqa: BLE001 - the error is the result
            context.note([None, reason(error)])
        context.beat(number)
    return Done()
