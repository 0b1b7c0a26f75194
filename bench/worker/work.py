"""The calls and inputs of each timed operation.

They are the same in the check, which estimates the cost of a record, and in the timing.
"""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..operations import operation
from ..operations.base import Batch, CodecParts, Context, Operation, TimedCall, burst, rotating
from ._slice import copy, evict, nothing, time_calls
from .records import PickledSample
from .reference import ITEMS

Spent = tuple[int, int, int]
"""Nanoseconds of the clock, nanoseconds without preemption by others, involuntary switches."""


def _clocks() -> tuple[int, int]:
    tries = [time_calls(nothing, ITEMS, 0, 0) for _ in range(50)]
    return min(spent[0] for spent in tries), min(spent[1] for spent in tries)


CLOCKS = _clocks()
"""Nanoseconds that reading the clocks adds to a burst: to the wall time and to the processor time."""


@dataclass(frozen=True, slots=True)
class TimedWork(TimedCall):
    """Work that can be timed.

    Attributes:
        sums: As in `Operation`.
        fewest: As in `Operation`.
        apart: Each call follows other work, which is not timed, and is timed by itself.
    """

    sums: bool = False
    fewest: int = 1
    apart: bool = False

    def run(self, batch: Batch, start: int, calls: int, warmup: int = 0) -> Spent:
        """Time `calls` calls from `start` on, after `warmup` calls that precede them in the ring."""
        if self.apart:
            return self._apart(batch, start, calls)
        if self.cold:
            items, at = batch(start, calls)
            evict()
        if warmup:
            self._bursts(batch, start - warmup, warmup)
        if self.cold:
            return self._timed(items, at, calls)
        return self._bursts(batch, start, calls)

    def _apart(self, batch: Batch, start: int, calls: int) -> Spent:
        """Time each call by itself after other work; one comes first, as another codec has run before."""
        from .other_work import run_code  # its parsers would delay the start of every worker

        nanoseconds = worked = switches = 0
        for index in range(start - 1, start + calls):
            run_code()
            # A record is made, and a payload received, just before the call.
            spent, busy, taken = self._timed(*batch(index, 1), 1, 1)
            if index >= start:
                nanoseconds += spent
                worked += busy
                switches += taken
        return nanoseconds, worked, switches

    def _bursts(self, batch: Batch, start: int, calls: int) -> Spent:
        if self.touched:
            items, at = batch(start, calls)
            return self._timed(items, at, calls, self.burst)
        # Items made just before their use are in the caches, too.
        nanoseconds = worked = switches = 0
        for done in range(0, calls, self.burst):
            count = min(self.burst, calls - done)
            spent, busy, taken = self._timed(*batch(start + done, count), count)
            nanoseconds += spent
            worked += busy
            switches += taken
        return nanoseconds, worked, switches

    def whole(self) -> TimedWork:
        """Return the same work with all of the calls' time counted."""
        return dataclasses.replace(self, inside=None)

    def _timed(self, items: list[Any], at: int, calls: int, burst: int = 0) -> Spent:
        if self.inside is not None:
            self.inside()
        if not self.collect:
            gc.disable()
        try:
            spent, busy, taken = time_calls(self.call, items, at, calls, burst)
        finally:
            if not self.collect:
                gc.enable()
        if self.inside is not None:
            inside = self.inside()
            # Preemption affects all parts of a call alike.
            return inside, inside if self.waits else inside * busy // max(1, spent), taken
        bursts = -(-calls // burst) if burst else 1
        if self.waits:
            busy = spent
        return spent - bursts * CLOCKS[0], busy - bursts * CLOCKS[1], taken


def work(
    parts: CodecParts,
    name: str,
    sample: PickledSample,
    payloads: Sequence[bytes],
    shared: Sequence[Any] | None = None,
    *,
    urls: Mapping[str, str],
    collect: bool = True,
    apart: bool = False,
) -> TimedWork:
    """Prepare an operation.

    Args:
        name: Name of a timed operation, variants included.
        payloads: The codec's payloads of them.
        shared: All records of the sample, to be encoded by several codecs in turn.
        urls: URLs of the operations' places that are servers.
        collect: Leave the garbage collector on, unless the variant says otherwise.
        apart: Let each call follow other work, unless the time of a backend is a part of it.

    Raises:
        UnfitError: The codec does not support the operation.
    """
    declared = operation(name)
    made = declared.carry_out(context_of(declared, parts, sample, payloads, urls, shared))
    return _clocked(made, declared, collect, apart)


def context_of(
    declared: Operation,
    parts: CodecParts,
    sample: PickledSample,
    payloads: Sequence[bytes],
    urls: Mapping[str, str],
    shared: Sequence[Any] | None = None,
) -> Context:
    """Return the context of an operation; see `work`."""
    place, url = declared.at_place, urls.get(declared.at_place, "")
    return Context(parts, sample, payloads, shared, declared.variant, place, declared.at_parameter, url)


def baseline(name: str, sample: PickledSample, *, collect: bool = True, apart: bool = False) -> TimedWork:
    """Prepare the baseline of an operation: copying a record's bytes, the minimum for any codec."""
    made = TimedCall(copy, rotating(sample.pickles), touched=True, burst=burst(sample))
    return _clocked(made, operation(name), collect, apart)


def _clocked(made: TimedCall, declared: Operation, collect: bool, apart: bool) -> TimedWork:
    fields = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    fields["collect"] = made.collect and collect and declared.variant.collect
    fields |= {"cold": declared.variant.cold, "sums": declared.sums, "fewest": declared.fewest}
    fields["apart"] = apart and not (declared.place or declared.variant.cold)
    return TimedWork(**fields)
