"""Libraries that end the process, or never come back, where they get no memory: asked before they load."""

from __future__ import annotations

import resource
from pathlib import Path

from .errors import RunError

__all__ = ["ask_for", "is_limited"]


def is_limited() -> bool:
    """Whether the address space of this process is limited (``ulimit -v``)."""
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def ask_for(size: int, purpose: str) -> None:
    """Refuse what this process has too little address space for.

    Args:
        size: Bytes that it takes beyond what is taken now.
        purpose: What for, in words.

    Raises:
        RunError: There is less.
    """
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    if limit < (needed := pages * resource.getpagesize() + size):
        raise RunError(
            f"memory is limited to {limit >> 20:,} MiB (ulimit -v); {purpose} takes {needed >> 20:,} MiB "
            "of address space"
        )
