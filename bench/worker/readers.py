"""Workers of other languages in a job."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from ..foreign.port import ForeignWorker, Restarted
from ..messages.reads import ReaderCommand

_SCRUBBED = (
    "GODEBUG",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "NODE_OPTIONS",
    "_JAVA_OPTIONS",
)
"""Variables that would change how a language runs."""


def worker(start: ReaderCommand, patience: float) -> Restarted:
    """Return the worker of a language, without variables that would change how it runs.

    Args:
        start: How it is started.
        patience: Seconds for an answer.
    """
    for name in _SCRUBBED:
        os.environ.pop(name, None)
    return Restarted(partial(ForeignWorker, start.command, Path(start.folder), patience))
