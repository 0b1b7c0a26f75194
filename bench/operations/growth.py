"""Memory growth: bytes retained per call after warm-up, and whether they are a leak.

Two exact counters under the default allocator are read before and after windows of calls. The first third is
warm-up. Growth in each of three consecutive blocks of windows after it is a suspicion, which four times as
many windows in a new process confirm or dismiss. Tried on 500 leaks and 350 clean runs: all found, no false
alarm (the rule "resident size has grown" found 350 and raised 50).
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from ..capabilities import here
from ..facts import GrowthFacts
from .base import Measured, Operation, still

if TYPE_CHECKING:
    from memray import AllocationRecord

    from ...codecs import Codec

WINDOWS = 24
CONFIRMING = 4 * WINDOWS
LEAST_SECONDS = 0.005
"""Shortest window."""
MOST_SECONDS = 3.0
"""Longest pass except the confirming one: slow codecs make fewer calls, and the result says so."""
CALLS = 1000
"""Calls per window if time allows: a leak once in that many calls then shows in every block."""
_TRIED = 20
"""Calls that determine how many there is time for."""
CHUNK = 32
"""Smallest chunk of glibc's allocator in bytes, and so the size of the smallest leak."""
_PAGE = 4096
EXPLAINED = 2.0
"""Times by which the bytes or blocks of a place may differ from the growth that it is named for."""
MOST_PLACES = 3
"""Places that are named together."""
TRACED_CALLS = 2000
"""Calls of the traced pass that finds where the memory is allocated; fewer if they take `MOST_SECONDS`."""


def measure(
    codec: Codec, records: Sequence[Any], payloads: Sequence[bytes], options: Mapping[str, Any]
) -> Measured:
    """Return the bytes not released per call, with a verdict.

    Args:
        options: ``operation``; ``beat``; ``windows`` and ``calls`` in a confirming process; ``seconds`` for
            another longest pass than `MOST_SECONDS`; ``resident`` to use resident memory instead of the exact
            counters.

    Returns:
        Value 0.0 and the verdict "no growth", or bytes per call and "growing"; see `GrowthFacts`.
    """
    beat = options.get("beat", still)
    call, items, failing = _work(codec, records, payloads, options["operation"], beat)
    if not items:
        return Measured(0.0, facts=GrowthFacts("not measured", reason="no damaged payload was refused"))
    from ._memory import EXACT, windows

    exact = EXACT and here().heap_counters and not options.get("resident")
    count = int(options.get("windows", WINDOWS))
    most = float(options.get("seconds", MOST_SECONDS))
    calls = int(options.get("calls") or _calls(call, items, failing, beat, most))
    first = count // 3 + count % 3
    # Records keep what libraries cache in them: after the warm-up, no item is new.
    items = items[: first * calls]
    edges = windows(call, items, calls, count, failing, beat, None if exact else _resident)
    judged = edges[-1 - (count - first) // 3 * 3 :]
    third = (len(judged) - 1) // 3
    blocks, heap = (_growing([edge[i] for edge in judged], third) for i in (0, 1))
    done = calls * (len(judged) - 1)
    facts = dataclasses.replace(_facts(judged[0], judged[-1], done, exact=exact), calls=calls * count)
    if not blocks and not heap:
        return Measured(0.0, facts=facts)
    if count < CONFIRMING:
        # A leak makes every collection slower, so the longer pass makes only as many calls as necessary.
        confirming = {
            "operation": options["operation"],
            "resident": options.get("resident", False),
            "windows": CONFIRMING,
            "calls": min(calls, CALLS),
        }
        return Measured(0.0, facts=facts, again=confirming)
    beat()
    traced, where = _traced(call, items, failing, facts.slope_blocks)
    beat()
    if not blocks:
        where = _native(call, items, failing, facts.slope_heap)
    facts = dataclasses.replace(facts, verdict="growing", where=where)
    slope = facts.slope_heap if heap else 0.0
    return Measured(max(slope, traced if blocks else 0.0, CHUNK / done), facts=facts)


def _facts(first: Sequence[int], last: Sequence[int], calls: int, *, exact: bool) -> GrowthFacts:
    """Return what the counters before and after so many calls show, as if there was no growth."""
    heap = "C heap" if exact else "resident pages (lower resolution)"
    return GrowthFacts(
        "no growth",
        slope_heap=(last[1] - first[1]) / calls,
        slope_blocks=(last[0] - first[0]) / calls,
        resolution=(CHUNK if exact else 3 * _PAGE) / calls,
        counters=f"allocated blocks, {heap}",
        allocator=_allocator(),
    )


def _growing(values: list[int], third: int) -> bool:
    """Return whether a counter has risen in each of three consecutive blocks."""
    return all(values[(n + 1) * third] > values[n * third] for n in range(3))


def _work(
    codec: Codec,
    records: Sequence[Any],
    payloads: Sequence[bytes],
    operation: str,
    beat: Callable[[], object],
) -> tuple[Callable[[Any], Any], list[Any], bool]:
    """Return the function to call, its inputs, and whether errors are expected."""
    bare = codec if codec.needs_schema else codec.with_schema(None)
    if operation == "growth-dump":
        return bare.encode, list(records), False
    if operation == "growth-load":
        return bare.decode, list(payloads), False
    if operation == "growth-fix":
        return codec.decode, list(payloads), False
    return bare.decode, _damaged(bare, payloads, beat), True


def _damaged(codec: Codec, payloads: Sequence[bytes], beat: Callable[[], object]) -> list[bytes]:
    """Return payloads that the codec refuses: truncated, or with bytes changed at various places."""
    candidates = []
    for number, payload in enumerate(filter(None, payloads[:50])):
        candidates += [payload[: len(payload) * part // 8] for part in range(1, 8)]
        for part in range(1, 8):
            place = (len(payload) * part // 8 + number) % len(payload)
            candidates.append(payload[:place] + bytes([payload[place] ^ 0xFF]) + payload[place + 1 :])
    return [candidate for candidate in candidates if _refused(codec, candidate, beat)]


def _refused(codec: Codec, payload: bytes, beat: Callable[[], object]) -> bool:
    beat()
    try:
        codec.decode(payload)
    except ValueError:
        return True
    return False


def _calls(
    call: Callable[[Any], Any], items: Sequence[Any], failing: bool, beat: Callable[[], object], most: float
) -> int:
    """Return the calls of a window: at least 5 ms, and a thousand if the whole pass stays short."""
    seconds = math.inf
    for n in range(_TRIED):
        beat()
        seconds = min(seconds, _timed(call, items[n % len(items)], failing))
    wanted = max(CALLS, round(LEAST_SECONDS / seconds))
    return max(1, min(wanted, round(most / WINDOWS / seconds)))


def _timed(call: Callable[[Any], Any], item: Any, failing: bool) -> float:
    start = perf_counter()
    try:
        call(item)
    except ValueError:
        if not failing:
            raise
    return max(perf_counter() - start, 1e-8)


def _repeat(call: Callable[[Any], Any], items: Sequence[Any], failing: bool) -> int:
    """Make the calls of a traced pass; return how many there was time for."""
    end = perf_counter() + MOST_SECONDS
    for n in range(TRACED_CALLS):
        _timed(call, items[n % len(items)], failing)
        if perf_counter() > end:
            return n + 1
    return TRACED_CALLS


T = TypeVar("T")


def _explaining(places: Sequence[T], amount: Callable[[T], float], growth: float) -> list[T]:
    """Return the places that make up a growth, the largest first; none if that is not known.

    What was allocated once in the traced calls, such as a buffer that is kept, is no growth, however large.

    Args:
        places: Where memory was allocated that is still held.
        amount: The memory of a place, in the unit of the growth.
        growth: What as many calls had retained before.
    """
    found: list[T] = []
    explained = 0.0
    for place in sorted(places, key=amount, reverse=True):
        if 0 < amount(place) <= EXPLAINED * growth and len(found) < MOST_PLACES:
            found.append(place)
            explained += amount(place)
            if explained * EXPLAINED >= growth:
                return found
    return []


def _traced(
    call: Callable[[Any], Any], items: Sequence[Any], failing: bool, blocks: float
) -> tuple[float, str]:
    """Return the bytes of Python objects retained per call, and the lines that allocated most of them.

    Args:
        blocks: Blocks that a call had retained before.
    """
    import gc
    import tracemalloc

    tracemalloc.start(8)
    try:
        gc.collect()
        before = tracemalloc.take_snapshot()
        done = _repeat(call, items, failing)
        gc.collect()
        grown = tracemalloc.take_snapshot().compare_to(before, "lineno")
    finally:
        tracemalloc.stop()
    own = (tracemalloc.__file__, __file__)
    kept = [s for s in grown if s.size_diff > 0 and s.traceback[0].filename not in own]
    total = sum(stat.size_diff for stat in grown if stat.traceback[0].filename not in own) / done
    if not kept:
        return max(total, 0.0), "objects made in C"
    named = _explaining(kept, lambda stat: stat.count_diff, blocks * done)
    lines = [f"{s.traceback[0].filename}:{s.traceback[0].lineno} (+{s.size_diff:,} bytes)" for s in named]
    unknown = f"unknown: no line made as many objects in {done:,} more calls"
    return max(total, 0.0), "; ".join(lines) or unknown


def _native(call: Callable[[Any], Any], items: Sequence[Any], failing: bool, slope: float) -> str:
    """Return the frames that allocate the retained memory of the C heap, if memray is installed.

    Args:
        slope: Bytes that a call had retained before.
    """
    try:
        import memray
    except ImportError:
        return "C heap, outside Python's allocator; for details, pip install 'bakeoff[memray]'"
    import tempfile

    with tempfile.TemporaryDirectory(prefix="bakeoff-") as folder:
        file = Path(folder) / "trace"
        with memray.Tracker(file, native_traces=True):
            done = _repeat(call, items, failing)
        with memray.FileReader(file) as reader:
            leaked = list(reader.get_leaked_allocation_records(merge_threads=True))
            named = _explaining(leaked, _held, slope * done)
            places = [
                f"{each.n_allocations:,} allocations of {each.size:,} bytes in "
                + " < ".join(name for name, _, _ in each.hybrid_stack_trace(max_stacks=4))
                for each in named
            ]
    if not places:
        return f"C heap, place unknown: no place allocated {slope * done:,.0f} bytes in {done:,} more calls"
    return f"C heap, in {done:,} calls: {'; '.join(places)}"


def _held(record: AllocationRecord) -> float:
    """Return the bytes of the heap that the allocations of a place take, in chunks as glibc makes them."""
    each = record.size / record.n_allocations
    return record.n_allocations * max(CHUNK, math.ceil((each + 8) / 16) * 16)


def _resident() -> int:
    import psutil

    return int(psutil.Process().memory_info().rss)


def _allocator() -> str:
    """Return a note if another allocator makes the counters less precise; empty if none does."""
    changed = [name for name in ("PYTHONMALLOC", "LD_PRELOAD") if os.environ.get(name)]
    return f"{', '.join(changed)} set: counters are less precise" if changed else ""


def _lasts(records: int, call: float) -> float:
    """Return the seconds for the calls that `_calls` chooses."""
    return _TRIED * call + min(MOST_SECONDS, WINDOWS * max(LEAST_SECONDS, CALLS * call))


def _growth(
    name: str, summary: str, *, needs: frozenset[str] = frozenset(), default: bool = True
) -> Operation:
    return Operation(
        name=name,
        phase="memory",
        summary=summary,
        carry_out=measure,
        unit="byte",
        heading=name.replace("-", " "),
        needs=needs,
        default=default,
        lasts=_lasts,
    )


OPERATIONS = (
    _growth("growth-dump", "bytes not released per encode after warm-up"),
    _growth("growth-load", "bytes not released per decode after warm-up"),
    _growth("growth-fix", "bytes not released per decode with fix-up", needs=frozenset({"schema"})),
    _growth("growth-failing-load", "bytes not released per refused payload", default=False),
)
