"""The bytes of a payload."""

from __future__ import annotations

from .base import Given, Operation

__all__ = ["OPERATIONS"]


def _size(given: Given) -> float:
    count = len(given.payloads)
    return sum(map(len, given.payloads)) / sum(given.sample.weights[:count])


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
