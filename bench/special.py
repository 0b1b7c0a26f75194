"""scipy.special, loaded where there is memory for it."""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any

from ..memory import ask_for, is_limited

__all__ = ["special"]

_NEEDED = 192 << 20


@functools.cache
def special() -> Any:
    """Return the module `scipy.special`.

    OpenBLAS, which comes with it, spins for ever, ends the process or interrupts it where it gets no
    memory.

    Raises:
        RunError: There is too little.
    """
    if is_limited():
        # Each thread would reserve memory of its own.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ask_for(_NEEDED, "computing intervals")
    return importlib.import_module("scipy.special")
