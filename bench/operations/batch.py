"""Batches: several records in one payload, as a list; time and bytes are given per record.

The sample is divided into batches in order. If it has fewer records than a batch, or the last batch is not
full, it starts again with new copies of the records: no encoder meets the same object twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UsageError
from .base import Context, Operation, TimedCall, UnfitError, burst, made_anew, rotating

MOST = 100_000
"""Most records of a batch."""


def _frames(context: Context) -> list[list[int]]:
    """Return the records of each batch, by index."""
    if context.parts.codec.needs_schema:
        raise UnfitError("its schema describes one record, not a list")
    count, size = len(context.payloads), int(context.parameter)
    return [[(start + n) % count for n in range(size)] for start in range(0, count, size)]


def _made(context: Context, frame: Sequence[int]) -> list[Any]:
    return context.parts.taken(context.sample.records(frame))


def _dump(context: Context) -> TimedCall:
    frames, size = _frames(context), int(context.parameter)
    ready = context.shared if size <= len(context.payloads) else None
    if ready is not None:
        taken = context.parts.taken(list(ready))
        batches = rotating([[taken[index] for index in frame] for frame in frames])
    else:
        batches = made_anew(lambda index: _made(context, frames[index]))
    return TimedCall(
        context.parts.bare.encode,
        batches,
        touched=ready is not None,
        burst=_burst(context),
        records=size,
        calls=len(frames),
    )


def _load(context: Context) -> TimedCall:
    frames, decode = _frames(context), context.parts.bare.decode
    payloads = [context.parts.bare.encode(_made(context, frame)) for frame in frames]

    def expected(index: int) -> Any:
        """Return the expected records, in the list or tuple that the codec returns."""
        found = decode(payloads[index])
        kind = type(found) if isinstance(found, list | tuple) else list
        return kind(decode(context.payloads[n]) for n in frames[index])

    return TimedCall(
        decode,
        rotating(payloads),
        expected=expected,
        touched=True,
        burst=_burst(context),
        records=int(context.parameter),
        calls=len(frames),
    )


def _burst(context: Context) -> int:
    return max(1, burst(context.sample) // int(context.parameter))


def _size(context: Context) -> float:
    frames = _frames(context)
    return sum(len(context.parts.bare.encode(_made(context, frame))) for frame in frames) / sum(
        map(len, frames)
    )


def _accepts(place: str, parameter: str) -> None:
    if not (parameter.isascii() and parameter.isdigit() and 1 <= int(parameter) <= MOST):
        raise UsageError(f"{parameter!r} is not a number of records per frame from 1 to {MOST:,}")


OPERATIONS = (
    Operation(
        name="batch-dump",
        phase="time",
        summary="time to encode one record of a list of {parameter}",
        carry_out=_dump,
        heading="dump, {parameter} a frame",
        parameter="N",
        accepts=_accepts,
    ),
    Operation(
        name="batch-load",
        phase="time",
        summary="time to decode one record of a list of {parameter}",
        carry_out=_load,
        heading="load, {parameter} a frame",
        parameter="N",
        accepts=_accepts,
    ),
    Operation(
        name="batch-size",
        phase="check",
        summary="bytes of one record of a list of {parameter}",
        carry_out=_size,
        unit="byte",
        heading="bytes, {parameter} a frame",
        parameter="N",
        accepts=_accepts,
    ),
)
