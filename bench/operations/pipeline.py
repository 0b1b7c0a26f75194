"""The cost of a codec between one producer and several consumers.

It measures latency at a rate, processor time with the codec's part in it, and the highest rate whose latency
stays below a bound.

The codec's part is clocked in place, with the processor's clock: wall time would include the time when others
have the processor, and there are more processes here than processors.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import UsageError
from ..backends.stores.base import opaque
from ..backends.transports import kind, kinds
from ..backends.transports.base import Route
from ..facts import PipelineFacts, PipelineSetup, Setup
from ..results import Direction, Unit
from .base import Context, Measured, Operation, Toolkit, UnfitError, Variant

if TYPE_CHECKING:
    from ..backends.transports.pipeline import Pipeline, RateWindow

RATE = 3000
"""Default rate in records per second."""
BOUND = 10
"""Default bound in milliseconds for the 99th percentile."""
BASELINE = Variant("baseline", "{}, with the codec's payloads as opaque bytes")

MOST = 256
"""Most consumers."""
_WARM = 0.05
"""Seconds of warm-up."""
_SECONDS = 0.3
"""Seconds of a window at a requested rate."""
_SHORT = 0.25
"""Seconds of each window in the search for a rate."""
_FEW = 200
"""Fewest records of a window: with fewer there is no 99th percentile."""
_HELD = 0.9
"""Share of the rate that must arrive in the second half of a window."""
_HOPELESS = 0.5
"""Share of the rate below which another window is not worthwhile."""
_LOST = 0.01
"""Share of deliveries that may be lost: with more there is no 99th percentile."""
_START = 2000
"""Records per second at the start of the search."""
_RATES = 10, 1_000_000
"""Bounds of the search, in records per second."""
_NEAR = 1.1
"""Factor between the result and the lowest rate known to fail, at the end of the search."""
_TIMES = 2
"""Number of windows to try a rate: a disturbance makes latencies longer, never shorter."""

_PARAMETER = re.compile(r"([1-9]\d{0,2})(?:x([1-9]\d{0,6}))?")


def asked(parameter: str, other: int = RATE) -> tuple[int, int]:
    """Parse the consumers and the rate, or the bound, of ``24`` or ``24x500``.

    Args:
        other: Default of the second number.

    Raises:
        ValueError: The text has another form.
    """
    found = _PARAMETER.fullmatch(parameter)
    if not found or int(found[1]) > MOST:
        raise ValueError(parameter)
    return int(found[1]), int(found[2] or other)


def _at_a_rate(parameter: str) -> PipelineSetup:
    consumers, rate = asked(parameter)
    return PipelineSetup(consumers, rate=rate)


def _within_a_bound(parameter: str) -> PipelineSetup:
    consumers, bound = asked(parameter, BOUND)
    return PipelineSetup(consumers, bound=bound)


def _accepts(what: str, setup: Callable[[str], PipelineSetup]) -> Callable[[str, str], Setup | None]:
    def accepts(place: str, parameter: str) -> Setup | None:
        """Accept a transport and a parameter."""
        if not place:
            return None  # the bare declaration, for its help
        if place not in kinds():
            kind(place)
        try:
            return setup(parameter)
        except ValueError:
            raise UsageError(
                f"expected 1 to {MOST} consumers, optionally with {what}, as in 24x{RATE}; got {parameter!r}"
            ) from None

    return accepts


def _nothing() -> tuple[int, int]:
    return 0, 0


def _pipeline(context: Context, tools: Toolkit, consumers: int) -> Pipeline:
    """Return a pipeline that has not been entered yet.

    Raises:
        UnfitError: No transport is named.
    """
    if not context.place:
        raise UnfitError("name a transport: OPERATION@TRANSPORT:CONSUMERS")
    from uuid import uuid4

    from ..backends.transports.pipeline import Clocked, Pipeline

    route = Route(consumers, f"bakeoff_{uuid4().hex[:12]}", context.url, context.client)
    if context.variant is BASELINE:
        untouched = Clocked(opaque().encode, _nothing)
        return Pipeline(kind(context.place), route, untouched, untouched, context.payloads, tools.beat)
    from ._inside import Inside

    codec = context.parts.bare
    encode, decode = Inside(codec.encode, processor=True), Inside(codec.decode, processor=True)
    return Pipeline(
        kind(context.place),
        route,
        Clocked(encode.call, encode.take),
        Clocked(decode.call, decode.take),
        context.records(),
        tools.beat,
    )


def _held(window: RateWindow) -> bool:
    return window.delivered >= _HELD * window.rate and window.lost <= _LOST


def _seconds(rate: float, seconds: float) -> float:
    return max(seconds, _FEW / rate)


def _measure(context: Context, tools: Toolkit) -> Measured:
    """Return all figures of one rate."""
    from ._inside import cost

    consumers, rate = asked(context.parameter)
    with _pipeline(context, tools, consumers) as pipeline:
        pipeline.window(rate, _seconds(rate, _WARM))
        for _ in range(_TIMES):
            window = pipeline.window(rate, _seconds(rate, _SECONDS))
            if _held(window) or window.delivered < _HOPELESS * rate:
                break
    added, counted = (0.0, 0.0) if context.variant is BASELINE else cost(processor=True)
    facts = PipelineFacts(
        delivered=window.delivered,
        lost=window.lost,
        window_seconds=window.seconds,
        clock_added_ns=added,
        clock_counted_ns=counted,
        repeated=window.repeated,
        settings=pipeline.settings,
    )
    figures: dict[str, float | str] = {"delivered": max(window.delivered, 1e-3)}
    for name, share in (("latency-p50", 0.5), ("latency-p99", 0.99)):
        figures[name] = window.latency(share) if _held(window) else _unheld(window)
    ends = (
        (window.producing, window.calls[0], 1 / window.sent),
        (window.reading, window.calls[1], consumers / max(1, len(window.latencies))),
    )
    figures["cpu"] = sum(max(0.0, worked - added * calls) * times for (worked, _), calls, times in ends) / 1e9
    if context.variant is not BASELINE:
        figures["cpu-codec"] = (
            sum(max(1.0, inside - counted * calls) * times for (_, inside), calls, times in ends) / 1e9
        )
    return Measured(window.delivered, facts=facts, together=figures)


def _unheld(window: RateWindow) -> str:
    said = f"too slow: {window.delivered:,.0f} of {window.rate:,.0f} records a second arrived"
    return f"{said}, {window.lost:.0%} of the records were lost" if window.lost > _LOST else said


def _search(context: Context, tools: Toolkit) -> Measured:
    """Return the highest sustained rate with a 99th percentile below a bound."""
    consumers, bound = asked(context.parameter, BOUND)
    with _pipeline(context, tools, consumers) as pipeline:
        pipeline.window(_START, _WARM)

        def holds(rate: float) -> bool:
            for _ in range(_TIMES):
                window = pipeline.window(rate, _seconds(rate, _SHORT))
                if _held(window) and window.latency(0.99) <= bound / 1000:
                    return True
            return False

        low, high = float(_START), float(_START)
        if holds(low):
            while high < _RATES[1] and holds(high * 2):
                high *= 2
            low, high = high, high * 2
        else:
            while not holds(low := high / 2):
                high = low
                if low < _RATES[0]:
                    raise UnfitError(f"the 99th percentile is above {bound} ms at {low:.0f} records a second")
        while high / low > _NEAR:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if holds(middle) else (low, middle)
    return Measured(low, {"step": high / low - 1})


def _operation(
    name: str,
    summary: str,
    heading: str,
    unit: Unit = "second",
    direction: Direction = "lower",
    *,
    baseline: bool = True,
    sums: bool = False,
) -> Operation:
    return Operation(
        name=name,
        phase="alone",
        summary=summary,
        carry_out=_measure,
        unit=unit,
        direction=direction,
        heading=f"{heading} {{place}} {{parameter}}",
        place="TRANSPORT",
        parameter="CONSUMERSxRATE",
        accepts=_accepts("a rate", _at_a_rate),
        baseline=baseline,
        variants=(BASELINE,) if baseline else (),
        together="pipeline",
        sums=sums,
    )


OPERATIONS = (
    _operation(
        "latency-p50",
        f"time from when a record is due, {RATE:,} a second, until a consumer has decoded it; the median",
        "p50",
    ),
    _operation("latency-p99", "the same, the 99th percentile", "p99"),
    _operation(
        "delivered",
        f"records a second that each consumer gets of the {RATE:,} that are due",
        "delivered",
        "integer",
        "higher",
    ),
    _operation("cpu", "processor time of a record, of the producer and all its consumers", "CPU", sums=True),
    _operation(
        "cpu-codec", "the codec's part of that, clocked in place", "codec's CPU", baseline=False, sums=True
    ),
    dataclasses.replace(
        _operation(
            "rate",
            f"highest rate, records a second, whose 99th percentile stays below {BOUND} ms",
            "rate",
            "integer",
            "higher",
        ),
        carry_out=_search,
        parameter="CONSUMERSxMS",
        accepts=_accepts("a bound in milliseconds", _within_a_bound),
        together="",
    ),
)
