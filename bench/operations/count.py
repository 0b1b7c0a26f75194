"""Exact counts: instructions of a call, by Valgrind. They do not depend on what else the machine does.

A worker runs under Valgrind and forks processes: one encodes some records once, another one encodes them
twice. The difference of their counts, divided by the records, is the figure. All codecs get the same
records, spread evenly over the sizes in the sample.
"""

from __future__ import annotations

import platform
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from .. import valgrind
from ..results import Fact
from .base import Context, Measured, Operation, Sample, Toolkit, UnfitError

_RECORDS = 100
"""Most records: so many calls average out how memory happens to be laid out."""
_BYTES = 256 << 10
"""Most bytes of them, as pickles: Valgrind makes calls some twenty times slower."""
_FEWEST = 4
_BLOCK = 4096
"""Bytes of a block that is allocated before a call, at most, so that each call finds another free list. Else
all calls of a process would copy to the same address, which moves counts by half a percent."""
_LAYOUTS = 3
"""Sequences of such blocks, of which a figure is the mean: layouts move the count of a dump by 0.1 %."""


def _measure(context: Context, tools: Toolkit) -> Measured:
    """Return the instructions of a dump and of a load.

    Raises:
        UnfitError: The interpreter compiles while it runs, or the codec has too few payloads.
    """
    if sys.implementation.name != "cpython" or _compiles():
        raise UnfitError("an interpreter that compiles while it runs has no fixed count")
    chosen = _chosen(context.sample)
    if max(chosen) >= len(context.payloads):
        raise UnfitError("its check had no time for all of the records that are counted; use --all")
    fresh = [record for _ in range(2) for record in context.parts.taken(context.sample.records(chosen))]
    payloads = [context.payloads[index] for index in chosen] * 2
    try:
        tools.beat()
        dump = _per_call(context.parts.bare.encode, fresh, tools)
        load = _per_call(context.parts.bare.decode, payloads, tools)
    except valgrind.UncountableError as error:
        raise UnfitError(str(error)) from error
    return Measured(0.0, _conditions(context, len(chosen)), together={"count-dump": dump, "count-load": load})


def _compiles() -> bool:
    jit = getattr(sys, "_jit", None)
    return jit is not None and bool(jit.is_enabled())


def _chosen(sample: Sample) -> list[int]:
    """Return the indices of the records to count: every n-th by size, in random order."""
    order = sorted(range(len(sample.pickles)), key=lambda index: (sample.weights[index], index))
    mean = sum(map(len, sample.pickles)) / len(order)
    number = min(len(order), max(_FEWEST, min(_RECORDS, int(_BYTES / mean))))
    found = [order[(2 * n + 1) * len(order) // (2 * number)] for n in range(number)]
    random.Random(0).shuffle(found)
    return found


def _per_call(call: Callable[[Any], object], items: Sequence[Any], tools: Toolkit) -> float:
    """Return the mean instructions of a call on the second half of some items, after one on the first."""
    half = len(items) // 2

    def run(sizes: Sequence[int], second: Callable[[Any], object]) -> None:
        blocks = []
        for item, size in zip(items[:half], sizes[:half], strict=True):
            blocks.append(bytes(size))
            call(item)
        tools.beat()
        for item, size in zip(items[half:], sizes[half:], strict=True):
            blocks.append(bytes(size))
            second(item)

    found = []
    for layout in range(_LAYOUTS):
        sizes = random.Random(layout).choices(range(_BLOCK), k=len(items))
        found.append(valgrind.difference(partial(run, sizes, call), partial(run, sizes, id)))
    return fmean(found) / half


def _conditions(context: Context, records: int) -> dict[str, Fact]:
    """Return what has to be the same in two runs whose counts are compared."""
    return {
        "records": records,
        "hash_seed": valgrind.HASH_SEED,
        "python": " ".join(sys.version.split()),
        "processor": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
        "valgrind": valgrind.version(),
        "build": _build(context.parts.codec.library),
    }


def _build(library: str) -> str:
    """Return a digest of a library's compiled modules; empty if it has none, or no list of its files."""
    # A sixth of the imports of a worker, which all load this module.
    import hashlib
    from importlib import metadata

    try:
        listed = metadata.distribution(library).read_text("RECORD") or ""
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    compiled = sorted(line for line in listed.splitlines() if ".so," in line)
    return hashlib.sha256("\n".join(compiled).encode()).hexdigest()[:12] if compiled else ""


def _count(name: str, summary: str, heading: str) -> Operation:
    return Operation(
        name=name,
        phase="alone",
        summary=summary,
        carry_out=_measure,
        unit="integer",
        heading=heading,
        together="count",
        exact=True,
    )


OPERATIONS = (
    _count("count-dump", "instructions to encode one record, by Valgrind", "dump instructions"),
    _count("count-load", "instructions to decode one payload, by Valgrind", "load instructions"),
)
