"""Tails: p50, p90 and p99 of single calls as well as their mean, with each call clocked separately."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count
from statistics import fmean
from typing import Any

from .base import Context, Measured, Operation, Toolkit

_SECONDS = 0.3
"""Seconds of calls, including making new records."""
_CALLS = 20_000
"""Calls that suffice for a p99."""
_FEWEST = 200
"""Fewest calls: with less the p99 is one of the two longest. `_MOST_SECONDS` limits their time."""
_MOST_SECONDS = 5.0
_AT_ONCE = 32
"""Number of records to make before calling with them."""


def _dump(context: Context, tools: Toolkit) -> Measured:
    records = len(context.payloads)

    def fresh() -> Iterator[list[Any]]:
        for start in count(0, _AT_ONCE):
            indices = [n % records for n in range(start, start + _AT_ONCE)]
            yield context.parts.taken(context.sample.records(indices))

    return _tail(context.parts.bare.encode, fresh(), tools)


def _load(context: Context, tools: Toolkit) -> Measured:
    payloads = context.payloads

    def rotating() -> Iterator[list[Any]]:
        for start in count(0, _AT_ONCE):
            yield [payloads[n % len(payloads)] for n in range(start, start + _AT_ONCE)]

    return _tail(context.parts.bare.decode, rotating(), tools)


def _tail(call: Callable[[Any], Any], items: Iterator[list[Any]], tools: Toolkit) -> Measured:
    # The first calls in a process are measured by `first-call`.
    tools.each(call, next(items))
    begun = time.perf_counter()
    spent: list[list[int]] = []
    for some in items:
        tools.beat()
        spent.append(tools.each(call, some))
        took, calls = time.perf_counter() - begun, len(spent) * _AT_ONCE
        if calls >= _CALLS or took > (_SECONDS if calls >= _FEWEST else _MOST_SECONDS):
            break
    ordered = sorted(chain.from_iterable(spent))
    return Measured(
        _at(ordered, 0.99),
        {
            "p90": _at(ordered, 0.9),
            "p50": _at(ordered, 0.5),
            "mean": fmean(ordered) * 1e-9,
            "clock": _at(tools.clock, 0.5),
            "calls": len(ordered),
        },
    )


def _at(ordered: Sequence[int], share: float) -> float:
    """Return the seconds within which a share of the calls finish."""
    return max(1, ordered[min(len(ordered) - 1, int(share * len(ordered)))]) * 1e-9


def _of(name: str, summary: str, carry_out: Callable[[Context, Toolkit], Measured]) -> Operation:
    return Operation(
        name=f"tail-{name}",
        phase="alone",
        summary=summary,
        carry_out=carry_out,
        heading=f"{name} p99",
        columns={
            "p90": f"{name} p90",
            "p50": f"{name} p50",
            "mean": f"{name} mean",
            "clock": "clock overhead",
        },
    )


OPERATIONS = (
    _of("dump", "p99 of single encodes, each clocked on its own; clock overhead included", _dump),
    _of("load", "p99 of single decodes, each clocked on its own; clock overhead included", _load),
)
