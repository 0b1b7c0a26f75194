"""The bytes of a payload."""

from __future__ import annotations

from .base import Context, Operation


def _size(context: Context) -> float:
    count = len(context.payloads)
    return sum(map(len, context.payloads)) / sum(context.sample.weights[:count])


OPERATIONS = (
    Operation(
        name="size",
        phase="check",
        summary="bytes of a payload, mean",
        carry_out=_size,
        unit="byte",
        heading="bytes",
        default=True,
    ),
)
