"""The environment of processes that coverage is not to trace: what they run counts elsewhere, or is not ours.

To begin tracing takes a process a tenth of a second, and traced Python several times as long.
"""

from __future__ import annotations

import os

__all__ = ["untraced"]


def untraced() -> dict[str, str]:
    """Return our environment without what tells coverage to trace a process."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS_")}
