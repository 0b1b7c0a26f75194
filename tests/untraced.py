"""Environment for processes that coverage should not trace: their code is covered elsewhere, or is not ours.

Tracing takes a tenth of a second to start, and makes Python several times slower.
"""

from __future__ import annotations

import os


def untraced() -> dict[str, str]:
    """Return our environment without the variables that make coverage trace a process."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}
