"""The codec that has been decided on: by a lock file first, else by a result file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from .lock import NAME, Lock

if TYPE_CHECKING:
    from .pick import Wish

__all__ = ["RESULTS", "decide"]

RESULTS: Final = "bakeoff.json"
"""The result file's usual name."""


def decide(path: Path | None = None, wish: Wish | None = None) -> Lock | None:
    """Return what has been decided, as a lock (which need not be written anywhere).

    Args:
        path: A lock or a result file; by default `bakeoff.lock` in the working folder, else
            `bakeoff.json` there.
        wish: What to pick for when there is only a result file; a lock has been picked already.

    Returns:
        None when no path was given and neither file is there.

    Raises:
        UsageError: The path does not exist.
        RunError: The file is damaged, or no codec fits.
    """
    if path is None:
        path = next((found for name in (NAME, RESULTS) if (found := Path(name)).exists()), None)
        if path is None:
            return None
    if path.suffix == Path(NAME).suffix:
        return Lock.read(path)
    # A lock is read at a service's start, so what it does not need stays unloaded.
    from .files import load
    from .pick import Wish, pick

    result = load(path)
    return Lock.of(pick([result], wish or Wish()), [path], [result.started])
