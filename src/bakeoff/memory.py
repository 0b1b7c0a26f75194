"""The limit of this process's memory."""

from __future__ import annotations

import sys


def limit_of_addresses() -> int | None:
    """Return the limit of the address space (``ulimit -v``) in bytes; None without a limit; on Linux only."""
    if sys.platform != "linux":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
