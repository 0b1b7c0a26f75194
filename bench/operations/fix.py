"""The time of a schema's fix-up of a decoded record."""

from __future__ import annotations

from ..method import Slices
from .base import NOGC, Given, Operation, UnfitError, Work, burst, made_anew

__all__ = ["OPERATIONS"]


def _fix(given: Given) -> Work:
    fix, decode, payloads = given.parts.fix, given.parts.bare.decode, given.payloads
    if fix is None:
        raise UnfitError(f"{given.parts.codec.name} has nothing to fix")
    return Work(
        fix,
        made_anew(lambda index: decode(payloads[index])),
        burst=min(Slices.FRESH_BURST, burst(given.sample)),
    )


OPERATIONS = (
    Operation(
        name="fix",
        phase="time",
        summary="time of the schema's fix-up of one decoded record",
        carry_out=_fix,
        heading="fix",
        needs=frozenset({"schema"}),
        cost="read",
        default=True,
        variants=(NOGC,),
    ),
)
