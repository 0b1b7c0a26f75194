"""The time to decode a payload."""

from __future__ import annotations

from .base import NOGC, STREAMED, Given, Operation, Work, burst, rotating

__all__ = ["OPERATIONS"]


def _load(given: Given) -> Work:
    return Work(given.parts.bare.decode, rotating(given.payloads), touched=True, burst=burst(given.sample))


OPERATIONS = (
    Operation(
        name="load",
        phase="time",
        summary="time to decode one payload, freeing the record included",
        carry_out=_load,
        heading="load",
        floor=True,
        cost="read",
        default=True,
        variants=(STREAMED, NOGC),
    ),
)
