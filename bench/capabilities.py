"""What measuring uses of a system beyond Python itself, probed once.

What is missing costs its columns or limits, not the run. Code asks this value, never the platform's
name. The parent sends it to its workers.
"""

from __future__ import annotations

import ctypes
import os
import select
import socket
import time
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final, get_type_hints

from ..memory import can_limit_addresses

_CLEAR_REFS: Final = Path("/proc/self/clear_refs")
_ROLLUP: Final = Path("/proc/self/smaps_rollup")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a system offers; each field's annotation says what a run loses without it."""

    fork_server: Annotated[bool, "no fork server (workers start more slowly)"] = True
    fork: Annotated[bool, "no fork (no pipelines, no instruction counts)"] = True
    affinity: Annotated[bool, "no pinning to cores (figures scatter more)"] = True
    process_groups: Annotated[
        bool, "no process groups (what a codec starts does not end with its worker)"
    ] = True
    children: Annotated[bool, "no list of child processes (a codec may start some unnoticed)"] = True
    death_signal: Annotated[bool, "no death signals (the workers of a killed run finish their work)"] = True
    memory_limits: Annotated[bool, "no memory limits (a codec can take all memory)"] = True
    file_locks: Annotated[bool, "no file locks (do not write two runs to one file)"] = True
    polling: Annotated[bool, "no polling of pipes (no readers in other languages, no other machines)"] = True
    process_clocks: Annotated[bool, "no processor clocks of other processes (disturbed readers stay)"] = True
    thread_clocks: Annotated[bool, "no processor clocks of other threads (no stalls)"] = True
    high_water_mark: Annotated[bool, "no resettable high-water mark (peak memory is less exact)"] = True
    usage: Annotated[bool, "no usage counters (no peak memory without the high-water mark)"] = True
    heap_counters: Annotated[bool, "no counters of the C heap (memory growth is less exact)"] = True
    core_state: Annotated[bool, "no reading of the core's state (neighbors on a core are not seen)"] = True

    @property
    def peaks(self) -> bool:
        """Whether peak memory can be measured."""
        return self.high_water_mark or self.usage

    @property
    def missing(self) -> list[str]:
        """The names of what is missing."""
        return [name for name, has in asdict(self).items() if not has]


def lost(missing: Collection[str]) -> str:
    """Return in one line what a run loses; empty if nothing is missing.

    Args:
        missing: As `Capabilities.missing`; other names, of a newer version, are ignored.
    """
    hints = get_type_hints(Capabilities, include_extras=True)
    named = [hints[field.name].__metadata__[0] for field in fields(Capabilities) if field.name in missing]
    return f"this system has {', '.join(named)}" if named else ""


def probe() -> Capabilities:
    """Try each capability on this system; whether the heap has counters, what reads them finds out."""
    from .worker._slice import CHAINED

    return Capabilities(
        fork_server=_can_serve_forks(),
        fork=hasattr(os, "fork"),
        affinity=hasattr(os, "sched_setaffinity"),
        process_groups=hasattr(os, "killpg"),
        children=hasattr(os, "WNOHANG"),
        death_signal=_has_death_signal(),
        memory_limits=can_limit_addresses(),
        file_locks=find_spec("fcntl") is not None,
        polling=hasattr(select, "poll"),
        process_clocks=_can_read(process_clock(os.getpid())),
        thread_clocks=hasattr(time, "pthread_getcpuclockid"),
        high_water_mark=_can_reset(),
        usage=find_spec("resource") is not None,
        core_state=CHAINED,
    )


def here() -> Capabilities:
    """Return the capabilities of this system, or those that this process has adopted."""
    return _known[0] if _known else adopt(probe())


def cores() -> list[int]:
    """Return the processors that this process may use; it can be pinned to them where there is affinity."""
    if here().affinity:
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def adopt(capabilities: Capabilities) -> Capabilities:
    """Make this process use these capabilities: a worker has those of its run."""
    _known[:] = [capabilities]
    return capabilities


_known: list[Capabilities] = []


def process_clock(pid: int) -> int:
    """Return the number that Linux gives the clock of a process's time on processors.

    It is that of the function `clock_getcpuclockid` of POSIX, which Python lacks.
    """
    return ~pid << 3 | 2


def _can_read(clock: int) -> bool:
    try:
        return hasattr(time, "clock_gettime_ns") and time.clock_gettime_ns(clock) > 0
    except OSError:
        return False


def _can_serve_forks() -> bool:
    """Return whether files can be sent to a process that forks, and its forks be watched."""
    if not (hasattr(os, "fork") and hasattr(os, "pidfd_open") and hasattr(os, "O_PATH")):
        return False
    try:
        for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET):
            end.close()
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def _has_death_signal() -> bool:
    try:
        return hasattr(ctypes.CDLL(None), "prctl")
    except (OSError, TypeError):  # Windows has no library of the process itself
        return False


def _can_reset() -> bool:
    """Reset the high-water mark of this process; return whether the kernel can do that, and shows it."""
    try:
        _CLEAR_REFS.write_text("5")
    except OSError:
        return False
    return _ROLLUP.exists()
