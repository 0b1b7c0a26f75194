"""Measure promised figures: ``python -m benchmarks NAME [ARGUMENTS]``."""

from __future__ import annotations

import sys
from importlib import import_module

if __name__ == "__main__":
    import_module(f"benchmarks.{sys.argv.pop(1)}").main()
