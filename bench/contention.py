"""Tell a physical core of one's own from one that a neighbor shares.

Two hardware threads share the execution units of a physical core. While the other one is busy (another
virtual machine's, perhaps, which no load average shows), most code takes 1.4 to 1.8 times as long, each
codec by a factor of its own. A chain of dependent steps leaves the units idle anyway and keeps its time. So
the time of the reference kernel over that of a chain shows the sharing, whatever codec runs.

Ratios of codecs hold within one of the two states only. Figures are therefore estimated within one state:
that of the free core where there was enough of it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from .method import Cores, Processes

__all__ = ["alike", "free_level", "highest_free", "overall"]


def free_level(readings: Sequence[float], known: float = 0.0) -> float:
    """Return the lowest typical reading so far: that of a free core, unless none was free yet.

    Args:
        readings: Of one process; at least one.
        known: The baseline of earlier processes on this machine; 0 where there is none.
    """
    ordered = sorted(readings)
    own = ordered[math.floor(Cores.QUANTILE * len(ordered))]
    return min(own, known) if known else own


def highest_free(least: float) -> float:
    """Return the highest reading that a free core gives, from its baseline."""
    return Cores.SHARED * least


def overall(readings: Sequence[float]) -> float:
    """Return the contention of a process from the readings around its slices; 0 where there are none.

    The upper quartile: a process that had a free core for half of its time is not one on a free core.
    """
    return sorted(readings)[3 * len(readings) // 4] if readings else 0.0


def alike(contention: Mapping[int, float], least: float) -> Collection[int]:
    """Choose the processes of a run whose figures may be compared with each other.

    Args:
        contention: Of each process, by its number; 0 where none was read.
        least: The baseline.

    Returns:
        The processes on a free core where they are enough, else those on a shared one, else all.
    """
    free = [number for number, reading in contention.items() if reading <= highest_free(least)]
    if len(free) >= max(Processes.FEWEST, Cores.PROCESSES * len(contention)):
        return free
    shared = contention.keys() - set(free)
    return shared if len(shared) >= Processes.FEWEST else contention.keys()
