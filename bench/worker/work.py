"""What each timed operation calls, and with what: the same for the check, which learns what a record costs,
and for the timing."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..operations.base import BURST, FRESH
from ._slice import copy, evict, nothing, time_calls
from .parts import CodecParts
from .records import Sample
from .yardstick import ITEMS

__all__ = ["Batch", "Ring", "Spent", "Work", "floor", "rotating", "work"]

_NEAR = 8 << 10
"""Bytes of records, as pickles, in a burst."""

Ring = Sequence[int]
"""Indices into the sample, in the order they are gone through and round again."""
Batch = Callable[[int, int], tuple[list[Any], int]]
"""``batch(start, count)`` returns a list and the index in it to start at."""
Spent = tuple[int, int, int]
"""Nanoseconds of the clock, nanoseconds of the processor, involuntary switches."""


def _clocks() -> tuple[int, int]:
    tries = [time_calls(nothing, ITEMS, 0, 0) for _ in range(50)]
    return min(spent[0] for spent in tries), min(spent[1] for spent in tries)


CLOCKS = _clocks()
"""Nanoseconds that reading the clocks adds to a burst: to the clock's time and to the processor's."""


@dataclass(frozen=True, slots=True)
class Work:
    """An operation of one codec on one sample.

    Attributes:
        call: What is timed.
        batches: Makes of a ring of records what gives `call` its items; not timed.
        collect: Garbage collection switched on during the calls.
        touched: Items are touched just before, untimed. Records have been made and payloads received
            a moment before they are encoded and decoded; without this the first codec of a round
            would fetch them from memory for all others.
        burst: Calls that are timed together.
        streamed: Items come from memory instead, as those of a list larger than the caches do.
    """

    call: Callable[[Any], object]
    batches: Callable[[Ring], Batch]
    collect: bool = True
    touched: bool = False
    burst: int = BURST
    streamed: bool = False

    def run(self, batch: Batch, start: int, calls: int, warmup: int = 0) -> Spent:
        """Time `calls` from `start` on, after `warmup` calls that come before them in the ring."""
        if self.streamed:
            items, at = batch(start, calls)
            evict()
        if warmup:
            self._bursts(batch, start - warmup, warmup)
        if self.streamed:
            return self._timed(items, at, calls)
        return self._bursts(batch, start, calls)

    def _bursts(self, batch: Batch, start: int, calls: int) -> Spent:
        if self.touched:
            items, at = batch(start, calls)
            return self._timed(items, at, calls, self.burst)
        # Made just before they are needed, they are as near.
        nanoseconds = worked = switches = 0
        for done in range(0, calls, self.burst):
            count = min(self.burst, calls - done)
            spent, busy, taken = self._timed(*batch(start + done, count), count)
            nanoseconds += spent
            worked += busy
            switches += taken
        return nanoseconds, worked, switches

    def _timed(self, items: list[Any], at: int, calls: int, burst: int = 0) -> Spent:
        if self.collect:
            spent, busy, taken = time_calls(self.call, items, at, calls, burst)
        else:
            gc.disable()
            try:
                spent, busy, taken = time_calls(self.call, items, at, calls, burst)
            finally:
                gc.enable()
        bursts = -(-calls // burst) if burst else 1
        return spent - bursts * CLOCKS[0], busy - bursts * CLOCKS[1], taken


def work(
    parts: CodecParts,
    operation: str,
    sample: Sample,
    payloads: Sequence[bytes],
    shared: Sequence[Any] | None = None,
    *,
    collect: bool = True,
) -> Work:
    """Prepare an operation.

    Args:
        parts: The codec.
        operation: Name of a timed operation, with its variant.
        sample: The records.
        payloads: The codec's own payloads of them.
        shared: All records of the sample, to be encoded by one codec after the other.
        collect: Leave the garbage collector on, unless the variant says otherwise.

    Raises:
        ValueError: The codec has no such operation.
    """
    name, _, variant = operation.partition("-")
    made = _making(sample, variant, collect)
    if name == "dump":
        ready = sample.records() if shared is None and variant == "repeat" else shared
        if ready is not None:
            return made(parts.bare.encode, rotating(parts.taken(list(ready))), touched=True)
        return made(parts.bare.encode, _anew(lambda index: parts.taken(sample.records([index]))[0]))
    decode = parts.bare.decode
    if name == "load":
        return made(decode, rotating(payloads), touched=True)
    if name == "fix" and parts.fix is not None:
        return made(parts.fix, _anew(lambda index: decode(payloads[index])), burst=min(FRESH, burst(sample)))
    raise ValueError(f"{operation} of {parts.codec.name} cannot be timed")


def floor(operation: str, sample: Sample, *, collect: bool = True) -> Work:
    """Prepare the floor: copying a record's bytes, as the least that any codec has to do."""
    return _making(sample, operation.partition("-")[2], collect)(copy, rotating(sample.pickles), touched=True)


def _making(sample: Sample, variant: str, collect: bool) -> Callable[..., Work]:
    """Return what makes the work of a variant of an operation."""
    return partial(
        Work,
        collect=collect and variant != "nogc",
        burst=burst(sample),
        streamed=variant == "streamed",
    )


def burst(sample: Sample) -> int:
    """Return how many calls on records of this size are timed together."""
    mean = sum(map(len, sample.pickles)) / len(sample.pickles)
    return max(1, min(BURST, round(_NEAR / mean)))


def rotating(items: Sequence[Any]) -> Callable[[Ring], Batch]:
    """Return batches of items that are there already."""

    def batches(ring: Ring) -> Batch:
        ordered = [items[index] for index in ring]
        return lambda start, count: (ordered, start % len(ordered))

    return batches


def _anew(make: Callable[[int], Any]) -> Callable[[Ring], Batch]:
    """Return batches of items that are made anew for each call."""

    def batches(ring: Ring) -> Batch:
        return lambda start, count: ([make(ring[(start + i) % len(ring)]) for i in range(count)], 0)

    return batches
