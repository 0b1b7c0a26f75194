"""The time to fix a decoded record with its schema."""

from __future__ import annotations

from ..method import Slices
from .base import NOGC, Context, Operation, TimedCall, UnfitError, burst, made_anew


def _fix(context: Context) -> TimedCall:
    fix, decode, payloads = context.parts.fix, context.parts.bare.decode, context.payloads
    if fix is None:
        raise UnfitError(f"{context.parts.codec.name} has nothing to fix")
    return TimedCall(
        fix,
        made_anew(lambda index: decode(payloads[index])),
        burst=min(Slices.FRESH_BURST, burst(context.sample)),
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
