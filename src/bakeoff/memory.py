"""Checks of free memory before loading libraries that crash or hang if an allocation fails."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import RunError


def can_limit_addresses() -> bool:
    """Return whether the system can limit a process's address space.

    macOS has the limit's name only, for the resident size, which nothing enforces.
    """
    try:
        import resource
    except ImportError:
        return False
    kind = getattr(resource, "RLIMIT_AS", None)
    return kind is not None and kind != getattr(resource, "RLIMIT_RSS", None)


def limit_of_addresses() -> int | None:
    """Return the limit of the address space (``ulimit -v``) in bytes; None without a limit."""
    if not can_limit_addresses():
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
    limit, used = limit_of_addresses(), Path("/proc/self/statm")
    if limit is None or not used.exists():
        return
    pages = int(used.read_text().split()[0])
    if limit < (needed := pages * os.sysconf("SC_PAGESIZE") + size):
        raise RunError(
            f"memory is limited to {limit >> 20:,} MiB (ulimit -v); {purpose} takes {needed >> 20:,} MiB "
            "of address space"
        )
