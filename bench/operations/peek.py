"""The time to read one field of a payload, with the codec's own method for it."""

from __future__ import annotations

from ...codecs import MissingField
from ...codecs.core.fields import absent, reach, steps_of
from ...codecs.naming import is_raw
from ...errors import UsageError
from .base import NOGC, Context, Operation, TimedCall, UnfitError, burst, rotating


def _peek(context: Context) -> TimedCall:
    codec, payloads, path = context.parts.codec, context.payloads, context.parameter
    if is_raw(codec.name):
        raise UnfitError("a library's own calls have no peek")
    steps = steps_of(path)
    # A missing field gives None, the same as a null field.
    decoded = [reach(codec.decode(payload), steps) for payload in payloads]
    if all(value is ... for value in decoded):
        missing: MissingField = absent(codec.name, codec.decode(payloads[0]), steps)
        raise UnfitError(f"no record has the field; the first one: {missing.reason}")
    found = [None if value is ... else value for value in decoded]
    return TimedCall(
        codec.peeker(path, default=None),
        rotating(payloads),
        expected=found.__getitem__,
        touched=True,
        burst=burst(context.sample),
    )


def _accepts(place: str, parameter: str) -> None:
    if not parameter:
        raise UsageError("peek: name a field by keys and indices, joined by dots: peek:order.address.city")
    steps_of(parameter)


OPERATIONS = (
    Operation(
        name="peek",
        phase="time",
        summary="time to read the field {parameter} of one payload; None for a record without it",
        carry_out=_peek,
        heading="peek {parameter}",
        parameter="PATH",
        accepts=_accepts,
        fixes=True,
        variants=(NOGC,),
    ),
)
"""`peek` uses the codec as named: with a schema that is the full decode and fix."""
