"""Third-party operations: timed ones, and some with higher figures being better."""

from __future__ import annotations

import tempfile
import time
import zlib

from bakeoff.bench.operations.base import (
    NOGC,
    Context,
    Operation,
    TimedCall,
    Variant,
    burst,
    made_anew,
    rotating,
)
from bakeoff.errors import UsageError


def spool(context: Context) -> TimedCall:
    """Encode a record and write its payload to a file, as in services that must not lose it."""
    parts, sample = context.parts, context.sample
    file = tempfile.TemporaryFile("wb", buffering=0)  # noqa: SIM115 - closed with the work

    def write(record: object) -> int:
        file.seek(0)
        return file.write(parts.bare.encode(record))

    return TimedCall(
        write,
        made_anew(lambda index: parts.taken(sample.records([index]))[0]),
        expected=lambda index: len(context.payloads[index]),
        burst=burst(sample),
        close=file.close,
    )


def redundancy(context: Context) -> float:
    """Return the compression ratio of zlib for all payloads together."""
    together = b"".join(context.payloads)
    return len(together) / len(zlib.compress(together))


def visit(context: Context) -> TimedCall:
    """Read a payload at one of two counters, a given number of times."""
    decode, times, inside = context.parts.bare.decode, int(context.parameter or 1), 0

    def count(payload: bytes) -> int:
        nonlocal inside
        for _ in range(times):
            begin = time.perf_counter_ns()
            decode(payload)
            inside += time.perf_counter_ns() - begin
        zlib.compress(payload)  # work outside of the codec
        return times

    def asked() -> int:
        nonlocal inside
        spent, inside = inside, 0
        return spent

    return TimedCall(
        count,
        rotating(context.payloads),
        expected=lambda index: times,
        inside=asked if context.variant.name == "codec" else None,
    )


def known(place: str, parameter: str) -> None:
    """Accept the two counters, and whole numbers."""
    if place not in ("left", "right"):
        raise UsageError(f"no counter {place!r}; there are left, right")
    if parameter and not parameter.isdecimal():
        raise UsageError(f"visit: takes a whole number of times, got {parameter!r}")


VISIT = Operation(
    name="visit",
    phase="time",
    summary="payloads read {parameter} times at the counter on the {place}",
    carry_out=visit,
    unit="integer",
    direction="higher",
    heading="visits {place} {parameter}",
    place="COUNTER",
    parameter="TIMES",
    accepts=known,
    variants=(Variant("codec", "the codec's part of {}"), NOGC),
)
SPOOL = Operation(
    name="spool",
    phase="time",
    summary="time to encode a record and write its payload to a file",
    carry_out=spool,
    heading="spool",
    variants=(NOGC,),
)
REDUNDANCY = Operation(
    name="redundancy",
    phase="check",
    summary="how many times smaller zlib makes the payloads",
    carry_out=redundancy,
    unit="integer",
    direction="higher",
    heading="redundancy",
)
