"""Checks of free memory before loading libraries that crash or hang if an allocation fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .errors import RunError


def limit_of_addresses() -> int | None:
    """Return the limit of the address space (``ulimit -v``) in bytes; None without a limit; on Linux only."""
    if sys.platform != "linux":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def ask_for(size: int, purpose: str) -> None:
    """Refuse work for which this process has too little address space.

    Args:
        size: Bytes that are needed in addition to those in use.
        purpose: The purpose, in words.

    Raises:
        RunError: Fewer bytes are available.
    """
    limit = limit_of_addresses()
    if limit is None:
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    if limit < (needed := pages * os.sysconf("SC_PAGESIZE") + size):
        raise RunError(
            f"memory is limited to {limit >> 20:,} MiB (ulimit -v); {purpose} takes {needed >> 20:,} MiB "
            "of address space"
        )
