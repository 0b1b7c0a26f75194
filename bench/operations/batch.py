"""Frames: several records in one payload, as a list; time and bytes are those of one record.

The sample is dealt out to frames in its order. Where it has fewer records than a frame, or the last frame is
not full, it begins anew, with records that were made again: no encoder finds the same object twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import UsageError
from .base import Given, Operation, UnfitError, Work, burst, made_anew, rotating

__all__ = ["MOST", "OPERATIONS"]

MOST = 100_000
"""Records of a frame."""


def _frames(given: Given) -> list[list[int]]:
    """Return the records of each frame, by index."""
    if given.parts.codec.needs_schema:
        raise UnfitError("its schema is one record's; a list of them has none")
    count, size = len(given.payloads), int(given.parameter)
    return [[(start + n) % count for n in range(size)] for start in range(0, count, size)]


def _made(given: Given, frame: Sequence[int]) -> list[Any]:
    return given.parts.taken(given.sample.records(frame))


def _dump(given: Given) -> Work:
    frames, size = _frames(given), int(given.parameter)
    ready = given.shared if size <= len(given.payloads) else None
    if ready is not None:
        taken = given.parts.taken(list(ready))
        batches = rotating([[taken[index] for index in frame] for frame in frames])
    else:
        batches = made_anew(lambda index: _made(given, frames[index]))
    return Work(
        given.parts.bare.encode,
        batches,
        touched=ready is not None,
        burst=_burst(given),
        records=size,
        calls=len(frames),
    )


def _load(given: Given) -> Work:
    frames, decode = _frames(given), given.parts.bare.decode
    payloads = [given.parts.bare.encode(_made(given, frame)) for frame in frames]

    def expected(index: int) -> Any:
        """Return what each of its records comes back as, in the list or tuple that the codec gives."""
        found = decode(payloads[index])
        kind = type(found) if isinstance(found, list | tuple) else list
        return kind(decode(given.payloads[n]) for n in frames[index])

    return Work(
        decode,
        rotating(payloads),
        expected=expected,
        touched=True,
        burst=_burst(given),
        records=int(given.parameter),
        calls=len(frames),
    )


def _burst(given: Given) -> int:
    return max(1, burst(given.sample) // int(given.parameter))


def _size(given: Given) -> float:
    frames = _frames(given)
    return sum(len(given.parts.bare.encode(_made(given, frame))) for frame in frames) / sum(map(len, frames))


def _accepts(place: str, parameter: str) -> None:
    """Refuse what is no number of records."""
    if not (parameter.isascii() and parameter.isdigit() and 1 <= int(parameter) <= MOST):
        raise UsageError(f"{parameter!r} is no number of records a frame, from 1 to {MOST:,}")


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
