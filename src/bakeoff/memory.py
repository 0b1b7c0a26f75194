"""The limit of this process's memory."""

from __future__ import annotations


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
