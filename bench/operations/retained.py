"""The memory that decoded records and payloads retain: traced and resident, in separate passes.

Traced bytes are counted by Python's allocators, exactly. Resident bytes are the growth of the process, which
includes rounding by allocators and the memory of C libraries.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .base import Measured, Operation, still

if TYPE_CHECKING:
    from ...codecs import Codec

RESIDENT_BYTES = 16 << 20
"""Keep records until they hold about this much, as pages are coarse."""
MOST_COPIES = 200


def measure(
    codec: Codec, records: Sequence[Any], payloads: Sequence[bytes], options: Mapping[str, Any]
) -> Measured:
    """Return the bytes that a decoded record (or a payload) holds, on average.

    Args:
        options: ``operation``, "retained-records" or "retained-payloads"; ``beat``.

    Returns:
        Traced bytes per record. Extras: ``resident``, in bytes per record; ``payload``, mean length in bytes.
    """
    beat = options.get("beat", still)
    work, items = (
        (codec.decode, payloads) if options["operation"] == "retained-records" else (codec.encode, records)
    )

    def call(item: Any) -> Any:
        beat()
        return work(item)

    resident = _resident(call, items)
    traced = _traced(call, items)
    mean = sum(map(len, payloads)) / len(payloads)
    return Measured(traced, {"resident": resident, "payload": mean})


def _resident(call: Callable[[Any], Any], items: Sequence[Any]) -> float:
    import psutil

    from ._memory import trim

    process = psutil.Process()
    call(items[0])
    gc.collect()
    trim()
    before = process.memory_info().rss
    held: list[Any] = []
    for _ in range(MOST_COPIES):
        held += [call(item) for item in items]
        if process.memory_info().rss - before > RESIDENT_BYTES:
            break
    gc.collect()
    list_itself = held.__sizeof__()
    return max(0.0, (process.memory_info().rss - before - list_itself) / len(held))


def _traced(call: Callable[[Any], Any], items: Sequence[Any]) -> float:
    import tracemalloc

    gc.collect()
    held: list[Any] = [None] * len(items)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for n, item in enumerate(items):
            held[n] = call(item)
        gc.collect()
        return (tracemalloc.get_traced_memory()[0] - before) / len(held)
    finally:
        tracemalloc.stop()


def _retained(name: str, summary: str, heading: str) -> Operation:
    return Operation(
        name=name, phase="memory", summary=summary, carry_out=measure, unit="byte", heading=heading
    )


OPERATIONS = (
    _retained("retained-records", "bytes that a decoded record holds", "held by a loaded record"),
    _retained("retained-payloads", "bytes that a payload holds", "held by a payload"),
)
