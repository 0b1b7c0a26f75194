"""Measure promised figures: ``python -m benchmarks NAME [ARGUMENTS]``."""

from __future__ import annotations

import signal
import sys
from importlib import import_module

if __name__ == "__main__":
    # As Ctrl-C: what a benchmark has started or stopped ends with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    import_module(f"benchmarks.{sys.argv.pop(1)}").main()
