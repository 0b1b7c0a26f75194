"""The bytes of a payload."""

from __future__ import annotations

import math

from .base import Context, Operation


def _size(context: Context) -> float:
    weights = context.sample.weights
    checked = math.fsum(weights[: len(context.payloads)]) / math.fsum(weights)  # exactly 1 if all were
    return sum(map(len, context.payloads)) / (checked * len(weights))


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
