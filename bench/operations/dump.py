"""The time to encode a record."""

from __future__ import annotations

from .base import COLD, NOGC, Context, Operation, TimedCall, Variant, burst, made_anew, rotating


def _dump(context: Context) -> TimedCall:
    parts, sample = context.parts, context.sample
    ready = sample.records() if context.shared is None and context.variant.repeated else context.shared
    if ready is not None:
        batches = rotating(parts.taken(list(ready)))
    else:
        batches = made_anew(lambda index: parts.taken(sample.records([index]))[0])
    return TimedCall(parts.bare.encode, batches, touched=ready is not None, burst=burst(sample))


OPERATIONS = (
    Operation(
        name="dump",
        phase="time",
        summary="time to encode one record, on records not encoded before",
        carry_out=_dump,
        heading="dump",
        baseline=True,
        cost="write",
        default=True,
        variants=(
            Variant("repeat", "time to encode a record that was encoded before", repeated=True),
            COLD,
            NOGC,
        ),
    ),
)
