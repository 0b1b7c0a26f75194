"""Threads: records per second of several threads together, and how long one call blocks the others."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ...errors import UsageError
from ..capabilities import cores, here
from .base import Context, Measured, Operation, Toolkit

_SECONDS = 0.25
"""Seconds for which threads call."""
_LOOKING = 0.005
"""Seconds of calls between two readings of the clock."""
_MOST = 256
"""Most threads."""

_REPEATS = 50
"""Number of calls, of which the shortest stall counts: a disturbance makes it longer, never shorter."""
_STALLING = 1.5
"""Seconds after which no further call is made."""
_SWITCH = 1e-6
"""Seconds after which a waiting thread requests the interpreter: Python's default of 5 ms would hide all
shorter stalls. The kernel makes it about 50 microseconds. A thread that requests it continuously would use up
the processor time that is measured."""


def _dump_rate(context: Context, tools: Toolkit) -> Measured:
    return _rate(context.parts.bare.encode, context.records, int(context.parameter), tools)


def _load_rate(context: Context, tools: Toolkit) -> Measured:
    return _rate(context.parts.bare.decode, lambda: list(context.payloads), int(context.parameter), tools)


def _rate(
    call: Callable[[Any], Any], items: Callable[[], list[Any]], number: int, tools: Toolkit
) -> Measured:
    """Return the calls per second of several threads, each with its own records.

    They call from Python, where the interpreter switches threads, as programs do.
    """
    mine = items()
    begun = time.perf_counter()
    for item in mine[:4]:  # warms up
        call(item)
    each = max(1e-9, (time.perf_counter() - begun) / len(mine[:4]))
    batch = max(1, min(len(mine), round(_LOOKING / each)))
    gate = threading.Barrier(number + 1)
    found: list[float] = []
    failed: list[Exception] = []

    def work(items: list[Any]) -> None:
        gate.wait()
        calls, at = 0, 0
        begun = now = time.perf_counter()
        try:
            while now < begun + _SECONDS:
                some = items[at : at + batch]
                for item in some:
                    call(item)
                calls += len(some)
                at = (at + batch) % len(items)
                now = time.perf_counter()
        except Exception as error:  # noqa: BLE001 - raised by the waiting thread
            failed.append(error)
        else:
            found.append(calls / (now - begun))

    threads = [threading.Thread(target=work, args=(items(),), daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    tools.beat()
    gate.wait()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return Measured(sum(found), {"cores": len(cores())})


class _Waiting(threading.Thread):
    """A thread that always wants to run, started by the thread that it measures.

    It reads the processor time of that thread: a wall clock would include other programs.

    Attributes:
        ticks: Times that it ran.
        longest: Longest processor time of the other thread while this one was blocked, in seconds.
        done: It should end.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.other = time.pthread_getcpuclockid(threading.get_ident())
        self.ticks = 0
        self.longest = 0.0
        self.done = False

    def run(self) -> None:
        """Read the clock repeatedly."""
        clock, other = time.clock_gettime, self.other
        last = clock(other)
        while not self.done:
            now = clock(other)
            if now - last > self.longest:
                self.longest = now - last
            last = now
            self.ticks += 1

    def turn(self) -> None:
        """Wait until it has run again."""
        seen = self.ticks
        while self.ticks < seen + 2:
            time.sleep(0)

    def kept(self, call: Callable[[Any], Any], item: Any) -> tuple[float, float]:
        """Return the seconds of the longest stall during a call, and the seconds of the call."""
        self.turn()
        self.longest = 0.0
        begun = time.thread_time()
        call(item)
        took = time.thread_time() - begun
        self.turn()
        return self.longest, took


def _stall_dump(context: Context, tools: Toolkit) -> Measured:
    return _stall(context.parts.bare.encode, context.records(), context, tools)


def _stall_load(context: Context, tools: Toolkit) -> Measured:
    return _stall(context.parts.bare.decode, list(context.payloads), context, tools)


def _stall(call: Callable[[Any], Any], items: list[Any], context: Context, tools: Toolkit) -> Measured:
    largest = items[max(range(len(items)), key=lambda index: len(context.payloads[index]))]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    waiting = _Waiting()
    waiting.start()
    try:
        least, _ = _least(waiting, lambda item: None, largest, tools)
        kept, took = _least(waiting, call, largest, tools)
    finally:
        waiting.done = True
        waiting.join()
        sys.setswitchinterval(interval)
    # No call blocks others for longer than it takes: the rest is due to the kernel.
    return Measured(min(kept, took), {"call": took, "least": least}, resolution=least)


def _least(waiting: _Waiting, call: Callable[[Any], Any], item: Any, tools: Toolkit) -> tuple[float, float]:
    """Return the least stall and the least time of a call, in seconds."""
    found: list[tuple[float, float]] = []
    end = time.perf_counter() + _STALLING
    while not found or (len(found) < _REPEATS and time.perf_counter() < end):
        tools.beat()
        found.append(waiting.kept(call, item))
    return min(kept for kept, _ in found), min(took for _, took in found)


def _accepts(place: str, parameter: str) -> None:
    if not (parameter.isascii() and parameter.isdigit() and 1 <= int(parameter) <= _MOST):
        raise UsageError(f"{parameter!r} is not a number of threads from 1 to {_MOST}")


def _threads(name: str, verb: str, carry_out: Callable[[Context, Toolkit], Measured]) -> Operation:
    return Operation(
        name=f"threads-{name}",
        phase="alone",
        summary=f"records per second that {{parameter}} threads {verb} together",
        carry_out=carry_out,
        unit="integer",
        direction="higher",
        heading=f"{name}, threads: {{parameter}}",
        parameter="N",
        accepts=_accepts,
    )


def _stalling(name: str, verb: str, carry_out: Callable[[Context, Toolkit], Measured]) -> Operation:
    return Operation(
        name=f"stall-{name}",
        phase="alone",
        summary=f"time that one {verb} keeps other threads from running, of the largest record",
        carry_out=carry_out,
        heading=f"{name} stall",
        columns={"call": f"{name} stalled by", "least": "least stall seen"},
        works=lambda: here().thread_clocks,
    )


OPERATIONS = (
    _threads("dump", "encode", _dump_rate),
    _threads("load", "decode", _load_rate),
    _stalling("dump", "encode", _stall_dump),
    _stalling("load", "decode", _stall_load),
)
