"""Operations of somebody else's: one that is timed, and one of which more is better."""

from __future__ import annotations

import tempfile
import zlib

from bakeoff.bench.operations.base import NOGC, Given, Operation, Work, burst, made_anew


def spool(given: Given) -> Work:
    """Encode a record and write its payload to a file, as services do that must not lose it."""
    parts, sample = given.parts, given.sample
    file = tempfile.TemporaryFile("wb", buffering=0)  # noqa: SIM115 - closed with the work

    def write(record: object) -> int:
        file.seek(0)
        return file.write(parts.bare.encode(record))

    return Work(
        write,
        made_anew(lambda index: parts.taken(sample.records([index]))[0]),
        expected=lambda index: len(given.payloads[index]),
        burst=burst(sample),
        close=file.close,
    )


def redundancy(given: Given) -> float:
    """Return how many times smaller zlib makes all payloads together."""
    together = b"".join(given.payloads)
    return len(together) / len(zlib.compress(together))


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
