"""The worker of `benchmarks.shapes`, under Valgrind: counts the calls of a codec on all shapes.

Run as ``python -m benchmarks._shape_counts PLAN``. All that can be done before is in the plan, a pickle.
"""

from __future__ import annotations

import gc
import json
import pickle
import sys
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bakeoff.bench import valgrind
from bakeoff.codecs import codec, describe
from bakeoff.codecs.spec import RawCalls

Call = Callable[[Any], object]
ONE = {"id": 1}
"""A record that every library carries."""
ADAPTED = 4
"""Rounds of calls after which the interpreter has adapted the hooks of a codec."""
REHEARSED = 12
"""Forks during which the interpreter still adapts the code that forks."""


class Task(NamedTuple):
    """One operation of one codec on one shape, ours and theirs.

    Attributes:
        codec: Name of the codec.
        shape: Name of the shape.
        operation: "dump" or "load".
        option: The library's calls, by their name in `RawCalls.options`.
        items: Pickle of the records, or of the payloads.
        warm: Each call is called on copies of all items before it is counted.
    """

    codec: str
    shape: str
    operation: str
    option: str
    items: bytes
    warm: bool


def _run(first: Sequence[Any], warm: Sequence[Call], items: Sequence[Any], call: Call) -> None:
    """Call functions on some items, then one function on others."""
    for each in warm:
        _call_all(each, first)
    _call_all(call, items)


def _call_all(call: Call, items: Sequence[Any]) -> None:
    # In C: a call site in Python adapts itself to the function, which would be counted.
    deque(map(call, items), maxlen=0)


def ways(name: str) -> dict[str, RawCalls]:
    """Return the library's calls of a codec that needs no schema, with each of their options."""
    calls = describe(name).raw()
    assert isinstance(calls, RawCalls)
    return calls.all_ways()


def functions(task: Task) -> list[Callable[[], None]]:
    """Return what differs by the calls only: without any, with ours, with theirs."""
    ours = codec(task.codec, trusted=True)
    theirs = ways(task.codec)[task.option]
    pair: tuple[Call, Call]
    one: Any
    # What a thread does once, such as to find the bounds of its stack, is no part of a call.
    if task.operation == "dump":
        pair, one = (ours.encode, theirs.encode), ONE
    else:
        pair, one = (ours.decode, theirs.decode), ours.encode(ONE)
    for call in pair:
        call(one)
    # Two copies: text that is not ASCII is dearer to write the first time.
    first, items = pickle.loads(task.items) if task.warm else [], pickle.loads(task.items)
    for call in pair:  # the interpreter also adapts what is in Python, ours or the libraries'
        for _ in range(ADAPTED):
            _call_all(call, first)
    return [partial(_run, first, pair, items, call) for call in (callable, *pair)]


def main(plan: Path) -> None:
    """Write the instructions of each task's calls next to the plan: pairs of ours and theirs, for an item."""
    tasks: list[Task] = pickle.loads(plan.read_bytes())
    gc.disable()
    every = [(functions(task), len(pickle.loads(task.items))) for task in tasks]
    calls = [call for three, _ in every for call in three]
    valgrind.differences([ONE.copy] * REHEARSED, ONE.copy)
    counts = [0, *valgrind.differences(calls[1:], calls[0])]
    found = [
        [(counts[3 * index + which] - counts[3 * index]) / number for which in (1, 2)]
        for index, (_, number) in enumerate(every)
    ]
    plan.with_suffix(".json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
