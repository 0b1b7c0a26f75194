"""What Python's codecs read from the payloads that libraries of other languages wrote.

Every codec runs in a separate process, as in `matrix`.
"""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ....codecs.factory import codec as by_name
from ...foreign.canonical import canonical
from ...foreign.schemas import reader_schema
from ...jobs import Answer, Done, Ended
from ...messages.fidelity import ReadBack
from ...preserved import FidelityCell, ForeignReads, Place
from .matrix import MEMORY, TIMEOUT, VALUES, Tried, Written, decoded, reason, schema_of
from .readers import ForeignReaders, compared

if TYPE_CHECKING:
    from ...worker.context import WorkerContext

_Payload = tuple[str, bytes]
"""The name of a value, and its payload."""
Back = list[Any] | FidelityCell
"""Canonical form of what was read, or why there is none."""


def reread(
    readers: ForeignReaders, columns: Mapping[str, Mapping[str, Tried]], reads: ForeignReads
) -> ForeignReads:
    """Let every library write what it has read exactly, and Python read it.

    Args:
        readers: The libraries.
        columns: The payloads that they have read, by codec and value.
        reads: What they have read.
    """
    places = {place: columns[place[0]][place[1]].written for place in reads.cells}
    cells = _wrote(readers, {place: each for place, each in places.items() if each is not None})
    libraries = [each for each in reads.libraries if each.writer]
    return replace(reads, direction="written", libraries=libraries, cells=cells)


def _wrote(readers: ForeignReaders, written: Mapping[Place, Written]) -> dict[Place, FidelityCell]:
    """Return what codecs read from what libraries write, compared with what the libraries had read.

    Args:
        written: What each of them reads, and then writes.
    """
    dumped = {place: readers.dump(place[2], each) for place, each in written.items()}
    payloads: dict[str, dict[_Payload, None]] = defaultdict(dict)
    for (codec, value, _), payload in dumped.items():
        if isinstance(payload, bytes):
            payloads[codec][value, payload] = None
    backs = _read_back(payloads)
    found = {}
    for place, payload in dumped.items():
        codec, value, _ = place
        back = backs[codec, (value, payload)] if isinstance(payload, bytes) else payload
        found[place] = back if isinstance(back, FidelityCell) else compared(written[place].form, back)
    return found


def _read_back(payloads: Mapping[str, Collection[_Payload]]) -> dict[tuple[str, _Payload], Back]:
    """Return what codecs read from payloads, by codec and payload."""
    from ...run.processes import LocalExecutor

    found: dict[tuple[str, _Payload], Back] = {}
    with LocalExecutor() as executor:
        jobs = {}
        for codec, each in payloads.items():
            values = tuple(value for value, _ in each)
            written = tuple(base64.b64encode(payload).decode() for _, payload in each)
            job = ReadBack(codec=codec, values=values, written=written, memory=MEMORY)
            jobs[codec] = executor.submit(job, patience=TIMEOUT)
        for codec, future in jobs.items():
            backs = _told(future.result(), len(payloads[codec]))
            found |= zip(((codec, payload) for payload in payloads[codec]), backs, strict=True)
    return found


def _told(ended: Ended, count: int) -> list[Back]:
    gone = FidelityCell("crash", ended.reason[:200])
    backs = [form if error is None else FidelityCell("unreadable", error) for form, error in ended.notes]
    return backs + [gone] * (count - len(backs))


def run(job: ReadBack, context: WorkerContext) -> Answer:
    """Write a note with the form that each payload has for the codec, or its error."""
    decoder = _decoder(job.codec)
    context.beat(0)
    for number, (value, written) in enumerate(zip(job.values, job.written, strict=True), 1):
        try:
            context.note([canonical(decoder(value)(base64.b64decode(written))), None])
        except Exception as error:  # noqa: BLE001 - the error is the result
            context.note([None, reason(error)])
        context.beat(number)
    return Done()


def _decoder(codec: str) -> Callable[[str], Callable[[bytes], Any]]:
    """Return a function that returns what decodes the payloads of a value, as readers get them."""
    bare = by_name(codec, trusted=True)
    if not bare.needs_schema:
        return lambda value: partial(decoded, bare)
    rows = {row.name: row for row in VALUES}

    @cache
    def by_schema(value: str) -> Callable[[bytes], Any]:
        decode = reader_schema(bare.name, schema_of(rows[value])).decode
        assert decode is not None  # the format needs a schema
        return decode

    return by_schema
