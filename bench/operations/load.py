"""The time to decode a payload."""

from __future__ import annotations

from .base import COLD, NOGC, Context, Operation, TimedCall, burst, rotating


def _load(context: Context) -> TimedCall:
    return TimedCall(
        context.parts.bare.decode, rotating(context.payloads), touched=True, burst=burst(context.sample)
    )


OPERATIONS = (
    Operation(
        name="load",
        phase="time",
        summary="time to decode one payload, freeing the record included",
        carry_out=_load,
        heading="load",
        baseline=True,
        cost="read",
        default=True,
        variants=(COLD, NOGC),
    ),
)
