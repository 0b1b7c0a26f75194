"""Distinguish a free physical core from one that is shared with a neighbor.

Two hardware threads share the execution units of a physical core. While the other one is busy (with another
virtual machine, perhaps, which no load average shows), most code takes 1.4 to 1.8 times as long, and the
factor differs between codecs. A chain of dependent steps leaves the units idle anyway, so its time does not
change. The time of the reference kernel divided by that of a chain therefore shows the sharing, whatever
codec runs.

Ratios of codecs hold only within one of the two states. Figures are estimated within one state: that of the
free core if there were enough such measurements.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from .method import Cores, Processes


def free_level(readings: Sequence[float], known: float = 0.0) -> float:
    """Return the lowest typical reading so far: that of a free core, unless none has been free yet.

    Args:
        readings: Readings of one process; at least one.
        known: The baseline of earlier processes on this machine; 0 if there is none.
    """
    ordered = sorted(readings)
    own = ordered[math.floor(Cores.QUANTILE * len(ordered))]
    return min(own, known) if known else own


def highest_free(baseline: float) -> float:
    """Return the highest reading of a free core, given its baseline."""
    return Cores.SHARED * baseline


def same_state(one: float, other: float) -> bool:
    """Return whether two readings are of cores in one state, free or shared; 0, for unknown, matches any."""
    return not (one and other) or max(one, other) <= Cores.SHARED * min(one, other)


def overall(readings: Sequence[float]) -> float:
    """Return the contention of a process from the readings around its slices; 0 if there are none.

    This is the upper quartile: a process with a free core for half of its time does not count as one on a
    free core.
    """
    return sorted(readings)[3 * len(readings) // 4] if readings else 0.0


def alike(contention: Mapping[int, float], baseline: float) -> Collection[int]:
    """Choose the processes of a run whose figures can be compared.

    Args:
        contention: Contention of each process, by its number; 0 if unknown.
        baseline: The level of a free core, see `free_level`.

    Returns:
        The processes on a free core if there are enough, else those on a shared one, else all.
    """
    free = [number for number, reading in contention.items() if reading <= highest_free(baseline)]
    if len(free) >= max(Processes.FEWEST, Cores.PROCESSES * len(contention)):
        return free
    shared = contention.keys() - set(free)
    return shared if len(shared) >= Processes.FEWEST else contention.keys()
